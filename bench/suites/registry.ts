/** The suites that run in process, by name. */
import { assert } from '../../engine/base/assert.js';
import { digestRate, rejectRate, replayRate } from '../engine/cycling.js';
import { placingRate } from '../engine/placing.js';
import { lifecycleCost, settlementCost } from '../engine/settling.js';
import { loadSnapshot, writeSnapshot } from '../engine/snapshots.js';
import { tickRate } from '../engine/ticks.js';
import { acknowledgements } from '../journal/acknowledging.js';
import { commitRates, journalReplayRate, writeJournal } from '../journal/journaling.js';

const SETTLE_SLICE_BETS = 512;
const LIFECYCLE_MINUTES = 240;

export interface SuiteInput {
  /** Number of bets in the engine, or of commands in the journal. */
  readonly scale: number;
  /** A directory for suites that use files; '' for others. */
  readonly dir: string;
  readonly durability: 'fsync' | 'os';
}

const SUITES = {
  place: ({ scale }: SuiteInput) => placingRate(1_000, scale),
  placeFewAccounts: ({ scale }: SuiteInput) => placingRate(100, scale),
  placeManyAccounts: ({ scale }: SuiteInput) => placingRate(100_000, scale),
  reject: () => rejectRate(),
  replayOrder: () => replayRate(),
  digest: () => digestRate(),
  ticks: () => tickRate(),
  lifecycle: () => lifecycleCost(LIFECYCLE_MINUTES),
  settle: ({ scale }: SuiteInput) => settlementCost(1_000, scale, SETTLE_SLICE_BETS),
  commits: ({ scale, dir, durability }: SuiteInput) => commitRates(dir, scale, durability),
  acknowledgements: ({ scale, dir, durability }: SuiteInput) => acknowledgements(dir, scale, durability),
  writeJournal: ({ scale, dir }: SuiteInput) => writeJournal(dir, scale),
  replayJournal: ({ scale, dir }: SuiteInput) => journalReplayRate(dir, scale),
  writeSnapshot: ({ scale, dir }: SuiteInput) => writeSnapshot(dir, scale, false),
  writeSnapshotWithKeys: ({ scale, dir }: SuiteInput) => writeSnapshot(dir, scale, true),
  loadSnapshot: ({ scale, dir }: SuiteInput) => loadSnapshot(dir, scale),
} as const;

export type SuiteName = keyof typeof SUITES;
export type SuiteResult<Name extends SuiteName> = Awaited<ReturnType<(typeof SUITES)[Name]>>;

const isSuite = (name: string): name is SuiteName => Object.hasOwn(SUITES, name);

export async function runSuite(name: string, input: SuiteInput): Promise<unknown> {
  assert(isSuite(name), `${name} is a suite`);
  return SUITES[name](input);
}
