/** How long a thread's event loop is busy at a time. */
import { openSync, readSync } from 'node:fs';

const TICK_MS = 1;

/**
 * The longest turn of the event loop, less the time that this thread waited for a core: what other threads and the
 * machine do is not in it. A turn that is longer than a millisecond has a timer's tick before and after it, so a figure
 * is at most a millisecond too high. The kernel counts the waiting to the nanosecond.
 */
export class Turns {
  longestMs = 0;
  readonly #file = openSync('/proc/thread-self/schedstat', 'r');
  readonly #text = Buffer.alloc(100);
  #atMs = 0;
  #waitedMs = 0;

  start(): void {
    this.#mark();
    setInterval(() => this.#tick(), TICK_MS).unref();
  }

  reset(): void {
    this.longestMs = 0;
    this.#mark();
  }

  #tick(): void {
    const [fromMs, waitedFromMs] = [this.#atMs, this.#waitedMs];
    this.#mark();
    const ranMs = this.#atMs - fromMs - (this.#waitedMs - waitedFromMs);
    this.longestMs = Math.max(this.longestMs, ranMs);
  }

  #mark(): void {
    // CPU time, time spent waiting for a core, and time slices.
    const length = readSync(this.#file, this.#text, 0, this.#text.length, 0);
    this.#waitedMs = Number(this.#text.toString('latin1', 0, length).split(' ')[1]) / 1e6;
    this.#atMs = performance.now();
  }
}
