/**
 * The stream: what 1,000 subscribers to all markets cost beside orders at full load, orders over streams beside POST, and
 * the memory of idle streams.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { must } from '../../../engine/base/assert.js';
import { hasWrk, measureWithWrk, type WrkMeasurement } from '../../client/programs/wrk.js';
import type { ServerProcess } from '../../host/server-process.js';
import { type CpuUse, cpuTimes, cpuUse, residentBytes, sumOf } from '../../host/usage.js';
import { type Book, openBook } from '../../load/book.js';
import { figure } from '../../report/format.js';
import { median, type SectionResult, type SuiteOptions, type Table } from '../../report/section.js';
import type { Counted, StreamGroup } from '../../stream/job.js';
import { Streams } from '../../stream/start.js';
import { expectConservation } from '../../tote/audit.js';
import { makeBettors } from '../../tote/bettors.js';
import { ToteServer } from '../../tote/server.js';

const BETTORS = 1_000;
const CONNECTIONS = 256;
const SUBSCRIBERS = 1_000;
/** Of the bettors, so many listen to their fills, too. */
const LISTENERS = 100;
const IDLE = 9_000;
const SUBSCRIBE = (channel: string): string => JSON.stringify({ op: 'subscribe', id: 1, channel });

interface StreamRow {
  readonly what: string;
  readonly perSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly cpu: CpuUse | null;
  readonly orders: number;
  readonly seconds: number;
  readonly counted: Counted | null;
}

export async function streamSection(options: SuiteOptions): Promise<SectionResult> {
  if (!hasWrk()) {
    return { name: 'stream', tables: [], ratios: [], notes: ['wrk is not installed.'], data: null };
  }
  const { workDir, cores, durability, progress } = options;
  const server = await ToteServer.start({
    dataDir: `${workDir}/tote`,
    workDir,
    core: cores.server,
    durability,
  });
  try {
    const bettors = await makeBettors(server, BETTORS);
    const keys = bettors.map(({ apiKey }) => apiKey);
    progress('idle streams');
    const idle = await idleBytes(server, keys, cores.client);
    const book = await openBook(server, bettors, options.rounds * 4 * (options.measureMs + 8_000));
    const rows: StreamRow[][] = [];
    for (let round = 1; round <= options.rounds; round++) {
      progress(`orders without and with streams, round ${round} of ${options.rounds}`);
      rows.push([
        await posted('POST, no streams', server, book, null, options),
        await withSubscribers(server, book, keys, options),
        await overStreams(server, book, options),
      ]);
    }
    await expectConservation(server);
    return sectionOf(rows, idle);
  } finally {
    await server.process.stop('SIGKILL');
  }
}

async function posted(
  what: string,
  server: ToteServer,
  { templates }: Book,
  streams: Streams | null,
  { measureMs, workDir, cores }: SuiteOptions,
): Promise<StreamRow> {
  const seconds = Math.ceil(measureMs / 1000);
  const run = {
    port: server.port,
    connections: CONNECTIONS,
    seconds,
    templates,
    dir: workDir,
    core: cores.client,
  };
  const wrk = (): Promise<WrkMeasurement> => measureWithWrk(run, server.process);
  const { result, counted } =
    streams === null ? { result: await wrk(), counted: null } : await streams.during(wrk);
  const { ratePerSecond: perSecond, p50Us, p99Us, cpu, answered: orders } = result;
  // The warm-up of wrk is a second, in which streams are counted, too.
  return { what, perSecond, p50Us, p99Us, cpu, orders, seconds: seconds + 1, counted };
}

async function withSubscribers(
  server: ToteServer,
  book: Book,
  keys: readonly string[],
  options: SuiteOptions,
): Promise<StreamRow> {
  const groups: StreamGroup[] = [
    { keys, each: SUBSCRIBERS / keys.length, messages: [SUBSCRIBE('markets')], orders: [] },
    { keys: keys.slice(0, LISTENERS), each: 1, messages: [SUBSCRIBE('fills')], orders: [] },
  ];
  const streams = await Streams.open({ port: server.port, groups }, options.cores.client);
  try {
    const what = `POST, ${SUBSCRIBERS} streams of all markets`;
    return await posted(what, server, book, streams, options);
  } finally {
    await streams.close();
  }
}

async function overStreams(server: ToteServer, book: Book, options: SuiteOptions): Promise<StreamRow> {
  const keys = book.bettors.slice(0, CONNECTIONS).map(({ apiKey }) => apiKey);
  const orders = book.markets.flatMap(({ id }) =>
    ['UP', 'DOWN'].map((prediction) =>
      JSON.stringify({ op: 'order', id: 1, order: { marketId: id, prediction, amount: 1 } }),
    ),
  );
  const groups = [{ keys, each: 1, messages: [], orders }];
  const streams = await Streams.open({ port: server.port, groups }, options.cores.client);
  try {
    const { result, counted } = await streams.during(() => used(server.process, options.measureMs));
    const us = counted.orderUs.toSorted((a, b) => a - b);
    const seconds = options.measureMs / 1000;
    return {
      what: `orders over ${CONNECTIONS} streams`,
      perSecond: us.length / seconds,
      p50Us: at(us, 0.5),
      p99Us: at(us, 0.99),
      cpu: result,
      orders: us.length,
      seconds,
      counted: null,
    };
  } finally {
    await streams.close();
  }
}

async function used({ pid }: ServerProcess, ms: number): Promise<CpuUse | null> {
  const before = cpuTimes(pid);
  await pause(ms);
  return cpuUse(before, cpuTimes(pid));
}

interface Idle {
  readonly bytesEach: number;
  readonly coreShare: number;
}

async function idleBytes(server: ToteServer, keys: readonly string[], core: number | null): Promise<Idle> {
  const before = must(residentBytes(server.process.pid), 'memory of the server');
  const groups = [{ keys, each: IDLE / keys.length, messages: [], orders: [] }];
  const streams = await Streams.open({ port: server.port, groups }, core);
  try {
    const cpu = await used(server.process, 5_000);
    const after = must(residentBytes(server.process.pid), 'memory of the server');
    return {
      bytesEach: (after - before) / IDLE,
      coreShare: cpu === null ? Number.NaN : sumOf(cpu.threadNs) / 5e9,
    };
  } finally {
    await streams.close();
  }
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

function sectionOf(rounds: readonly StreamRow[][], idle: Idle): SectionResult {
  const rowsOf = (column: number): StreamRow[] => rounds.map((row) => must(row[column], 'a row'));
  const of = (column: number, value: (row: StreamRow) => number): string =>
    figure(median(rowsOf(column).map(value)));
  const cpuUs = (row: StreamRow, thread: 'gateway' | 'main'): number =>
    (row.cpu?.threadNs[thread] ?? Number.NaN) / row.orders / 1000;
  const orders: Table = {
    title: 'Orders beside streams',
    columns: ['', 'orders/s', 'p50 ms', 'p99 ms', 'gateway us an order', "engine's thread us an order"],
    rows: [0, 1, 2].map((column) => [
      must(rounds[0]?.[column], 'a row').what,
      of(column, ({ perSecond }) => perSecond),
      of(column, ({ p50Us }) => p50Us / 1000),
      of(column, ({ p99Us }) => p99Us / 1000),
      of(column, (row) => cpuUs(row, 'gateway')),
      of(column, (row) => cpuUs(row, 'main')),
    ]),
  };
  const delay = (kind: 'markets' | 'fills', share: number) => (row: StreamRow) =>
    at(
      (row.counted?.delaysMs[kind] ?? []).toSorted((a, b) => a - b),
      share,
    );
  const sent: Table = {
    title: `What ${SUBSCRIBERS} subscribers to all markets and ${LISTENERS} to their fills got meanwhile`,
    columns: ['messages/s', 'MB/s', 'markets: delay p50 ms', 'p99', 'fills: delay p50 ms', 'p99'],
    rows: [
      [
        of(1, ({ counted, seconds }) => (counted?.messages ?? 0) / seconds),
        of(1, ({ counted, seconds }) => (counted?.bytes ?? 0) / 1e6 / seconds),
        of(1, delay('markets', 0.5)),
        of(1, delay('markets', 0.99)),
        of(1, delay('fills', 0.5)),
        of(1, delay('fills', 0.99)),
      ],
    ],
  };
  const memory: Table = {
    title: `${IDLE} idle streams`,
    columns: ['bytes each (RSS)', 'cores, heartbeats included'],
    rows: [[figure(idle.bytesEach), figure(idle.coreShare)]],
  };
  return {
    name: 'stream',
    tables: [orders, sent, memory],
    ratios: [],
    notes: [
      "The delay of markets begins when their message is made, that of fills with the order's time: the commit is in it.",
      'Orders over streams come from a client on Node, those of POST from wrk: compare their CPU times.',
    ],
    data: { rounds, idle },
  };
}
