/**
 * The thundering herd: all 70 rounds end in the same instant (midnight UTC of a weekday) with 100,000 open bets, while
 * bots continue to read and bet at planned times. The first midnight is the first boundary with bets in the life of the
 * process: much of its code is compiled only then. The second shows a server in service.
 *
 * The clock is manual, because all markets end together only once a day. It passes the boundary as a real clock does:
 * the same commands, the same slices of settlement, a turn of the event loop for each. The one difference is to the
 * server's disadvantage: market data is rendered for every change instead of being cached.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { must } from '../../engine/base/assert.js';
import { MARKETS_MAX } from '../../engine/model/domain.js';
import { BOTS_MIX } from '../client/kinds.js';
import { runOnce, type Target, toteTarget } from '../load/runs.js';
import { overTime, rowTables } from '../load/tables.js';
import { fill, ordersOnly, workloadOf } from '../load/workload.js';
import { figure } from '../report/format.js';
import { OWN_SECONDS } from '../report/options.js';
import type { Findings, SuiteOptions } from '../report/section.js';
import { Acknowledged, audit, expect, expectConservation } from '../tote/audit.js';
import { liveMarkets, type MarketState, makeBettors } from '../tote/bettors.js';
import { placeOf, ToteServer } from '../tote/server.js';

const BETTORS = 500;
const BETS = 100_000;
const CONNECTIONS = 1_000;
/** Fair odds of a day that is nearly over can leave nothing to bet on a side. The settled bets are the same. */
const RULES = { limits: { '*': { house: { policy: 'fixed' } } } };
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** The herd begins so long before midnight: all rounds are locked. */
const BEFORE_MS = 1_000;
/** A boundary price becomes final a little after the boundary. */
const AFTER_MS = 5_000;
/** The bets of each time frame are placed so long before midnight: the last rounds must still take them. */
const PLACING: readonly (readonly [frames: RegExp, beforeMs: number])[] = [
  [/_(ONE_DAY|FOUR_HOURS|FIFTEEN_MINUTES)$/, 10 * MINUTE_MS],
  [/_FIVE_MINUTES$/, 4 * MINUTE_MS],
  [/_ONE_MINUTE$/, 50_000],
];
const MOVE_MS_MAX = DAY_MS / 4;
const CALIBRATION = { warmupMs: 300, measureMs: 1_000 };
const MEASURE_MS = OWN_SECONDS.herd * 1000;
/** More than from one sample of the vitals to the next. */
const VITALS_MS = 6_000;
/** Orders are refused while one round has ended and the next is not open yet. */
const BETWEEN_ROUNDS = ['round_not_live', 'betting_closed'];

export async function herdSection(options: SuiteOptions): Promise<Findings> {
  options.progress('starting the server on a manual clock and moving it to a midnight');
  const rulesFile = join(options.workDir, 'rules.json');
  writeFileSync(rulesFile, JSON.stringify(RULES));
  const env = { TOTE_RULES_FILE: rulesFile };
  const server = await ToteServer.start({ ...placeOf(options), clock: 'manual', env });
  const midnight = await comeToMidnight(server, options);
  const first = await measureBoundary(server, midnight, 'the first boundary', options);
  const next = await comeToMidnight(server, options);
  return sectionOf([first, await measureBoundary(server, next, 'a later boundary', options)]);
}

/** New accounts place the bets; then the clock moves to just before the next midnight. */
async function comeToMidnight(server: ToteServer, { progress }: SuiteOptions) {
  let nowMs = await server.moveClock(0);
  const midnightMs = weekdayMidnightAfter(nowMs);
  const moveTo = async (timeMs: number): Promise<void> => {
    while (nowMs < timeMs) nowMs = await server.moveClock(Math.min(timeMs - nowMs, MOVE_MS_MAX));
  };
  await moveTo(midnightMs - 10 * MINUTE_MS - 1);
  const bettors = await makeBettors(server, BETTORS);
  const acknowledged = new Acknowledged();
  const filled: MarketState[] = [];
  for (const [frames, beforeMs] of PLACING) {
    await moveTo(midnightMs - beforeMs);
    const live = await liveMarkets(server, must(bettors[0], 'bettor').apiKey);
    const markets = live.filter(({ id, bettingMs }) => frames.test(id) && bettingMs > 0);
    progress(`placing bets in ${markets.length} markets`);
    const count = Math.round((BETS * markets.length) / MARKETS_MAX);
    await fill(server.port, ordersOnly({ bettors, markets }), { bettors, acknowledged }, count);
    filled.push(...markets);
  }
  expect('markets with bets', filled.length, MARKETS_MAX);
  await audit(server, { bettors, acknowledged });
  await moveTo(midnightMs - BEFORE_MS);
  return { bettors, markets: filled, bets: acknowledged.orders };
}

/** `settledMs` is the real time from the boundary until all was settled and durable. */
type BoundaryRun = Awaited<ReturnType<typeof measureBoundary>>;

/** Half of the server's maximum rate, with the boundary a quarter into the measured window. */
async function measureBoundary(
  server: ToteServer,
  { bettors, markets, bets }: Awaited<ReturnType<typeof comeToMidnight>>,
  when: string,
  options: SuiteOptions,
) {
  const acknowledged = new Acknowledged();
  const mix = workloadOf({ bettors, markets }, BOTS_MIX);
  const target: Target = {
    ...toteTarget(`the bots' mix over ${when}`, server, mix, { bettors, acknowledged }),
    allowed: BETWEEN_ROUNDS,
  };
  options.progress('finding the rate');
  const load = { connections: CONNECTIONS };
  const closed = await runOnce(target, load, { ...options, ...CALIBRATION });
  // At full load a turn takes all connections' requests: no sample may have that turn and the boundary in it.
  await pause(VITALS_MS);
  const plannedRate = closed.ratePerSecond / 2;
  const measureMs = MEASURE_MS;
  options.progress(`${figure(plannedRate)} requests/s over ${when}`);
  let boundary = Promise.resolve(Number.NaN);
  const onMeasuring = (): void => {
    boundary = pause(measureMs / 4).then(() => passBoundary(server));
    // Awaited below, unless the run fails first.
    boundary.catch(() => undefined);
  };
  const pace = { kind: 'open', ratePerSecond: plannedRate, seed: 1 } as const;
  const beganS = Date.now() / 1000;
  const run = await runOnce(target, { ...load, pace, onMeasuring }, { ...options, measureMs });
  const settledMs = await boundary;
  await auditAfter(server, acknowledged);
  const row = { name: target.name, connections: CONNECTIONS, plannedRate, rounds: [run] };
  const engineDelayMaxMs = await engineDelayMax(server, beganS);
  return { when, row, bets, settledMs, engineDelayMaxMs, orders: acknowledged.orders };
}

async function engineDelayMax(server: ToteServer, sinceS: number): Promise<number> {
  await pause(VITALS_MS);
  const path = `/vitals?since=${Math.floor(sinceS)}`;
  const { columns } = (await server.operate('GET', path)) as {
    columns: { engineDelayMaxMs: (number | null)[] };
  };
  const delaysMs = columns.engineDelayMaxMs.filter((ms) => ms !== null);
  if (delaysMs.length === 0) throw new Error("the server's vitals have no sample of the boundary");
  return Math.max(...delaysMs);
}

async function passBoundary(server: ToteServer): Promise<number> {
  const startedMs = performance.now();
  await server.moveClock(BEFORE_MS + AFTER_MS);
  return performance.now() - startedMs;
}

/** Everything from before midnight is settled, so the open bets are exactly those acknowledged since. */
async function auditAfter(server: ToteServer, after: Acknowledged): Promise<void> {
  expect('different bets in the answers', after.distinctBets, after.orders);
  expect('bets that two answers name', after.repeatedBets, 0);
  expect('stakes of open bets, in cents', await expectConservation(server), after.stakeCents);
}

/** All markets are open before and after midnight on the nights from Monday to Friday. */
function weekdayMidnightAfter(nowMs: number): number {
  for (let midnightMs = Math.ceil((nowMs + 15 * MINUTE_MS) / DAY_MS) * DAY_MS; ; midnightMs += DAY_MS) {
    const day = new Date(midnightMs).getUTCDay();
    if (day >= 2 && day <= 5) return midnightMs;
  }
}

function sectionOf(runs: readonly [BoundaryRun, BoundaryRun]): Findings {
  const [first, last] = runs;
  return {
    tables: rowTables(
      `All ${MARKETS_MAX} markets settle at once, planned send times`,
      runs.map(({ row }) => row),
    ),
    notes: [
      ...runs.flatMap(runNotes),
      'On a manual clock, since all markets end together at midnight only; market data is rendered for every change there.',
    ],
    plots: runs.flatMap(({ row }) => overTime(row)),
    measured: [
      {
        goal: 'engineTurn',
        value: last.engineDelayMaxMs,
        beside: `the first boundary of the process ${figure(first.engineDelayMaxMs)} ms`,
      },
    ],
    data: { runs },
  };
}

function runNotes({ when, row, bets, settledMs, engineDelayMaxMs, orders }: BoundaryRun): string[] {
  const refused = row.rounds.reduce((sum, run) => sum + run.refused, 0);
  return [
    `Over ${when} ${figure(bets)} open bets were settled, and that was durable, ${figure(settledMs)} ms after the boundary. The engine's ` +
      `event loop was ${figure(engineDelayMaxMs)} ms late at most, by the server's own vitals.`,
    `${figure(refused)} orders came before the new rounds were open and were refused as expected; ` +
      `${figure(orders)} were acknowledged, and all were found; money is conserved.`,
  ];
}
