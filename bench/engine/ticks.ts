/**
 * The cost of a price tick in the price tracker, while rounds in all 70 markets wait for boundaries. Ticks are not
 * journaled; one in several hundred becomes a boundary price.
 */
import { assert } from '../../engine/base/assert.js';
import { PriceTracker } from '../../engine/host/price-tracker.js';
import { ASSETS } from '../../engine/model/domain.js';
import type { PriceTick } from '../../engine/model/ports.js';
import { openScenario, START_MS } from './scenario.js';

const ACCOUNTS = 10;
const OPEN_BETS_MAX = 10;
const WARMUP_TICKS = 200_000;
const TICKS = 1_000_000;
const SLICE = 10_000;
/** A tick of each asset four times a second. */
const STEP_MS = 250;

/** Ticks of all assets a second, round-robin as time advances; every one must be accepted. */
export function tickRate(): number {
  timeTicks(WARMUP_TICKS);
  return (TICKS * 1000) / timeTicks(TICKS);
}

/** Milliseconds for `count` ticks, which are built outside the timed section. */
function timeTicks(count: number): number {
  const { engine } = openScenario(ACCOUNTS, OPEN_BETS_MAX);
  const tracker = new PriceTracker(engine);
  tracker.start(START_MS);
  let tookMs = 0;
  for (let from = 0; from < count; from += SLICE) {
    const slice = Array.from({ length: SLICE }, (_, at) => tickAt(from + at));
    const startedMs = performance.now();
    for (const tick of slice) tracker.offer(tick, tick.timeMs);
    tookMs += performance.now() - startedMs;
  }
  const { taken, refused } = tracker.tickCounts;
  assert(taken === count && refused === 0, `every tick was taken: ${taken} of ${count}`);
  return tookMs;
}

function tickAt(index: number): PriceTick {
  const step = Math.floor(index / ASSETS.length);
  return {
    asset: index % ASSETS.length,
    price: 100 + (step % 7),
    timeMs: START_MS + 1 + step * STEP_MS,
    source: 'bench',
    origin: '',
  };
}
