/**
 * The lifecycle of rounds: time (`advance`), the price at a boundary, and voiding by an operator (design, section 4).
 */
import { must } from '../base/assert.js';
import type { Advance, BoundaryPrice, OpenLate, VoidRound } from '../model/commands.js';
import {
  ASSET_CLASSES,
  ASSETS,
  assetClassOf,
  assetOf,
  LIVE,
  LOCKED,
  RESULT_DOWN,
  RESULT_DRAW,
  RESULT_UP,
  RESULT_VOID,
  roundId,
  SETTLING,
  TIME_FRAMES,
  textAt,
  timeFrameMs,
  UPCOMING,
} from '../model/domain.js';
import type { EngineEvent, RoundNotOpened } from '../model/events.js';
import { HOUSE } from '../state/house.js';
import { type Market, Round } from '../state/rounds.js';
import { type Effect, reject, type State } from '../state/state.js';
import { resolveRound } from './settlement.js';

/** Executes every lock and end that is due, by time, then by market. */
export function advance(state: State, command: Advance): Effect {
  const events: EngineEvent[] = [];
  const { markets } = state;
  while (markets.nextDueMs <= command.timeMs) {
    const index = markets.markets.findIndex((market) => market.nextDueMs === markets.nextDueMs);
    const market = markets.market(index);
    const round = market.current;
    if (round === null) break;
    if (round.status === LIVE) lock(round, command.timeMs, events);
    else endRound(state, market, round, command.timeMs, events);
    markets.refreshNextDue();
  }
  return events.length === 0 ? reject('invalid_request', 'nothing is due') : events;
}

function lock(round: Round, timeMs: number, events: EngineEvent[]): void {
  round.status = LOCKED;
  events.push({ type: 'roundLocked', timeMs, market: round.market, roundNumber: round.roundNumber });
}

/** The round ends and waits for its price; the market's next round is its current one from this instant. */
function endRound(state: State, market: Market, round: Round, timeMs: number, events: EngineEvent[]): void {
  round.status = SETTLING;
  market.current = null;
  market.lastRoundNumber = round.roundNumber;
  state.markets.awaitingPrice.push(round);
  events.push({ type: 'roundEnded', timeMs, market: round.market, roundNumber: round.roundNumber });
  const nextNumber = round.roundNumber + 1;
  const endsMs = round.endTimeMs + timeFrameMs(round.market);
  if (endsMs <= timeMs) return; // the server was down for the next window, too
  const reason = closedReason(state, round.market, round.endTimeMs, endsMs);
  if (reason !== null) {
    events.push({ type: 'roundNotOpened', timeMs, market: round.market, roundNumber: nextNumber, reason });
    return;
  }
  addRound(state, round.market, nextNumber, round.endTimeMs);
  events.push({ type: 'roundUpcoming', timeMs, market: round.market, roundNumber: nextNumber });
}

/** Why no round may be in this market from `startMs` to `endMs`, or null. */
function closedReason(
  state: State,
  market: number,
  startMs: number,
  endMs: number,
): Exclude<RoundNotOpened['reason'], 'stale_price' | 'house_capital'> | null {
  const { rules, suspended } = state.markets.market(market);
  if (rules === null) return 'not_active';
  if (suspended) return 'suspended';
  const asset = textAt(ASSETS, assetOf(market));
  const sessions = state.sessions[ASSET_CLASSES.indexOf(assetClassOf(asset))] ?? null;
  if (sessions === null) return null;
  return sessions.some(([openMs, closeMs]) => openMs <= startMs && endMs <= closeMs) ? null : 'market_hours';
}

function addRound(state: State, index: number, roundNumber: number, startTimeMs: number): Round {
  const market = state.markets.market(index);
  const rules = must(market.rules, 'rules of a market that opens a round');
  const round = new Round(index, roundNumber, startTimeMs, rules, state.rulesInForce);
  market.current = round;
  market.rounds.set(roundNumber, round);
  return round;
}

/**
 * Applies an asset's final price at a boundary: closes the rounds that end there and opens those that start there. If
 * the price is missing or too old, the closing round is voided and the next one does not open.
 *
 * A price can be fresh at the boundary but applied long after it, when the server was down. It still decides the
 * closing round. It opens none: bettors would know how the price has moved since. Such a window gets its round by
 * late opening, at a fresh price.
 */
export function boundaryPrice(state: State, command: BoundaryPrice): Effect {
  const { asset, boundaryMs, price, timeMs } = command;
  const closing = state.markets.awaitingPrice
    .filter((round) => assetOf(round.market) === asset && round.endTimeMs === boundaryMs)
    .sort((a, b) => a.market - b.market);
  const opening = marketsOf(state, asset).flatMap(({ current }) =>
    current !== null && current.status === UPCOMING && current.startTimeMs === boundaryMs ? [current] : [],
  );
  if (closing.length + opening.length === 0)
    return reject('invalid_request', 'no round waits for this price');
  const events: EngineEvent[] = [{ type: 'boundaryPriced', timeMs, asset, boundaryMs, price }];
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
    else if (!openRound(state, round, price, timeMs, events)) {
      dropUpcoming(state, round, 'house_capital', timeMs, events);
    }
  }
  state.markets.refreshNextDue();
  return events;
}

function closeRound(state: State, round: Round, command: BoundaryPrice, events: EngineEvent[]): void {
  const { boundaryMs, price, priceTimeMs, timeMs } = command;
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

function isFresh(
  round: Round,
  atMs: number,
  price: number | null,
  priceTimeMs: number | null,
): price is number {
  return price !== null && priceTimeMs !== null && atMs - priceTimeMs <= round.maxPriceAgeMs;
}

function dropUpcoming(
  state: State,
  round: Round,
  reason: RoundNotOpened['reason'],
  timeMs: number,
  events: EngineEvent[],
): void {
  const market = state.markets.market(round.market);
  market.current = null;
  market.rounds.delete(round.roundNumber);
  events.push({
    type: 'roundNotOpened',
    timeMs,
    market: round.market,
    roundNumber: round.roundNumber,
    reason,
  });
}

/** The house seeds both sides and the round is LIVE. False, and nothing changed, where the house cannot pay. */
function openRound(
  state: State,
  round: Round,
  price: number,
  timeMs: number,
  events: EngineEvent[],
): boolean {
  const seedsCents = 2 * round.seedCents;
  if (state.house.balanceCents < seedsCents) return false;
  const { market, roundNumber } = round;
  round.poolUpCents = round.seedCents;
  round.poolDownCents = round.seedCents;
  round.openPrice = price;
  round.status = LIVE;
  state.markets.potsCents += seedsCents;
  state.markets.market(market).lastRoundNumber = roundNumber;
  state.markets.latestOpenPrices[assetOf(market)] = { price, timeMs: round.startTimeMs };
  events.push({
    type: 'balanceMoved',
    timeMs,
    account: HOUSE,
    amountCents: -seedsCents,
    balanceCents: state.house.move(-seedsCents),
    reason: 'seed',
    reference: roundId(market, roundNumber),
  });
  events.push({ type: 'roundOpened', timeMs, market, roundNumber, openPrice: price });
  if (timeMs >= round.lockTimeMs) lock(round, timeMs, events);
  return true;
}

/** Opens the rounds that `vacantMarkets` names and whose price is fresh, at this instant and price. */
export function openLate(state: State, command: OpenLate): Effect {
  const { asset, price, priceTimeMs, timeMs } = command;
  const events: EngineEvent[] = [];
  for (const index of vacantMarkets(state, asset, timeMs)) {
    const rules = state.markets.market(index).rules;
    if (rules === null || timeMs - priceTimeMs > rules.maxPriceAgeMs) continue;
    if (state.house.balanceCents < 2 * rules.seedCents) continue;
    const round = addRound(state, index, Math.floor(timeMs / timeFrameMs(index)), timeMs);
    openRound(state, round, price, timeMs, events);
  }
  if (events.length === 0) return reject('invalid_request', 'no market of the asset can open a round now');
  state.markets.refreshNextDue();
  return events;
}

/** Markets of the asset that have no round, may have one, and have betting time enough left in this window. */
export function vacantMarkets(state: State, asset: number, timeMs: number): number[] {
  const { rules } = state;
  if (rules === null) return [];
  const vacant: number[] = [];
  for (let index = firstMarket(asset); index < firstMarket(asset + 1); index++) {
    const market = state.markets.market(index);
    if (market.current !== null || market.rules === null) continue;
    const frameMs = timeFrameMs(index);
    const roundNumber = Math.floor(timeMs / frameMs);
    const endMs = (roundNumber + 1) * frameMs;
    const bettingLeftMs = endMs - market.rules.lockLeadMs - rules.cutoffMs - timeMs;
    if (roundNumber <= market.lastRoundNumber || bettingLeftMs < rules.lateOpenBettingMs) continue;
    if (closedReason(state, index, timeMs, endMs) === null) vacant.push(index);
  }
  return vacant;
}

/** An operator voids a round that has no result yet: every bet is refunded, the house gets its seeds back. */
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

const firstMarket = (asset: number): number => asset * TIME_FRAMES.length;

function marketsOf(state: State, asset: number): readonly Market[] {
  return state.markets.markets.slice(firstMarket(asset), firstMarket(asset + 1));
}
