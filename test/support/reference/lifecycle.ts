/** The reference model of a round's life: locks, ends, boundary prices, late openings and voiding. */
import { must } from '../../../engine/base/assert.js';
import type {
  Advance,
  BoundaryPrice,
  ConfirmPrice,
  OpenLate,
  PublishRoot,
  VoidRound,
} from '../../../engine/model/commands.js';
import {
  assetOf,
  LIVE,
  LOCKED,
  RESULT_DOWN,
  RESULT_DRAW,
  RESULT_NONE,
  RESULT_UP,
  RESULT_VOID,
  SETTLING,
  timeFrameMs,
  UPCOMING,
} from '../../../engine/model/domain.js';
import type { EngineEvent, RoundNotOpened } from '../../../engine/model/events.js';
import type { MarketRules } from '../../../engine/model/rules.js';
import { changed, marketOfRound, moveHouse, type RoundRef, resolve } from './settlement.js';
import {
  insideSession,
  keptRounds,
  marketRulesOf,
  type ReferenceRound,
  type ReferenceState,
  rulesOf,
  type Verdict,
} from './state.js';

const notOpened = (timeMs: number, round: RoundRef, reason: RoundNotOpened['reason']): RoundNotOpened => ({
  type: 'roundNotOpened',
  timeMs,
  market: round.market,
  roundNumber: round.roundNumber,
  reason,
});

export const confirmPrice = (
  _state: ReferenceState,
  { timeMs, asset, price, reason }: ConfirmPrice,
): Verdict => ({ events: [{ type: 'priceConfirmed', timeMs, asset, price, reason }] });

function newRound(
  state: ReferenceState,
  rules: MarketRules,
  market: number,
  roundNumber: number,
  startTimeMs: number,
): ReferenceRound {
  const endTimeMs = (roundNumber + 1) * timeFrameMs(market);
  const lockTimeMs = endTimeMs - rules.lockLeadMs;
  return {
    market,
    roundNumber,
    startTimeMs,
    lockTimeMs,
    endTimeMs,
    bettingClosesMs: lockTimeMs - rulesOf(state).cutoffMs,
    rules,
    feeBps: rulesOf(state).feeBps,
    slippageE2: rulesOf(state).slippageE2,
    status: UPCOMING,
    result: RESULT_NONE,
    openPrice: null,
    closePrice: null,
    resolvedAtMs: null,
    voidReason: '',
    paidSeedCents: 0,
    upSeedCents: 0,
    bets: [],
    openedBy: null,
    closedBy: null,
    rootBy: null,
    resting: [],
  };
}

export function dueSteps(state: ReferenceState): { atMs: number; market: number; step: 'lock' | 'end' }[] {
  return state.markets.flatMap(({ market, current }) => {
    if (current === null) return [];
    const end = { atMs: current.endTimeMs, market, step: 'end' as const };
    return current.status === LIVE
      ? [{ atMs: current.lockTimeMs, market, step: 'lock' as const }, end]
      : [end];
  });
}

export function advance(state: ReferenceState, { timeMs }: Advance): Verdict {
  const due = dueSteps(state).filter(({ atMs }) => atMs <= timeMs);
  if (due.length === 0) return { refused: 'invalid_request' };
  // A stable sort: of one market, the lock was listed before the end.
  due.sort((a, b) => a.atMs - b.atMs || a.market - b.market);
  const events: EngineEvent[] = [];
  for (const { market, step } of due) {
    const round = must(state.markets[market]?.current, 'current round');
    if (step === 'lock') {
      round.status = LOCKED;
      events.push(changed('roundLocked', timeMs, round));
    } else {
      events.push(...endRound(state, round, timeMs));
    }
  }
  return { events };
}

function endRound(state: ReferenceState, round: ReferenceRound, timeMs: number): EngineEvent[] {
  const market = marketOfRound(state, round);
  round.status = SETTLING;
  state.settling.push(round);
  market.current = null;
  const ended = changed('roundEnded', timeMs, round);

  const next = { market: round.market, roundNumber: round.roundNumber + 1 };
  const nextEndMs = round.endTimeMs + timeFrameMs(round.market);
  // A window that is already over was missed in a downtime: it never had a round.
  if (nextEndMs <= timeMs) return [ended];
  const rules = marketRulesOf(state, round.market);
  const reason = closedReason(state, round.market, round.endTimeMs, nextEndMs);
  if (rules === null || reason !== null) return [ended, notOpened(timeMs, next, reason ?? 'not_active')];
  market.current = newRound(state, rules, round.market, next.roundNumber, round.endTimeMs);
  return [ended, changed('roundUpcoming', timeMs, next)];
}

/** Why the market may have no round at this time, whatever the price and the house's money. */
function closedReason(
  state: ReferenceState,
  market: number,
  startMs: number,
  endMs: number,
): 'not_active' | 'suspended' | 'market_hours' | null {
  if (marketRulesOf(state, market) === null) return 'not_active';
  if ((state.markets[market]?.suspendedSeq ?? 0) > 0) return 'suspended';
  return insideSession(state, market, startMs, endMs) ? null : 'market_hours';
}

export function boundaryPrice(state: ReferenceState, command: BoundaryPrice): Verdict {
  const { asset, boundaryMs, timeMs } = command;
  const closing = state.settling.filter(
    (round) =>
      assetOf(round.market) === asset && round.endTimeMs === boundaryMs && round.resolvedAtMs === null,
  );
  const opening = state.markets.flatMap(({ market, current }) =>
    current !== null &&
    assetOf(market) === asset &&
    current.status === UPCOMING &&
    current.startTimeMs === boundaryMs
      ? [current]
      : [],
  );
  if (closing.length + opening.length === 0) return { refused: 'invalid_request' };
  closing.sort((a, b) => a.market - b.market);

  const { estimate = null } = command;
  if (estimate !== null) state.estimates[asset] = estimate;
  const events: EngineEvent[] = [
    { type: 'boundaryPriced', timeMs, asset, boundaryMs, price: command.price, estimate },
  ];
  for (const round of closing) {
    round.closedBy = command;
    const closePrice = freshPrice(command, round);
    const reason = voidReason(round, closePrice);
    const result = closePrice === null ? RESULT_VOID : resultOf(round.openPrice, closePrice);
    events.push(...resolve(state, round, timeMs, result, closePrice, reason));
  }
  for (const round of opening) {
    const isTooLate = timeMs > boundaryMs + round.rules.maxPriceAgeMs;
    const price = isTooLate ? null : freshPrice(command, round);
    const closed = closedReason(state, round.market, round.startTimeMs, round.endTimeMs);
    if (closed !== null || price === null || state.houseCents < 2 * round.rules.house.seedCents) {
      marketOfRound(state, round).current = null;
      const reason = closed ?? (price === null ? 'stale_price' : 'house_capital');
      events.push(notOpened(timeMs, round, reason));
    } else {
      round.openedBy = command;
      events.push(...open(state, round, timeMs, price));
    }
  }
  return { events };
}

/** null if the price is unknown, or older than the rules take at the boundary, or than the price of the opening. */
function freshPrice({ boundaryMs, price, priceTimeMs }: BoundaryPrice, of: ReferenceRound): number | null {
  if (priceTimeMs === null || boundaryMs - priceTimeMs > of.rules.maxPriceAgeMs) return null;
  return priceTimeMs < (of.openedBy?.priceTimeMs ?? 0) ? null : price;
}

function voidReason(round: ReferenceRound, closePrice: number | null): string {
  if (round.openPrice === null) return 'the round never had an open price';
  return closePrice === null ? 'no fresh price at the end of the round' : '';
}

function resultOf(openPrice: number | null, closePrice: number): number {
  if (openPrice === null) return RESULT_VOID;
  if (closePrice === openPrice) return RESULT_DRAW;
  return closePrice > openPrice ? RESULT_UP : RESULT_DOWN;
}

/** The house pays the seeds and the round takes bets from here on. */
function open(state: ReferenceState, round: ReferenceRound, timeMs: number, price: number): EngineEvent[] {
  const { seedCents } = round.rules.house;
  const events: EngineEvent[] = [moveHouse(state, timeMs, -2 * seedCents, 'seed', round)];
  round.paidSeedCents = seedCents;
  round.upSeedCents = seedCents;
  round.openPrice = price;
  round.status = LIVE;
  const market = marketOfRound(state, round);
  market.current = round;
  const { roundNumber } = round;
  market.usedRoundNumbers.push(roundNumber);
  const asset = assetOf(round.market);
  if (round.startTimeMs >= (state.openPrices[asset]?.timeMs ?? 0))
    state.openPrices[asset] = { price, timeMs: round.startTimeMs };
  events.push({ type: 'roundOpened', timeMs, market: round.market, roundNumber, openPrice: price });
  if (timeMs >= round.lockTimeMs) {
    round.status = LOCKED;
    events.push(changed('roundLocked', timeMs, round));
  }
  return events;
}

/** Whatever the price and the house's money. */
export function openableLate(state: ReferenceState, asset: number, timeMs: number): ReferenceRound[] {
  return state.markets.flatMap(({ market, current, suspendedSeq, usedRoundNumbers }) => {
    if (assetOf(market) !== asset || suspendedSeq > 0 || current !== null) return [];
    const rules = marketRulesOf(state, market);
    if (rules === null) return [];
    const roundNumber = Math.floor(timeMs / timeFrameMs(market));
    const round = newRound(state, rules, market, roundNumber, timeMs);
    const isOpenable =
      !usedRoundNumbers.includes(roundNumber) &&
      insideSession(state, market, timeMs, round.endTimeMs) &&
      round.bettingClosesMs - timeMs >= rulesOf(state).lateOpenBettingMs;
    return isOpenable ? [round] : [];
  });
}

export function openLate(state: ReferenceState, command: OpenLate): Verdict {
  const { timeMs } = command;
  const events: EngineEvent[] = [];
  for (const round of openableLate(state, command.asset, timeMs)) {
    if (timeMs - command.priceTimeMs > round.rules.maxPriceAgeMs) continue;
    if (state.houseCents < 2 * round.rules.house.seedCents) continue;
    round.openedBy = command;
    events.push(...open(state, round, timeMs, command.price));
  }
  return events.length === 0 ? { refused: 'invalid_request' } : { events };
}

export function publishRoot(state: ReferenceState, command: PublishRoot): Verdict {
  const { market, roundNumber, treeSize, kind: _, ...facts } = command;
  const one = state.markets[market];
  const kept = one === undefined ? [] : keptRounds(one);
  const round = [one?.current ?? null, ...state.settling.filter((it) => it.market === market), ...kept].find(
    (it) => it?.roundNumber === roundNumber,
  );
  if (round === undefined || round === null) return { refused: 'round_not_found' };
  const isFinal = round.status === LOCKED || round.status === SETTLING;
  if (!isFinal || round.rootBy !== null || treeSize !== round.bets.length)
    return { refused: 'invalid_request' };
  round.rootBy = command;
  return { events: [{ type: 'rootPublished', market, roundNumber, treeSize, ...facts }] };
}

export function voidRound(state: ReferenceState, command: VoidRound): Verdict {
  const isMeant = (round: ReferenceRound | null): round is ReferenceRound =>
    round?.market === command.market && round.roundNumber === command.roundNumber;
  const market = state.markets[command.market];
  if (market !== undefined && keptRounds(market).some(isMeant)) return { refused: 'round_already_resolved' };

  const current = market?.current ?? null;
  const round = isMeant(current) ? current : state.settling.find(isMeant);
  if (market === undefined || round === undefined) return { refused: 'round_not_found' };
  if (round.resolvedAtMs !== null) return { refused: 'round_already_resolved' };
  if (round === current) {
    market.current = null;
    market.usedRoundNumbers.push(round.roundNumber);
    round.status = SETTLING;
    state.settling.push(round);
  }
  return { events: resolve(state, round, command.timeMs, RESULT_VOID, null, command.reason) };
}
