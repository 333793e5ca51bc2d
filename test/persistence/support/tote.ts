/** Runs the operators' command line as a process of its own, as `npx tote` does once everything is built. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../persistence/cli/main.js', import.meta.url));
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

export interface ToteRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `npx tote ...args`, without the environment's settings of a server. */
export function tote(args: readonly string[], stdin = ''): ToteRun {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TOTE_')));
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    env,
    input: stdin,
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  return { code: status, stdout, stderr };
}

/** The same, which must end well; its stdout. */
export function toteText(...args: string[]): string {
  const run = tote(args);
  assert.equal(run.code, 0, `tote ${args.join(' ')}: ${run.stderr}${run.stdout}`);
  return run.stdout;
}

/** The same with `--json`; what it is made of is the test's claim. */
export function toteJson<T>(...args: string[]): T {
  return JSON.parse(toteText(...args, '--json')) as T;
}

/** The same for a command that prints JSON lines. */
export function toteLines<T>(...args: string[]): T[] {
  const lines = toteText(...args, '--json').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
}
