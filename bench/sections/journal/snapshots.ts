/**
 * The cost of snapshots to orders: the event loop's delay and latencies at planned times with a million open bets,
 * without snapshots and with one being written nearly all the time. One data directory is filled once through the API
 * and restarted for every row. Afterwards the server's ledger must contain every acknowledged order.
 */
import { join } from 'node:path';
import { must } from '../../../engine/base/assert.js';
import { type Book, openBook, toteTarget } from '../../load/book.js';
import { fill, ordersOnly } from '../../load/requests.js';
import { type LoadRow, loadTable, runOnce } from '../../load/rows.js';
import { delayTable } from '../../report/delay-table.js';
import { figure, megabytes } from '../../report/format.js';
import type { SectionResult, SuiteOptions, Table } from '../../report/section.js';
import { audit } from '../../tote/audit.js';
import { makeBettors } from '../../tote/bettors.js';
import { ToteServer } from '../../tote/server.js';
import { type Status, statusOf } from '../../tote/shadow.js';

const OPEN_BETS = { full: 1_000_000, quick: 100_000 };
const BETTORS = 1_000;
const CONNECTIONS = 64;
/** Well below the maximum rate: a queue would hide stalls. */
const RATE_PER_SECOND = 10_000;
/** Ample time for filling. */
const FILL_MS = 60_000;
/** A snapshot of a million bets takes seconds. */
const MEASURE_MS_MIN = 15_000;
const ROUNDS_MAX = 2;
const RUN_OVERHEAD_MS = 15_000;
const NEVER = { TOTE_SNAPSHOT_COMMANDS: '1000000000000', TOTE_SNAPSHOT_MINUTES: '10080' };
const OFTEN = { TOTE_SNAPSHOT_COMMANDS: '10000' };

interface Variant {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
}
const VARIANTS: readonly Variant[] = [
  { name: 'no snapshots', env: NEVER },
  { name: 'snapshots all the time', env: OFTEN },
];

interface Measured {
  readonly row: LoadRow;
  readonly status: Status;
}

export async function snapshotsSection(options: SuiteOptions): Promise<SectionResult> {
  const quick = options.quick ? 'quick' : 'full';
  const rounds = Math.min(options.rounds, ROUNDS_MAX);
  const long = {
    ...options,
    rounds,
    measureMs: Math.max(options.measureMs, options.quick ? 0 : MEASURE_MS_MIN),
  };
  const dataDir = join(options.workDir, 'tote');
  let server = await start(dataDir, NEVER, options);
  try {
    const bettors = await makeBettors(server, BETTORS);
    const neededMs = FILL_MS + rounds * VARIANTS.length * (long.warmupMs + long.measureMs + RUN_OVERHEAD_MS);
    const book = await openBook(server, bettors, neededMs);
    options.progress(`placing ${figure(OPEN_BETS[quick])} bets`);
    await fill(server, ordersOnly(bettors, book.markets), OPEN_BETS[quick], book);
    const measured = new Map<string, Measured[]>();
    for (let round = 1; round <= rounds; round += 1) {
      for (const variant of round % 2 === 0 ? VARIANTS.toReversed() : VARIANTS) {
        options.progress(`${variant.name}, round ${round} of ${rounds}`);
        await server.process.stop();
        server = await start(dataDir, variant.env, options);
        const found = await measureVariant(server, book, variant, round, long);
        measured.set(variant.name, [...(measured.get(variant.name) ?? []), found]);
      }
    }
    options.progress('auditing');
    const audited = await audit(server, bettors, book.markets, book.acknowledged);
    return sectionOf(
      VARIANTS.map(({ name }) => must(measured.get(name), name)),
      audited.orders,
    );
  } finally {
    await server.process.stop('SIGKILL');
  }
}

function start(
  dataDir: string,
  env: Readonly<Record<string, string>>,
  { workDir, cores, durability }: SuiteOptions,
): Promise<ToteServer> {
  return ToteServer.start({ dataDir, workDir, core: cores.server, durability, env });
}

async function measureVariant(
  server: ToteServer,
  book: Book,
  { name }: Variant,
  seed: number,
  options: SuiteOptions,
): Promise<Measured> {
  const pace = { kind: 'open', ratePerSecond: RATE_PER_SECOND, seed } as const;
  const measurement = await runOnce(toteTarget(server, book), CONNECTIONS, pace, options);
  const status = await statusOf(server);
  const row = { name, connections: CONNECTIONS, plannedRate: RATE_PER_SECOND, rounds: [measurement] };
  return { row, status };
}

function sectionOf(variants: readonly (readonly Measured[])[], orders: number): SectionResult {
  const rows = variants.map((rounds) => ({
    ...must(rounds[0], 'round').row,
    rounds: rounds.flatMap(({ row }) => row.rounds),
  }));
  const statuses = variants.flatMap((rounds) => rounds.map(({ status }) => status));
  return {
    name: 'snapshots',
    tables: [
      delayTable(
        "The event loop's delay, median of the rounds",
        rows.map(({ name, rounds }) => ({ name, delays: rounds.map(({ server }) => server.loopDelay) })),
      ),
      loadTable('Orders at planned times while snapshots are or are not written', rows),
      snapshotTable(variants),
    ],
    ratios: [],
    notes: [
      `${figure(orders)} acknowledged orders were all found, stake by stake, after ${statuses.length} restarts.`,
      'The delay is that of a timer of 1 ms beyond its due time, on the event loop that answers the orders.',
    ],
    data: { rows, statuses },
  };
}

function snapshotTable(variants: readonly (readonly Measured[])[]): Table {
  return {
    title: 'The shadow at the end of a row',
    columns: ['', 'start ms', 'from snapshot', 'snapshot MB', 'snapshot ms', 'lag, commands'],
    rows: variants.flatMap((rounds) =>
      rounds.map(({ row, status: { start: began, shadow } }) => [
        row.name,
        figure(began.ms),
        began.snapshotSequence === null ? '-' : figure(began.snapshotSequence),
        megabytes(shadow.lastSnapshot?.bytes ?? null),
        figure(shadow.lastSnapshot?.ms ?? Number.NaN),
        figure(row.rounds[0]?.behind?.lagCommands ?? Number.NaN),
      ]),
    ),
  };
}
