/**
 * The other workloads of bots: a mix of reads and orders, refusals, and 10,000 connections; the rate by number
 * of connections and the latency by load. Afterwards the server's ledger must contain every acknowledged order.
 */
import { readFileSync } from 'node:fs';
import { must } from '../../engine/base/assert.js';
import { attempt } from '../../engine/base/attempt.js';
import { BOTS_MIX } from '../client/kinds.js';
import { type Book, bettorsOf, openBook } from '../load/book.js';
import { type Row, rateReached, rowsInTurn, toteTarget } from '../load/runs.js';
import { latencyByLoad, overTime, rateByConnections, rowTables } from '../load/tables.js';
import { refusedOrders, workloadOf } from '../load/workload.js';
import { figure } from '../report/format.js';
import type { Findings, SuiteOptions } from '../report/section.js';
import { audit } from '../tote/audit.js';
import { placeOf, ToteServer } from '../tote/server.js';

const CONNECTIONS = 256;
/** In addition to `CONNECTIONS`, which is in the first table. */
const CURVE_CONNECTIONS = { full: [16, 64, 1_024], quick: [] };
const CURVE_LOADS = { full: [0.25, 0.5, 0.75, 0.9], quick: [] };
const MANY_CONNECTIONS = 10_000;
const OTHER_FILES = 500;
const RUN_OVERHEAD_MS = 2_500;

export async function workloadsSection(options: SuiteOptions): Promise<Findings> {
  options.progress('starting the server and its accounts');
  const server = await ToteServer.start(placeOf(options));
  const book = await openBook(server, bettingMs(options), bettorsOf(options));
  const measured = await measureAll(server, book, options);
  options.progress('auditing');
  const { orders } = await audit(server, book);
  return sectionOf(measured, orders);
}

async function measureAll(server: ToteServer, book: Book, options: SuiteOptions) {
  const size = options.quick ? 'quick' : 'full';
  const orders = toteTarget('orders', server, book.orders, book);
  const mix = toteTarget("the bots' mix", server, workloadOf(book, BOTS_MIX), book);
  const refused = toteTarget('refused orders', server, refusedOrders(book), book);
  const rows = await rowsInTurn([orders, mix, refused], { connections: CONNECTIONS }, options);
  const once = { ...options, rounds: 1 };
  const byConnections = rows.slice(0, 2);
  for (const connections of CURVE_CONNECTIONS[size]) {
    byConnections.push(...(await rowsInTurn([orders, mix], { connections }, once)));
  }
  byConnections.sort((a, b) => a.connections - b.connections);
  const byLoad: Row[] = [];
  for (const [at, target] of [orders, mix].entries()) {
    const most = rateReached(must(rows[at], 'row'));
    for (const share of CURVE_LOADS[size]) {
      const load = { connections: CONNECTIONS, plannedRate: most * share };
      byLoad.push(...(await rowsInTurn([target], load, once)));
    }
  }
  const connections = Math.min(MANY_CONNECTIONS, openFilesMax() - OTHER_FILES);
  const plannedRate = rateReached(must(rows[1], 'row')) / 2;
  const many = options.quick ? [] : await rowsInTurn([mix], { connections, plannedRate }, once);
  return { rows, byConnections, byLoad, many };
}

/** Node raises its own limit to the hard one. */
function openFilesMax(): number {
  const limits = attempt(() => readFileSync('/proc/self/limits', 'utf8'), '');
  return Number(/^Max open files\s+\S+\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
}

function sectionOf(measured: Awaited<ReturnType<typeof measureAll>>, orders: number): Findings {
  const { rows, byConnections, byLoad, many } = measured;
  return {
    tables: [
      ...rowTables('Workloads, as fast as each is answered', rows),
      ...rowTables('Rate by the number of connections', byConnections),
      ...rowTables('Latency by load, planned send times', byLoad),
      ...(many.length > 0 ? rowTables('As many connections as the server takes', many) : []),
    ],
    notes: [
      `${figure(orders)} acknowledged orders were all found, stake by stake; money is conserved. ` +
        'Refused orders changed nothing.',
      "The bots' mix is 60 % GET /markets/{id}, 20 % GET /markets, 10 % GET /positions, 10 % orders.",
    ],
    plots: [
      rateByConnections('Rate by the number of connections', byConnections),
      ...latencyByLoad(byLoad),
      ...[...rows.slice(0, 2), ...many].flatMap(overTime),
    ],
    data: measured,
  };
}

function bettingMs({ quick, rounds, warmupMs, measureMs }: SuiteOptions): number {
  const size = quick ? 'quick' : 'full';
  const runs = rounds * 3 + 2 * (CURVE_CONNECTIONS[size].length + CURVE_LOADS[size].length) + 3;
  return runs * (warmupMs + measureMs + RUN_OVERHEAD_MS);
}
