/**
 * Durable orders: `POST /v1/orders` on the real server, compared with a bare handler, a bare handler with the same
 * group commit, and Redis with an fsync before every answer. Then planned send times, at half of the server's own maximum. Afterwards the server's ledger must contain
 * every acknowledged order, before and after a SIGKILL.
 */
import { join } from 'node:path';
import { must } from '../../../engine/base/assert.js';
import { hasWrk, measureWithWrk } from '../../client/programs/wrk.js';
import { type ServerProcess, withServers } from '../../host/server-process.js';
import { openBook, TOTE, toteTarget } from '../../load/book.js';
import { rateByConnections } from '../../load/plots.js';
import {
  clientLimitNotes,
  cpuRatio,
  type LoadRow,
  loadRows,
  loadTable,
  medianRate,
  openLoopRow,
  rateRatio,
  sustainedRatio,
  sustainedShare,
  type Target,
} from '../../load/rows.js';
import { BARE, BARE_COMMIT, REDIS, startReferences } from '../../references/for-orders.js';
import { figure, percent } from '../../report/format.js';
import { median, type Ratio, type SectionResult, type SuiteOptions } from '../../report/section.js';
import { audit } from '../../tote/audit.js';
import { makeBettors } from '../../tote/bettors.js';
import { ToteServer } from '../../tote/server.js';
import type { CaughtUp } from '../../tote/shadow.js';

const CONNECTIONS = [64, 256];
const OPEN_LOOP_CONNECTIONS = 256;
/** Each may have 10,000 open bets, enough for 10 million orders. */
const BETTORS = 1_000;
/** Time of a run beyond its windows: starting a client, draining, catching up, auditing. */
const RUN_OVERHEAD_MS = 3_000;
/** How much faster than the server the client must be, so as not to limit it. */
const HEADROOM = 1.2;

export async function ordersSection(options: SuiteOptions): Promise<SectionResult> {
  return withServers((running) => measureOrders(options, running));
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

  await references.audit();
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
    ratios: ratios(rows, options),
    notes: [
      `${figure(audited.orders)} acknowledged orders by ${audited.accounts} accounts were all found, stake by stake, ` +
        'before and after SIGKILL and restart; money is conserved.',
      proof,
      ...clientLimitNotes(rows),
      ...shadowNotes(rows, options),
      `First answer after the restart from that journal: ${figure(restarted.startMs)} ms. ` +
        `First answer on an empty data directory: ${figure(server.startMs)} ms (operator API, polled every 5 ms).`,
      ...(targets.length < 4 ? ['Redis is missing: redis-server is not installed.'] : []),
      `${BARE_COMMIT} holds as many orders as it answered${targets.length < 4 ? '' : ', and Redis as many keys'}.`,
    ],
    plots: [rateByConnections('Durable orders by the number of connections', rows)],
    data: {
      rows,
      openRows,
      proof,
      audited,
      emptyStartMs: server.startMs,
      restartMs: restarted.startMs,
    },
  };
}

/**
 * The shadow's thread shares the server's core. The rate of a window leaves out the work it has deferred; these notes
 * give the rate with that work included.
 */
function shadowNotes(rows: readonly LoadRow[], options: SuiteOptions): string[] {
  return rows.flatMap(({ name, connections, rounds }) => {
    if (name !== TOTE) return [];
    const of = (pick: (behind: CaughtUp) => number): number =>
      median(rounds.map(({ behind }) => (behind === null ? Number.NaN : pick(behind))));
    const tookMs = of((behind) => behind.tookMs);
    const share = median(rounds.map((run) => sustainedShare(run, options)));
    return [
      `${connections} connections: when the load ended the shadow, on the same core, was ${figure(of(({ lagCommands }) => lagCommands))} commands behind, ` +
        `and had caught up ${figure(tookMs)} ms later, before the next system was measured; with that time counted the server's rate is ` +
        `${percent(share)} of the one in the table (column "sustained" of the ratios).`,
    ];
  });
}

/** The rate of the client, and of wrk, against a server that does almost nothing. */
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

function ratios(rows: readonly LoadRow[], options: SuiteOptions): Ratio[] {
  return CONNECTIONS.flatMap((connections) => {
    const row = (name: string): LoadRow | undefined =>
      rows.find((candidate) => candidate.connections === connections && candidate.name === name);
    const tote = must(row(TOTE), "the server's row");
    const against = (name: string, what: string): Ratio[] => {
      const reference = row(name);
      if (reference === undefined) return [];
      const text = `orders against ${what}, ${connections} connections`;
      return [
        {
          what: text,
          value: rateRatio(tote, reference),
          byCpu: cpuRatio(tote, reference),
          sustained: sustainedRatio(tote, reference, options),
          ...{ must: null, aim: null },
        },
      ];
    };
    return [
      ...against(BARE_COMMIT, 'bare POST with group commit'),
      ...against(BARE, 'bare POST without a journal'),
      ...against(REDIS, 'Redis SET, fsync always'),
    ];
  });
}

/** How long the markets must take bets. */
function runMs({ rounds, warmupMs, measureMs }: SuiteOptions): number {
  const systems = 4;
  const runs = rounds * (systems * CONNECTIONS.length + 2);
  return runs * (warmupMs + measureMs + RUN_OVERHEAD_MS) + 10_000;
}
