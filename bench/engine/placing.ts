/**
 * The rate of placed orders while the engine fills. Orders are built in slices beforehand, only `apply` is timed, and
 * every outcome is added to a checked sum. `benchmark` does not fit: it chooses its own number of cycles, and a
 * placed order stays in memory.
 */
import { assert } from '../../engine/base/assert.js';
import type { PlaceOrder } from '../../engine/model/commands.js';
import { assertLedger, openScenario, order, orders, type Scenario } from './scenario.js';

const SLICE = 2_000;
const WARMUP_ORDERS = 200_000;

export interface PlacingRate {
  readonly accounts: number;
  readonly orders: number;
  readonly ordersPerSecond: number;
  /** Per second of CPU time, collector threads included: independent of how busy the machine is. */
  readonly ordersPerCpuSecond: number;
  /** Rates of the first and last tenth: how much cost grows with the number of bets. */
  readonly firstTenthPerSecond: number;
  readonly lastTenthPerSecond: number;
  /** Ratio of the longest slice to the mean one, garbage collection included: a hint at pauses. */
  readonly worstSliceRatio: number;
  readonly bytesPerBet: number;
}

/** `betsTotal` <= 1.7 million orders from `accounts` accounts. */
export function placingRate(accounts: number, betsTotal: number): PlacingRate {
  place(openScenario(accounts, WARMUP_ORDERS), WARMUP_ORDERS);
  const scenario = openScenario(accounts, betsTotal);
  const memoryBefore = heldBytes();
  const { sliceMs, cpuUs } = place(scenario, betsTotal);
  const bytesPerBet = (heldBytes() - memoryBefore) / betsTotal;
  const tenth = Math.max(Math.floor(sliceMs.length / 10), 1);
  const rate = (times: readonly number[]): number => (times.length * SLICE * 1000) / sum(times);
  return {
    accounts,
    orders: betsTotal,
    ordersPerSecond: rate(sliceMs),
    ordersPerCpuSecond: (betsTotal * 1e6) / cpuUs,
    firstTenthPerSecond: rate(sliceMs.slice(0, tenth)),
    lastTenthPerSecond: rate(sliceMs.slice(-tenth)),
    worstSliceRatio: (Math.max(...sliceMs) * sliceMs.length) / sum(sliceMs),
    bytesPerBet,
  };
}

/** Places `total` orders and returns the milliseconds of each slice, and the CPU time of all in microseconds. */
function place(scenario: Scenario, total: number): { readonly sliceMs: number[]; readonly cpuUs: number } {
  assert(total % SLICE === 0, `orders come in slices of ${SLICE}`);
  const sliceMs: number[] = [];
  let cpuUs = 0;
  for (let from = 0; from < total; from += SLICE) {
    const slice = orders(from, SLICE, scenario.accounts);
    const before = process.cpuUsage();
    const startedMs = performance.now();
    const payoutCents = applyAll(scenario, slice);
    sliceMs.push(performance.now() - startedMs);
    const { user, system } = process.cpuUsage(before);
    cpuUs += user + system;
    // Every order stakes 1.00 at odds that the pools allow: between nothing and a few dollars each.
    assert(payoutCents > SLICE && payoutCents < SLICE * 1_000, 'payouts are plausible');
  }
  assertLedger(scenario, total);
  return { sliceMs, cpuUs };
}

function applyAll({ engine }: Scenario, slice: readonly PlaceOrder[]): number {
  let payoutCents = 0;
  for (const command of slice) {
    const outcome = engine.apply(command);
    if (outcome.status !== 'accepted')
      throw new Error(`an order was not accepted: ${JSON.stringify(outcome)}`);
    const event = outcome.events[0];
    if (event?.type !== 'betPlaced') throw new Error('an order placed no bet');
    payoutCents += event.payoutCents;
  }
  return payoutCents;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Heap and typed arrays, after a collection where the process may ask for one (`--expose-gc`). */
function heldBytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** An engine with `bets` open bets, of the orders number 0 to `bets` - 1. */
export function filledScenario(accounts: number, bets: number): Scenario {
  const scenario = openScenario(accounts, bets);
  for (let index = 0; index < bets; index += 1) {
    const outcome = scenario.engine.apply(order(index, accounts));
    assert(outcome.status === 'accepted', 'an order is accepted');
  }
  assertLedger(scenario, bets);
  return scenario;
}
