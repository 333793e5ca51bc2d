import { assert, must } from '../../../engine/base/assert.js';
import type { Settle } from '../../../engine/model/commands.js';
import {
  BET_RESULTS,
  END_CANCELLED,
  END_EXPIRED,
  RESULT_DRAW,
  RESULT_UP,
  RESULT_VOID,
  roundId,
  SETTLED,
  SETTLING,
  UP,
} from '../../../engine/model/domain.js';
import type { BalanceMoved, EngineEvent, RoundChanged } from '../../../engine/model/events.js';
import { lossLimitCents, scopesOfMarket } from '../../../engine/model/loss-limits.js';
import { releaseFirst } from './limit-orders.js';
import {
  endBet,
  lostOf,
  marketRulesOf,
  poolOf,
  type ReferenceBet,
  type ReferenceMarket,
  type ReferenceRound,
  type ReferenceState,
  rulesOf,
  type Verdict,
} from './state.js';

export type RoundRef = Pick<ReferenceRound, 'market' | 'roundNumber'>;

export const changed = (type: RoundChanged['type'], timeMs: number, round: RoundRef): RoundChanged => ({
  type,
  timeMs,
  market: round.market,
  roundNumber: round.roundNumber,
});

export const marketOfRound = (state: ReferenceState, round: ReferenceRound): ReferenceMarket =>
  must(state.markets[round.market], 'market');

export function moveHouse(
  state: ReferenceState,
  timeMs: number,
  amountCents: number,
  reason: BalanceMoved['reason'],
  round: ReferenceRound,
): BalanceMoved {
  state.houseCents += amountCents;
  const reference = roundId(round.market, round.roundNumber);
  const balanceCents = state.houseCents;
  return { type: 'balanceMoved', timeMs, account: 0, amountCents, balanceCents, reason, reference };
}

export function resolve(
  state: ReferenceState,
  round: ReferenceRound,
  timeMs: number,
  result: number,
  closePrice: number | null,
  reason: string,
): EngineEvent[] {
  assert(round.status === SETTLING && round.resolvedAtMs === null, 'a round is resolved once');
  round.result = result;
  round.closePrice = result === RESULT_VOID ? null : closePrice;
  round.resolvedAtMs = timeMs;
  round.voidReason = reason;
  const resolved: EngineEvent = {
    type: 'roundResolved',
    timeMs,
    market: round.market,
    roundNumber: round.roundNumber,
    result,
    closePrice: round.closePrice,
    reason,
  };
  if (round.bets.length === 0 && round.resting.length === 0)
    return [resolved, ...finish(state, round, timeMs)];
  state.resolved.push(round);
  return [resolved];
}

/**
 * After a loss, the narrowest scope of the round's market first: all that has lost its limit since it was last
 * lifted.
 */
function suspendAtLimits(state: ReferenceState, timeMs: number): EngineEvent[] {
  const last = must(state.results.at(-1), 'a result');
  return last.cents < 0 ? suspendAt(state, scopesOfMarket(last.market), timeMs) : [];
}

export const suspendAt = (state: ReferenceState, scopes: readonly number[], timeMs: number): EngineEvent[] =>
  scopes.flatMap((scope) => {
    const lostCents = lostOf(state, scope, timeMs);
    const limitCents = lossLimitCents(rulesOf(state), scope);
    const markets = state.markets.filter(
      ({ market }) => scopesOfMarket(market).includes(scope) && marketRulesOf(state, market) !== null,
    );
    const active = markets.filter(({ suspendedSeq }) => suspendedSeq === 0);
    if (lostCents < limitCents || active.length === 0) return [];
    const reached: EngineEvent = { type: 'lossLimitReached', timeMs, scope, lostCents, limitCents };
    for (const one of markets) one.suspendedSeq = state.seq + 1;
    return [
      reached,
      ...active.map(({ market }): EngineEvent => ({ type: 'marketSuspended', timeMs, market })),
    ];
  });

function finish(state: ReferenceState, round: ReferenceRound, timeMs: number): EngineEvent[] {
  const paidCents = round.bets.reduce(
    (sum, bet) => sum + (must(bet.settled, 'settlement').paidCents ?? 0),
    0,
  );
  const leftCents = poolOf(round, 0) + poolOf(round, 1) - paidCents;
  assert(leftCents >= 0, 'a round never owes more than its pool');
  round.status = SETTLED;
  state.settling.splice(state.settling.indexOf(round), 1);
  const market = marketOfRound(state, round);
  market.settledRounds.push(round);
  market.settledKept = Math.min(market.settledKept + 1, rulesOf(state).settledRoundsMax);
  const settled = changed('roundSettled', timeMs, round);
  const moved = leftCents === 0 ? [] : [moveHouse(state, timeMs, leftCents, 'settlement', round)];
  state.results.push({ market: round.market, timeMs, cents: leftCents - 2 * round.paidSeedCents });
  return [...moved, ...suspendAtLimits(state, timeMs), settled];
}

export function settle(state: ReferenceState, { timeMs, betsMax }: Settle): Verdict {
  if (state.resolved.length === 0) return { refused: 'invalid_request' };
  const events: EngineEvent[] = [];
  for (let settled = 0; settled < betsMax; ) {
    const round = state.resolved[0];
    if (round === undefined) break;
    const waiting = round.bets.filter((bet) => bet.settled === null);
    const left = round.resting.length + waiting.length;
    const end = round.result === RESULT_VOID ? END_CANCELLED : END_EXPIRED;
    // Its last orders were cancelled meanwhile.
    if (left === 0) {
      state.resolved.shift();
      events.push(...finish(state, round, timeMs));
      continue;
    }
    settled += 1;
    if (round.resting.length > 0) events.push(releaseFirst(state, round, end, timeMs));
    else events.push(settleBet(state, must(waiting[0], 'a bet that waits'), timeMs));
    if (left === 1) {
      state.resolved.shift();
      events.push(...finish(state, round, timeMs));
    }
  }
  return { events };
}

function settleBet(state: ReferenceState, bet: ReferenceBet, timeMs: number): EngineEvent {
  const { result, paidCents } = dueTo(bet);
  return endBet(state, bet, BET_RESULTS.indexOf(result), paidCents, timeMs);
}

function dueTo({ placed, round }: ReferenceBet): { result: (typeof BET_RESULTS)[number]; paidCents: number } {
  if (round.result === RESULT_VOID) return { result: 'REFUNDED', paidCents: placed.stakeCents };
  if (round.result === RESULT_DRAW) return { result: 'DRAW', paidCents: placed.stakeCents };
  const winner = round.result === RESULT_UP ? UP : 1;
  return placed.side === winner
    ? { result: 'WIN', paidCents: placed.payoutCents }
    : { result: 'LOSS', paidCents: 0 };
}
