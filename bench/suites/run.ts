/**
 * Runs a suite in a process of its own, on the server's core, so that one suite's compiled code and heap do not affect
 * the next.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onCore } from '../host/cores.js';
import type { SuiteOptions } from '../report/section.js';
import type { SuiteInput, SuiteName, SuiteResult } from './suites.js';

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
