/** `redis-benchmark`, which comes with Redis: SETs of a fresh key each, as fast as they are answered. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { onCore } from '../host/cores.js';

const run = promisify(execFile);
/** Enough to see how many fit into the measured time. */
const TRIAL_SETS = 50_000;
const MS_MAX = 120_000;
/** Keys are drawn at random from so many. */
const KEYS = 1_000_000_000_000;

export function hasRedisBenchmark(): boolean {
  return spawnSync('redis-benchmark', ['--version'], { stdio: 'ignore' }).status === 0;
}

export interface RedisRun {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  readonly valueBytes: number;
  readonly core: number | null;
}

/** SETs per second over about `seconds`. */
export async function setsPerSecond(options: RedisRun): Promise<number> {
  const trial = await sets(TRIAL_SETS, options);
  return sets(Math.ceil(trial * options.seconds), options);
}

async function sets(count: number, { port, connections, valueBytes, core }: RedisRun): Promise<number> {
  const [file = '', ...args] = onCore(core, [
    ...['redis-benchmark', '-p', String(port), '-c', String(connections), '-n', String(count)],
    ...['-d', String(valueBytes), '-r', String(KEYS), '-t', 'set', '--csv'],
  ]);
  const { stdout } = await run(file, args, { timeout: MS_MAX, killSignal: 'SIGKILL' });
  return parseCsv(stdout);
}

/** Requests per second of its report. */
export function parseCsv(report: string): number {
  const rate = /^"SET","([\d.]+)"/m.exec(report)?.[1];
  if (rate === undefined) throw new Error(`not a report of redis-benchmark:\n${report}`);
  return Number(rate);
}
