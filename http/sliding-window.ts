/**
 * The exact sliding window behind every rate limit (design, section 6): how many requests were counted in the
 * last 60,000 ms, to the millisecond.
 *
 * Requests are kept as runs of (time, count) in a ring, so that a million requests a minute need one entry for
 * each millisecond at most, and thirty need thirty. Time is a parameter and never goes backwards.
 */
import { assert } from '../engine/assert.js';

/** A request leaves its window exactly this long after it was counted, in milliseconds. */
export const WINDOW_MS = 60_000;

/** A power of two. A ring this small lies within its object on the heap, without an allocation of its own. */
const RUNS_MIN = 4;

export class SlidingWindow {
  /** Requests in the window as of the last `expire`. */
  total = 0;
  /** Time and count of each run in turn; a power of two of runs. */
  #ring = new Float64Array(RUNS_MIN * 2);
  #head = 0;
  #size = 0;

  /** Lets go of what has left the window by `nowMs`. Comes before every reading of the others. */
  expire(nowMs: number): void {
    const mask = this.#ring.length - 1;
    while (this.#size > 0 && this.#at(this.#head) + WINDOW_MS <= nowMs) {
      this.total -= this.#at(this.#head + 1);
      this.#head = (this.#head + 2) & mask;
      this.#size -= 1;
    }
    if (this.#size === 0 && this.#ring.length > RUNS_MIN * 2) this.#resize(RUNS_MIN);
  }

  /** Counts one request; `nowMs` is not before the last one's time. */
  count(nowMs: number): void {
    this.total += 1;
    const mask = this.#ring.length - 1;
    const last = (this.#head + this.#size * 2 - 2) & mask;
    if (this.#size > 0 && this.#at(last) === nowMs) {
      this.#ring[last + 1] = this.#at(last + 1) + 1;
      return;
    }
    assert(this.#size === 0 || this.#at(last) < nowMs, 'a window never goes back in time');
    if (this.#size * 2 === this.#ring.length) this.#resize(this.#size * 2);
    const next = (this.#head + this.#size * 2) & (this.#ring.length - 1);
    this.#ring[next] = nowMs;
    this.#ring[next + 1] = 1;
    this.#size += 1;
  }

  /** Takes the last counted request back. */
  uncount(): void {
    assert(this.#size > 0, 'only a counted request can be taken back');
    this.total -= 1;
    const last = (this.#head + this.#size * 2 - 2) & (this.#ring.length - 1);
    const left = this.#at(last + 1) - 1;
    this.#ring[last + 1] = left;
    if (left === 0) this.#size -= 1;
  }

  /** When the oldest counted request leaves the window; `nowMs` where there is none. */
  resetMs(nowMs: number): number {
    return this.#size === 0 ? nowMs : this.#at(this.#head) + WINDOW_MS;
  }

  /** When the newest counted request leaves, and with it the last one; -Infinity where there is none. */
  idleMs(): number {
    if (this.#size === 0) return Number.NEGATIVE_INFINITY;
    return this.#at((this.#head + this.#size * 2 - 2) & (this.#ring.length - 1)) + WINDOW_MS;
  }

  /** When fewer than `limit` requests are in the window, if none is counted until then; `nowMs` where it is so now. */
  roomMs(limit: number, nowMs: number): number {
    let total = this.total;
    let roomMs = nowMs;
    for (let run = 0; total >= limit && run < this.#size; run++) {
      const index = (this.#head + run * 2) & (this.#ring.length - 1);
      roomMs = this.#at(index) + WINDOW_MS;
      total -= this.#at(index + 1);
    }
    return roomMs;
  }

  #at(index: number): number {
    return this.#ring[index] ?? 0;
  }

  #resize(runs: number): void {
    const ring = new Float64Array(runs * 2);
    for (let from = 0; from < this.#size * 2; from++) {
      ring[from] = this.#at((this.#head + from) & (this.#ring.length - 1));
    }
    this.#ring = ring;
    this.#head = 0;
  }
}
