/**
 * The exact sliding windows behind every rate limit (design, section 6): how many requests were counted in the
 * last 60,000 ms, to the millisecond.
 *
 * Requests are kept as runs of (time, count), so a window needs at most one entry a millisecond, however many
 * requests it has. The fields that every request reads are in one array for all windows, a cache line each: with many
 * keys, waiting for memory would cost more than counting. The newest run is there too, older ones in a ring. Time is
 * a parameter and never goes backwards.
 */
import { assert } from '../../engine/base/assert.js';

/** A request leaves its window exactly this long after it was counted, in milliseconds. */
export const WINDOW_MS = 60_000;

/** A window's fields in the array. */
const FIELDS = 8;
/** Requests in the window as of the last `expire`. */
const TOTAL = 0;
/** Time of the oldest run; Infinity if there is none. */
const OLDEST_MS = 1;
/** Time and count of the newest run; -Infinity and 0 if there is none. */
const NEWEST_MS = 2;
const NEWEST_COUNT = 3;
/** Index of the ring's first run, and the number of runs. */
const HEAD = 4;
const RING_RUNS = 5;

const WINDOWS_MIN = 16;
/** A power of two. */
const RUNS_MIN = 4;
/** The ring of a window that has at most one run. */
const NO_RING: number[] = [];

export class SlidingWindows {
  #fields = new Float64Array(WINDOWS_MIN * FIELDS);
  /** Time and count of each run, alternating; the capacity is a power of two. */
  readonly #rings: number[][] = [NO_RING];
  readonly #free: number[] = [];

  /** Number of open windows. */
  get size(): number {
    return this.end - 1 - this.#free.length;
  }

  /** One more than the greatest window number ever given. */
  get end(): number {
    return this.#rings.length;
  }

  /** Opens an empty window and returns its number, from 1. Numbers of closed windows are reused. */
  open(): number {
    const window = this.#free.pop() ?? this.#rings.push(NO_RING) - 1;
    if (window * FIELDS >= this.#fields.length) {
      const fields = new Float64Array(this.#fields.length * 2);
      fields.set(this.#fields);
      this.#fields = fields;
    }
    this.#empty(window * FIELDS);
    return window;
  }

  close(window: number): void {
    this.#rings[window] = NO_RING;
    this.#free.push(window);
  }

  /** Requests in the window as of the last `expire`. */
  total(window: number): number {
    return this.#field(window * FIELDS + TOTAL);
  }

  /** Drops what has left the window by `nowMs`. Must be called before any of the values below are read. */
  expire(window: number, nowMs: number): void {
    if (this.#field(window * FIELDS + OLDEST_MS) + WINDOW_MS <= nowMs) this.#expireRuns(window, nowMs);
  }

  /** Counts one request; `nowMs` is not before the last one's time. */
  count(window: number, nowMs: number): void {
    const at = window * FIELDS;
    const fields = this.#fields;
    fields[at + TOTAL] = (fields[at + TOTAL] as number) + 1;
    const newestMs = fields[at + NEWEST_MS] as number;
    const newestCount = fields[at + NEWEST_COUNT] as number;
    if (newestMs === nowMs) {
      fields[at + NEWEST_COUNT] = newestCount + 1;
      return;
    }
    assert(newestMs < nowMs, 'a window never goes back in time');
    if (newestCount === 0) fields[at + OLDEST_MS] = nowMs;
    else this.#pushRun(window, newestMs, newestCount);
    fields[at + NEWEST_MS] = nowMs;
    fields[at + NEWEST_COUNT] = 1;
  }

  /** Takes back the last counted request. */
  uncount(window: number): void {
    const at = window * FIELDS;
    const fields = this.#fields;
    const left = this.#field(at + NEWEST_COUNT) - 1;
    assert(left >= 0, 'only a counted request can be taken back');
    fields[at + TOTAL] = this.#field(at + TOTAL) - 1;
    fields[at + NEWEST_COUNT] = left;
    if (left > 0) return;
    const runs = this.#field(at + RING_RUNS);
    if (runs === 0) {
      this.#empty(at);
      return;
    }
    const ring = this.#ring(window);
    const last = (this.#field(at + HEAD) + runs * 2 - 2) & (ring.length - 1);
    fields[at + RING_RUNS] = runs - 1;
    fields[at + NEWEST_MS] = ring[last] as number;
    fields[at + NEWEST_COUNT] = ring[last + 1] as number;
  }

  /** When the oldest counted request leaves the window; `nowMs` if there is none. */
  resetMs(window: number, nowMs: number): number {
    const at = window * FIELDS;
    return this.#field(at + TOTAL) === 0 ? nowMs : this.#field(at + OLDEST_MS) + WINDOW_MS;
  }

  /** When the newest counted request leaves and the window is empty; -Infinity if there is none. */
  idleMs(window: number): number {
    return this.#field(window * FIELDS + NEWEST_MS) + WINDOW_MS;
  }

  /** When fewer than `limit` requests will be in the window if no more are counted; `nowMs` if that is true already. */
  roomMs(window: number, limit: number, nowMs: number): number {
    const at = window * FIELDS;
    let total = this.#field(at + TOTAL);
    if (total < limit) return nowMs;
    const ring = this.#ring(window);
    const head = this.#field(at + HEAD);
    const runs = this.#field(at + RING_RUNS);
    for (let run = 0; run < runs; run++) {
      const index = (head + run * 2) & (ring.length - 1);
      total -= ring[index + 1] as number;
      if (total < limit) return (ring[index] as number) + WINDOW_MS;
    }
    return this.idleMs(window);
  }

  #field(index: number): number {
    return this.#fields[index] as number;
  }

  #ring(window: number): number[] {
    return this.#rings[window] as number[];
  }

  #empty(at: number): void {
    const fields = this.#fields;
    fields[at + TOTAL] = 0;
    fields[at + OLDEST_MS] = Number.POSITIVE_INFINITY;
    fields[at + NEWEST_MS] = Number.NEGATIVE_INFINITY;
    fields[at + NEWEST_COUNT] = 0;
    fields[at + HEAD] = 0;
    fields[at + RING_RUNS] = 0;
  }

  #expireRuns(window: number, nowMs: number): void {
    const at = window * FIELDS;
    const fields = this.#fields;
    if (this.idleMs(window) <= nowMs) {
      this.#empty(at);
      this.#rings[window] = NO_RING;
      return;
    }
    const ring = this.#ring(window);
    let head = this.#field(at + HEAD);
    let runs = this.#field(at + RING_RUNS);
    let total = this.#field(at + TOTAL);
    while (runs > 0 && (ring[head] as number) + WINDOW_MS <= nowMs) {
      total -= ring[head + 1] as number;
      head = (head + 2) & (ring.length - 1);
      runs -= 1;
    }
    fields[at + TOTAL] = total;
    fields[at + HEAD] = head;
    fields[at + RING_RUNS] = runs;
    fields[at + OLDEST_MS] = runs > 0 ? (ring[head] as number) : this.#field(at + NEWEST_MS);
  }

  #pushRun(window: number, timeMs: number, count: number): void {
    const fields = this.#fields;
    const at = window * FIELDS;
    const runs = fields[at + RING_RUNS] as number;
    let ring = this.#ring(window);
    if (runs * 2 === ring.length) ring = this.#enlarge(window, runs);
    const next = ((fields[at + HEAD] as number) + runs * 2) & (ring.length - 1);
    ring[next] = timeMs;
    ring[next + 1] = count;
    fields[at + RING_RUNS] = runs + 1;
  }

  #enlarge(window: number, runs: number): number[] {
    const at = window * FIELDS;
    const old = this.#ring(window);
    const head = this.#field(at + HEAD);
    const ring = new Array<number>(Math.max(RUNS_MIN, runs * 2) * 2).fill(0);
    for (let from = 0; from < runs * 2; from++) ring[from] = old[(head + from) & (old.length - 1)] as number;
    this.#fields[at + HEAD] = 0;
    this.#rings[window] = ring;
    return ring;
  }
}
