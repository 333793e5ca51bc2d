/**
 * The thread that plans the polite requests, and tells of each when its time has come. Timers are no finer than a
 * millisecond, and a client that spins would take its core from the attackers, whom it is meant to meet at full strength:
 * this one sleeps to within a tenth of a millisecond.
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
