/**
 * Placing a bet: the checks in the order of the design (section 5), then the changes. Nothing is changed before
 * the last check has passed.
 */
import type { PlaceOrder } from '../commands.js';
import { LIVE, SIDES, textAt, UP } from '../domain.js';
import type { ErrorCode } from '../errors.js';
import type { BetPlaced, Rejected } from '../events.js';
import { dollarsOfCents, oddsE4, payoutCents, percentUpE2 } from '../money.js';
import type { Round } from '../state/rounds.js';
import { type Effect, reject, type State } from '../state/state.js';

/** `gate` is the edge's refusal of new orders (clock, backlog, disk), or null. It never hides a replay. */
export function placeOrder(state: State, order: PlaceOrder, gate: ErrorCode | null): Effect {
  const rules = state.rulesInForce;
  if (order.idempotency !== null) {
    const known = state.idempotency.find(
      order.account,
      order.idempotency,
      order.timeMs,
      rules.idempotencyTtlMs,
    );
    if (known !== null) {
      if (known.digest.body === order.idempotency.body) {
        return { status: 'replayed', seq: known.seq, event: known.placed };
      }
      return reject(
        'idempotency_key_reused',
        'this Idempotency-Key was used with another body within 10 minutes',
      );
    }
  }
  const round = openRound(state, order, gate);
  if (!('market' in round)) return round;
  const refusal = checkStake(state, order, round) ?? checkSlippage(order, round);
  if (refusal !== null) return refusal;
  return checkFundsAndPlace(state, order, round);
}

/** The market's round if it takes bets at the order's own time. */
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
    return reject('betting_closed', 'bets are refused in the last 20 seconds before the lock');
  }
  return round;
}

function checkStake(state: State, order: PlaceOrder, round: Round): Rejected | null {
  const tierMaxCents = state.rulesInForce.tiers[state.accounts.tier(order.account)]?.maxStakeCents ?? 0;
  const maxCents = Math.min(round.maxStakeCents, tierMaxCents);
  if (order.stakeCents >= round.minStakeCents && order.stakeCents <= maxCents) return null;
  const range = `${dollarsOfCents(round.minStakeCents)} to ${dollarsOfCents(maxCents)}`;
  return reject('stake_out_of_range', `amount must be ${range} USD for this market and account tier`);
}

/** Compares with the published percent of the side, before the stake joins; whole numbers of 1e-6 points. */
function checkSlippage(order: PlaceOrder, round: Round): Rejected | null {
  if (order.expectedPercentE6 < 0) return null;
  const upE2 = percentUpE2(round.poolUpCents, round.poolUpCents + round.poolDownCents);
  const publishedE2 = order.side === UP ? upE2 : 10_000 - upE2;
  const movedE6 = Math.abs(publishedE2 * 10_000 - order.expectedPercentE6);
  return movedE6 > round.slippageE2 * 10_000 ? reject('odds_changed') : null;
}

function checkFundsAndPlace(state: State, order: PlaceOrder, round: Round): Effect {
  const rules = state.rulesInForce;
  const { account, side, stakeCents } = order;
  if (state.accounts.balanceCents(account) < stakeCents) {
    return reject('insufficient_balance', 'the stake is more than the balance');
  }
  const sideCents = (side === UP ? round.poolUpCents : round.poolDownCents) + stakeCents;
  const totalCents = round.poolUpCents + round.poolDownCents + stakeCents;
  const odds = oddsE4(totalCents, sideCents);
  const payout = payoutCents(stakeCents, odds, round.feeBps);
  const owedCents = (side === UP ? round.payoutUpCents : round.payoutDownCents) + payout;
  if (owedCents > totalCents) {
    const word = textAt(SIDES, side);
    return reject(
      'round_exposure_limit',
      `with this bet the round could owe more on ${word} than its pool holds`,
    );
  }
  if (state.accounts.openBets(account) >= rules.openBetsMax) {
    return reject('too_many_open_bets', `an account may have ${rules.openBetsMax} open bets`);
  }
  if (
    order.idempotency !== null &&
    state.idempotency.isFull(order.timeMs, rules.idempotencyTtlMs, rules.idempotencyEntriesMax)
  ) {
    return reject('idempotency_full', 'the memory of Idempotency-Keys is full; try again');
  }
  const upE2 = percentUpE2(side === UP ? sideCents : totalCents - sideCents, totalCents);
  return [place(state, order, round, odds, side === UP ? upE2 : 10_000 - upE2, payout)];
}

function place(
  state: State,
  order: PlaceOrder,
  round: Round,
  odds: number,
  entryPercentE2: number,
  payout: number,
): BetPlaced {
  const { account, side, stakeCents, timeMs } = order;
  const newBalanceCents = state.accounts.move(account, -stakeCents, state.nextSeq);
  joinPool(state, round, side, stakeCents, payout);
  const bet = addBet(state, order, round, odds, payout);
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
  };
  if (order.idempotency !== null) {
    state.idempotency.add(order.idempotency, state.nextSeq, placed, state.rulesInForce.idempotencyTtlMs);
  }
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

/** Writes the bet's row and links it to its round and its account; returns the bet's number. */
function addBet(state: State, order: PlaceOrder, round: Round, odds: number, payout: number): number {
  const { bets } = state;
  const row = bets.take();
  const chunk = bets.chunk(row);
  const i = bets.index(row);
  chunk.stakeCents[i] = order.stakeCents;
  chunk.oddsE4[i] = odds;
  chunk.payoutCents[i] = payout;
  chunk.placedAtMs[i] = order.timeMs;
  chunk.settledAtMs[i] = 0;
  chunk.changedSeq[i] = state.nextSeq;
  chunk.account[i] = order.account;
  chunk.roundNumber[i] = round.roundNumber;
  chunk.market[i] = round.market;
  chunk.side[i] = order.side;
  chunk.result[i] = 0;
  chunk.next[i] = 0;
  if (round.firstBet === 0) round.firstBet = row;
  else bets.chunk(round.lastBet).next[bets.index(round.lastBet)] = row;
  round.lastBet = row;
  state.history.placed(order.account, row, state.rulesInForce.historyBetsMax);
  return chunk.bet[i] as number;
}
