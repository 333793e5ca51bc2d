/**
 * Memory that threads share, and its lock: one buffer of fixed size, allocated in parts. Every thread allocates the
 * same parts in the same order, so they are at the same places for all. It cannot be growable: typed arrays over a
 * growable buffer are many times slower. Pages that were never written cost nothing, so a part may be far larger than
 * its usual use.
 */
import { assert } from '../../engine/base/assert.js';

/** A cache line: parts begin at whole ones. */
export const LINE_BYTES = 64;
export const LINE_WORDS = LINE_BYTES / Uint32Array.BYTES_PER_ELEMENT;
export const LINE_DOUBLES = LINE_BYTES / Float64Array.BYTES_PER_ELEMENT;

export const bytesOfWords = (words: number): number => Math.ceil(words / LINE_WORDS) * LINE_BYTES;

export class Memory {
  #at = 0;

  constructor(readonly buffer: ArrayBufferLike) {}

  /** The next part. It is zero when the buffer is new. */
  lines(lines: number): Uint32Array {
    const at = this.#at;
    this.#at += lines * LINE_BYTES;
    assert(this.#at <= this.buffer.byteLength, 'the buffer holds all of its parts');
    return new Uint32Array(this.buffer, at, lines * LINE_WORDS);
  }

  words(words: number): Uint32Array {
    return this.lines(bytesOfWords(words) / LINE_BYTES);
  }
}

const FREE = 0;
const HELD = 1;
/** Held, and another thread may be asleep. */
const AWAITED = 2;

const LOOKS = 100;
/** Wake-ups are never lost; if one were, it would be noticed after this long. */
const SLEEP_MS_MAX = 1;
/** After this long the holder must have died, and its data cannot be trusted. */
const WAIT_MS_MAX = 30_000;

/**
 * Mutual exclusion of threads by one word of shared memory. The lock is held for a fraction of a microsecond, so a
 * thread that finds it taken spins a few times. Then it sleeps, because the holder may have lost its core, and spinning
 * would not give it back.
 */
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
