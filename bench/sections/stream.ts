/**
 * The stream: the cost of 1,000 subscribers to all markets beside orders at full load, orders over streams beside POST,
 * and the memory of idle streams.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { must } from '../../engine/base/assert.js';
import { hasWrk } from '../client/wrk.js';
import { byThread, cpuTimes, cpuUse, residentBytes, sumOf } from '../host/usage.js';
import { type Book, ORDERS, openBook } from '../load/book.js';
import { type Row, type Run, roundRatio, runOnce, threadUsOf, toteTarget } from '../load/runs.js';
import { rowTables } from '../load/tables.js';
import { figure } from '../report/format.js';
import type { Measured } from '../report/goals.js';
import { median, type SectionResult, type SuiteOptions } from '../report/section.js';
import { expectConservation } from '../tote/audit.js';
import { placeOf, ToteServer } from '../tote/server.js';
import { type Counted, Streams } from '../tote/streams.js';

const CONNECTIONS = 256;
const SUBSCRIBERS = 1_000;
const LISTENERS = 100;
/** So many streams of a key stay below the 50 messages a second that each may send. */
const STREAMS_EACH = 4;
const IDLE = 9_000;
const IDLE_MS = 5_000;
const SUBSCRIBE = (channel: string): string => JSON.stringify({ op: 'subscribe', id: 1, channel });

export async function streamSection(options: SuiteOptions): Promise<SectionResult> {
  if (!hasWrk()) {
    return { name: 'stream', tables: [], notes: ['wrk is not installed.'] };
  }
  // The gateway's CPU time is to be seen beside the engine's.
  const server = await ToteServer.start({ ...placeOf(options), env: { TOTE_GATEWAYS: '1' } });
  try {
    const book = await openBook(server, IDLE_MS + options.rounds * 4 * (options.measureMs + 8_000));
    const keys = book.bettors.map(({ apiKey }) => apiKey);
    options.progress('idle streams');
    const idle = await idleBytes(server, keys);
    const [posted, beside, over]: [Run[], Run[], Run[]] = [[], [], []];
    const counts: Counted[] = [];
    const orders = toteTarget(ORDERS, server, book.orders, book);
    const load = { connections: CONNECTIONS, client: 'wrk' } as const;
    for (let round = 1; round <= options.rounds; round++) {
      options.progress(`orders without and with streams, round ${round} of ${options.rounds}`);
      posted.push(await runOnce(orders, load, options));
      const streams = await Streams.open(server.port, listeners(keys));
      const { result, counted } = await streams.during(() => runOnce(orders, load, options));
      streams.close();
      beside.push(result);
      counts.push(counted);
      over.push(await overStreams(server, book, options));
    }
    await expectConservation(server);
    const row = (name: string, rounds: readonly Run[]): Row => {
      return { name, connections: CONNECTIONS, plannedRate: null, rounds };
    };
    const rows = [
      row('POST, no streams', posted),
      row(`POST, ${SUBSCRIBERS} streams of all markets`, beside),
      row('orders over streams', over),
    ];
    return sectionOf(rows, counts, idle);
  } finally {
    await server.process.stop('SIGKILL');
  }
}

const listeners = (keys: readonly string[]) => [
  { keys, each: SUBSCRIBERS / keys.length, messages: [SUBSCRIBE('markets')], orders: [] },
  { keys: keys.slice(0, LISTENERS), each: 1, messages: [SUBSCRIBE('fills')], orders: [] },
];

async function overStreams(server: ToteServer, book: Book, { measureMs }: SuiteOptions): Promise<Run> {
  const keys = book.bettors.slice(0, CONNECTIONS).map(({ apiKey }) => apiKey);
  const orders = book.markets.flatMap(({ id }) =>
    ['UP', 'DOWN'].map((prediction) =>
      JSON.stringify({ op: 'order', id: 1, order: { marketId: id, prediction, amount: 1 } }),
    ),
  );
  const groups = [{ keys, each: STREAMS_EACH, messages: [], orders, inFlight: CONNECTIONS }];
  const streams = await Streams.open(server.port, groups);
  try {
    const before = cpuTimes(server.process.pid);
    const { counted } = await streams.during(() => pause(measureMs));
    const cpu = cpuUse(before, cpuTimes(server.process.pid));
    const us = counted.orderUs;
    const latency = { p50Us: at(us, 0.5), p90Us: at(us, 0.9), p99Us: at(us, 0.99), p999Us: at(us, 0.999) };
    return {
      ratePerSecond: (us.length * 1000) / measureMs,
      latency: { ...latency, maxUs: at(us, 1) },
      ...{ lateP99Us: null, clientCpu: Number.NaN, refused: counted.refused, behind: null },
      server: { timeline: [], residentBytes: null },
      threadUs: byThread((name) => (cpu?.threadNs[name] ?? Number.NaN) / us.length / 1000),
    };
  } finally {
    streams.close();
  }
}

interface Idle {
  readonly bytesEach: number;
  readonly coreShare: number;
}

async function idleBytes(server: ToteServer, keys: readonly string[]): Promise<Idle> {
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
  const [posted, over] = [must(rows[0], 'POST'), must(rows[2], 'orders over streams')];
  const value = roundRatio(over, posted, ({ threadUs }) => threadUs.gateway);
  const beside = `${figure(threadUsOf(over).gateway)} of ${figure(threadUsOf(posted).gateway)} us`;
  return Number.isNaN(value) ? [] : [{ goal: 'streamOrderCpu', value, beside }];
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function sectionOf(rows: readonly Row[], counts: readonly Counted[], idle: Idle): SectionResult {
  const of = (value: (counted: Counted) => number): string => figure(median(counts.map(value)));
  const delay = (kind: 'markets' | 'fills', share: number): string =>
    of(({ delaysMs }) => at(delaysMs[kind], share));
  return {
    name: 'stream',
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
