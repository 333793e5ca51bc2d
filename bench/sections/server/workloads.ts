/**
 * The other workloads of bots: a mix of reads and orders, replays, refusals, and thousands of mostly idle
 * connections; the rate by number of connections and the latency by load. Afterwards the server's ledger must contain
 * every acknowledged order.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../../../engine/base/assert.js';
import { type Book, openBook } from '../../load/book.js';
import { latencyByLoad, overTime, rateByConnections } from '../../load/plots.js';
import { botsMix, ordersOnly, refusedOrders, replayedOrders, workloadTarget } from '../../load/requests.js';
import {
  clientLimitNotes,
  type LoadRow,
  loadRows,
  loadTable,
  type MeasuredRun,
  medianRate,
  openLoopRow,
  runOnce,
  type Target,
} from '../../load/rows.js';
import { figure, millisecondsOfUs } from '../../report/format.js';
import type { SectionResult, SuiteOptions } from '../../report/section.js';
import { audit } from '../../tote/audit.js';
import { makeBettors } from '../../tote/bettors.js';
import { ToteServer } from '../../tote/server.js';

const BETTORS = 1_000;
const CONNECTIONS = 256;
/** In addition to `CONNECTIONS`, which is in the first table. */
const CURVE_CONNECTIONS = { full: [16, 64, 1_024], quick: [32] };
const CURVE_LOADS = { full: [0.25, 0.5, 0.75, 0.9], quick: [0.5] };
const ACTIVE = 200;
const IDLE = 9_800;
/** The server closes a connection after 8 to 12 s of silence. */
const IDLE_PERIOD_MS = 6_500;
/** In a full run every idle connection sends at least two requests. */
const IDLE_MEASURE_MS = { full: 15_000, quick: 6_500 };
/** Open files of a process other than its connections. */
const OTHER_FILES = 500;
const RUN_OVERHEAD_MS = 2_500;

export async function workloadsSection(options: SuiteOptions): Promise<SectionResult> {
  const { durability, cores, workDir, progress } = options;
  progress('starting the server and its accounts');
  const start = { dataDir: join(workDir, 'tote'), workDir, core: cores.server, durability };
  const server = await ToteServer.start(start);
  try {
    const bettors = await makeBettors(server, BETTORS);
    const book = await openBook(server, bettors, runMs(options));
    const sides = await measureAll(server, book, options);
    progress('auditing');
    const audited = await audit(server, bettors, book.markets, book.acknowledged);
    return sectionOf(sides, audited.orders);
  } finally {
    await server.process.stop('SIGKILL');
  }
}

interface Measured {
  readonly rows: readonly LoadRow[];
  readonly byConnections: readonly LoadRow[];
  readonly byLoad: readonly LoadRow[];
  readonly idle: LoadRow;
  readonly idleConnections: number;
}

async function measureAll(server: ToteServer, book: Book, options: SuiteOptions): Promise<Measured> {
  const { bettors, markets } = book;
  const orders = workloadTarget('orders', server, ordersOnly(bettors, markets), book);
  const mix = workloadTarget("the bots' mix", server, botsMix(bettors, markets), book);
  const rejects = workloadTarget('refused orders', server, refusedOrders(bettors, markets), book);
  const rows = await loadRows([orders, mix, rejects], CONNECTIONS, options);
  rows.push(await replayRow(server, book, options));
  const once = { ...options, rounds: 1 };
  const size = options.quick ? 'quick' : 'full';
  const byConnections: LoadRow[] = [];
  for (const connections of CURVE_CONNECTIONS[size]) {
    byConnections.push(...(await loadRows([orders, mix], connections, once)));
  }
  const byLoad: LoadRow[] = [];
  for (const [at, target] of [orders, mix].entries()) {
    const most = medianRate(must(rows[at], 'row'));
    if (most === 0) throw new Error(`${target.name}: nothing was answered in the measured time`);
    for (const share of CURVE_LOADS[size]) {
      byLoad.push(await openLoopRow(target, CONNECTIONS, most * share, once));
    }
  }
  const idleConnections = Math.min(IDLE, openFilesMax() - ACTIVE - OTHER_FILES);
  const idle = await idleRow(mix, idleConnections, medianRate(must(rows[1], 'row')) / 2, options);
  byConnections.push(...rows.slice(0, 2));
  byConnections.sort((a, b) => a.connections - b.connections);
  return { rows, byConnections, byLoad, idle, idleConnections };
}

/** The orders are placed anew before each round, so that the server still remembers every key. */
async function replayRow(server: ToteServer, book: Book, options: SuiteOptions): Promise<LoadRow> {
  const rounds: MeasuredRun[] = [];
  let name = '';
  for (let round = 1; round <= options.rounds; round += 1) {
    options.progress(`replayed orders, round ${round} of ${options.rounds}`);
    const target = workloadTarget('replayed orders', server, await replayedOrders(server, book, round), book);
    rounds.push(await runOnce(target, CONNECTIONS, { kind: 'closed' }, options));
    name = target.name;
  }
  return { name, connections: CONNECTIONS, plannedRate: null, rounds };
}

async function idleRow(
  target: Target,
  connections: number,
  ratePerSecond: number,
  options: SuiteOptions,
): Promise<LoadRow> {
  const name = `${target.name}, ${ACTIVE} of the connections active`;
  options.progress(name);
  const measureMs = IDLE_MEASURE_MS[options.quick ? 'quick' : 'full'];
  const idle = { connections, periodMs: IDLE_PERIOD_MS };
  const pace = { kind: 'open', ratePerSecond, seed: 1 } as const;
  const measured = await runOnce(target, ACTIVE, pace, { ...options, measureMs }, { idle });
  return { name, connections: connections + ACTIVE, plannedRate: ratePerSecond, rounds: [measured] };
}

/** Node raises its own limit to the hard one. */
function openFilesMax(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return Number(/^Max open files\s+\S+\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}

function sectionOf(measured: Measured, orders: number): SectionResult {
  const { rows, byConnections, byLoad, idle, idleConnections } = measured;
  const idleLatency = idle.rounds[0]?.client.idleLatency;
  const fewer = idleConnections < IDLE ? ' (fewer than 10,000: the limit of open files is low)' : '';
  return {
    name: 'workloads',
    tables: [
      loadTable('Workloads, as fast as each is answered', rows),
      loadTable('Rate by the number of connections', byConnections),
      loadTable('Latency by load, planned send times', byLoad),
      loadTable('Mostly idle connections, planned send times', [idle]),
    ],
    ratios: [],
    notes: [
      `${figure(orders)} acknowledged orders were all found, stake by stake; money is conserved. ` +
        'Refused and replayed orders changed nothing.',
      ...clientLimitNotes([...rows, ...byConnections.filter((row) => !rows.includes(row))]),
      "The bots' mix is 60 % GET /markets/{id}, 20 % GET /markets, 10 % GET /positions, 10 % orders.",
      `${figure(idleConnections)} idle connections${fewer} sent a request every ${IDLE_PERIOD_MS / 1000} s each: none was closed; ` +
        `their p99 ${millisecondsOfUs(idleLatency?.p99Us ?? Number.NaN)} ms, max ${millisecondsOfUs(idleLatency?.maxUs ?? Number.NaN)} ms.`,
    ],
    plots: [
      rateByConnections('Rate by the number of connections', byConnections),
      ...latencyByLoad(byLoad),
      ...[...rows.slice(0, 2), idle].flatMap(overTime),
    ],
    data: measured,
  };
}

/** How long the markets must take bets. */
function runMs({ quick, rounds, warmupMs, measureMs }: SuiteOptions): number {
  const size = quick ? 'quick' : 'full';
  const runs = rounds * 4 + 2 * (CURVE_CONNECTIONS[size].length + CURVE_LOADS[size].length) + 2;
  return runs * (warmupMs + measureMs + RUN_OVERHEAD_MS) + IDLE_MEASURE_MS[size];
}
