/**
 * Placing a bet: first all checks, then all changes. Nearly all commands are orders, so the rows of account and bet are
 * looked up once.
 */
import type { IdempotencyDigest, OrderGuards, PlaceOrder } from '../model/commands.js';
import { NO_FAIR_SHARE, UP } from '../model/domain.js';
import type { ErrorCode } from '../model/errors.js';
import type { BetPlaced, Rejected, Replayed } from '../model/events.js';
import type { Rules } from '../model/rules.js';
import type { SeenKey } from '../model/views.js';
import { quotedUpCents } from '../quotes/split.js';
import type { IdempotencyEntry } from '../state/idempotency.js';
import { Round } from '../state/rounds.js';
import { reject, type State } from '../state/state.js';
import {
  checkExposure,
  checkFunds,
  checkMemory,
  checkOdds,
  checkOpenBets,
  checkStake,
  type Offer,
  offerFor,
  openRound,
} from './order-checks.js';

/**
 * `gate` is the host's reason to refuse new orders (clock, backlog, disk), or null. It does not apply to replays, and
 * neither do `guards`.
 */
export function placeOrder(
  state: State,
  order: PlaceOrder,
  gate: ErrorCode | null,
  guards: OrderGuards | null,
): BetPlaced | Rejected | Replayed {
  const rules = state.rulesInForce;
  const remembered = rememberedOrder(state, order);
  if (remembered !== null) return remembered;
  const { account } = order;
  const round = openRound(state, order, gate, guards);
  if (!(round instanceof Round)) return round;
  const accounts = state.accounts.chunk(account);
  const a = state.accounts.row(account);
  const outOfRange = checkStake(rules, accounts, a, order, round);
  if (outOfRange !== null) return outOfRange;
  const offer = offerFor(order, round, quotedUpCents(round, order.fairShareE6));
  const refusal =
    checkOdds(order, round, offer, guards) ??
    checkFunds(accounts, a, order) ??
    checkExposure(order, round, offer) ??
    checkOpenBets(rules, accounts, a) ??
    checkMemory(state, rules, order);
  if (refusal !== null) return refusal;
  quoteAt(round, offer);
  return place(state, rules, order, round, offer);
}

/** A replay or a refusal if the order's Idempotency-Key is remembered, else null. */
export function rememberedOrder(state: State, order: PlaceOrder): Replayed | Rejected | null {
  const { account, idempotency, timeMs } = order;
  if (idempotency === null) return null;
  const known = state.idempotency.find(account, idempotency, timeMs, state.rulesInForce.idempotencyTtlMs);
  return known === null ? null : replayOf(known, idempotency);
}

/** What is remembered of an Idempotency-Key at `nowMs`, whichever order it was used for. */
export function seenKey(state: State, account: number, digest: IdempotencyDigest, nowMs: number): SeenKey {
  const { idempotencyTtlMs } = state.rulesInForce;
  const known = state.idempotency.find(account, digest, nowMs, idempotencyTtlMs);
  return {
    placed: known === null ? null : { seq: known.seq, bet: known.placed.bet },
    rememberedFromMs: state.idempotency.rememberedFromMs(nowMs, idempotencyTtlMs),
  };
}

function replayOf(known: IdempotencyEntry, idempotency: IdempotencyDigest): Replayed | Rejected {
  if (known.digest.body === idempotency.body) {
    return { status: 'replayed', seq: known.seq, event: known.placed };
  }
  return reject('idempotency_key_reused', 'this Idempotency-Key was used with another body');
}

/** Moves the seeds to where the bet found them, and counts its edge. */
function quoteAt(round: Round, { upCents, edgeCents }: Offer): void {
  const { quote } = round;
  if (quote === null) return;
  const movedCents = upCents - round.poolUpCents;
  round.poolUpCents += movedCents;
  round.poolDownCents -= movedCents;
  quote.seedUpCents += movedCents;
  quote.edgeCents += edgeCents;
}

function place(state: State, rules: Rules, order: PlaceOrder, round: Round, offer: Offer): BetPlaced {
  const { account, side, stakeCents, idempotency, timeMs } = order;
  const { entryPercentE2, payoutCents } = offer;
  const seq = state.nextSeq;
  const newBalanceCents = state.accounts.move(account, -stakeCents, seq);
  joinPool(state, round, side, stakeCents, payoutCents);
  const bet = addBet(state, order, round, offer, seq, rules.historyBetsMax);
  const placed: BetPlaced = {
    type: 'betPlaced',
    timeMs,
    bet,
    account,
    market: round.market,
    roundNumber: round.roundNumber,
    side,
    stakeCents,
    oddsE4: offer.oddsE4,
    entryPercentE2,
    payoutCents,
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
  offer: Offer,
  seq: number,
  historyBetsMax: number,
): number {
  const { bets } = state;
  const row = bets.take();
  const chunk = bets.chunk(row);
  const i = bets.index(row);
  chunk.stakeCents[i] = order.stakeCents;
  chunk.oddsE4[i] = offer.oddsE4;
  chunk.payoutCents[i] = offer.payoutCents;
  chunk.placedAtMs[i] = order.timeMs;
  chunk.settledAtMs[i] = 0;
  chunk.changedSeq[i] = seq;
  chunk.account[i] = order.account;
  chunk.roundNumber[i] = round.roundNumber;
  chunk.market[i] = round.market;
  chunk.side[i] = order.side;
  chunk.result[i] = 0;
  chunk.setEntry(i, offer.entryPercentE2, order.clientSeed);
  chunk.next[i] = 0;
  if (round.firstBet === 0) round.firstBet = row;
  else bets.chunk(round.lastBet).next[bets.index(round.lastBet)] = row;
  round.lastBet = row;
  state.history.placed(order.account, row, historyBetsMax);
  return chunk.bet[i] as number;
}
