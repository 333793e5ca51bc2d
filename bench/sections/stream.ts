/**
 * The stream: the cost of 1,000 subscribers to all markets beside orders at full load, orders over streams beside POST,
 * and the memory of idle streams.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { assert, must } from '../../engine/base/assert.js';
import { hasWrk } from '../client/wrk.js';
import { cpuTimes, cpuUse, residentBytes, sumOf } from '../host/usage.js';
import { type Book, countedTarget, ORDERS, openBook } from '../load/book.js';
import {
  type Load,
  type Measured as Measurement,
  type Row,
  type Run,
  roundRatio,
  runOnce,
  type Target,
  threadUsOf,
  UNTOLD,
} from '../load/runs.js';
import { rowTables } from '../load/tables.js';
import { figure } from '../report/format.js';
import type { Measured } from '../report/goals.js';
import { type Findings, median, type SuiteOptions } from '../report/section.js';
import { placeOf, ToteServer } from '../tote/server.js';
import { catchUp } from '../tote/shadow.js';
import { type Counted, Streams } from '../tote/streams.js';

const CONNECTIONS = 256;
const SUBSCRIBERS = 1_000;
const LISTENERS = 100;
/** So many streams of each bettor stay below the 50 messages a second that each may send, on a fast machine, too. */
const STREAMS_EACH = 2;
const AT_ONCE = 4;
const IDLE = 9_000;
const IDLE_MS = 5_000;
const SUBSCRIBE = (channel: string): string => JSON.stringify({ op: 'subscribe', id: 1, channel });

export async function streamSection(options: SuiteOptions): Promise<Findings> {
  if (!hasWrk()) {
    return { tables: [], notes: ['wrk is not installed.'] };
  }
  // The gateway's CPU time is to be seen beside the engine's.
  const server = await ToteServer.start({ ...placeOf(options), env: { TOTE_GATEWAYS: '1' } });
  const book = await openBook(server, IDLE_MS + (options.rounds + 1) * 5 * (options.measureMs + 8_000));
  const keys = book.bettors.map(({ apiKey }) => apiKey);
  options.progress('idle streams');
  const idle = await idleBytes(server, keys);
  const [posted, beside, over, overAtOnce]: [Run[], Run[], Run[], Run[]] = [[], [], [], []];
  const counts: Counted[] = [];
  const { target: orders, counted } = countedTarget(ORDERS, server, book);
  const overOne = overStreams(orders, book, 1);
  const overMany = overStreams(orders, book, AT_ONCE);
  const load = { connections: CONNECTIONS, client: 'wrk' } as const;
  // The first warms up all of the server's code, and does not count.
  for (let round = 0; round <= options.rounds; round++) {
    options.progress(`orders without and with streams, round ${round} of ${options.rounds}`);
    posted.push(await runOnce(orders, load, options));
    over.push(await runOnce(overOne, load, options));
    overAtOnce.push(await runOnce(overMany, load, options));
    const streams = await Streams.open(server.port, listeners(keys));
    streams.beginCount();
    // While the shadow catches up, there are no orders to tell of.
    const catchUpUncounted = (): Promise<number> => {
      counts.push(streams.endCount());
      return catchUp(server);
    };
    beside.push(await runOnce({ ...orders, catchUp: catchUpUncounted }, load, options));
    streams.close();
  }
  await counted.audit(server);
  const row = (name: string, rounds: readonly Run[]): Row => {
    return { name, connections: CONNECTIONS, plannedRate: null, rounds: rounds.slice(1) };
  };
  const rows = [
    row('POST, no streams', posted),
    row(`POST, ${SUBSCRIBERS} streams of all markets`, beside),
    row('orders over streams, one at a time', over),
    row(`orders over streams, ${AT_ONCE} at a time`, overAtOnce),
  ];
  return sectionOf(rows, counts.slice(1), idle);
}

const listeners = (keys: readonly string[]) => [
  { keys, each: SUBSCRIBERS / keys.length, messages: [SUBSCRIBE('markets')], orders: [] },
  { keys: keys.slice(0, LISTENERS), each: 1, messages: [SUBSCRIBE('fills')], orders: [] },
];

/** Orders of two thousand streams, of which `CONNECTIONS` wait for an answer at any time. */
function overStreams(orders: Target, book: Book, atOnce: number): Target {
  const keys = book.bettors.map(({ apiKey }) => apiKey);
  const messages = book.markets.flatMap(({ id }) =>
    ['UP', 'DOWN'].map((prediction) =>
      JSON.stringify({ op: 'order', id: 1, order: { marketId: id, prediction, amount: 1 } }),
    ),
  );
  const group = { keys, each: STREAMS_EACH, messages: [], orders: messages, atOnce, inFlight: CONNECTIONS };
  const measure = async (_: Load, { measureMs, warmupMs }: SuiteOptions): Promise<Measurement> => {
    const streams = await Streams.open(orders.port, [group]);
    try {
      await pause(warmupMs);
      const before = cpuTimes(orders.process.pid);
      streams.beginCount();
      await pause(measureMs);
      const { orderUs, refused, seconds } = streams.endCount();
      const cpu = cpuUse(before, cpuTimes(orders.process.pid));
      if (refused.length > 0)
        throw new Error(`${refused.length} orders over streams were refused: ${refused[0]}`);
      const latency = {
        p50Us: at(orderUs, 0.5),
        p90Us: at(orderUs, 0.9),
        p99Us: at(orderUs, 0.99),
        p999Us: at(orderUs, 0.999),
      };
      return {
        ...UNTOLD,
        ratePerSecond: orderUs.length / seconds,
        latency: { ...latency, maxUs: at(orderUs, 1) },
        answered: { count: streams.placed, client: null },
        ...{ measuredAnswers: orderUs.length, cpu },
      };
    } finally {
      streams.close();
    }
  };
  return { ...orders, measure };
}

async function idleBytes(server: ToteServer, keys: readonly string[]) {
  const { pid } = server.process;
  const before = must(residentBytes(pid), 'memory of the server');
  const groups = [{ keys, each: IDLE / keys.length, messages: [], orders: [] }];
  const streams = await Streams.open(server.port, groups);
  try {
    const times = cpuTimes(pid);
    await pause(IDLE_MS);
    const cpu = cpuUse(times, cpuTimes(pid));
    const after = must(residentBytes(pid), 'memory of the server');
    const coreShare = cpu === null ? Number.NaN : sumOf(cpu.threadNs) / (IDLE_MS * 1e6);
    return { bytesEach: (after - before) / IDLE, coreShare };
  } finally {
    streams.close();
  }
}

function streamOrderCpu(rows: readonly Row[]): Measured[] {
  const [posted, , over, atOnce] = rows.map((row) => ({ row, us: threadUsOf(row).gateway }));
  assert(posted !== undefined && over !== undefined && atOnce !== undefined, 'POST and two rows of streams');
  const ratio = ({ row }: { readonly row: Row }): number =>
    roundRatio(row, posted.row, ({ threadUs }) => threadUs.gateway);
  const value = ratio(over);
  const beside = `${figure(over.us)} of ${figure(posted.us)} us; ${AT_ONCE} at a time ${figure(ratio(atOnce))}, ${figure(atOnce.us)} us`;
  return Number.isNaN(value) ? [] : [{ goal: 'streamOrderCpu', value, beside }];
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

type Idle = Awaited<ReturnType<typeof idleBytes>>;

function sectionOf(rows: readonly Row[], counts: readonly Counted[], idle: Idle): Findings {
  const of = (value: (counted: Counted) => number): string => figure(median(counts.map(value)));
  const delay = (kind: 'markets' | 'fills', share: number): string =>
    of(({ delaysMs }) => at(delaysMs[kind], share));
  return {
    tables: [
      ...rowTables('Orders beside streams', rows),
      {
        title: `What ${SUBSCRIBERS} subscribers to all markets and ${LISTENERS} to their fills got meanwhile`,
        columns: ['messages/s', 'MB/s', 'markets: delay p50 ms', 'p99', 'fills: delay p50 ms', 'p99'],
        rows: [
          [
            of(({ messages, seconds }) => messages / seconds),
            of(({ bytes, seconds }) => bytes / 1e6 / seconds),
            ...[delay('markets', 0.5), delay('markets', 0.99), delay('fills', 0.5), delay('fills', 0.99)],
          ],
        ],
      },
      {
        title: `${IDLE} idle streams`,
        columns: ['bytes each (RSS)', 'cores, heartbeats included'],
        rows: [[figure(idle.bytesEach), figure(idle.coreShare)]],
      },
    ],
    notes: [
      "The delay of markets begins when their message is made, that of fills with the order's time: the commit is in it.",
      "The streams are in the suite's own process, which is not pinned; POSTs come from wrk: compare CPU times.",
    ],
    measured: streamOrderCpu(rows),
    data: { rows, counts, idle },
  };
}
