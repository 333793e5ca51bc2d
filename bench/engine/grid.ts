/**
 * Whether cost grows with the engine's contents: the same operations at 1,000 to 1,000,000 open bets, for each number
 * of accounts. One engine is filled once; at each size a window of orders is timed, then refusals and replays of
 * orders from all over. Figures are of the median slice, so that neither garbage collection nor another process
 * counts. (The placing suite measures the longest pauses.)
 */
import { assert, must } from '../../engine/base/assert.js';
import type { PlaceOrder } from '../../engine/model/commands.js';
import type { Outcome } from '../../engine/model/events.js';
import { median } from '../report/section.js';
import { assertLedger, openScenario, orders, type Scenario, spreadOrders } from './scenario.js';

const WARMUP_ORDERS = 100_000;
const WARMUP_ACCOUNTS = 1_000;
/** Orders timed at each size: no more than the size itself, or they would change it. */
const WINDOW_MAX = 20_000;
const SLICE = 100;
const CYCLED = 1_000;
const CYCLES = 40;

export interface GridCell {
  readonly openBets: number;
  /** Nanoseconds of one operation. */
  readonly placeNs: number;
  readonly rejectNs: number;
  readonly replayNs: number;
}

export interface GridRow {
  readonly accounts: number;
  readonly cells: readonly GridCell[];
}

/** `sizes` rise, in whole hundreds. */
export function gridRow(accounts: number, sizes: readonly number[]): GridRow {
  const warm = openScenario(WARMUP_ACCOUNTS, WARMUP_ORDERS);
  timePlaced(warm, 0, WARMUP_ORDERS);
  timeCycled(warm, WARMUP_ORDERS);
  const scenario = openScenario(accounts, must(sizes.at(-1), 'a size') + WINDOW_MAX);
  let placed = 0;
  const cells = sizes.map((openBets): GridCell => {
    assert(openBets % SLICE === 0 && openBets >= placed, `${openBets} is a size`);
    timePlaced(scenario, placed, openBets);
    globalThis.gc?.();
    placed = openBets + Math.min(openBets, WINDOW_MAX);
    const placeMs = timePlaced(scenario, openBets, placed);
    const { rejectMs, replayMs } = timeCycled(scenario, placed);
    assertLedger(scenario, placed);
    return {
      openBets,
      placeNs: (median(placeMs) * 1e6) / SLICE,
      rejectNs: (median(rejectMs) * 1e6) / CYCLED,
      replayNs: (median(replayMs) * 1e6) / CYCLED,
    };
  });
  return { accounts, cells };
}

/** Milliseconds per slice of orders `from` to before `to`, which are built outside the timed section. */
function timePlaced(scenario: Scenario, from: number, to: number): number[] {
  const sliceMs: number[] = [];
  for (let at = from; at < to; at += SLICE) {
    const slice = orders(at, SLICE, scenario.accounts);
    sliceMs.push(timeAll(scenario, slice, ({ status }) => status === 'accepted'));
  }
  return sliceMs;
}

/** Refusals (the odds have moved) and replays of orders before number `placed`, different ones in every cycle. */
function timeCycled(scenario: Scenario, placed: number): { rejectMs: number[]; replayMs: number[] } {
  const { timeMs } = scenario.engine;
  const some = (cycle: number): PlaceOrder[] =>
    spreadOrders(placed, cycle * CYCLED, CYCLED, scenario.accounts).map((order) => ({ ...order, timeMs }));
  const rejectMs: number[] = [];
  const replayMs: number[] = [];
  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    const moved = { idempotency: null, expectedPercentE6: 99_000_000 };
    const refused = some(2 * cycle).map((order) => ({ ...order, ...moved }));
    rejectMs.push(timeAll(scenario, refused, isRefusedForOdds));
    replayMs.push(timeAll(scenario, some(2 * cycle + 1), ({ status }) => status === 'replayed'));
  }
  return { rejectMs, replayMs };
}

const isRefusedForOdds = (outcome: Outcome): boolean =>
  outcome.status === 'rejected' && outcome.code === 'odds_changed';

function timeAll(
  { engine }: Scenario,
  commands: readonly PlaceOrder[],
  isAsMeant: (outcome: Outcome) => boolean,
): number {
  let asMeant = 0;
  const startedMs = performance.now();
  for (const command of commands) {
    if (isAsMeant(engine.apply(command))) asMeant += 1;
  }
  const tookMs = performance.now() - startedMs;
  assert(asMeant === commands.length, `every outcome is as meant: ${asMeant} of ${commands.length}`);
  return tookMs;
}
