/**
 * Memory of the whole process for an acknowledged order with its Idempotency-Key: the engine's tables, the shadow's
 * copy of them, and everything that sockets, journal and garbage collection keep. Earlier orders, in another market,
 * have made the process as large as its work alone makes it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { must } from '../../engine/base/assert.js';
import { residentBytes } from '../host/usage.js';
import { openBook } from '../load/book.js';
import { fill, ordersOnly } from '../load/workload.js';
import { figure, megabytes } from '../report/format.js';
import type { Findings, SuiteOptions } from '../report/section.js';
import { audit } from '../tote/audit.js';
import { placeOf, ToteServer } from '../tote/server.js';
import { catchUp } from '../tote/shadow.js';

const ORDERS = 500_000;
const ORDERS_BEFORE = 100_000;
const FILL_MS = 180_000;
/** Idle memory is given back within this time. */
const REST_MS = 2_000;

export async function memorySection(options: SuiteOptions): Promise<Findings> {
  options.progress('starting the server and its accounts');
  const server = await ToteServer.start(placeOf(options));
  const book = await openBook(server, FILL_MS);
  const { bettors } = book;
  const [before, market] = [must(book.markets.at(-1), 'market'), must(book.markets[0], 'market')];
  options.progress(`placing ${figure(ORDERS_BEFORE)} orders in ${before.id}`);
  await fill(server.port, ordersOnly({ bettors, markets: [before] }), book, ORDERS_BEFORE);
  const beforeBytes = await restingBytes(server);
  options.progress(`placing ${figure(ORDERS)} orders in ${market.id}`);
  await fill(server.port, ordersOnly({ bettors, markets: [market] }), book, ORDERS);
  const afterBytes = await restingBytes(server);
  options.progress('auditing');
  const audited = await audit(server, book);
  return sectionOf(beforeBytes, afterBytes, audited.orders);
}

async function restingBytes(server: ToteServer): Promise<number> {
  if (Number.isNaN(await catchUp(server))) throw new Error('the shadow did not catch up');
  await pause(REST_MS);
  return residentBytes(server.process.pid) ?? Number.NaN;
}

function sectionOf(beforeBytes: number, afterBytes: number, audited: number): Findings {
  const bytes = (afterBytes - beforeBytes) / ORDERS;
  const beside = `${figure(ORDERS)} orders, RSS ${megabytes(beforeBytes)} to ${megabytes(afterBytes)} MB`;
  return {
    tables: [
      {
        title: 'Memory of the process, shadow included',
        columns: ['orders', 'RSS MB before', 'RSS MB after', 'bytes an order'],
        rows: [[figure(ORDERS), megabytes(beforeBytes), megabytes(afterBytes), figure(bytes)]],
      },
    ],
    notes: [
      `${figure(ORDERS)} orders with an Idempotency-Key each in one round, after ${figure(ORDERS_BEFORE)} in another; measured once the ` +
        'shadow has caught up. The figure has what garbage collection has not given back.',
      `${figure(audited)} acknowledged orders were all found, stake by stake; money is conserved.`,
    ],
    measured: Number.isNaN(bytes) ? [] : [{ goal: 'orderBytes', value: bytes, beside }],
    data: { beforeBytes, afterBytes },
  };
}
