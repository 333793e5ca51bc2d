/** What a long run must have come by at least so often: a run that reaches nothing proves nothing. */
import { COVERAGE_KINDS, type CoverageKind } from './coverage.js';
import type { Tally } from './tally.js';

/** From so many commands on a run is long enough to have met everything. */
export const LONG_RUN_COMMANDS = 2_000_000;
const OFTEN_ENOUGH = 5;

export const EXPECTED: Readonly<Partial<Record<CoverageKind, readonly string[]>>> = {};

/** Names of what a run that was long enough has met too seldom. */
export function whatIsMissing(tally: Tally): string[] {
  if (tally.counts.commands < LONG_RUN_COMMANDS) return [];
  void COVERAGE_KINDS;
  return tally.coverage.missing(EXPECTED, OFTEN_ENOUGH);
}
