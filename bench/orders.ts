/**
 * Durable orders: `POST /v1/orders` against the real server, beside a bare handler, a bare handler with the same
 * group commit, Redis with an fsync before every answer, and the same orders the usual way (Fastify and SQLite tables); then at half of the server's own maximum with planned
 * send times. Afterwards every acknowledged order is looked for in the server's books, before and after a SIGKILL.
 */
import { join } from 'node:path';
import { must } from '../engine/assert.js';
import { hasWrk, measureWithWrk } from './client/wrk.js';
import { figure } from './format.js';
import type { ServerProcess } from './host/server-process.js';
import {
  cpuRatio,
  type LoadRow,
  loadRows,
  loadTable,
  medianRate,
  openLoopRow,
  rateRatio,
  type Target,
} from './load-rows.js';
import { rateByConnections } from './plots.js';
import { BARE, BARE_COMMIT, REDIS, startReferences, USUAL } from './references/for-orders.js';
import type { Ratio, SectionResult, SuiteOptions } from './section.js';
import { audit } from './tote/audit.js';
import { makeBettors } from './tote/bettors.js';
import { openBook, TOTE, toteTarget } from './tote/book.js';
import { ToteServer } from './tote/server.js';

const CONNECTIONS = [64, 256];
const OPEN_LOOP_CONNECTIONS = 256;
/** Each may have 10,000 open bets: room for 10 million orders. */
const BETTORS = 1_000;
/** Starting a client, draining, auditing: what a run takes beyond its windows. */
const RUN_OVERHEAD_MS = 1_500;
/** How much faster than the server the client must be to be none of its limits. */
const HEADROOM = 1.2;

export async function ordersSection(options: SuiteOptions): Promise<SectionResult> {
  const running: ServerProcess[] = [];
  try {
    return await measureOrders(options, running);
  } finally {
    await Promise.all(running.map((server) => server.stop('SIGKILL')));
  }
}

async function measureOrders(options: SuiteOptions, running: ServerProcess[]): Promise<SectionResult> {
  const { durability, cores, workDir, progress } = options;
  const toteOptions = { dataDir: join(workDir, 'tote'), workDir, core: cores.server, durability };
  progress('starting the server, its accounts and the references');
  const server = await ToteServer.start(toteOptions);
  running.push(server.process);
  const bettors = await makeBettors(server, BETTORS);
  const book = await openBook(server, bettors, runMs(options));
  const references = await startReferences(options, running, book);
  const targets = [toteTarget(server, book), ...references.targets];

  const rows: LoadRow[] = [];
  for (const connections of CONNECTIONS) rows.push(...(await loadRows(targets, connections, options)));
  const maximum = medianRate(must(rows.at(-targets.length), "the server's row"));
  if (maximum === 0) throw new Error('the server answered nothing in the measured time');
  const openRows: LoadRow[] = [];
  for (const target of targets.slice(0, 2)) {
    openRows.push(await openLoopRow(target, OPEN_LOOP_CONNECTIONS, maximum / 2, options));
  }
  const proof = await clientProof(must(references.targets[1], BARE), rows, options);

  references.audit();
  progress('auditing, killing and restarting the server');
  const audited = await audit(server, bettors, book.markets, book.acknowledged);
  await server.process.stop('SIGKILL');
  const restarted = await ToteServer.start(toteOptions);
  running.push(restarted.process);
  await audit(restarted, bettors, book.markets, book.acknowledged);
  return {
    name: 'orders',
    tables: [
      loadTable('Durable orders, as fast as each answers', rows),
      loadTable(`Planned send times, half of the server's maximum`, openRows),
    ],
    ratios: ratios(rows),
    notes: [
      `${figure(audited.orders)} acknowledged orders by ${audited.accounts} accounts were all found, stake by stake, ` +
        'before and after SIGKILL and restart; money is conserved.',
      proof,
      `First answer after the restart from that journal: ${figure(restarted.startMs)} ms. ` +
        `First answer on an empty data directory: ${figure(server.startMs)} ms (operator API, polled every 5 ms).`,
      ...(targets.length < 5 ? ['Redis is missing: redis-server is not installed.'] : []),
      `${USUAL}: the same orders the usual way, one transaction each; without rate limits. Its tables were audited too.`,
    ],
    plots: [rateByConnections('Durable orders by the number of connections', rows)],
    data: { rows, openRows, proof, audited, emptyStartMs: server.startMs, restartMs: restarted.startMs },
  };
}

/** What the client reaches against a server that does next to nothing, and what wrk does against the same. */
async function clientProof(bare: Target, rows: readonly LoadRow[], options: SuiteOptions): Promise<string> {
  const connections = Math.max(...CONNECTIONS);
  const of = (name: string): LoadRow =>
    must(
      rows.find((row) => row.name === name && row.connections === connections),
      name,
    );
  const reached = medianRate(of(BARE));
  const times = reached / medianRate(of(TOTE));
  const text =
    `Against the bare POST handler the client reached ${figure(reached)}/s at ${connections} connections, ` +
    `${figure(times)} times the server's rate: it is ${times < HEADROOM ? 'perhaps' : 'not'} the limit`;
  if (!hasWrk()) return `${text}.`;
  const { templates, port, process } = bare;
  const { measureMs, workDir: dir, cores } = options;
  const run = { port, connections, seconds: Math.ceil(measureMs / 1000), templates, dir, core: cores.client };
  const { ratePerSecond } = await measureWithWrk(run, process);
  return `${text} (wrk, which checks nothing but the status, ${figure(ratePerSecond)}/s).`;
}

function ratios(rows: readonly LoadRow[]): Ratio[] {
  return CONNECTIONS.flatMap((connections) => {
    const row = (name: string): LoadRow | undefined =>
      rows.find((candidate) => candidate.connections === connections && candidate.name === name);
    const tote = must(row(TOTE), "the server's row");
    const against = (
      name: string,
      what: string,
      goals: readonly [must: number, aim: number] | null,
    ): Ratio[] => {
      const reference = row(name);
      if (reference === undefined) return [];
      const [mustReach, aim] = goals ?? [null, null];
      const text = `orders against ${what}, ${connections} connections`;
      return [
        {
          what: text,
          value: rateRatio(tote, reference),
          byCpu: cpuRatio(tote, reference),
          must: mustReach,
          aim,
        },
      ];
    };
    const most = connections === Math.max(...CONNECTIONS);
    return [
      ...against(BARE_COMMIT, 'bare POST with group commit', most ? [0.75, 0.9] : null),
      ...against(BARE, 'bare POST without a journal', most ? [0.5, 0.7] : null),
      ...against(REDIS, 'Redis SET, fsync always', [0.8, 1.1]),
      ...against(USUAL, 'Fastify and better-sqlite3, a transaction each', null),
    ];
  });
}

/** How long the markets must go on taking bets. */
function runMs({ rounds, warmupMs, measureMs }: SuiteOptions): number {
  const systems = 5;
  const runs = rounds * (systems * CONNECTIONS.length + 2);
  return runs * (warmupMs + measureMs + RUN_OVERHEAD_MS) + 10_000;
}
