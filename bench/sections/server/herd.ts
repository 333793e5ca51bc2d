/**
 * The thundering herd: all 70 rounds end in the same instant (midnight UTC of a weekday) with 100,000 open bets,
 * while bots continue to read and bet at planned times. How long does any request wait?
 *
 * The first midnight is the first boundary with bets in the life of the process: much of its code is compiled only
 * then, on the server's single core. The two that follow (not in a quick run) show a server in service: the same
 * again, and one where every connection sends a request in that instant.
 *
 * The clock is manual, because all markets end together only once a day. It passes the boundary as a real clock does:
 * the same commands, the same slices of settlement, a turn of the event loop for each. The one difference is to the
 * server's disadvantage: on a manual clock market data is rendered for every change instead of being cached.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { must } from '../../../engine/base/assert.js';
import { MARKETS_MAX } from '../../../engine/model/domain.js';
import { MEASURE_TURNS } from '../../host/probe.js';
import type { ServerUse } from '../../host/server-process.js';
import { overTime } from '../../load/plots.js';
import { botsMix, fill, ordersOnly, workloadTarget } from '../../load/requests.js';
import { type LoadRow, loadTable, type MeasuredRun, runOnce } from '../../load/rows.js';
import { delayTable } from '../../report/delay-table.js';
import { figure } from '../../report/format.js';
import type { SectionResult, SuiteOptions } from '../../report/section.js';
import { Acknowledged, audit, expect, expectConservation } from '../../tote/audit.js';
import { type Bettor, liveMarkets, type MarketState, makeBettors } from '../../tote/bettors.js';
import { ToteServer } from '../../tote/server.js';

const BETTORS = 500;
const BETS = 100_000;
const CONNECTIONS = 1_000;
/** Fair odds of a day that is nearly over can leave nothing to bet on a side. What is settled is the same. */
const RULES = { limits: { '*': { house: { policy: 'fixed' } } } };
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** How long before midnight the herd begins: all rounds are locked. */
const BEFORE_MS = 1_000;
/** A boundary price becomes final a little after the boundary. */
const AFTER_MS = 5_000;
/** How long before midnight the bets of each time frame are placed: the last rounds must still take them. */
const PLACING: readonly (readonly [frames: RegExp, beforeMs: number])[] = [
  [/_(ONE_DAY|FOUR_HOURS|FIFTEEN_MINUTES)$/, 10 * MINUTE_MS],
  [/_FIVE_MINUTES$/, 4 * MINUTE_MS],
  [/_ONE_MINUTE$/, 50_000],
];
const MOVE_MS_MAX = DAY_MS / 4;
const CALIBRATION = { warmupMs: 300, measureMs: 1_000 };
const MEASURE_MS = { full: 15_000, quick: 3_000 };
/** Refused while one round has ended and the next is not open yet. */
const BETWEEN_ROUNDS = [
  '{"success":false,"error":"round_not_live',
  '{"success":false,"error":"betting_closed',
];

export async function herdSection(options: SuiteOptions): Promise<SectionResult> {
  const { durability, cores, workDir, progress } = options;
  progress('starting the server on a manual clock and moving it to a midnight');
  const start = { dataDir: join(workDir, 'tote'), workDir, core: cores.server, durability };
  const rulesFile = join(workDir, 'rules.json');
  writeFileSync(rulesFile, JSON.stringify(RULES));
  const env = { [MEASURE_TURNS]: '1', TOTE_RULES_FILE: rulesFile };
  const server = await ToteServer.start({ ...start, clock: 'manual', env });
  try {
    return await measureHerd(server, options);
  } finally {
    await server.process.stop('SIGKILL');
  }
}

async function measureHerd(server: ToteServer, options: SuiteOptions): Promise<SectionResult> {
  const midnight = await comeToMidnight(server, options);
  const idle = await idleUse(server, options);
  const runs = [await measureBoundary(server, midnight, { when: 'the first boundary', burst: 0 }, options)];
  for (const occasion of options.quick ? [] : LATER) {
    runs.push(await measureBoundary(server, await comeToMidnight(server, options), occasion, options));
  }
  return sectionOf(runs, idle);
}

interface Occasion {
  readonly when: string;
  /** Additional requests planned for the instant of the boundary. */
  readonly burst: number;
}

const LATER: readonly Occasion[] = [
  { when: 'a later boundary', burst: 0 },
  { when: `a later boundary, ${figure(CONNECTIONS)} requests in its instant`, burst: CONNECTIONS },
];

interface Midnight {
  readonly bettors: readonly Bettor[];
  /** All markets. */
  readonly markets: readonly MarketState[];
  /** Bets placed for it. */
  readonly bets: number;
}

/** Places the bets, from new accounts, and moves the clock to just before the next midnight. */
async function comeToMidnight(server: ToteServer, { progress }: SuiteOptions): Promise<Midnight> {
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
  return { bettors, markets: filled, bets: before.orders };
}

async function marketsOf(
  server: ToteServer,
  bettors: readonly Bettor[],
  frames: RegExp,
): Promise<MarketState[]> {
  const live = await liveMarkets(server, must(bettors[0], 'bettor').apiKey);
  return live.filter(({ id, bettingMs }) => frames.test(id) && bettingMs > 0);
}

/** The same probe in the idle process for as long, because a virtual machine stalls by itself. */
async function idleUse({ process }: ToteServer, { quick, progress }: SuiteOptions): Promise<ServerUse> {
  progress('nothing at all, to see how the machine stalls by itself');
  await process.beginUse();
  await pause(MEASURE_MS[quick ? 'quick' : 'full']);
  return process.endUse();
}

interface BoundaryRun extends Occasion {
  readonly row: LoadRow;
  /** Open bets placed for the boundary. */
  readonly bets: number;
  /** Real milliseconds from the boundary until all was settled and durable. */
  readonly settledMs: number;
  readonly after: Acknowledged;
}

/** Load at half of the server's maximum, with the boundary a quarter into the measured window. */
async function measureBoundary(
  server: ToteServer,
  { bettors, markets, bets }: Midnight,
  { when, burst }: Occasion,
  options: SuiteOptions,
): Promise<BoundaryRun> {
  const after = new Acknowledged();
  const mix = botsMix(bettors, markets, BETWEEN_ROUNDS);
  const target = workloadTarget(`the bots' mix over ${when}`, server, mix, { acknowledged: after });
  options.progress('finding the rate');
  const closed = await runOnce(target, CONNECTIONS, { kind: 'closed' }, { ...options, ...CALIBRATION });
  const rate = closed.client.ratePerSecond / 2;
  const measureMs = MEASURE_MS[options.quick ? 'quick' : 'full'];
  options.progress(`${figure(rate)} requests/s over ${when}`);
  const herd = { atMs: measureMs / 4, count: burst };
  let boundary = Promise.resolve(Number.NaN);
  const onMeasuring = (): void => {
    boundary = new Promise((resolve, reject) => {
      setTimeout(() => passBoundary(server).then(resolve, reject), herd.atMs);
    });
  };
  const pace = { kind: 'open', ratePerSecond: rate, seed: 1, burst: herd } as const;
  const windows = { ...options, measureMs };
  const measurement = await runOnce(target, CONNECTIONS, pace, windows, { onMeasuring });
  const settledMs = await boundary;
  await auditAfter(server, bettors, after);
  const row = { name: target.name, connections: CONNECTIONS, plannedRate: rate, rounds: [measurement] };
  return { when, burst, row, bets, settledMs, after };
}

/** Real milliseconds until all bets are settled and durable. */
async function passBoundary(server: ToteServer): Promise<number> {
  const startedMs = performance.now();
  await server.moveClock(BEFORE_MS + AFTER_MS);
  return performance.now() - startedMs;
}

/** Everything from before midnight is settled, so the open bets are exactly those acknowledged since. */
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

/** All markets are open before and after midnight on the nights from Monday to Friday. */
function weekdayMidnightAfter(nowMs: number): number {
  for (let midnightMs = Math.ceil((nowMs + 15 * MINUTE_MS) / DAY_MS) * DAY_MS; ; midnightMs += DAY_MS) {
    const day = new Date(midnightMs).getUTCDay();
    if (day >= 2 && day <= 5) return midnightMs;
  }
}

function sectionOf(runs: readonly BoundaryRun[], idle: ServerUse): SectionResult {
  const [first, ...later] = runs;
  const idleMs = idle.loopDelay?.maxMs ?? Number.NaN;
  const counted = later.length > 0 ? later : runs;
  const beside =
    later.length > 0
      ? `; the first boundary of the process ${figure(turnOf(must(first, 'a boundary')))} ms`
      : '';
  return {
    name: 'herd',
    tables: [
      loadTable(
        `All ${MARKETS_MAX} markets settle at once, planned send times`,
        runs.map(({ row }) => row),
      ),
      delayTable("The event loop's delay", [
        ...runs.map((run) => ({
          name: `load over ${run.when}`,
          delays: [runOf(run).server.loopDelay],
        })),
        { name: 'nothing at all, before', delays: [idle.loopDelay] },
      ]),
    ],
    ratios: [],
    notes: [
      ...runs.flatMap(runNotes),
      `The same process without any load stalled for ${figure(idleMs)} ms in a window as long, by the machine alone.`,
      'On a manual clock, since all markets end together at midnight only; market data is rendered for every change there.',
    ],
    plots: runs.flatMap(({ row }) => overTime(row)),
    measured: [
      {
        goal: 'engineTurn',
        value: Math.max(...counted.map(turnOf)),
        beside:
          `idle ${figure(idle.longestTurnMs ?? Number.NaN)} ms${beside}; ` +
          `event loop's delay, waiting for the core included, ${figure(Math.max(...counted.map(stallOf)))} ms`,
      },
    ],
    data: {
      idle,
      runs: runs.map((run) => ({ ...run, after: run.after.orders })),
    },
  };
}

const runOf = ({ row }: BoundaryRun): MeasuredRun => must(row.rounds[0], 'a run');
const stallOf = (run: BoundaryRun): number => runOf(run).server.loopDelay?.maxMs ?? Number.NaN;
const turnOf = (run: BoundaryRun): number => runOf(run).server.longestTurnMs ?? Number.NaN;

function runNotes(run: BoundaryRun): string[] {
  const { when, bets, settledMs, after } = run;
  return [
    `Longest turn of the engine's thread over ${when}, ${figure(bets)} open bets settling: ${figure(turnOf(run))} ms; with waiting for the core ` +
      `its event loop was ${figure(stallOf(run))} ms late at most. They were settled, and that was durable, ` +
      `${figure(settledMs)} ms after the boundary.`,
    `${figure(runOf(run).client.refused)} orders came before the new rounds were open and were refused as expected; ` +
      `${figure(after.orders)} were acknowledged, and all were found; money is conserved.`,
  ];
}
