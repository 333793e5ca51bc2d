/**
 * CPU time a request by thread, with the server on one core and with nothing pinned, beside bare handlers and Redis.
 * The client is `wrk`, since one on Node could not keep several threads busy. From the figures of orders follows what
 * machines with more cores can do.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { defaultGateways } from '../../config/config-values.js';
import { must } from '../../engine/base/assert.js';
import type { Mix } from '../client/kinds.js';
import { hasRedisBenchmark, setsPerSecond } from '../client/redis-benchmark.js';
import { hasWrk } from '../client/wrk.js';
import type { Cores } from '../host/cores.js';
import { type ServerProcess, withServers } from '../host/server-process.js';
import { type ByThread, sumOf } from '../host/usage.js';
import { captureAnswer } from '../load/answer.js';
import { type Book, ORDERS, openBook } from '../load/book.js';
import {
  type Row,
  rateOf,
  rateReached,
  roundRatio,
  rowsInTurn,
  type Target,
  threadUsOf,
  toteTarget,
} from '../load/runs.js';
import { rowTables } from '../load/tables.js';
import { workloadOf } from '../load/workload.js';
import { BARE, BARE_COMMIT, orderBytes, startBare, startPost, UNREAD_MAX } from '../references/bare.js';
import { hasRedis, startRedis } from '../references/redis.js';
import { figure } from '../report/format.js';
import type { Measured } from '../report/goals.js';
import { median, type SectionResult, type SuiteOptions, type Table } from '../report/section.js';
import { expectConservation } from '../tote/audit.js';
import { liveMarkets } from '../tote/bettors.js';
import { placeOf, ToteServer } from '../tote/server.js';

const CONNECTIONS = 256;
const RUN_OVERHEAD_MS = 4_000;
const TARGETS = 9;
const NOT_PINNED: Cores = { server: null, client: null };

/** One way to place the systems on the cores. */
interface Placement {
  readonly rows: readonly Row[];
  /** One connection: orders, and the group commit. */
  readonly single: readonly Row[];
  /** Redis's SETs per second in each round; null without Redis. */
  readonly redisRates: readonly number[] | null;
  readonly orders: number;
}

export async function threadsSection(options: SuiteOptions): Promise<SectionResult> {
  if (!hasWrk()) {
    const notes = ['wrk is not installed: there are no figures by thread.'];
    return { name: 'threads', tables: [], ratios: [], notes, data: null };
  }
  const { cores, quick } = options;
  const isPinned = cores.server !== null && !quick;
  const pinned = isPinned ? [await measurePlacement('one core', cores, options)] : [];
  return sectionOf(pinned, await measurePlacement('not pinned', NOT_PINNED, options));
}

function measurePlacement(name: string, cores: Cores, options: SuiteOptions): Promise<Placement> {
  const workDir = join(options.workDir, name.replace(' ', '-'));
  mkdirSync(workDir);
  options.progress(`${name}: starting the server, its accounts and the references`);
  return withServers((running) => measureSystems({ ...options, cores, workDir }, running));
}

async function measureSystems(options: SuiteOptions, running: ServerProcess[]): Promise<Placement> {
  const { rounds, measureMs, quick } = options;
  const server = await ToteServer.start(placeOf(options));
  running.push(server.process);
  const book = await openBook(server, rounds * (TARGETS + 1) * (measureMs + RUN_OVERHEAD_MS) + 10_000);
  const one = { ...book, markets: book.markets.slice(0, 1) };
  const reads = (name: string, mix: Mix): Target => toteTarget(name, server, workloadOf(one, mix), book);
  let answered = 0;
  let runs = 0;
  const orders: Target = {
    ...toteTarget(ORDERS, server, book.orders, book),
    onAnswered: ({ count }) => {
      answered += count;
      runs += 1;
    },
  };
  const commit = await startPost(BARE_COMMIT, book, options, running);
  const { target: bare } = await startPost(BARE, book, options, running);
  const market = reads('GET /v1/markets/{id}', { market: 1 });
  const get = await bareGet(server, market, must(one.markets[0], 'market').id, options, running);
  // The positions have bets to show after the orders.
  const more = quick
    ? []
    : [reads('GET /v1/markets', { markets: 1 }), reads('GET /v1/positions', { positions: 1 })];
  const targets = [orders, bare, commit.target, market, get, ...more];
  const rows = await rowsInTurn(targets, { connections: CONNECTIONS, client: 'wrk' }, options);
  const single = await rowsInTurn([orders, commit.target], { connections: 1, client: 'wrk' }, options);
  commit.audit();
  const redisRates = await redisSets(orderBytes(book), options, running);
  await expectCounted(server, book, answered, runs);
  return { rows, single, redisRates, orders: answered };
}

async function bareGet(
  server: ToteServer,
  market: Target,
  id: string,
  { workDir, cores }: SuiteOptions,
  running: ServerProcess[],
): Promise<Target> {
  const dir = join(workDir, 'bare-get');
  mkdirSync(dir);
  const request = must(market.workload.templates[0], 'request').text;
  const answer = await captureAnswer(server.port, request);
  const gets = [{ path: `/v1/markets/${id}`, answer }];
  const started = await startBare({ gets, post: answer, commit: null }, dir, cores.server);
  running.push(started.process);
  return { name: 'bare GET, same bytes', ...started, workload: market.workload };
}

/** SETs per second with a value as long as an order in the journal; null where Redis is not installed. */
async function redisSets(
  valueBytes: number,
  { durability, cores, workDir, rounds, measureMs, progress }: SuiteOptions,
  running: ServerProcess[],
): Promise<number[] | null> {
  if (!hasRedis() || !hasRedisBenchmark()) return null;
  const dir = join(workDir, 'redis');
  mkdirSync(dir);
  const { process, port } = await startRedis(dir, durability, cores.server);
  running.push(process);
  const rates: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    progress(`Redis SET, round ${round} of ${rounds}`);
    const run = { connections: CONNECTIONS, seconds: Math.ceil(measureMs / 1000), core: cores.client };
    rates.push(await setsPerSecond({ port, valueBytes, ...run }));
  }
  return rates;
}

/** Throws unless the server has every order that it answered; `wrk` leaves some answers unread. */
async function expectCounted(server: ToteServer, book: Book, answered: number, runs: number): Promise<void> {
  const before = new Map(book.markets.map(({ roundId, totalBets }) => [roundId, totalBets]));
  const now = await liveMarkets(server, must(book.bettors[0], 'bettor').apiKey);
  const found = now.reduce((sum, { roundId, totalBets }) => {
    const had = before.get(roundId);
    return had === undefined ? sum : sum + totalBets - had;
  }, 0);
  await expectConservation(server);
  const unread = found - answered;
  if (unread < 0 || unread > UNREAD_MAX * runs + 1)
    throw new Error(`${answered} orders were answered, and the rounds have ${found} bets more`);
}

function sectionOf(pinned: readonly Placement[], free: Placement): SectionResult {
  const placements = [...pinned, free];
  const named = placements.flatMap(({ rows, single }, at) =>
    [...rows, ...single].map((row) => ({
      ...row,
      name: `${row.name}${at < pinned.length ? ', one core' : ''}`,
    })),
  );
  const redis = placements.flatMap(({ redisRates }, at) =>
    redisRates === null
      ? []
      : [`${at < pinned.length ? 'on one core' : 'not pinned'} ${figure(median(redisRates))}/s`],
  );
  return {
    name: 'threads',
    tables: [
      ...rowTables('Requests by thread (wrk)', named),
      capacityTable(threadUsOf(must(free.rows[0], 'orders'))),
    ],
    ratios: [],
    notes: [
      'Nothing is pinned but the rows "one core": client and server share all cores. The capacity is computed from the orders that ' +
        'were not pinned: each thread uses a core at most, there are as many gateways as TOTE_GATEWAYS has by default, clients are ' +
        'elsewhere, and the disk keeps up.',
      ...placements.map(
        ({ orders }) =>
          `All of ${figure(orders)} answered orders were found in their rounds; money is conserved.`,
      ),
      redis.length > 0
        ? `Redis SET, fsync always, by redis-benchmark with ${CONNECTIONS} connections: ${redis.join(', ')}.`
        : 'Redis is missing: redis-server or redis-benchmark is not installed.',
    ],
    measured: goalsOf(free),
    data: placements,
  };
}

const CAPACITY_CORES = [2, 4, 8, 16];
const US_PER_SECOND = 1_000_000;

interface Capacity {
  readonly gateways: number;
  readonly ratePerSecond: number;
  /** Who is busy all the time at that rate. */
  readonly bound: string;
}

/**
 * What a machine with `cores` of these cores could do, from the CPU time of an order by thread. A gateway, the engine,
 * the journal, the shadow and the roots of rounds have a thread each, and cannot use more than a core.
 */
export function capacityOf(threadUs: ByThread, cores: number): Capacity {
  const gateways = defaultGateways(cores);
  const limits = {
    gateways: (gateways * US_PER_SECOND) / threadUs.gateway,
    engine: US_PER_SECOND / threadUs.main,
    journal: US_PER_SECOND / threadUs.journal,
    shadow: US_PER_SECOND / threadUs.shadow,
    roots: US_PER_SECOND / threadUs.roots,
    cores: (cores * US_PER_SECOND) / sumOf(threadUs),
  };
  const ratePerSecond = Math.min(...Object.values(limits));
  const bound = Object.entries(limits).find(([, limit]) => limit === ratePerSecond)?.[0] ?? '';
  return { gateways, ratePerSecond, bound };
}

function capacityTable(threadUs: ByThread): Table {
  return {
    title: 'Capacity by cores, orders/s, computed from the CPU times above, not measured',
    columns: ['cores', 'gateways', 'orders/s', 'bound'],
    rows: CAPACITY_CORES.map((cores) => {
      const { gateways, ratePerSecond, bound } = capacityOf(threadUs, cores);
      return [String(cores), String(gateways), figure(Math.round(ratePerSecond)), bound];
    }),
  };
}

const servingUs = ({ gateway, main, journal }: ByThread): number => gateway + main + journal;
const GOAL_CORES = 8;

function goalsOf({ rows, single, redisRates }: Placement): Measured[] {
  const [orders, post, commit, market, get] = rows as [Row, Row, Row, Row, Row];
  const [oneOrder, oneCommit] = single as [Row, Row];
  const us = threadUsOf(orders);
  const capacity = capacityOf(us, GOAL_CORES);
  const redis = redisRates === null ? Number.NaN : median(redisRates);
  const goals: Measured[] = [
    {
      goal: 'engineCpuToBare',
      value: roundRatio(orders, post, ({ threadUs }) => threadUs.main),
      beside: `${figure(us.main)} of ${figure(threadUsOf(post).main)} us`,
    },
    {
      goal: 'orderCpuToGroupCommit',
      value: roundRatio(orders, commit, ({ threadUs }) => servingUs(threadUs)),
      beside: `${figure(servingUs(us))} of ${figure(servingUs(threadUsOf(commit)))} us`,
    },
    {
      goal: 'marketCpuToBare',
      value: roundRatio(
        market,
        get,
        ({ threadUs }) => threadUs.gateway,
        ({ threadUs }) => threadUs.main,
      ),
      beside: `engine's thread ${figure(threadUsOf(market).main)} us`,
    },
    {
      goal: 'freeOrdersToBare',
      value: roundRatio(orders, post, rateOf),
      beside: `${figure(rateReached(orders))} of ${figure(rateReached(post))} a second`,
    },
    {
      goal: 'firstOrderLatency',
      value: roundRatio(oneOrder, oneCommit, ({ latency }) => latency.p50Us),
      beside: `p50 ${figure(median(oneOrder.rounds.map(({ latency }) => latency.p50Us)))} us`,
    },
    {
      goal: 'shadowCpuToEngine',
      value: median(orders.rounds.map(({ threadUs }) => threadUs.shadow / threadUs.main)),
      beside: `${figure(us.shadow)} us an order`,
    },
    {
      goal: 'freeOrdersToRedis',
      value: rateReached(orders) / redis,
      beside: `Redis ${figure(redis)} a second`,
    },
    {
      goal: 'eightCoresToRedis',
      value: capacity.ratePerSecond / redis,
      beside: `computed, ${figure(Math.round(capacity.ratePerSecond))} a second, bound by ${capacity.bound}`,
    },
  ];
  return goals.filter(({ value }) => !Number.isNaN(value));
}
