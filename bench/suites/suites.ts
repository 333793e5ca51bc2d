/**
 * The suites that run in process. Each has a process of its own, on the server's core, so that one suite's compiled
 * code and heap do not affect the next.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { digestRate, rejectRate, replayRate } from '../engine/cycling.js';
import { placingRate } from '../engine/placing.js';
import { settlementCost } from '../engine/settling.js';
import { loadSnapshot, writeSnapshot } from '../engine/snapshots.js';
import { onCore } from '../host/cores.js';
import { commitRates, journalReplayRate, writeJournal } from '../journal/journaling.js';
import type { SuiteOptions } from '../report/section.js';

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

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));
const run = promisify(execFile);
const SUITE_MS_MAX = 300_000;

export async function suiteOnce<Name extends SuiteName>(
  name: Name,
  input: Omit<SuiteInput, 'durability'>,
  { cores, durability }: SuiteOptions,
): Promise<SuiteResult<Name>> {
  const text = JSON.stringify({ ...input, durability } satisfies SuiteInput);
  const command = [process.execPath, '--expose-gc', MAIN, name, text];
  const [file = '', ...args] = onCore(cores.server, command);
  const { stdout } = await run(file, args, { timeout: SUITE_MS_MAX, killSignal: 'SIGKILL' });
  const result: SuiteResult<Name> = JSON.parse(stdout);
  return result;
}

export async function suiteRounds<Name extends SuiteName>(
  name: Name,
  input: Omit<SuiteInput, 'durability'>,
  options: SuiteOptions,
): Promise<SuiteResult<Name>[]> {
  const results: SuiteResult<Name>[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    options.progress(`${name}, round ${round} of ${options.rounds}`);
    results.push(await suiteOnce(name, input, options));
  }
  return results;
}
