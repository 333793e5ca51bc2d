/**
 * Days in minutes: the real server on the manual clock, moved through every minute of six days, with orders in each,
 * snapshots, segments that are sealed and deleted, and the archive. Memory grows by design until the ONE_DAY rounds
 * of the first day have ended; the space of their bets is then reused. From then on neither memory nor files may
 * grow, except for the archive. The exit code is 1 if they do, or if the archive is not complete in the end.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { checkArchive } from '../../persistence/archive/check.js';
import { fill, ordersOnly } from '../load/requests.js';
import { figure, megabytes, tableText } from '../report/format.js';
import { Acknowledged } from '../tote/audit.js';
import { type Bettor, liveMarkets, makeBettors } from '../tote/bettors.js';
import { ToteServer } from '../tote/server.js';
import { type Sample, slopeMbPerMinute } from './health.js';

const USAGE = `npm run days -- [options]

  --hours H     of the manual clock (default 144)
  --orders N    in each minute of it (default 200)
  --dir DIR     where the data directory is made (default the system's folder for temporary files)
`;
const MINUTE_MS = 60_000;
const BETTORS = 200;
/** Orders are placed this long after the start of a minute, when its rounds are open. */
const INTO_MINUTE_MS = 5_000;
/** Small, so that a day has many snapshots and segments. */
const ENV = {
  TOTE_SNAPSHOT_COMMANDS: '50000',
  TOTE_SNAPSHOTS_KEPT: 'newest=2,all=0,hourly=1d',
  TOTE_SEGMENT_MIB: '8',
  TOTE_RETENTION: '1h',
};
/** By then the ONE_DAY rounds that were open at the start have ended, and a whole day of bets with them. */
const WARM_HOURS = 40;
/** Growth of the resident set, in MB an hour once warm, that means a leak. Uncollected garbage is included. */
const RSS_SLOPE_MAX = 1;
/** On a shared machine the disk may be slow for a second. */
const BACKLOG = { status: 503, bodyStarts: ['{"success":false,"error":"journal_backlog'] };
const CATCH_UP_MS_MAX = 120_000;

interface Status {
  readonly durableSequence: number;
  readonly counts: { readonly bets: number };
  readonly memory: Pick<Sample, 'rssBytes' | 'heapUsedBytes' | 'arrayBuffersBytes'>;
  readonly shadow: {
    readonly archiveSequence: number;
    readonly lagCommands: number;
    readonly memory: { readonly heapUsedBytes: number; readonly arrayBuffersBytes: number };
  };
}

interface HourSample extends Sample {
  readonly bets: number;
  readonly lagCommands: number;
  readonly shadowHeapBytes: number;
  readonly shadowArraysBytes: number;
  readonly journalBytes: number;
  readonly snapshotBytes: number;
  readonly archiveBytes: number;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      hours: { type: 'string' },
      orders: { type: 'string' },
      dir: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) {
    process.stdout.write(USAGE);
    return 0;
  }
  const workDir = mkdtempSync(join(values.dir ?? tmpdir(), 'tote-day-'));
  const dataDir = join(workDir, 'data');
  const server = await ToteServer.start({
    ...{ dataDir, workDir, core: null, durability: 'os', clock: 'manual', env: ENV },
  });
  try {
    return await run(server, dataDir, Number(values.hours ?? 144), Number(values.orders ?? 200));
  } finally {
    await server.process.stop('SIGKILL');
    rmSync(workDir, { recursive: true, force: true });
  }
}

async function run(server: ToteServer, dataDir: string, hours: number, orders: number): Promise<number> {
  const bettors = await makeBettors(server, BETTORS);
  const samples: HourSample[] = [];
  const acknowledged = new Acknowledged();
  let nowMs = await server.moveClock(1);
  nowMs = await server.moveClock(MINUTE_MS - (nowMs % MINUTE_MS) + INTO_MINUTE_MS);
  for (let minute = 0; minute <= hours * 60; minute += 1) {
    if (minute % 15 === 0) samples.push(await sample(server, dataDir, minute));
    const markets = await liveMarkets(server, bettorAt(bettors, minute).apiKey);
    const open = markets.filter(({ bettingMs }) => bettingMs > 0);
    const first = (minute * orders) % bettors.length;
    const inTurn = [...bettors.slice(first), ...bettors.slice(0, first)];
    const workload = ordersOnly(inTurn, open);
    const expectations = workload.expectations.map((want) =>
      want.protocol === 'resp' ? want : { ...want, refusals: BACKLOG },
    );
    await fill(server, { ...workload, expectations }, orders, { acknowledged });
    nowMs = await server.moveClock(MINUTE_MS);
    if (minute % 60 === 0) process.stderr.write(`hour ${minute / 60} of ${hours}\n`);
  }
  await caughtUp(server);
  await server.process.stop();
  const { faults, progress } = checkArchive(join(dataDir, 'archive', 'archive.db'));
  process.stdout.write(`${report(samples)}\n`);
  const slope = slopeMbPerMinute(samples, ({ rssBytes }) => rssBytes, Math.min(WARM_HOURS, hours / 2) * 60);
  const slopeAnHour = (slope ?? 0) * 60;
  process.stdout.write(
    `${figure(acknowledged.orders)} orders; the archive holds ${figure(progress?.bets ?? 0)} bets, ` +
      `${figure(progress?.betsSettled ?? 0)} of them settled; RSS grew by ${slopeAnHour.toFixed(2)} MB an hour once warm\n`,
  );
  for (const fault of faults) process.stdout.write(`archive: ${fault}\n`);
  const isComplete = faults.length === 0 && progress?.bets === acknowledged.orders;
  return isComplete && slopeAnHour <= RSS_SLOPE_MAX ? 0 : 1;
}

function bettorAt(bettors: readonly Bettor[], index: number): Bettor {
  const bettor = bettors[index % bettors.length];
  if (bettor === undefined) throw new Error('there are no bettors');
  return bettor;
}

async function sample(server: ToteServer, dataDir: string, minute: number): Promise<HourSample> {
  const {
    durableSequence: sequence,
    counts,
    memory,
    shadow,
  } = (await server.operate('GET', '/status')) as Status;
  const bytes = (folder: string): number => folderBytes(join(dataDir, folder));
  return {
    ...{ minute, sequence, loopDelayMaxMs: 0, bets: counts.bets, lagCommands: shadow.lagCommands },
    ...memory,
    shadowHeapBytes: shadow.memory.heapUsedBytes,
    shadowArraysBytes: shadow.memory.arrayBuffersBytes,
    ...{ journalBytes: bytes('journal'), snapshotBytes: bytes('snapshots'), archiveBytes: bytes('archive') },
  };
}

function folderBytes(folder: string): number {
  return readdirSync(folder).reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

async function caughtUp(server: ToteServer): Promise<void> {
  for (const sinceMs = performance.now(); performance.now() - sinceMs < CATCH_UP_MS_MAX; ) {
    const { durableSequence, shadow } = (await server.operate('GET', '/status')) as Status;
    if (shadow.archiveSequence === durableSequence) return;
    await pause(500);
  }
  throw new Error('the archive did not catch up');
}

function report(samples: readonly HourSample[]): string {
  return tableText({
    title: 'Days of the manual clock',
    columns: [
      'hour',
      'bets',
      'RSS MB',
      'heap MB',
      'typed arrays MB',
      "shadow's heap MB",
      'its arrays MB',
      'lag',
      'journal MB',
      'snapshots MB',
      'archive MB',
    ],
    rows: samples
      .filter(({ minute }) => minute % 360 === 0)
      .map((at) => [
        String(at.minute / 60),
        figure(at.bets),
        megabytes(at.rssBytes),
        megabytes(at.heapUsedBytes),
        megabytes(at.arrayBuffersBytes),
        megabytes(at.shadowHeapBytes),
        megabytes(at.shadowArraysBytes),
        figure(at.lagCommands),
        megabytes(at.journalBytes),
        megabytes(at.snapshotBytes),
        megabytes(at.archiveBytes),
      ]),
  });
}

process.exitCode = await main();
