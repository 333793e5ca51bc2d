/**
 * Redis as the reference for one durable write a request: SET with an append-only file that is fsynced before every
 * answer. It runs in a process of its own on a free loopback port, and writes to the same disk as the other systems.
 */
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onCore } from '../host/cores.js';
import { freePort, isListening } from '../host/ports.js';
import { ServerProcess } from '../host/server-process.js';

const START_MS_MAX = 5_000;

export const hasRedis = (): boolean =>
  ['redis-server', 'redis-benchmark'].every(
    (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0,
  );

interface RedisServer {
  readonly process: ServerProcess;
  readonly port: number;
}

export async function startRedis(
  dir: string,
  durability: 'fsync' | 'os',
  core: number | null,
): Promise<RedisServer> {
  const port = await freePort();
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir,
    appendonly: 'yes',
    appendfsync: durability === 'fsync' ? 'always' : 'no',
    // No snapshots and no rewrites, only the append-only file.
    save: '',
    'auto-aof-rewrite-percentage': '0',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const process = new ServerProcess(['redis-server', ...args], { core, logFile: join(dir, 'redis.log') });
  await process.up(() => isListening(port), START_MS_MAX);
  return { process, port };
}

const run = promisify(execFile);
/** Enough to see how many fit into the measured time. */
const TRIAL_SETS = 50_000;
const SETS_MS_MAX = 120_000;
const KEYS = 1_000_000_000_000;

interface RedisRun {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  readonly valueBytes: number;
  readonly core: number | null;
}

export async function setsPerSecond(options: RedisRun): Promise<number> {
  const trial = await sets(TRIAL_SETS, options);
  return sets(Math.ceil(trial * options.seconds), options);
}

async function sets(count: number, { port, connections, valueBytes, core }: RedisRun): Promise<number> {
  const [file = '', ...args] = onCore(core, [
    ...['redis-benchmark', '-p', String(port), '-c', String(connections), '-n', String(count)],
    ...['-d', String(valueBytes), '-r', String(KEYS), '-t', 'set', '--csv'],
  ]);
  const { stdout } = await run(file, args, { timeout: SETS_MS_MAX, killSignal: 'SIGKILL' });
  return parseCsv(stdout);
}

export function parseCsv(report: string): number {
  const rate = /^"SET","([\d.]+)"/m.exec(report)?.[1];
  if (rate === undefined) throw new Error(`not a report of redis-benchmark:\n${report}`);
  return Number(rate);
}
