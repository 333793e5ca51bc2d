/**
 * Redis as the reference for one durable write a request: SET with an append-only file that is fsynced before every
 * answer. It runs in a process of its own on a free loopback port, and writes to the same disk as the other systems.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onCore } from '../host/cores.js';
import { freePort, isListening } from '../host/ports.js';
import { ServerProcess } from '../host/server-process.js';
import { cpuTimes, cpuUse } from '../host/usage.js';
import { type Measured, type Target, UNTOLD } from '../load/runs.js';
import type { SuiteOptions } from '../report/section.js';

const START_MS_MAX = 5_000;
export const REDIS = 'Redis SET';

export const hasRedis = (): boolean =>
  ['redis-server', 'redis-benchmark', 'redis-cli'].every(
    (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0,
  );

/** `valueBytes` is the length of a value. The audit throws unless each SET of a run has made a key. */
export async function startRedis(
  valueBytes: number,
  { workDir, durability, cores }: Pick<SuiteOptions, 'workDir' | 'durability' | 'cores'>,
): Promise<{ readonly target: Target; readonly audit: () => Promise<void> }> {
  const port = await freePort();
  const dir = join(workDir, 'redis');
  mkdirSync(dir);
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
  const logFile = join(dir, 'redis.log');
  const process = new ServerProcess(['redis-server', ...args], { core: cores.server, logFile });
  await process.up(() => isListening(port), START_MS_MAX);
  let longest = 0;
  const target: Target = {
    ...{ name: REDIS, process, port, workload: { templates: [], expectations: [] } },
    measure: async ({ connections }, options) => {
      const measured = await measureSets(process.pid, { ...options, port, connections, valueBytes });
      longest = Math.max(longest, measured.measuredAnswers);
      return measured;
    },
  };
  return { target, audit: () => auditKeys(port, longest) };
}

const run = promisify(execFile);
/** Enough to see about how many fit into a time. */
const TRIAL_SETS = 5_000;
const SETS_MS_MAX = 120_000;
/** The most that redis-benchmark takes. It makes a greater number 0, which gives all SETs one key. */
const KEYS = 2 ** 31 - 1;

interface Sets extends Pick<SuiteOptions, 'warmupMs' | 'measureMs' | 'cores'> {
  readonly port: number;
  readonly connections: number;
  readonly valueBytes: number;
}

async function measureSets(pid: number, sets: Sets): Promise<Measured> {
  const setsIn = ({ ratePerSecond }: Report, ms: number): number => Math.ceil((ratePerSecond * ms) / 1000);
  const warmUp = Math.max(TRIAL_SETS, setsIn(await setMany(TRIAL_SETS, sets), sets.warmupMs));
  const count = setsIn(await setMany(warmUp, sets), sets.measureMs);
  const before = cpuTimes(pid);
  const measured = await setMany(count, sets);
  const cpu = cpuUse(before, cpuTimes(pid));
  const answered = { count: TRIAL_SETS + warmUp + count, client: null };
  return { ...UNTOLD, ...measured, answered, measuredAnswers: count, cpu };
}

type Report = Pick<Measured, 'ratePerSecond' | 'latency'>;

async function setMany(count: number, { port, connections, valueBytes, cores }: Sets): Promise<Report> {
  const [file = '', ...args] = onCore(cores.client, [
    ...['redis-benchmark', '-p', String(port), '-c', String(connections), '-n', String(count)],
    ...['-d', String(valueBytes), '-r', String(KEYS), '-t', 'set', '--csv'],
  ]);
  const { stdout } = await run(file, args, { timeout: SETS_MS_MAX, killSignal: 'SIGKILL' });
  return parseCsv(stdout);
}

/** After the rate: mean, least, p50, p95, p99 and greatest latency in milliseconds. */
function parseCsv(report: string): Report {
  const figures = /^"SET",(.*)$/m
    .exec(report)?.[1]
    ?.split(',')
    .map((cell) => Number(cell.slice(1, -1)));
  const [ratePerSecond = Number.NaN, , , p50, , p99, most] = figures ?? [];
  if (Number.isNaN(ratePerSecond)) throw new Error(`not a report of redis-benchmark:\n${report}`);
  const us = (ms = Number.NaN): number => ms * 1000;
  const [p90Us, p999Us] = [Number.NaN, Number.NaN];
  return { ratePerSecond, latency: { p50Us: us(p50), p90Us, p99Us: us(p99), p999Us, maxUs: us(most) } };
}

/** Keys are drawn: a few come twice within a run, and two runs may draw alike, since they differ only by second and process. */
async function auditKeys(port: number, longest: number): Promise<void> {
  const keys = Number((await run('redis-cli', ['-p', String(port), 'dbsize'])).stdout);
  const drawn = KEYS * -Math.expm1(-longest / KEYS);
  if (!(keys > 0.99 * drawn)) throw new Error(`Redis has ${keys} keys after ${longest} SETs in a row`);
}
