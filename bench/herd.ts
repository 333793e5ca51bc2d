/**
 * The thundering herd: all 70 rounds end in the same instant (midnight UTC of a weekday) with 100,000 open bets, while
 * the bots go on asking and betting at planned times. How long does anything have to wait?
 *
 * The clock is a manual one, since all markets end together once a day only. It moves through the boundary as a real
 * clock does: the same commands, the same slices of settlement, a turn of the event loop for each. What differs
 * is against the server: on a manual clock market data is rendered for every change, not at most so often a second.
 */
import { join } from 'node:path';
import { must } from '../engine/assert.js';
import { MARKETS_MAX } from '../engine/domain.js';
import { delayTable } from './delay-table.js';
import { figure } from './format.js';
import type { LoopDelay } from './host/probe.js';
import { type LoadRow, loadTable, type MeasuredRun, runOnce } from './load-rows.js';
import { overTime } from './plots.js';
import type { SectionResult, SuiteOptions } from './section.js';
import { Acknowledged, audit, expect, expectConservation } from './tote/audit.js';
import { type Bettor, liveMarkets, type MarketState, makeBettors } from './tote/bettors.js';
import { ToteServer } from './tote/server.js';
import { botsMix, fill, ordersOnly, workloadTarget } from './workloads/requests.js';

const BETTORS = 500;
const BETS = 100_000;
const CONNECTIONS = 1_000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Where the clock stands when the herd begins: all rounds are locked. */
const BEFORE_MS = 1_000;
/** A price of the boundary counts as final a little after it. */
const AFTER_MS = 5_000;
/** When bets of each time frame are placed, before midnight: rounds of the last window that still take them. */
const PLACING: readonly (readonly [frames: RegExp, beforeMs: number])[] = [
  [/_(ONE_DAY|FOUR_HOURS|FIFTEEN_MINUTES)$/, 10 * MINUTE_MS],
  [/_FIVE_MINUTES$/, 4 * MINUTE_MS],
  [/_ONE_MINUTE$/, 50_000],
];
const MOVE_MS_MAX = DAY_MS / 4;
const CALIBRATION = { warmupMs: 300, measureMs: 1_000 };
const MEASURE_MS = { full: 15_000, quick: 3_000 };
/** Refused in the instant at which one round has ended and the next one is not open. */
const BETWEEN_ROUNDS = [
  '{"success":false,"error":"round_not_live',
  '{"success":false,"error":"betting_closed',
];

export async function herdSection(options: SuiteOptions): Promise<SectionResult> {
  const { durability, cores, workDir, progress } = options;
  progress('starting the server on a manual clock and moving it to a midnight');
  const start = { dataDir: join(workDir, 'tote'), workDir, core: cores.server, durability };
  const server = await ToteServer.start({ ...start, clock: 'manual' });
  try {
    return await measureHerd(server, options);
  } finally {
    await server.process.stop('SIGKILL');
  }
}

async function measureHerd(server: ToteServer, options: SuiteOptions): Promise<SectionResult> {
  const { progress } = options;
  let nowMs = await server.moveClock(0);
  const midnightMs = weekdayMidnightAfter(nowMs);
  const moveTo = async (timeMs: number): Promise<void> => {
    while (nowMs < timeMs) nowMs = await server.moveClock(Math.min(timeMs - nowMs, MOVE_MS_MAX));
  };
  await moveTo(midnightMs - 10 * MINUTE_MS - 1);
  const bettors = await makeBettors(server, BETTORS);
  const before = new Acknowledged();
  const filled: MarketState[] = [];
  for (const [frames, beforeMs] of PLACING) {
    await moveTo(midnightMs - beforeMs);
    const markets = await marketsOf(server, bettors, frames);
    progress(`placing bets in ${markets.length} markets`);
    const count = Math.round((BETS * markets.length) / MARKETS_MAX);
    await fill(server, ordersOnly(bettors, markets), count, { acknowledged: before });
    filled.push(...markets);
  }
  expect('markets with bets', filled.length, MARKETS_MAX);
  await audit(server, bettors, filled, before);
  await moveTo(midnightMs - BEFORE_MS);
  const idle = await idleDelay(server, options);
  const struck = await strike(server, bettors, filled, options);
  await auditAfter(server, bettors, struck.after);
  return sectionOf(struck, idle, before.orders);
}

async function marketsOf(
  server: ToteServer,
  bettors: readonly Bettor[],
  frames: RegExp,
): Promise<MarketState[]> {
  const live = await liveMarkets(server, must(bettors[0], 'bettor').apiKey);
  return live.filter(({ id, bettingMs }) => frames.test(id) && bettingMs > 0);
}

/** The same probe in the same process for as long, with nothing to do: a virtual machine stalls by itself. */
async function idleDelay(
  { process }: ToteServer,
  { quick, progress }: SuiteOptions,
): Promise<LoopDelay | null> {
  progress('nothing at all, to see how the machine stalls by itself');
  await process.beginUse();
  await new Promise((resolve) => setTimeout(resolve, MEASURE_MS[quick ? 'quick' : 'full']));
  return (await process.endUse()).loopDelay;
}

interface Struck {
  readonly measurement: MeasuredRun;
  readonly rate: number;
  /** Real milliseconds from the boundary until all was settled and durable. */
  readonly settledMs: number;
  readonly after: Acknowledged;
}

/** Load at half of what the server does, and the boundary a quarter into the measured window. */
async function strike(
  server: ToteServer,
  bettors: readonly Bettor[],
  markets: readonly MarketState[],
  options: SuiteOptions,
): Promise<Struck> {
  const after = new Acknowledged();
  const mix = botsMix(bettors, markets, BETWEEN_ROUNDS);
  const target = workloadTarget("the bots' mix over the boundary", server, mix, { acknowledged: after });
  options.progress('finding the rate');
  const closed = await runOnce(target, CONNECTIONS, { kind: 'closed' }, { ...options, ...CALIBRATION });
  const rate = closed.client.ratePerSecond / 2;
  const measureMs = MEASURE_MS[options.quick ? 'quick' : 'full'];
  options.progress(`${figure(rate)} requests/s over the boundary`);
  let boundary = Promise.resolve(Number.NaN);
  const onMeasuring = (): void => {
    boundary = new Promise((resolve, reject) => {
      setTimeout(() => passBoundary(server).then(resolve, reject), measureMs / 4);
    });
  };
  const pace = { kind: 'open', ratePerSecond: rate, seed: 1 } as const;
  const windows = { ...options, measureMs };
  const measurement = await runOnce(target, CONNECTIONS, pace, windows, { onMeasuring });
  const settledMs = await boundary;
  return { measurement, rate, settledMs, after };
}

/** Real milliseconds until all bets are settled and durable. */
async function passBoundary(server: ToteServer): Promise<number> {
  const startedMs = performance.now();
  await server.moveClock(BEFORE_MS + AFTER_MS);
  return performance.now() - startedMs;
}

/** Everything from before midnight is settled, so what is open is exactly what was acknowledged since. */
async function auditAfter(
  server: ToteServer,
  bettors: readonly Bettor[],
  after: Acknowledged,
): Promise<void> {
  expect('different bets in the answers', after.distinctBets, after.orders);
  expect('bets that two answers name', after.repeatedBets, 0);
  expect('stakes of open bets, in cents', await expectConservation(server), after.stakeCents);
  const live = await liveMarkets(server, must(bettors[0], 'bettor').apiKey);
  const bets = live.reduce((sum, { totalBets }) => sum + totalBets, 0);
  expect('bets in the new rounds', bets, after.orders);
}

/** All markets are open before and after midnight from Monday to Tuesday up to Thursday to Friday. */
function weekdayMidnightAfter(nowMs: number): number {
  for (let midnightMs = Math.ceil((nowMs + 15 * MINUTE_MS) / DAY_MS) * DAY_MS; ; midnightMs += DAY_MS) {
    const day = new Date(midnightMs).getUTCDay();
    if (day >= 2 && day <= 5) return midnightMs;
  }
}

function sectionOf(
  { measurement, rate, settledMs, after }: Struck,
  idle: LoopDelay | null,
  before: number,
): SectionResult {
  const name = "tote: the bots' mix over the boundary";
  const row: LoadRow = { name, connections: CONNECTIONS, plannedRate: rate, rounds: [measurement] };
  const delay = measurement.server.loopDelay;
  const stallMs = delay?.maxMs ?? Number.NaN;
  const idleMs = idle?.maxMs ?? Number.NaN;
  const settling = `${figure(before)} open bets`;
  return {
    name: 'herd',
    tables: [
      loadTable(`All ${MARKETS_MAX} markets settle at once, planned send times`, [row]),
      delayTable("The event loop's delay", [
        { name: 'load over the boundary', delays: [delay] },
        { name: 'nothing at all, before', delays: [idle] },
      ]),
    ],
    ratios: [],
    notes: [
      `Longest event-loop stall, ${settling} settling: ${figure(stallMs)} ms. The same process without any load stalled for ` +
        `${figure(idleMs)} ms in a window as long, by the machine alone.`,
      `${settling} were settled, and that was durable, ${figure(settledMs)} ms after the boundary.`,
      `${figure(measurement.client.refused)} orders came before the new rounds were open and were refused as they should be; ` +
        `${figure(after.orders)} were acknowledged, and all were found; money is conserved.`,
      'On a manual clock, since all markets end together at midnight only; market data is rendered for every change there.',
    ],
    plots: overTime(row),
    measured: [
      { goal: 'boundaryStall', value: stallMs, beside: `machine alone, idle: ${figure(idleMs)} ms` },
    ],
    data: { row, idle, settledMs, before, after: after.orders },
  };
}
