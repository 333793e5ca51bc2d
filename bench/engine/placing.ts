/**
 * The rate of placed orders while the engine fills. Orders are built in slices beforehand, only `apply` is timed, and
 * every outcome is checked: a placed order stays in memory, so no loop can repeat one.
 */
import { assert } from '../../engine/base/assert.js';
import { assertLedger, openScenario, orders, type Scenario } from './scenario.js';

const SLICE = 2_000;
const WARMUP_ORDERS = 200_000;

export type PlacingRate = ReturnType<typeof placingRate>;

/** At most 1.7 million orders, in whole slices. */
export function placingRate(accounts: number, betsTotal: number) {
  filledScenario(accounts, WARMUP_ORDERS);
  const scenario = openScenario(accounts, betsTotal);
  const memoryBefore = heldBytes();
  const { tookMs, cpuUs } = place(scenario, betsTotal);
  return {
    accounts,
    orders: betsTotal,
    ordersPerSecond: (betsTotal * 1000) / tookMs,
    /** Collector threads included: independent of how busy the machine is. */
    ordersPerCpuSecond: (betsTotal * 1e6) / cpuUs,
    bytesPerBet: (heldBytes() - memoryBefore) / betsTotal,
  };
}

function place(scenario: Scenario, total: number): { readonly tookMs: number; readonly cpuUs: number } {
  let [tookMs, cpuUs, placed] = [0, 0, 0];
  for (let from = 0; from < total; from += SLICE) {
    const slice = orders(from, Math.min(SLICE, total - from), scenario.accounts);
    const before = process.cpuUsage();
    const startedMs = performance.now();
    for (const command of slice) if (scenario.engine.apply(command).status === 'accepted') placed += 1;
    tookMs += performance.now() - startedMs;
    const { user, system } = process.cpuUsage(before);
    cpuUs += user + system;
  }
  assert(placed === total, `every order is placed: ${placed} of ${total}`);
  assertLedger(scenario, total);
  return { tookMs, cpuUs };
}

/** Heap and typed arrays, after a collection where the process may ask for one (`--expose-gc`). */
function heldBytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

export function filledScenario(accounts: number, bets: number): Scenario {
  const scenario = openScenario(accounts, bets);
  place(scenario, bets);
  return scenario;
}
