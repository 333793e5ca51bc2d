/** The suites that run in process, each in one of its own (`run.ts`). */
import { digestRate, rejectRate, replayRate } from '../engine/cycling.js';
import { placingRate } from '../engine/placing.js';
import { settlementCost } from '../engine/settling.js';
import { loadSnapshot, writeSnapshot } from '../engine/snapshots.js';
import { commitRates, journalReplayRate, writeJournal } from '../journal/journaling.js';

const SETTLE_SLICE_BETS = 512;

export interface SuiteInput {
  readonly scale: number;
  /** For suites that use files; '' for others. */
  readonly dir: string;
  readonly durability: 'fsync' | 'os';
}

export const SUITES = {
  place: ({ scale }: SuiteInput) => placingRate(1_000, scale),
  placeFewAccounts: ({ scale }: SuiteInput) => placingRate(100, scale),
  placeManyAccounts: ({ scale }: SuiteInput) => placingRate(100_000, scale),
  reject: () => rejectRate(),
  replayOrder: () => replayRate(),
  digest: () => digestRate(),
  settle: ({ scale }: SuiteInput) => settlementCost(1_000, scale, SETTLE_SLICE_BETS),
  commits: ({ scale, dir, durability }: SuiteInput) => commitRates(dir, scale, durability),
  writeJournal: ({ scale, dir }: SuiteInput) => writeJournal(dir, scale),
  replayJournal: ({ scale, dir }: SuiteInput) => journalReplayRate(dir, scale),
  writeSnapshot: ({ scale, dir }: SuiteInput) => writeSnapshot(dir, scale),
  loadSnapshot: ({ scale, dir }: SuiteInput) => loadSnapshot(dir, scale),
} as const;

export type SuiteName = keyof typeof SUITES;
export type SuiteResult<Name extends SuiteName> = Awaited<ReturnType<(typeof SUITES)[Name]>>;
