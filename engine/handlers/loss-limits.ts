/**
 * Loss limits bound the losses that nobody foresaw. The settlement with which a scope's losses of the day reach its
 * limit, or the rules that lower its limit to them, suspend all its markets, until an operator resumes each; from there on
 * its losses count anew. Open rounds run to their end, so a market may still lose the seeds of these.
 */
import type { EngineEvent } from '../model/events.js';
import { lossLimitCents, lostCents, marketsOfScope, scopesOfMarket } from '../model/loss-limits.js';
import type { State } from '../state/state.js';

/** `resultCents` is what a settled round brought the house. */
export function countResult(
  state: State,
  market: number,
  resultCents: number,
  timeMs: number,
  events: EngineEvent[],
): void {
  const { day } = state;
  day.turnTo(timeMs);
  for (const scope of scopesOfMarket(market)) {
    day.resultCents[scope] = (day.resultCents[scope] as number) + resultCents;
    if (resultCents < 0) suspendAtLimit(state, scope, timeMs, events);
  }
}

export function suspendAtLimit(state: State, scope: number, timeMs: number, events: EngineEvent[]): void {
  const limitCents = lossLimitCents(state.rulesInForce, scope);
  const lost = lostCents(state.day.at(timeMs), scope);
  if (lost < limitCents) return;
  const markets = marketsOfScope(scope).filter((market) => state.markets.market(market).rules !== null);
  const active = markets.filter((market) => !state.markets.market(market).isSuspended);
  if (active.length === 0) return;
  events.push({ type: 'lossLimitReached', timeMs, scope, lostCents: lost, limitCents });
  for (const market of active) events.push({ type: 'marketSuspended', timeMs, market });
  // Those that were suspended before, too: resuming one lifts the limit, which its operator has not seen yet.
  for (const market of markets) state.markets.market(market).suspendedSeq = state.nextSeq;
}

/** Resuming a market forgets the losses of those of its scopes that have reached their limits. */
export function liftLimits(state: State, market: number, timeMs: number): void {
  const { day } = state;
  day.turnTo(timeMs);
  for (const scope of scopesOfMarket(market)) {
    if (lostCents(day, scope) >= lossLimitCents(state.rulesInForce, scope))
      day.liftedCents[scope] = day.resultCents[scope] as number;
  }
}
