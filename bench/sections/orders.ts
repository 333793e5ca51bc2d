/**
 * Durable orders: `POST /v1/orders` on the real server, compared with a bare handler and with one that has the same
 * group commit. Then planned send times, at half of the server's own maximum. Afterwards the server's ledger must contain
 * every acknowledged order, before and after a SIGKILL.
 */
import { must } from '../../engine/base/assert.js';
import { bettorsOf, ORDERS, openBook } from '../load/book.js';
import { type Row, rateReached, rowsInTurn, toteTarget } from '../load/runs.js';
import { rateByConnections, rateRatioOf, rowTables } from '../load/tables.js';
import { BARE, BARE_COMMIT, startPost } from '../references/bare.js';
import { figure } from '../report/format.js';
import type { Findings, Ratio, SuiteOptions } from '../report/section.js';
import { audit } from '../tote/audit.js';
import { placeOf, ToteServer } from '../tote/server.js';

const CONNECTIONS = { full: [64, 256], quick: [256] };
const PLANNED_CONNECTIONS = 256;
/** Besides a run's windows: starting a client, draining, catching up. */
const RUN_OVERHEAD_MS = 3_000;

export async function ordersSection(options: SuiteOptions): Promise<Findings> {
  options.progress('starting the server, its accounts and the references');
  const server = await ToteServer.start(placeOf(options));
  const connections = CONNECTIONS[options.quick ? 'quick' : 'full'];
  const runs = options.rounds * (3 * connections.length + 2);
  const neededMs = runs * (options.warmupMs + options.measureMs + RUN_OVERHEAD_MS) + 10_000;
  const book = await openBook(server, neededMs, bettorsOf(options));
  const tote = toteTarget(ORDERS, server, book.orders, book);
  const committed = await startPost(BARE_COMMIT, book, options);
  const bare = await startPost(BARE, book, options);
  const rows: Row[] = [];
  for (const count of connections) {
    rows.push(...(await rowsInTurn([tote, committed.target, bare.target], { connections: count }, options)));
  }
  const maximum = rateReached(must(rows.at(-3), "the server's row"));
  const half = { connections: PLANNED_CONNECTIONS, plannedRate: maximum / 2 };
  const planned = await rowsInTurn([tote, committed.target], half, options);
  committed.audit();
  options.progress('auditing, killing and restarting the server');
  const audited = await audit(server, book);
  await server.process.stop('SIGKILL');
  const restarted = await ToteServer.start(placeOf(options));
  await audit(restarted, book);
  return {
    tables: [
      ...rowTables('Durable orders, as fast as each answers', rows),
      ...rowTables("Planned send times, half of the server's maximum", planned),
    ],
    ratios: connections.flatMap((count) => ratiosAt(rows, count)),
    notes: [
      `${figure(audited.orders)} acknowledged orders by ${audited.accounts} accounts were all found, stake by stake, ` +
        'before and after SIGKILL and restart; money is conserved.',
      `First answer after the restart from that journal: ${figure(restarted.startMs)} ms. ` +
        `First answer on an empty data directory: ${figure(server.startMs)} ms (operator API, asked every 5 ms).`,
      `${BARE_COMMIT} holds as many orders as it answered.`,
    ],
    plots: [rateByConnections('Durable orders by the number of connections', rows)],
    data: { rows, planned, audited, emptyStartMs: server.startMs, restartMs: restarted.startMs },
  };
}

function ratiosAt(rows: readonly Row[], connections: number): Ratio[] {
  const [tote, ...others] = rows.filter((row) => row.connections === connections);
  return others.map((row) =>
    rateRatioOf(`orders against ${row.name}, ${connections} connections`, must(tote, 'row'), row),
  );
}
