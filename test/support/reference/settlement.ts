/** The reference model of a result: how it is decided for a round, and who is paid what. */
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
import { releaseFirst } from './limit-orders.js';
import {
  accountOf,
  poolOf,
  type ReferenceBet,
  type ReferenceMarket,
  type ReferenceRound,
  type ReferenceState,
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
  return {
    type: 'balanceMoved',
    timeMs,
    account: 0,
    amountCents,
    balanceCents: state.houseCents,
    reason,
    reference,
  };
}

/** The result of a SETTLING round is decided; without bets it is settled at once. */
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

/** Every bet is paid: the house takes what is left. */
function finish(state: ReferenceState, round: ReferenceRound, timeMs: number): EngineEvent[] {
  const paidCents = round.bets.reduce(
    (sum, bet) => sum + (must(bet.settled, 'settlement').paidCents ?? 0),
    0,
  );
  const leftCents = poolOf(round, 0) + poolOf(round, 1) - paidCents;
  assert(leftCents >= 0, 'a round never owes more than its pool');
  round.status = SETTLED;
  state.settling.splice(state.settling.indexOf(round), 1);
  marketOfRound(state, round).settledRounds.push(round);
  const settled = changed('roundSettled', timeMs, round);
  if (leftCents === 0) return [settled];
  return [moveHouse(state, timeMs, leftCents, 'settlement', round), settled];
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
  const account = must(accountOf(state, bet.placed.account), 'account');
  bet.settled = { result: BET_RESULTS.indexOf(result), paidCents, atMs: timeMs };
  bet.changeNumber = ++state.changes;
  account.balanceCents += paidCents;
  return {
    type: 'betSettled',
    timeMs,
    bet: bet.placed.bet,
    account: account.account,
    market: bet.placed.market,
    roundNumber: bet.placed.roundNumber,
    side: bet.placed.side,
    stakeCents: bet.placed.stakeCents,
    result: BET_RESULTS.indexOf(result),
    payoutCents: paidCents,
    newBalanceCents: account.balanceCents,
    rested: bet.hasRested,
  };
}

function dueTo({ placed, round }: ReferenceBet): { result: (typeof BET_RESULTS)[number]; paidCents: number } {
  if (round.result === RESULT_VOID) return { result: 'REFUNDED', paidCents: placed.stakeCents };
  if (round.result === RESULT_DRAW) return { result: 'DRAW', paidCents: placed.stakeCents };
  const winner = round.result === RESULT_UP ? UP : 1;
  return placed.side === winner
    ? { result: 'WIN', paidCents: placed.payoutCents }
    : { result: 'LOSS', paidCents: 0 };
}
