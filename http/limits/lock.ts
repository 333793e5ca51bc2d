/**
 * Mutual exclusion of threads by one word of shared memory. The lock is held for a fraction of a microsecond, so a
 * thread that finds it taken spins a few times. Then it sleeps, because the holder may have lost its core, and
 * spinning would not give it back.
 */
import { assert } from '../../engine/base/assert.js';

const FREE = 0;
const HELD = 1;
/** Held, and somebody may be asleep. */
const AWAITED = 2;

const LOOKS = 100;
/** Wake-ups are never lost; if one were, it would be noticed after this long. */
const SLEEP_MS_MAX = 1;
/** After this long the holder must have died, and its data cannot be trusted. */
const WAIT_MS_MAX = 30_000;

export class Lock {
  /** `cell[0]` is the lock, 0 at first. */
  constructor(private readonly cell: Int32Array) {}

  lock(): void {
    if (Atomics.compareExchange(this.cell, 0, FREE, HELD) !== FREE) this.#await();
  }

  unlock(): void {
    if (Atomics.exchange(this.cell, 0, FREE) === AWAITED) Atomics.notify(this.cell, 0, 1);
  }

  #await(): void {
    const { cell } = this;
    for (let look = 0; look < LOOKS; look++) {
      if (Atomics.load(cell, 0) !== FREE) continue;
      if (Atomics.compareExchange(cell, 0, FREE, HELD) === FREE) return;
    }
    const sinceMs = performance.now();
    while (Atomics.exchange(cell, 0, AWAITED) !== FREE) {
      Atomics.wait(cell, 0, AWAITED, SLEEP_MS_MAX);
      assert(performance.now() - sinceMs < WAIT_MS_MAX, 'whoever holds the lock lets go of it');
    }
  }
}
