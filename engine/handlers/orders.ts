/**
 * Placing a bet: first all checks, then all changes. A quote is the checks alone. Nearly all commands are orders, so a
 * bet's row is looked up once.
 */
import type { IdempotencyDigest, OrderGuards, PlaceOrder } from '../model/commands.js';
import { NO_FAIR_SHARE, UP } from '../model/domain.js';
import type { ErrorCode } from '../model/errors.js';
import type { BetPlaced, Rejected, Replayed } from '../model/events.js';
import type { Rules } from '../model/rules.js';
import type { OrderQuote, SeenKey } from '../model/views.js';
import { quotedUpCents } from '../quotes/split.js';
import type { IdempotencyEntry } from '../state/idempotency.js';
import { Round } from '../state/rounds.js';
import { reject, type State } from '../state/state.js';
import { checkOffer, type Offer, offerFor, publishedPercentE2, roundFor } from './order-checks.js';

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
  const remembered = rememberedOrder(state, order);
  if (remembered !== null) return remembered;
  const round = roundFor(state, order, gate, guards);
  if (!(round instanceof Round)) return round;
  const offer = offerFor(order, round, quotedUpCents(round, order.fairShareE6));
  const refusal = checkOffer(state, order, round, offer, guards);
  if (refusal !== null) return refusal;
  quoteAt(round, offer);
  round.noteShare(order.fairShareE6);
  return place(state, state.rulesInForce, order, round, offer);
}

/** What `placeOrder` would answer to an order that it does not remember, by the same checks. Changes nothing. */
export function quoteOrder(
  state: State,
  order: PlaceOrder,
  gate: ErrorCode | null,
  guards: OrderGuards | null,
): OrderQuote {
  const round = roundFor(state, order, gate, guards);
  if (!(round instanceof Round)) return { offer: null, refusal: round };
  const offer = offerFor(order, round, quotedUpCents(round, order.fairShareE6));
  const { roundNumber } = round;
  const { oddsE4, entryPercentE2, payoutCents } = offer;
  const percentE2 = publishedPercentE2(order, round, offer.upCents);
  return {
    offer: { roundNumber, percentE2, oddsE4, entryPercentE2, payoutCents },
    refusal: checkOffer(state, order, round, offer, guards),
  };
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
