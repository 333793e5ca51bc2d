/**
 * Orders at half of the maximum rate, at planned send times, beside all other work of a server: ONE_MINUTE rounds
 * with thousands of bets end and settle within the window, their successors open, and snapshots are written. The
 * clock is the system's, so the section waits for the end of a minute. A bare handler with group commit gets the same
 * requests at the same times, right after each window.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { must } from '../../../engine/base/assert.js';
import type { ServerProcess } from '../../host/server-process.js';
import { type Book, openBook, toteTarget } from '../../load/book.js';
import { overTime } from '../../load/plots.js';
import { fill, ordersOnly } from '../../load/requests.js';
import {
  type LoadRow,
  loadRows,
  loadTable,
  type MeasuredRun,
  medianRate,
  runOnce,
  type Target,
} from '../../load/rows.js';
import { BARE_COMMIT, startGroupCommit } from '../../references/for-orders.js';
import { figure } from '../../report/format.js';
import type { Measured } from '../../report/goals.js';
import { median, type SectionResult, type SuiteOptions } from '../../report/section.js';
import { Acknowledged, audit, expect, expectConservation } from '../../tote/audit.js';
import { type Bettor, liveMarkets, type MarketState, makeBettors } from '../../tote/bettors.js';
import { ToteServer } from '../../tote/server.js';
import { type CaughtUp, statusOf } from '../../tote/shadow.js';

const BETTORS = 1_000;
const CONNECTIONS = 256;
/**
 * Bettors on rounds that end during the run. They are separate accounts, so that the others' balances match their
 * acknowledged orders exactly.
 */
const SETTLED_BETTORS = 100;
const SETTLED_BETS = 20_000;
const MINUTES = { full: 2, quick: 1 };
const MEASURE_MS = { full: 24_000, quick: 10_000 };
const MINUTE_MS = 60_000;
/** Several snapshots within a window; the server's default is one after 1,000,000 commands. */
const ENV = { TOTE_SNAPSHOT_COMMANDS: '250000' };
/** Ample time to place `SETTLED_BETS`. */
const FILL_MS = 8_000;
const CLIENT_START_MS = 400;
/** Time for the shadow to catch up after the run at full speed, and for a client to end. */
const REST_MS = 30_000;
const POLL_GAP_MS = 250;

interface Minute {
  readonly row: LoadRow;
  /** The bare handler with group commit at the same times, right after. */
  readonly bare: MeasuredRun;
  /** Whether at least one snapshot was begun and finished within the window. */
  readonly hasSnapshot: boolean;
  readonly lagCommands: number;
}

export async function minuteSection(options: SuiteOptions): Promise<SectionResult> {
  const { durability, cores, workDir, progress } = options;
  progress('starting the server and its accounts');
  const start = { dataDir: join(workDir, 'tote'), workDir, core: cores.server, durability };
  const server = await ToteServer.start({ ...start, env: ENV });
  const running = [server.process];
  try {
    const bettors = await makeBettors(server, BETTORS);
    const settled = await makeBettors(server, SETTLED_BETTORS);
    const book = await openBook(server, bettors, neededMs(options));
    return await measureMinutes(server, book, settled, options, running);
  } finally {
    await Promise.all(running.map((started) => started.stop('SIGKILL')));
  }
}

async function measureMinutes(
  server: ToteServer,
  book: Book,
  settled: readonly Bettor[],
  options: SuiteOptions,
  running: ServerProcess[],
): Promise<SectionResult> {
  const target = toteTarget(server, book);
  const [closed] = await loadRows([target], CONNECTIONS, { ...options, rounds: 1 });
  const maximum = medianRate(must(closed, 'row'));
  if (maximum === 0) throw new Error('the server answered nothing in the measured time');
  const behind = must(closed?.rounds[0]?.behind, 'what the shadow did');
  // No waiting for the shadow after these windows: its lag at their end is part of the result.
  const { catchUp: _, ...orders } = target;
  const reference = await startGroupCommit(options, running, book);
  const minutes: Minute[] = [];
  for (let at = 1; at <= MINUTES[options.quick ? 'quick' : 'full']; at += 1) {
    const minute = await measureMinute(server, orders, settled, maximum / 2, at, options);
    minutes.push({ ...minute, bare: await measureBare(reference.target, maximum / 2, at, options) });
    const openCents = await expectConservation(server);
    expect('stakes of open bets, in cents', openCents, book.acknowledged.stakeCents);
  }
  options.progress('auditing');
  reference.audit();
  const audited = await audit(server, book.bettors, book.markets, book.acknowledged);
  return sectionOf(maximum, behind, minutes, audited.orders);
}

/** A window with the end of a minute in its middle. */
async function measureMinute(
  server: ToteServer,
  target: Target,
  settled: readonly Bettor[],
  ratePerSecond: number,
  seed: number,
  options: SuiteOptions,
): Promise<Omit<Minute, 'bare'>> {
  options.progress('waiting for rounds of a minute to take bets');
  const ending = await endingMarkets(server, must(settled[0], 'bettor').apiKey);
  const endMs = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS;
  await fill(server, ordersOnly(settled, ending), SETTLED_BETS, { acknowledged: new Acknowledged() });
  const measureMs = MEASURE_MS[options.quick ? 'quick' : 'full'];
  const waitMs = endMs - measureMs / 2 - options.warmupMs - CLIENT_START_MS - Date.now();
  if (waitMs < 0) throw new Error('the bets of the minute were placed too late to be waited for');
  options.progress(`${figure(ratePerSecond)} orders/s over the end of a minute`);
  await pause(waitMs);
  const before = await statusOf(server);
  const pace = { kind: 'open', ratePerSecond, seed } as const;
  const measurement = await runOnce(target, CONNECTIONS, pace, { ...options, measureMs });
  const { shadow } = await statusOf(server);
  const row = { name: target.name, connections: CONNECTIONS, plannedRate: ratePerSecond };
  return {
    row: { ...row, rounds: [measurement] },
    hasSnapshot: (shadow.lastSnapshot?.sequence ?? 0) > before.sequence,
    lagCommands: shadow.lagCommands,
  };
}

function measureBare(
  target: Target,
  ratePerSecond: number,
  seed: number,
  options: SuiteOptions,
): Promise<MeasuredRun> {
  options.progress(`${figure(ratePerSecond)} requests/s to ${target.name}`);
  const pace = { kind: 'open', ratePerSecond, seed } as const;
  const measureMs = MEASURE_MS[options.quick ? 'quick' : 'full'];
  return runOnce(target, CONNECTIONS, pace, { ...options, measureMs });
}

/** Markets whose round ends with this minute and still takes bets for long enough. */
async function endingMarkets(server: ToteServer, apiKey: string): Promise<MarketState[]> {
  for (const startedMs = performance.now(); performance.now() - startedMs < 2 * MINUTE_MS; ) {
    const live = await liveMarkets(server, apiKey);
    const ending = live.filter(({ id, bettingMs }) => id.endsWith('_ONE_MINUTE') && bettingMs > FILL_MS);
    if (ending.length > 0) return ending;
    await pause(POLL_GAP_MS);
  }
  throw new Error('no round of a minute took bets for two minutes');
}

function sectionOf(
  maximum: number,
  behind: CaughtUp,
  minutes: readonly Minute[],
  orders: number,
): SectionResult {
  const first = must(minutes[0], 'minute').row;
  const row: LoadRow = { ...first, rounds: minutes.flatMap(({ row: { rounds } }) => rounds) };
  const bare: LoadRow = { ...row, name: BARE_COMMIT, rounds: minutes.map((minute) => minute.bare) };
  const lags = minutes.map(({ lagCommands }) => figure(lagCommands)).join(' and ');
  return {
    name: 'minute',
    tables: [
      loadTable('Orders over the end of a minute, planned send times, half of the maximum', [row, bare]),
    ],
    ratios: [],
    notes: [
      `The server answered ${figure(maximum)} orders/s at most. Within each window ${figure(SETTLED_BETS)} bets on rounds of a minute ` +
        `were settled${minutes.every(({ hasSnapshot }) => hasSnapshot) ? ', and at least one snapshot was begun and finished' : '; no snapshot was finished in one of them'}.`,
      `The shadow, on the same core, was ${figure(behind.lagCommands)} commands behind after the run at full speed, and had caught up ` +
        `${figure(behind.tookMs)} ms later; at the end of the windows it was ${lags} behind.`,
      `${figure(orders)} acknowledged orders were all found, stake by stake; what was settled is no longer open; money is conserved.`,
    ],
    plots: overTime(row),
    measured: minutes.every(({ hasSnapshot }) => hasSnapshot) ? [tailOf(row, bare)] : [],
    data: { maximum, behind, minutes },
  };
}

function tailOf(row: LoadRow, bare: LoadRow): Measured {
  const [ours, theirs] = [row, bare].map(({ rounds }) =>
    rounds.map(({ client }) => client.latency.p99Us / 1000),
  ) as [number[], number[]];
  const late = median(row.rounds.map(({ client }) => (client.lateness?.p99Us ?? Number.NaN) / 1000));
  return {
    goal: 'orderTailToGroupCommit',
    value: median(ours.map((p99Ms, at) => p99Ms / (theirs[at] ?? Number.NaN))),
    beside:
      `${ours.map(figure).join(', ')} of ${theirs.map(figure).join(', ')} ms at ${figure(row.plannedRate ?? Number.NaN)}/s; ` +
      `client itself late ${figure(late)} ms`,
  };
}

/** How long the markets must take bets. */
function neededMs({ quick, warmupMs, measureMs }: SuiteOptions): number {
  const size = quick ? 'quick' : 'full';
  const bareMs = MINUTES[size] * (MEASURE_MS[size] + warmupMs + CLIENT_START_MS);
  return warmupMs + measureMs + REST_MS + (MINUTES[size] + 1) * MINUTE_MS + MEASURE_MS[size] + bareMs;
}
