/**
 * CPU time an order by thread with nothing pinned, as a user runs it, beside bare handlers and Redis.
 * The client is `wrk`, since one on Node could not keep several threads busy.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { hasWrk } from '../client/wrk.js';
import type { Cores } from '../host/cores.js';
import { type ServerProcess, withServers } from '../host/server-process.js';
import type { ByThread } from '../host/usage.js';
import { ORDERS, openBook } from '../load/book.js';
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
import { BARE, BARE_COMMIT, orderBytes, startPost, UNREAD_MAX } from '../references/bare.js';
import { hasRedis, setsPerSecond, startRedis } from '../references/redis.js';
import { figure } from '../report/format.js';
import type { Measured } from '../report/goals.js';
import { median, type SectionResult, type SuiteOptions } from '../report/section.js';
import { expectConservation } from '../tote/audit.js';
import { placeOf, ToteServer } from '../tote/server.js';

const CONNECTIONS = 256;
const RUN_OVERHEAD_MS = 4_000;
const TARGETS = 6;
const STAKE_CENTS = 100;
const NOT_PINNED: Cores = { server: null, client: null };

interface Measurement {
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
    return { name: 'threads', tables: [], notes };
  }
  options.progress('starting the server, its accounts and the references');
  const free = { ...options, cores: NOT_PINNED };
  return sectionOf(await withServers((running) => measureSystems(free, running)));
}

async function measureSystems(options: SuiteOptions, running: ServerProcess[]): Promise<Measurement> {
  const { rounds, measureMs } = options;
  const server = await ToteServer.start(placeOf(options));
  running.push(server.process);
  const book = await openBook(server, rounds * (TARGETS + 1) * (measureMs + RUN_OVERHEAD_MS) + 10_000);
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
  const targets = [orders, bare, commit.target];
  const rows = await rowsInTurn(targets, { connections: CONNECTIONS, client: 'wrk' }, options);
  const single = await rowsInTurn([orders, commit.target], { connections: 1, client: 'wrk' }, options);
  commit.audit();
  const redisRates = await redisSets(orderBytes(book), options, running);
  await expectCounted(server, answered, runs);
  return { rows, single, redisRates, orders: answered };
}

/** SETs per second with a value as long as an order in the journal; null where Redis is not installed. */
async function redisSets(
  valueBytes: number,
  { durability, cores, workDir, rounds, measureMs, progress }: SuiteOptions,
  running: ServerProcess[],
): Promise<number[] | null> {
  if (!hasRedis()) return null;
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

/** Throws unless the open bets are the orders that were answered; `wrk` leaves some answers unread. */
async function expectCounted(server: ToteServer, answered: number, runs: number): Promise<void> {
  const found = (await expectConservation(server)) / STAKE_CENTS;
  // One for the sample.
  const unread = found - answered - 1;
  if (unread < 0 || unread > UNREAD_MAX * runs)
    throw new Error(`${answered} orders were answered, and ${found} bets are open`);
}

function sectionOf(measured: Measurement): SectionResult {
  const { rows, single, redisRates, orders } = measured;
  return {
    name: 'threads',
    tables: rowTables('Orders by thread (wrk)', [...rows, ...single]),
    notes: [
      'Nothing is pinned: client and server share all cores.',
      `All of ${figure(orders)} answered orders are open bets; money is conserved.`,
      redisRates === null
        ? 'Redis is missing: redis-server or redis-benchmark is not installed.'
        : `Redis SET, fsync always, by redis-benchmark with ${CONNECTIONS} connections: ${figure(median(redisRates))}/s.`,
    ],
    measured: goalsOf(measured),
    data: measured,
  };
}

const servingUs = ({ gateway, main, journal }: ByThread): number => gateway + main + journal;

function goalsOf({ rows, single, redisRates }: Measurement): Measured[] {
  const [orders, post, commit] = rows as [Row, Row, Row];
  const [oneOrder, oneCommit] = single as [Row, Row];
  const us = threadUsOf(orders);
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
  ];
  return goals.filter(({ value }) => !Number.isNaN(value));
}
