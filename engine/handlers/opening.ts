/**
 * How rounds open: at a boundary, or late, if a market has no round and enough betting time is left. The house pays
 * the seeds of both sides.
 */
import { must } from '../base/assert.js';
import type { BoundaryPrice, OpenLate } from '../model/commands.js';
import {
  ASSET_CLASSES,
  ASSETS,
  assetClassOf,
  assetOf,
  LIVE,
  LOCKED,
  roundId,
  TIME_FRAMES,
  textAt,
  timeFrameMs,
} from '../model/domain.js';
import type { BalanceMoved, EngineEvent, RoundNotOpened } from '../model/events.js';
import type { PriceOrigin } from '../model/proofs/proof-views.js';
import { HOUSE } from '../state/house.js';
import { type Market, Round, termsOf } from '../state/rounds.js';
import { type Effect, reject, type State } from '../state/state.js';

/** Opens a round in each of the `vacantMarkets` for which the price is fresh enough. */
export function openLate(state: State, command: OpenLate): Effect {
  const { asset, price, priceTimeMs, timeMs } = command;
  const events: EngineEvent[] = [];
  for (const index of vacantMarkets(state, asset, timeMs)) {
    const rules = state.markets.market(index).rules;
    if (rules === null || timeMs - priceTimeMs > rules.maxPriceAgeMs) continue;
    if (state.house.balanceCents < 2 * rules.house.seedCents) continue;
    const round = addRound(state, index, Math.floor(timeMs / timeFrameMs(index)), timeMs);
    round.proof.open = originOf(command, true);
    openRound(state, round, price, timeMs, events);
  }
  if (events.length === 0) return reject('invalid_request', 'no market of the asset can open a round now');
  state.markets.refreshNextDue();
  return events;
}

/** Active markets of the asset that are open, have no round, and have enough betting time left in this window. */
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

export function closedReason(
  state: State,
  market: number,
  startMs: number,
  endMs: number,
): Exclude<RoundNotOpened['reason'], 'stale_price' | 'house_capital'> | null {
  const { rules, isSuspended } = state.markets.market(market);
  if (rules === null) return 'not_active';
  if (isSuspended) return 'suspended';
  const asset = textAt(ASSETS, assetOf(market));
  const sessions = state.sessions[ASSET_CLASSES.indexOf(assetClassOf(asset))] ?? null;
  if (sessions === null) return null;
  return sessions.some(([openMs, closeMs]) => openMs <= startMs && endMs <= closeMs) ? null : 'market_hours';
}

export function addRound(state: State, index: number, roundNumber: number, startTimeMs: number): Round {
  const market = state.markets.market(index);
  const rules = must(market.rules, 'rules of the opening market');
  const round = new Round(
    index,
    roundNumber,
    startTimeMs,
    termsOf(index, roundNumber, rules, state.rulesInForce),
  );
  market.current = round;
  market.rounds.set(roundNumber, round);
  return round;
}

export function originOf(
  { priceTimeMs, source, evidence }: Pick<BoundaryPrice, 'priceTimeMs' | 'source' | 'evidence'>,
  isLate: boolean,
): PriceOrigin {
  return { priceTimeMs, source, evidence, isLate };
}

/** Returns false, having changed nothing, if the house cannot pay the seeds. */
export function openRound(
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
  state.markets.noteOpenPrice(assetOf(market), { price, timeMs: round.startTimeMs });
  events.push(movedByHouse(state, round, 'seed', -seedsCents, timeMs));
  events.push({ type: 'roundOpened', timeMs, market, roundNumber, openPrice: price });
  if (timeMs >= round.lockTimeMs) lockRound(round, timeMs, events);
  return true;
}

/** The house pays into the round's pot, or gets what is left of it. */
export function movedByHouse(
  { house }: State,
  { market, roundNumber }: Round,
  reason: 'seed' | 'settlement',
  amountCents: number,
  timeMs: number,
): BalanceMoved {
  const balanceCents = house.move(amountCents);
  const reference = roundId(market, roundNumber);
  return { type: 'balanceMoved', timeMs, account: HOUSE, amountCents, balanceCents, reason, reference };
}

export function lockRound(round: Round, timeMs: number, events: EngineEvent[]): void {
  round.status = LOCKED;
  events.push(round.changed('roundLocked', timeMs));
}

const firstMarket = (asset: number): number => asset * TIME_FRAMES.length;

export function marketsOf(state: State, asset: number): readonly Market[] {
  return state.markets.markets.slice(firstMarket(asset), firstMarket(asset + 1));
}
