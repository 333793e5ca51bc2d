/**
 * Operations that leave the engine unchanged, measured by `benchmark`: refused orders, idempotent replays, rolling
 * digests. Every result is checked, since V8 may remove a loop whose result is unused.
 */
import Benchmark from 'benchmark';
import { assert } from '../../engine/base/assert.js';
import type { PlaceOrder } from '../../engine/model/commands.js';
import type { Outcome } from '../../engine/model/events.js';
import { filledScenario } from './placing.js';
import { orders } from './scenario.js';

/** Most of the open bets: too many for all that the commands touch to stay in the caches. */
const RING = 65_536;
const ACCOUNTS = 1_000;
const OPEN_BETS = 100_000;

/** Refused at the fourth check from the end: the odds have moved. */
export function rejectRate(): number {
  const moved = { idempotency: null, expectedPercentE6: 99_000_000 };
  return cycle(
    (order) => ({ ...order, ...moved }),
    (outcome) => outcome.status === 'rejected' && outcome.code === 'odds_changed',
  );
}

export const replayRate = (): number =>
  cycle(
    (order) => order,
    (outcome) => outcome.status === 'replayed',
  );

function cycle(
  commandOf: (placed: PlaceOrder) => PlaceOrder,
  isAsMeant: (outcome: Outcome) => boolean,
): number {
  const { engine } = filledScenario(ACCOUNTS, OPEN_BETS);
  const digestBefore = engine.rollingDigest();
  const { timeMs } = engine;
  const placed = orders(0, RING, ACCOUNTS);
  const commands = placed.map((order) => ({ ...commandOf(order), timeMs }));
  const rate = perSecond((at) => isAsMeant(engine.apply(commands[at % RING] as PlaceOrder)));
  assert(engine.rollingDigest() === digestBefore, 'the engine is as it was');
  return rate;
}

export function digestRate(): number {
  const { engine } = filledScenario(ACCOUNTS, OPEN_BETS);
  const expected = engine.rollingDigest();
  return perSecond(() => engine.rollingDigest() === expected);
}

/** `operation` tells whether its result is as meant. */
function perSecond(operation: (at: number) => boolean): number {
  let done = 0;
  let asMeant = 0;
  const benchmark = new Benchmark({
    fn: () => {
      if (operation(done)) asMeant += 1;
      done += 1;
    },
    minSamples: 10,
    maxTime: 0.5,
  });
  benchmark.run();
  assert(benchmark.error === undefined || benchmark.error === null, `it ran: ${String(benchmark.error)}`);
  assert(done > 0 && asMeant === done, `every outcome is as meant: ${asMeant} of ${done}`);
  return benchmark.hz;
}
