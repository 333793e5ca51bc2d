/**
 * The lifecycle of rounds: time (`advance`), the root of a locked round, the price at a boundary, and voiding by an
 * operator.
 */
import { must } from '../base/assert.js';
import type { Advance, BoundaryPrice, PublishRoot, VoidRound } from '../model/commands.js';
import {
  assetOf,
  LIVE,
  LOCKED,
  RESULT_DOWN,
  RESULT_DRAW,
  RESULT_UP,
  RESULT_VOID,
  SETTLING,
  timeFrameMs,
  UPCOMING,
} from '../model/domain.js';
import type { EngineEvent, RoundNotOpened } from '../model/events.js';
import type { Market, Round } from '../state/rounds.js';
import { type Effect, reject, type State } from '../state/state.js';
import { addRound, closedReason, lockRound, marketsOf, openRound, originOf } from './opening.js';
import { resolveRound } from './settlement.js';

/** Executes every lock and end that is due, by time, then by market. */
export function advance(state: State, command: Advance): Effect {
  const events: EngineEvent[] = [];
  const { markets } = state;
  while (markets.nextDueMs <= command.timeMs) {
    const index = markets.markets.findIndex((market) => market.nextDueMs === markets.nextDueMs);
    const market = markets.market(index);
    const round = must(market.current, 'the round that is due');
    if (round.status === LIVE) lockRound(round, command.timeMs, events);
    else endRound(state, market, round, command.timeMs, events);
    markets.refreshNextDue();
  }
  return events.length === 0 ? reject('invalid_request', 'nothing is due') : events;
}

/** Ends the round, which now waits for its price, and makes the market's next round its current one. */
function endRound(state: State, market: Market, round: Round, timeMs: number, events: EngineEvent[]): void {
  const { market: index, roundNumber, endTimeMs } = round;
  round.status = SETTLING;
  market.current = null;
  market.lastRoundNumber = roundNumber;
  state.markets.awaitingPrice.push(round);
  events.push(round.changed('roundEnded', timeMs));
  const endsMs = endTimeMs + timeFrameMs(index);
  if (endsMs <= timeMs) return; // the server was down for the next window, too
  const reason = closedReason(state, index, endTimeMs, endsMs);
  if (reason === null)
    events.push(addRound(state, index, roundNumber + 1, endTimeMs).changed('roundUpcoming', timeMs));
  else events.push({ type: 'roundNotOpened', timeMs, market: index, roundNumber: roundNumber + 1, reason });
}

/**
 * Applies an asset's final price at a boundary: closes the rounds that end there and opens those that start there. If
 * the price is missing or too old, the closing round is voided and the next one does not open.
 *
 * When the server was down, a price fresh at the boundary is applied long after it. It still decides the closing round,
 * but opens none: bettors would know how the price has moved since. That window's round opens late, at a fresh price.
 */
export function boundaryPrice(state: State, command: BoundaryPrice): Effect {
  const { asset, boundaryMs, price, timeMs, estimate = null } = command;
  const closing = state.markets.awaitingPrice.filter(
    (round) => assetOf(round.market) === asset && round.endTimeMs === boundaryMs,
  );
  const opening = marketsOf(state, asset).flatMap(({ current }) =>
    current !== null && current.status === UPCOMING && current.startTimeMs === boundaryMs ? [current] : [],
  );
  if (closing.length + opening.length === 0)
    return reject('invalid_request', 'no round waits for this price');
  const events: EngineEvent[] = [{ type: 'boundaryPriced', timeMs, asset, boundaryMs, price, estimate }];
  if (estimate !== null) state.estimates[asset] = estimate;
  for (const round of closing) {
    state.markets.awaitingPrice.splice(state.markets.awaitingPrice.indexOf(round), 1);
    closeRound(state, round, command, events);
  }
  for (const round of opening) {
    const isTimely = timeMs - boundaryMs <= round.maxPriceAgeMs;
    const fresh = isTimely && isFresh(round, boundaryMs, price, command.priceTimeMs);
    // The market may have been suspended while its round was UPCOMING.
    const closed = closedReason(state, round.market, round.startTimeMs, round.endTimeMs);
    if (closed !== null) dropUpcoming(state, round, closed, timeMs, events);
    else if (!fresh) dropUpcoming(state, round, 'stale_price', timeMs, events);
    else {
      round.proof.open = originOf(command, false);
      if (!openRound(state, round, price, timeMs, events))
        dropUpcoming(state, round, 'house_capital', timeMs, events);
    }
  }
  state.markets.refreshNextDue();
  return events;
}

function closeRound(state: State, round: Round, command: BoundaryPrice, events: EngineEvent[]): void {
  const { boundaryMs, price, priceTimeMs, timeMs } = command;
  round.proof.close = originOf(command, false);
  if (round.openPrice === null) {
    resolveRound(state, round, RESULT_VOID, null, 'the round never had an open price', timeMs, events);
  } else if (!isFresh(round, boundaryMs, price, priceTimeMs)) {
    resolveRound(state, round, RESULT_VOID, null, 'no fresh price at the end of the round', timeMs, events);
  } else {
    const movement =
      price === round.openPrice ? RESULT_DRAW : price > round.openPrice ? RESULT_UP : RESULT_DOWN;
    resolveRound(state, round, movement, price, '', timeMs, events);
  }
}

/** After a restart the last tick may be older than the price at which the round opened: the tracker has forgotten that. */
function isFresh(
  { maxPriceAgeMs, proof }: Round,
  atMs: number,
  price: number | null,
  priceTimeMs: number | null,
): price is number {
  if (price === null || priceTimeMs === null) return false;
  return atMs - priceTimeMs <= maxPriceAgeMs && priceTimeMs >= (proof.open?.priceTimeMs ?? 0);
}

function dropUpcoming(
  state: State,
  round: Round,
  reason: RoundNotOpened['reason'],
  timeMs: number,
  events: EngineEvent[],
): void {
  const { market, roundNumber } = round;
  state.markets.market(market).current = null;
  state.markets.market(market).rounds.delete(roundNumber);
  events.push({ type: 'roundNotOpened', timeMs, market, roundNumber, reason });
}

/** Voids a round that has no result yet: every bet is refunded, and the house gets its seeds back. */
export function voidRound(state: State, command: VoidRound): Effect {
  const market = state.markets.market(command.market);
  const round = market.rounds.get(command.roundNumber);
  if (round === undefined) return reject('round_not_found', 'no such round is in memory');
  if (round.resolvedAtMs !== null) return reject('round_already_resolved', 'the round has its result');
  if (market.current === round) market.current = null;
  const waiting = state.markets.awaitingPrice.indexOf(round);
  if (waiting >= 0) state.markets.awaitingPrice.splice(waiting, 1);
  market.lastRoundNumber = Math.max(market.lastRoundNumber, round.roundNumber);
  const events: EngineEvent[] = [];
  resolveRound(state, round, RESULT_VOID, null, command.reason, command.timeMs, events);
  state.markets.refreshNextDue();
  return events;
}

/** The root is made and signed beside the engine, which checks only that the round's bets are final, and how many they are. */
export function publishRoot(state: State, command: PublishRoot): Effect {
  const { market, roundNumber, timeMs, merkleRoot, treeSize, keyId, signature } = command;
  const round = state.markets.market(market).rounds.get(roundNumber);
  if (round === undefined) return reject('round_not_found', 'no such round is in memory');
  const { proof, status } = round;
  if (proof.root !== null) return reject('invalid_request', 'the root of the round is on record');
  if (status !== LOCKED && status !== SETTLING)
    return reject('invalid_request', 'a root is put on record between the lock and the settlement');
  if (treeSize !== round.betCount)
    return reject('invalid_request', 'the root is not over the bets of the round');
  proof.root = { merkleRoot, treeSize, keyId, signature, publishedAtMs: timeMs };
  return [{ type: 'rootPublished', timeMs, market, roundNumber, merkleRoot, treeSize, keyId, signature }];
}
