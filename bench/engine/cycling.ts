/**
 * Operations that leave the engine unchanged, measured by `benchmark`: refused orders, idempotent replays, rolling
 * digests. Every result is added to a checked tally, since V8 may remove a loop whose result is unused.
 */
import Benchmark from 'benchmark';
import { assert, must } from '../../engine/base/assert.js';
import type { Engine } from '../../engine/engine.js';
import type { PlaceOrder } from '../../engine/model/commands.js';
import type { Outcome } from '../../engine/model/events.js';
import { filledScenario } from './placing.js';
import { spreadOrders } from './scenario.js';

/** Commands used round-robin, spread over the open bets: too many for all that they touch to stay in the caches. */
const RING = 65_536;
const ACCOUNTS = 1_000;
const OPEN_BETS = 100_000;

export interface CycleRate {
  readonly operationsPerSecond: number;
  /** Relative margin of error of the mean, in percent (`benchmark`). */
  readonly marginPercent: number;
  readonly samples: number;
}

/** Refused at the fourth check from the end: the odds have moved. */
export function rejectRate(): CycleRate {
  const scenario = filledScenario(ACCOUNTS, OPEN_BETS);
  const placed = spreadOrders(OPEN_BETS, 0, RING, ACCOUNTS);
  const refused = placed.map((order) => ({ ...order, idempotency: null, expectedPercentE6: 99_000_000 }));
  return cycle(
    scenario.engine,
    refused,
    (outcome) => outcome.status === 'rejected' && outcome.code === 'odds_changed',
  );
}

export function replayRate(): CycleRate {
  const scenario = filledScenario(ACCOUNTS, OPEN_BETS);
  const placed = spreadOrders(OPEN_BETS, 0, RING, ACCOUNTS);
  return cycle(scenario.engine, placed, (outcome) => outcome.status === 'replayed');
}

function cycle(
  engine: Engine,
  ring: readonly PlaceOrder[],
  isAsMeant: (outcome: Outcome) => boolean,
): CycleRate {
  const digestBefore = engine.rollingDigest();
  // A command must not be older than engine time.
  const commands = ring.map((order) => ({ ...order, timeMs: engine.timeMs }));
  let done = 0;
  let asMeant = 0;
  const rate = run(() => {
    const outcome = engine.apply(commands[done % RING] as PlaceOrder);
    done += 1;
    if (isAsMeant(outcome)) asMeant += 1;
  });
  assert(done > 0 && asMeant === done, `every outcome is as meant: ${asMeant} of ${done}`);
  assert(engine.rollingDigest() === digestBefore, 'the engine is as it was');
  return rate;
}

/** `rollingDigest`, which goes into each batch's row. */
export function digestRate(): CycleRate {
  const scenario = filledScenario(ACCOUNTS, OPEN_BETS);
  const expected = scenario.engine.rollingDigest();
  let done = 0;
  let same = 0;
  const rate = run(() => {
    done += 1;
    if (scenario.engine.rollingDigest() === expected) same += 1;
  });
  assert(done > 0 && same === done, 'the digest stays the same');
  return rate;
}

function run(operation: () => void): CycleRate {
  const benchmark = new Benchmark({ fn: operation, minSamples: 10, maxTime: 0.5 });
  benchmark.run();
  const { hz, stats } = benchmark;
  assert(
    benchmark.error === undefined || benchmark.error === null,
    `the benchmark ran: ${String(benchmark.error)}`,
  );
  return {
    operationsPerSecond: hz,
    marginPercent: must(stats, 'statistics').rme,
    samples: stats.sample.length,
  };
}
