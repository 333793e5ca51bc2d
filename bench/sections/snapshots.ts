/**
 * The cost of snapshots to orders: latencies at planned times with a million open bets, without snapshots and with one
 * being written nearly all the time. One data directory is filled once through the API and restarted for every row.
 * Afterwards the server's ledger must contain every acknowledged order.
 */
import { must } from '../../engine/base/assert.js';
import { type Book, openBook } from '../load/book.js';
import { runOnce, toteTarget } from '../load/runs.js';
import { rowTables } from '../load/tables.js';
import { fill } from '../load/workload.js';
import { figure } from '../report/format.js';
import { OWN_SECONDS } from '../report/options.js';
import type { Findings, SuiteOptions } from '../report/section.js';
import { audit } from '../tote/audit.js';
import { placeOf, ToteServer } from '../tote/server.js';
import { statusOf } from '../tote/shadow.js';

const OPEN_BETS = 1_000_000;
const CONNECTIONS = 64;
/** Well below the maximum rate: a queue would hide stalls. */
const RATE_PER_SECOND = 10_000;
const FILL_MS = 60_000;
/** A snapshot of a million bets takes seconds. */
const MEASURE_MS = OWN_SECONDS.snapshots * 1000;
const ROUNDS_MAX = 2;
const RUN_OVERHEAD_MS = 15_000;
const NEVER = { TOTE_SNAPSHOT_COMMANDS: '1000000000000' };
const OFTEN = { TOTE_SNAPSHOT_COMMANDS: '10000' };
const VARIANTS = [
  { name: 'no snapshots', env: NEVER },
  { name: 'snapshots all the time', env: OFTEN },
] as const;

type Measured = Awaited<ReturnType<typeof measureVariant>>;

export async function snapshotsSection(options: SuiteOptions): Promise<Findings> {
  const rounds = Math.min(options.rounds, ROUNDS_MAX);
  const long = { ...options, rounds, measureMs: MEASURE_MS };
  let server = await ToteServer.start({ ...placeOf(options), env: NEVER });
  const runsMs = rounds * VARIANTS.length * (long.warmupMs + MEASURE_MS + RUN_OVERHEAD_MS);
  const book = await openBook(server, FILL_MS + runsMs);
  options.progress(`placing ${figure(OPEN_BETS)} bets`);
  await fill(server.port, book.orders, book, OPEN_BETS);
  const measured = VARIANTS.map((): Measured[] => []);
  for (let round = 1; round <= rounds; round += 1) {
    const order = [...VARIANTS.entries()];
    for (const [at, { name, env }] of round % 2 === 0 ? order.reverse() : order) {
      options.progress(`${name}, round ${round} of ${rounds}`);
      await server.process.stop();
      server = await ToteServer.start({ ...placeOf(options), env });
      measured[at]?.push(await measureVariant(server, book, name, round, long));
    }
  }
  options.progress('auditing');
  const audited = await audit(server, book);
  return sectionOf(measured, audited.orders);
}

async function measureVariant(
  server: ToteServer,
  book: Book,
  name: string,
  seed: number,
  options: SuiteOptions,
) {
  const pace = { kind: 'open', ratePerSecond: RATE_PER_SECOND, seed } as const;
  const target = toteTarget('orders', server, book.orders, book);
  const run = await runOnce(target, { connections: CONNECTIONS, pace }, options);
  const status = await statusOf(server);
  return { row: { name, connections: CONNECTIONS, plannedRate: RATE_PER_SECOND, rounds: [run] }, status };
}

function sectionOf(variants: readonly (readonly Measured[])[], orders: number): Findings {
  const rows = variants.map((rounds) => ({
    ...must(rounds[0], 'round').row,
    rounds: rounds.flatMap(({ row }) => row.rounds),
  }));
  const statuses = variants.flatMap((rounds) => rounds.map(({ status }) => status));
  const written = statuses.flatMap(({ shadow }) => shadow.lastSnapshot?.ms ?? []);
  return {
    tables: [...rowTables('Orders at planned times while snapshots are or are not written', rows)],
    notes: [
      `${figure(orders)} acknowledged orders were all found, stake by stake, after ${statuses.length} restarts.`,
      `The last snapshots took ${figure(Math.min(...written))} to ${figure(Math.max(...written))} ms.`,
    ],
    data: { rows, statuses },
  };
}
