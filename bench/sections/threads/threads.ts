/**
 * CPU time a request by thread, with the server on one core and with nothing pinned, beside bare handlers and Redis.
 * The client is `wrk`, since one on Node could not keep several threads busy. From the figures of orders follows what
 * machines with more cores can do.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setsPerSecond } from '../../client/programs/redis-benchmark.js';
import { hasWrk, measureWithWrk } from '../../client/programs/wrk.js';
import type { Cores } from '../../host/cores.js';
import { withServers } from '../../host/server-process.js';
import { byThread, type CpuTimes, cpuTimes } from '../../host/usage.js';
import {
  capacityTable,
  type ThreadRow,
  type ThreadRun,
  threadTable,
  threadUsOf,
} from '../../load/by-thread.js';
import { figure } from '../../report/format.js';
import { median, type SectionResult, type SuiteOptions } from '../../report/section.js';
import { ASKED, type Asked, type AskedName, type Systems, startSystems } from './asked.js';
import { threadGoals } from './thread-goals.js';

const CONNECTIONS = 256;
const RUN_OVERHEAD_MS = 4_000;
const NOT_PINNED: Cores = { server: null, client: null };

/** One way to place the systems on the cores. */
export interface Placement {
  readonly rows: Readonly<Record<AskedName, ThreadRow>>;
  /** Redis's SETs per second in each round; null without Redis. */
  readonly redisRates: readonly number[] | null;
  readonly orders: number;
}

export async function threadsSection(options: SuiteOptions): Promise<SectionResult> {
  if (!hasWrk()) {
    const notes = ['wrk is not installed: there are no figures by thread.'];
    return { name: 'threads', tables: [], ratios: [], notes, data: null };
  }
  const { cores } = options;
  const pinned = cores.server === null ? [] : [await measurePlacement('one core', cores, options)];
  return sectionOf(pinned, await measurePlacement('not pinned', NOT_PINNED, options));
}

async function measurePlacement(name: string, cores: Cores, options: SuiteOptions): Promise<Placement> {
  const workDir = join(options.workDir, name.replace(' ', '-'));
  mkdirSync(workDir);
  options.progress(`${name}: starting the server, its accounts and the references`);
  const placed = { ...options, cores, workDir };
  return withServers(async (running) => {
    const systems = await startSystems(placed, bettingMs(options), running);
    return await measureSystems(name, systems, placed);
  });
}

async function measureSystems(
  placement: string,
  { asked, redis, audit }: Systems,
  options: SuiteOptions,
): Promise<Placement> {
  const rounds = new Map<AskedName, ThreadRun[]>(ASKED.map((name) => [name, []]));
  const redisRates: number[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const name of ASKED) {
      options.progress(`${asked[name].name}, ${placement}, round ${round} of ${options.rounds}`);
      rounds.get(name)?.push(await threadRun(asked[name], options));
    }
    if (redis === null) continue;
    options.progress(`Redis SET, ${placement}, round ${round} of ${options.rounds}`);
    const run = { connections: CONNECTIONS, seconds: secondsOf(options), core: options.cores.client };
    redisRates.push(await setsPerSecond({ ...redis, ...run }));
  }
  const row = (key: AskedName): ThreadRow => {
    const { name, connections } = asked[key];
    return { name, placement, connections, rounds: rounds.get(key) ?? [] };
  };
  const rows = Object.fromEntries(ASKED.map((name) => [name, row(name)])) as Record<AskedName, ThreadRow>;
  return { rows, redisRates: redis === null ? null : redisRates, orders: await audit() };
}

/** Of the shadow, which puts off its work, everything until it has caught up counts, and every answer. */
async function threadRun(asked: Asked, options: SuiteOptions): Promise<ThreadRun> {
  const { process, port, templates, connections } = asked;
  const run = { port, templates, connections, seconds: secondsOf(options), dir: options.workDir };
  const before = cpuTimes(process.pid);
  const measured = await measureWithWrk({ ...run, core: options.cores.client }, process);
  const { ratePerSecond, p50Us, p99Us, answered, warmedUp, cpu } = measured;
  asked.onAnswered?.(answered + warmedUp);
  await asked.catchUp?.();
  const shadowNs = shadowNsOf(cpuTimes(process.pid)) - shadowNsOf(before);
  const threadUs = byThread((name) =>
    name === 'shadow'
      ? shadowNs / (answered + warmedUp) / 1000
      : (cpu?.threadNs[name] ?? Number.NaN) / answered / 1000,
  );
  return { ratePerSecond, p50Us, p99Us, threadUs };
}

const shadowNsOf = (times: CpuTimes | null): number => times?.threadNs.shadow ?? Number.NaN;
const secondsOf = ({ measureMs }: SuiteOptions): number => Math.ceil(measureMs / 1000);

function sectionOf(pinned: readonly Placement[], free: Placement): SectionResult {
  const placements = [...pinned, free];
  const threadUs = threadUsOf(free.rows.orders);
  const redis = placements.flatMap(({ redisRates }, at) =>
    redisRates === null
      ? []
      : [`${at < pinned.length ? 'on one core' : 'not pinned'} ${figure(median(redisRates))}/s`],
  );
  return {
    name: 'threads',
    tables: [
      threadTable(placements.flatMap(({ rows }) => ASKED.map((name) => rows[name]))),
      capacityTable(threadUs),
    ],
    ratios: [],
    notes: [
      'Not pinned, client and server share all cores. The capacity is computed from the orders that were not pinned: ' +
        'each thread uses a core at most, there are as many gateways as TOTE_GATEWAYS has by default, clients are ' +
        'elsewhere, and the disk keeps up.',
      ...placements.map(
        ({ orders }) =>
          `All of ${figure(orders)} answered orders were found in their rounds; money is conserved.`,
      ),
      redis.length > 0
        ? `Redis SET, fsync always, by redis-benchmark with ${CONNECTIONS} connections: ${redis.join(', ')}.`
        : 'Redis is missing: redis-server or redis-benchmark is not installed.',
    ],
    measured: threadGoals(free),
    data: placements,
  };
}

/** How long the markets must take bets. */
function bettingMs({ rounds, measureMs }: SuiteOptions): number {
  return rounds * (ASKED.length + 1) * (measureMs + RUN_OVERHEAD_MS) + 10_000;
}
