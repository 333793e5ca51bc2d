/** A thread of `threads.test.ts`: works off its requests at one time, together with the other threads. */
import { parentPort, workerData } from 'node:worker_threads';
import { must } from '../../../engine/base/assert.js';
import { RateLimits } from '../../../http/limits/rate-limits.js';
import type { Task, ThreadData } from './threads.test.js';

const { shared, barrier } = workerData as ThreadData;
const port = must(parentPort, 'the port of a worker');
const limits = new RateLimits(shared);
const arrived = new Int32Array(barrier);

function meet(threads: number): void {
  Atomics.add(arrived, 0, 1);
  Atomics.notify(arrived, 0);
  for (;;) {
    const seen = Atomics.load(arrived, 0);
    if (seen >= threads) return;
    Atomics.wait(arrived, 0, seen);
  }
}

port.on('message', ({ requests, order, nowMs, threads }: Task) => {
  const admitted = requests.map(() => 0);
  meet(threads);
  for (const index of order) {
    const { asker, keyState } = must(requests[index], 'a request');
    if (limits.take(asker, keyState, nowMs)) admitted[index] = (admitted[index] ?? 0) + 1;
  }
  port.postMessage(admitted);
});
