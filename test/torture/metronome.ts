/**
 * The thread that plans the polite requests, and signals each at its time. Timers have a resolution of a millisecond,
 * and a spinning client would take the core from the attackers, so this thread sleeps to within a tenth of a
 * millisecond.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Arrivals } from '../../bench/client/arrivals.js';
import { must } from '../../engine/base/assert.js';

export interface Tempo {
  readonly ratePerSecond: number;
  readonly seed: number;
}

/** The same in all threads, in milliseconds. */
export const clockMs = (): number => Number(process.hrtime.bigint()) / 1e6;

if (parentPort !== null) {
  const { ratePerSecond, seed } = workerData as Tempo;
  const never = new Int32Array(new SharedArrayBuffer(4));
  const arrivals = new Arrivals(ratePerSecond, seed, clockMs());
  for (;;) {
    const plannedMs = arrivals.take();
    const waitMs = plannedMs - clockMs();
    if (waitMs > 0) Atomics.wait(never, 0, 0, waitMs);
    must(parentPort, 'the main thread').postMessage(plannedMs);
  }
}
