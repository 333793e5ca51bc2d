/**
 * Orders at half of the maximum rate, at planned send times, beside all other work of a server: ONE_MINUTE rounds
 * with thousands of bets end and settle within the window, their successors open, and snapshots are written. The
 * clock is the system's, so the section waits for the end of a minute. A bare handler with group commit gets the same
 * requests at the same times, right after each window.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { must } from '../../engine/base/assert.js';
import { ORDERS, openBook } from '../load/book.js';
import {
  type Row,
  type Run,
  rateReached,
  rowsInTurn,
  runOnce,
  type Target,
  toteTarget,
} from '../load/runs.js';
import { overTime, rowTables } from '../load/tables.js';
import { fill, ordersOnly } from '../load/workload.js';
import { BARE_COMMIT, startPost } from '../references/bare.js';
import { figure } from '../report/format.js';
import type { Measured } from '../report/goals.js';
import { OWN_SECONDS } from '../report/options.js';
import { type Findings, median, type SuiteOptions } from '../report/section.js';
import { Acknowledged, audit, expect, expectConservation } from '../tote/audit.js';
import { type Bettor, liveMarkets, type MarketState, makeBettors } from '../tote/bettors.js';
import { placeOf, ToteServer } from '../tote/server.js';
import { statusOf } from '../tote/shadow.js';

const CONNECTIONS = 256;
/**
 * Bettors on rounds that end during the run have accounts of their own, so that the others' balances match their
 * acknowledged orders exactly.
 */
const SETTLED_BETTORS = 100;
const SETTLED_BETS = 20_000;
/** One of them may be decided by half a second in which the machine stood still; the median is not. */
const MINUTES = 3;
const MEASURE_MS = OWN_SECONDS.minute * 1000;
const MINUTE_MS = 60_000;
/**
 * A snapshot is begun soon after a window begins; the server's default is one after 1,000,000 commands. Beside so many
 * orders the shadow gets little of the core, and with more bets in it a snapshot may take longer than the window.
 */
const ENV = { TOTE_SNAPSHOT_COMMANDS: '20000' };
const FILL_MS = 8_000;
const CLIENT_START_MS = 400;
/** Time for the shadow to catch up after the run at full speed, and for a client to end. */
const REST_MS = 30_000;
const POLL_GAP_MS = 250;

interface Minute {
  readonly run: Run;
  readonly bare: Run;
  /** `finished`: begun and finished in the window. */
  readonly snapshot: 'finished' | 'unfinished' | 'none';
  readonly lagCommands: number;
}

export async function minuteSection(options: SuiteOptions): Promise<Findings> {
  options.progress('starting the server and its accounts');
  const server = await ToteServer.start({ ...placeOf(options), env: ENV });
  const settled = await makeBettors(server, SETTLED_BETTORS);
  const windowMs = 2 * MEASURE_MS + 2 * options.warmupMs + 2 * CLIENT_START_MS;
  const book = await openBook(server, REST_MS + MINUTE_MS + MINUTES * (MINUTE_MS + windowMs));
  const target = toteTarget(ORDERS, server, book.orders, book);
  const [closed] = await rowsInTurn([target], { connections: CONNECTIONS }, { ...options, rounds: 1 });
  const maximum = rateReached(must(closed, 'row'));
  // No waiting for the shadow after these windows: its lag at their end is part of the result.
  const { catchUp: _, ...orders } = target;
  const reference = await startPost(BARE_COMMIT, book, options);
  const minutes: Minute[] = [];
  for (let seed = 1; seed <= MINUTES; seed += 1) {
    const measureMs = MEASURE_MS;
    const pace = { kind: 'open', ratePerSecond: maximum / 2, seed } as const;
    const measure = (of: Target): Promise<Run> =>
      runOnce(of, { connections: CONNECTIONS, pace }, { ...options, measureMs });
    const minute = await measureMinute(server, settled, measureMs, () => measure(orders), options);
    options.progress(`${figure(maximum / 2)} requests/s to ${BARE_COMMIT}`);
    minutes.push({ ...minute, bare: await measure(reference.target) });
    const openCents = await expectConservation(server);
    expect('stakes of open bets, in cents', openCents, book.acknowledged.stakeCents);
  }
  options.progress('auditing');
  reference.audit();
  const audited = await audit(server, book);
  return sectionOf(maximum, minutes, audited.orders);
}

/** The end of a minute is in the window's middle. */
async function measureMinute(
  server: ToteServer,
  settled: readonly Bettor[],
  measureMs: number,
  measure: () => Promise<Run>,
  { warmupMs, progress }: SuiteOptions,
): Promise<Omit<Minute, 'bare'>> {
  progress('waiting for rounds of a minute to take bets');
  const markets = await endingMarkets(server, must(settled[0], 'bettor').apiKey);
  const endMs = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS;
  const players = { bettors: settled, markets, acknowledged: new Acknowledged() };
  await fill(server.port, ordersOnly(players), players, SETTLED_BETS);
  const waitMs = endMs - measureMs / 2 - warmupMs - CLIENT_START_MS - Date.now();
  if (waitMs < 0) throw new Error('the bets of the minute were placed too late to be waited for');
  progress('orders at planned times over the end of a minute');
  await pause(waitMs);
  const before = await statusOf(server);
  const run = await measure();
  const { shadow } = await statusOf(server);
  const isFinished = (shadow.lastSnapshot?.sequence ?? 0) > before.sequence;
  const snapshot = isFinished ? 'finished' : shadow.state === 'saving' ? 'unfinished' : 'none';
  return { run, snapshot, lagCommands: shadow.lagCommands };
}

async function endingMarkets(server: ToteServer, apiKey: string): Promise<MarketState[]> {
  for (const startedMs = performance.now(); performance.now() - startedMs < 2 * MINUTE_MS; ) {
    const live = await liveMarkets(server, apiKey);
    const ending = live.filter(({ id, bettingMs }) => id.endsWith('_ONE_MINUTE') && bettingMs > FILL_MS);
    if (ending.length > 0) return ending;
    await pause(POLL_GAP_MS);
  }
  throw new Error('no round of a minute took bets for two minutes');
}

function sectionOf(maximum: number, minutes: readonly Minute[], orders: number): Findings {
  const row: Row = {
    ...{ name: `tote: ${ORDERS}`, connections: CONNECTIONS, plannedRate: maximum / 2 },
    rounds: minutes.map(({ run }) => run),
  };
  const bare: Row = { ...row, name: BARE_COMMIT, rounds: minutes.map((minute) => minute.bare) };
  const lags = minutes.map(({ lagCommands }) => figure(lagCommands)).join(' and ');
  const finished = minutes.filter(({ snapshot }) => snapshot === 'finished').length;
  const beside = minutes.filter(({ snapshot }) => snapshot !== 'none').length;
  return {
    tables: rowTables('Orders over the end of a minute, planned send times, half of the maximum', [
      row,
      bare,
    ]),
    notes: [
      `The server answered ${figure(maximum)} orders/s at most. Within each window ${figure(SETTLED_BETS)} bets on rounds of a minute ` +
        `were settled. A snapshot was written in ${beside} of ${MINUTES}, and begun and finished within ${finished}.`,
      `At the end of the windows the shadow, on the same core, was ${lags} commands behind.`,
      `${figure(orders)} acknowledged orders were all found, stake by stake; what was settled is no longer open; money is conserved.`,
    ],
    plots: overTime(row),
    // The shadow follows for twice as long as a snapshot took: the last window may have none.
    measured: finished > 0 && 2 * beside > MINUTES ? [tailOf(row, bare)] : [],
    data: { maximum, minutes },
  };
}

function tailOf(row: Row, bare: Row): Measured {
  const p99Ms = ({ rounds }: Row): number[] => rounds.map(({ latency }) => latency.p99Us / 1000);
  const [ours, theirs] = [p99Ms(row), p99Ms(bare)];
  const late = median(row.rounds.map(({ lateP99Us }) => (lateP99Us ?? Number.NaN) / 1000));
  return {
    goal: 'orderTailToGroupCommit',
    value: median(ours.map((ms, at) => ms / (theirs[at] ?? Number.NaN))),
    beside:
      `${ours.map(figure).join(', ')} of ${theirs.map(figure).join(', ')} ms at ${figure(row.plannedRate ?? Number.NaN)}/s; ` +
      `client itself late ${figure(late)} ms`,
  };
}
