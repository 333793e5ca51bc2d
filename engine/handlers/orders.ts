/**
 * Placing a bet: first all checks, in the design's order (section 5), then all changes. Nearly all commands are
 * orders, so the rows of account and bet are looked up once, and messages are built only on refusal.
 */

import { dollarsOfCents, oddsE4, payoutCents, percentUpE2 } from '../base/money.js';
import type { IdempotencyDigest, PlaceOrder } from '../model/commands.js';
import { LIVE, NO_FAIR_SHARE, SIDES, textAt, UP } from '../model/domain.js';
import type { ErrorCode } from '../model/errors.js';
import type { BetPlaced, Rejected, Replayed } from '../model/events.js';
import type { Rules } from '../model/rules.js';
import { availableCents, edgeCents } from '../quotes/exposure.js';
import { quotedUpCents } from '../quotes/split.js';
import type { AccountChunk } from '../state/accounts.js';
import type { IdempotencyEntry } from '../state/idempotency.js';
import { Round } from '../state/rounds.js';
import { reject, type State } from '../state/state.js';

/** `gate` is the host's reason to refuse new orders (clock, backlog, disk), or null. It does not apply to replays. */
export function placeOrder(
  state: State,
  order: PlaceOrder,
  gate: ErrorCode | null,
): BetPlaced | Rejected | Replayed {
  const rules = state.rulesInForce;
  const remembered = rememberedOrder(state, order);
  if (remembered !== null) return remembered;
  const { account } = order;
  const round = openRound(state, order, gate);
  if (!(round instanceof Round)) return round;
  const accounts = state.accounts.chunk(account);
  const a = state.accounts.row(account);
  const upCents = quotedUpCents(round, order.fairShareE6);
  const refusal = checkStake(rules, accounts, a, order, round) ?? checkSlippage(order, round, upCents);
  return refusal ?? checkFundsAndPlace(state, rules, accounts, a, order, round, upCents);
}

/** A replay or a refusal if the order's Idempotency-Key is remembered, else null. */
export function rememberedOrder(state: State, order: PlaceOrder): Replayed | Rejected | null {
  const { account, idempotency, timeMs } = order;
  if (idempotency === null) return null;
  const known = state.idempotency.find(account, idempotency, timeMs, state.rulesInForce.idempotencyTtlMs);
  return known === null ? null : replayOf(known, idempotency);
}

function replayOf(known: IdempotencyEntry, idempotency: IdempotencyDigest): Replayed | Rejected {
  if (known.digest.body === idempotency.body) {
    return { status: 'replayed', seq: known.seq, event: known.placed };
  }
  return reject('idempotency_key_reused', 'this Idempotency-Key was used with another body');
}

/** The market's round if it takes bets at the time of the order. */
function openRound(state: State, order: PlaceOrder, gate: ErrorCode | null): Round | Rejected {
  const market = order.market < 0 ? null : state.markets.market(order.market);
  if (market === null || market.rules === null)
    return reject('market_not_found', 'no active market has this id');
  if (!state.trading.enabled) return reject('trading_disabled', state.trading.reason);
  if (gate !== null) return reject(gate, 'orders are not taken right now; try again');
  if (market.suspended) return reject('market_suspended', 'this market takes no bets');
  const round = market.current;
  if (round === null || round.status !== LIVE || order.timeMs >= round.lockTimeMs) {
    return reject('round_not_live', 'the market has no live round at this moment');
  }
  if (order.timeMs >= round.bettingClosesMs) {
    const seconds = (round.lockTimeMs - round.bettingClosesMs) / 1000;
    return reject('betting_closed', `bets are refused in the last ${seconds} seconds before the lock`);
  }
  if (round.quote !== null && order.fairShareE6 === NO_FAIR_SHARE) {
    return reject('stale_price', 'the house has no fresh price to quote from; try again');
  }
  return round;
}

function checkStake(
  rules: Rules,
  accounts: AccountChunk,
  a: number,
  order: PlaceOrder,
  round: Round,
): Rejected | null {
  const tierMaxCents = rules.tiers[accounts.tier[a] as number]?.maxStakeCents ?? 0;
  const { stakeCents } = order;
  if (stakeCents >= round.minStakeCents && stakeCents <= round.maxStakeCents && stakeCents <= tierMaxCents) {
    return null;
  }
  const maxCents = Math.min(round.maxStakeCents, tierMaxCents);
  const range = `${dollarsOfCents(round.minStakeCents)} to ${dollarsOfCents(maxCents)}`;
  return reject('stake_out_of_range', `amount must be ${range} USD for this market and account tier`);
}

/**
 * Compares `expectedPercent` with the side's published percentage, before this stake joins the pool, in 1e-6 of a
 * point. `upCents` is UP's pool as the house quotes it now.
 */
function checkSlippage(order: PlaceOrder, round: Round, upCents: number): Rejected | null {
  if (order.expectedPercentE6 < 0) return null;
  const upE2 = percentUpE2(upCents, round.poolUpCents + round.poolDownCents);
  const publishedE2 = order.side === UP ? upE2 : 10_000 - upE2;
  const movedE6 = Math.abs(publishedE2 * 10_000 - order.expectedPercentE6);
  return movedE6 > round.slippageE2 * 10_000 ? reject('odds_changed') : null;
}

function checkFundsAndPlace(
  state: State,
  rules: Rules,
  accounts: AccountChunk,
  a: number,
  order: PlaceOrder,
  round: Round,
  upCents: number,
): BetPlaced | Rejected {
  const { side, stakeCents } = order;
  if ((accounts.balanceCents[a] as number) < stakeCents) {
    return reject('insufficient_balance', 'the stake is more than the balance');
  }
  const isUp = side === UP;
  const totalCents = round.poolUpCents + round.poolDownCents + stakeCents;
  const sideCents = isUp ? upCents + stakeCents : totalCents - upCents;
  const odds = oddsE4(totalCents, sideCents);
  const payout = payoutCents(stakeCents, odds, round.feeBps);
  const edge = round.quote === null ? 0 : edgeCents(side, stakeCents, payout, order.fairShareE6);
  if (
    (isUp ? round.payoutUpCents : round.payoutDownCents) + payout > totalCents ||
    (round.quote !== null && round.quote.edgeCents + edge < 0)
  ) {
    return reject('round_exposure_limit', exposureText(round, order));
  }
  if ((accounts.openBets[a] as number) >= rules.openBetsMax) {
    return reject('too_many_open_bets', `an account may have ${rules.openBetsMax} open bets`);
  }
  if (
    order.idempotency !== null &&
    state.idempotency.isFull(order.timeMs, rules.idempotencyTtlMs, rules.idempotencyEntriesMax)
  ) {
    return reject('idempotency_full', 'the memory of Idempotency-Keys is full; try again');
  }
  const upE2 = percentUpE2(isUp ? sideCents : totalCents - sideCents, totalCents);
  quoteAt(round, upCents, edge);
  return place(state, rules, order, round, odds, isUp ? upE2 : 10_000 - upE2, payout);
}

/** Moves the seeds to where the bet found them, with UP's pool at `upCents`, and counts its edge. */
function quoteAt(round: Round, upCents: number, edge: number): void {
  const { quote } = round;
  if (quote === null) return;
  const movedCents = upCents - round.poolUpCents;
  round.poolUpCents += movedCents;
  round.poolDownCents -= movedCents;
  quote.seedUpCents += movedCents;
  quote.edgeCents += edge;
}

function exposureText(round: Round, { side, fairShareE6 }: PlaceOrder): string {
  const word = textAt(SIDES, side);
  const cents = availableCents(round, side, fairShareE6);
  const now = cents === 0 ? 'nothing' : `up to ${dollarsOfCents(cents)} USD`;
  return `the round would come to owe too much on ${word}; ${now} can be bet on ${word} now`;
}

function place(
  state: State,
  rules: Rules,
  order: PlaceOrder,
  round: Round,
  odds: number,
  entryPercentE2: number,
  payout: number,
): BetPlaced {
  const { account, side, stakeCents, idempotency, timeMs } = order;
  const seq = state.nextSeq;
  const newBalanceCents = state.accounts.move(account, -stakeCents, seq);
  joinPool(state, round, side, stakeCents, payout);
  const bet = addBet(state, order, round, odds, entryPercentE2, payout, seq, rules.historyBetsMax);
  const placed: BetPlaced = {
    type: 'betPlaced',
    timeMs,
    bet,
    account,
    market: round.market,
    roundNumber: round.roundNumber,
    side,
    stakeCents,
    oddsE4: odds,
    entryPercentE2,
    payoutCents: payout,
    newBalanceCents,
    clientSeed: order.clientSeed,
    fairShareE6: round.quote === null ? NO_FAIR_SHARE : order.fairShareE6,
  };
  if (idempotency !== null) state.idempotency.add(idempotency, seq, placed, rules.idempotencyTtlMs);
  return placed;
}

function joinPool(state: State, round: Round, side: number, stakeCents: number, payout: number): void {
  if (side === UP) {
    round.poolUpCents += stakeCents;
    round.payoutUpCents += payout;
  } else {
    round.poolDownCents += stakeCents;
    round.payoutDownCents += payout;
  }
  round.betCount++;
  round.volumeCents += stakeCents;
  state.markets.potsCents += stakeCents;
  state.markets.openStakesCents += stakeCents;
}

/** Fills a row for the bet and links it to its round and account. Returns the bet's number. */
function addBet(
  state: State,
  order: PlaceOrder,
  round: Round,
  odds: number,
  entryPercentE2: number,
  payout: number,
  seq: number,
  historyBetsMax: number,
): number {
  const { bets } = state;
  const row = bets.take();
  const chunk = bets.chunk(row);
  const i = bets.index(row);
  chunk.stakeCents[i] = order.stakeCents;
  chunk.oddsE4[i] = odds;
  chunk.payoutCents[i] = payout;
  chunk.placedAtMs[i] = order.timeMs;
  chunk.settledAtMs[i] = 0;
  chunk.changedSeq[i] = seq;
  chunk.account[i] = order.account;
  chunk.roundNumber[i] = round.roundNumber;
  chunk.market[i] = round.market;
  chunk.side[i] = order.side;
  chunk.result[i] = 0;
  chunk.setEntry(i, entryPercentE2, order.clientSeed);
  chunk.next[i] = 0;
  if (round.firstBet === 0) round.firstBet = row;
  else bets.chunk(round.lastBet).next[bets.index(round.lastBet)] = row;
  round.lastBet = row;
  state.history.placed(order.account, row, historyBetsMax);
  return chunk.bet[i] as number;
}
