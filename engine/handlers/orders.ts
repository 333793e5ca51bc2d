/** Placing a bet: first all checks, then all changes. A quote is the checks alone. */
import { assert } from '../base/assert.js';
import { payoutCents } from '../base/money.js';
import type { IdempotencyDigest, OrderGuards, PlaceOrder } from '../model/commands.js';
import { NO_END, NO_FAIR_SHARE, NO_LIMIT } from '../model/domain.js';
import type { ErrorCode } from '../model/errors.js';
import type {
  BetPlaced,
  EngineEvent,
  LimitFills,
  OrderPending,
  OrderTerms,
  Rejected,
  Replayed,
} from '../model/events.js';
import type { OrderQuote, PartsQuote, SeenKey } from '../model/views.js';
import { quotedUpCents } from '../quotes/split.js';
import type { IdempotencyEntry } from '../state/idempotency.js';
import { Round } from '../state/rounds.js';
import { reject, type State } from '../state/state.js';
import { addRow, type BetOdds, joinPools, joinRound } from './bets.js';
import { fillsAfter } from './fills.js';
import {
  checkOffer,
  isCovered,
  type Offer,
  offerFor,
  publishedPercentE2,
  reaches,
  roundFor,
} from './order-checks.js';

/**
 * Places a bet; a limit order whose odds or exposure do not allow the bet now rests. `gate` is the host's reason to
 * refuse new orders (clock, backlog, disk), or null; like `guards`, it does not apply to replays. The bet comes in a
 * list if it has a limit, or has filled resting orders, with their events behind it.
 */
export function placeOrder(
  state: State,
  order: PlaceOrder,
  gate: ErrorCode | null,
  guards: OrderGuards | null,
): BetPlaced | EngineEvent[] | Rejected | Replayed {
  const remembered = rememberedOrder(state, order);
  if (remembered !== null) return remembered;
  const round = roundFor(state, order, gate, guards);
  if (!(round instanceof Round)) return round;
  const offer = offerNow(order, round);
  const isLimit = order.limitOddsE4 !== NO_LIMIT;
  const refusal = checkOffer(state, order, round, offer, guards);
  if (refusal !== null) return refusal;
  return isLimit && !isFit(order, round, offer)
    ? [rest(state, order, round)]
    : place(state, order, round, offer);
}

function offerNow(order: PlaceOrder, round: Round): Offer {
  const { side, stakeCents, fairShareE6 } = order;
  return offerFor(round, side, stakeCents, fairShareE6, quotedUpCents(round, fairShareE6));
}

const isFit = ({ side, limitOddsE4 }: PlaceOrder, round: Round, offer: Offer): boolean =>
  reaches(offer, limitOddsE4) && isCovered(round, side, offer);

/** The answer of `placeOrder` to an order that it does not remember. Changes nothing. */
export function quoteOrder(
  state: State,
  order: PlaceOrder,
  gate: ErrorCode | null,
  guards: OrderGuards | null,
): OrderQuote {
  const round = roundFor(state, order, gate, guards);
  if (!(round instanceof Round)) return { offer: null, refusal: round, rests: null };
  const offer = offerNow(order, round);
  const { roundNumber } = round;
  const { oddsE4, entryPercentE2, payoutCents } = offer;
  const percentE2 = publishedPercentE2(order, round, offer.upCents);
  const isLimit = order.limitOddsE4 !== NO_LIMIT;
  return {
    offer: { roundNumber, percentE2, oddsE4, entryPercentE2, payoutCents },
    refusal: checkOffer(state, order, round, offer, guards),
    rests: isLimit ? !isFit(order, round, offer) : null,
  };
}

/**
 * The answers to `parts` equal orders one after the other at this moment, by the same checks, on a round for trial. No
 * resting orders are filled in between: a quote costs nothing, and must not tell where those of others wait.
 */
export function quoteParts(
  state: State,
  order: PlaceOrder,
  gate: ErrorCode | null,
  guards: OrderGuards | null,
  parts: number,
): PartsQuote {
  const stakeCents = order.stakeCents / parts;
  assert(Number.isInteger(stakeCents), 'an order is quoted in parts of whole cents');
  const part = { ...order, stakeCents };
  const found = roundFor(state, part, gate, guards);
  if (!(found instanceof Round)) return partsQuote(stakeCents, [], 0, found);
  const round = found.forTrial();
  const placed: Offer[] = [];
  const isLimit = order.limitOddsE4 !== NO_LIMIT;
  for (let ahead = 0; ahead < parts; ahead++) {
    const offer = offerNow(part, round);
    const refusal = checkOffer(state, part, round, offer, guards, ahead);
    if (refusal !== null) return partsQuote(stakeCents, placed, ahead - placed.length, refusal);
    if (isLimit && !isFit(part, round, offer)) continue;
    joinPools(round, part.side, stakeCents, offer);
    placed.push(offer);
  }
  return partsQuote(stakeCents, placed, parts - placed.length, null);
}

/** The sum of odds may be no safe integer. */
function partsQuote(
  stakeCents: number,
  placed: readonly Offer[],
  resting: number,
  refusal: Rejected | null,
): PartsQuote {
  const odds = placed.map(({ oddsE4 }) => oddsE4);
  const sumE4 = odds.reduce((sum, oddsE4) => sum + BigInt(oddsE4), 0n);
  return {
    stakeCents,
    placed: placed.length,
    resting,
    refusal,
    odds:
      odds.length === 0 ? null : { meanE4: Number(sumE4 / BigInt(odds.length)), leastE4: Math.min(...odds) },
    payoutCents: placed.reduce((sum, { payoutCents }) => sum + payoutCents, 0),
  };
}

/** A replay or a refusal if the order's Idempotency-Key is remembered, else null. */
export function rememberedOrder(
  state: State,
  { account, idempotency, timeMs }: Pick<PlaceOrder, 'account' | 'idempotency' | 'timeMs'>,
): Replayed | Rejected | null {
  if (idempotency === null) return null;
  const known = state.idempotency.find(account, idempotency, timeMs, state.rulesInForce.idempotencyTtlMs);
  return known === null ? null : replayOf(known, idempotency);
}

/** As of `nowMs`, whichever order the key was used for. */
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

function place(state: State, order: PlaceOrder, round: Round, offer: Offer): BetPlaced | EngineEvent[] {
  const { account, side, stakeCents, limitOddsE4, timeMs } = order;
  const newBalanceCents = state.accounts.move(account, -stakeCents, state.nextSeq);
  const row = addRow(state, order, round, offer);
  if (limitOddsE4 !== NO_LIMIT)
    state.bets.limits.placeAtOnce(state.bets.limit(row, { ...order, validUntilMs: NO_END }), timeMs);
  joinRound(state, round, row, side, offer, order.fairShareE6);
  const fills = state.books.ordersOf(round) === 0 ? null : fillsAfter(state, round, order);
  const filled = fills === null ? null : fills.filled;
  const placed: BetPlaced = taken('betPlaced', state, order, round, offer, newBalanceCents, filled);
  if (fills !== null) return [placed, ...fills.events];
  return limitOddsE4 === NO_LIMIT ? placed : [placed];
}

function rest(state: State, order: PlaceOrder, round: Round): OrderPending {
  const { account, side, stakeCents, limitOddsE4, validUntilMs } = order;
  const newBalanceCents = state.accounts.move(account, -stakeCents, state.nextSeq);
  const payout = payoutCents(stakeCents, limitOddsE4, round.feeBps);
  const odds = { oddsE4: limitOddsE4, entryPercentE2: 0, payoutCents: payout };
  const row = addRow(state, order, round, odds);
  state.books.add(round, side, state.bets.limit(row, order));
  state.retainedBets.sum(row, 1);
  const pending = taken('orderPending', state, order, round, odds, newBalanceCents, null);
  return { ...pending, validUntilMs };
}

/** The event of the newest bet, which the memory of Idempotency-Keys keeps. */
function taken<Type extends OrderTerms['type']>(
  type: Type,
  state: State,
  order: PlaceOrder,
  { market, roundNumber, quote }: Round,
  { oddsE4, entryPercentE2, payoutCents }: BetOdds,
  newBalanceCents: number,
  filled: LimitFills | null,
) {
  const event = {
    type,
    timeMs: order.timeMs,
    bet: state.bets.placedCount,
    account: order.account,
    market,
    roundNumber,
    side: order.side,
    stakeCents: order.stakeCents,
    oddsE4,
    entryPercentE2,
    payoutCents,
    newBalanceCents,
    clientSeed: order.clientSeed,
    clientOrderId: order.clientOrderId,
    limitOddsE4: order.limitOddsE4,
    filled,
    fairShareE6: quote === null ? NO_FAIR_SHARE : order.fairShareE6,
  };
  if (order.idempotency !== null)
    state.idempotency.add(order.idempotency, state.nextSeq, event, state.rulesInForce.idempotencyTtlMs);
  return event;
}
