/**
 * The exact sliding windows behind every rate limit (design, section 6): how many requests were counted in the
 * last 60,000 ms, to the millisecond.
 *
 * Requests are kept as runs of (time, count), so a window needs at most one entry a millisecond, however many
 * requests it has. The newest run is in the window's record, with the fields that every request reads; older ones are
 * in blocks. Time is a parameter and never goes backwards.
 *
 * Blocks can run out: there are many windows, and each could have 60,000 runs. Then adjacent runs are merged at the
 * later of their times. Their requests leave late, never early, so no limit is exceeded.
 *
 * Window 0 is empty, and represents all that are not open.
 */
import { assert } from '../../engine/base/assert.js';
import { LINE_BYTES, LINE_DOUBLES, LINE_WORDS, type Memory } from './memory.js';
import { RunBlocks } from './run-blocks.js';
import { RunQueues } from './run-queues.js';
import { NEWEST_COUNT, NEWEST_MS, OLDEST_MS, TOTAL } from './window-record.js';

/** A request leaves its window exactly this long after it was counted, in milliseconds. */
export const WINDOW_MS = 60_000;

export class SlidingWindows {
  static bytes(windowsMax: number, blocksMax: number): number {
    return (windowsMax + 1) * LINE_BYTES + RunBlocks.bytes(blocksMax);
  }

  /** The records; the one of window `w` begins at word `w * LINE_WORDS`. */
  readonly records: Uint32Array;
  readonly #times: Float64Array;
  readonly #blocks: RunBlocks;
  readonly #queues: RunQueues;

  constructor(memory: Memory, windowsMax: number, blocksMax: number) {
    this.records = memory.lines(windowsMax + 1);
    const { buffer, byteOffset } = this.records;
    this.#times = new Float64Array(buffer, byteOffset, (windowsMax + 1) * LINE_DOUBLES);
    this.#blocks = new RunBlocks(memory, blocksMax);
    this.#queues = new RunQueues(this.records, this.#blocks);
    this.#empty(0);
  }

  /** Blocks of runs that were ever in use: what memory goes by. */
  get blocksTouched(): number {
    return this.#blocks.touched;
  }

  /** Makes a window of a new record. */
  open(window: number): void {
    this.#empty(window);
  }

  /** Requests in the window as of the last `expire`. */
  total(window: number): number {
    return this.records[window * LINE_WORDS + TOTAL] as number;
  }

  /** Drops what has left the window by `nowMs`. Must be called before any of the values below are read. */
  expire(window: number, nowMs: number): void {
    if (this.#time(window, OLDEST_MS) + WINDOW_MS <= nowMs) this.#expireRuns(window, nowMs);
  }

  /** Counts one request; `nowMs` is not before the last one's time. */
  count(window: number, nowMs: number): void {
    const at = window * LINE_WORDS;
    const { records } = this;
    const times = this.#times;
    records[at + TOTAL] = (records[at + TOTAL] as number) + 1;
    const newestMs = this.#time(window, NEWEST_MS);
    const newestCount = records[at + NEWEST_COUNT] as number;
    if (newestMs === nowMs) {
      records[at + NEWEST_COUNT] = newestCount + 1;
      return;
    }
    assert(newestMs < nowMs, 'a window never goes back in time');
    let counted = 1;
    if (newestCount === 0) times[window * LINE_DOUBLES + OLDEST_MS] = nowMs;
    else if (!this.#queues.push(at, newestMs, newestCount)) counted += this.#pushLate(window, nowMs);
    times[window * LINE_DOUBLES + NEWEST_MS] = nowMs;
    records[at + NEWEST_COUNT] = counted;
  }

  /** When the oldest counted request leaves the window; `nowMs` if there is none. */
  resetMs(window: number, nowMs: number): number {
    return this.total(window) === 0 ? nowMs : this.#time(window, OLDEST_MS) + WINDOW_MS;
  }

  /** When the newest counted request leaves and the window is empty; -Infinity if there is none. */
  idleMs(window: number): number {
    return this.#time(window, NEWEST_MS) + WINDOW_MS;
  }

  /** When fewer than `limit` requests will be in the window if no more are counted; `nowMs` if that is true already. */
  roomMs(window: number, limit: number, nowMs: number): number {
    const at = window * LINE_WORDS;
    const total = this.total(window);
    if (total < limit) return nowMs;
    const newest = this.records[at + NEWEST_COUNT] as number;
    if (newest >= limit) return this.idleMs(window);
    // From the end that is nearer: a window may hold many times its limit, or its limit be a million.
    const leaving = total - limit + 1;
    const ms =
      leaving <= limit
        ? this.#queues.oldMs(at, leaving, nowMs)
        : this.#queues.newMs(at, limit - newest, nowMs);
    return ms + WINDOW_MS;
  }

  /** Drops everything. */
  clear(window: number): void {
    this.#queues.clear(window * LINE_WORDS);
    this.#empty(window);
  }

  #time(window: number, field: number): number {
    return this.#times[window * LINE_DOUBLES + field] as number;
  }

  #empty(window: number): void {
    const { records } = this;
    const at = window * LINE_WORDS;
    records[at + TOTAL] = 0;
    records[at + NEWEST_COUNT] = 0;
    this.#times[window * LINE_DOUBLES + OLDEST_MS] = Number.POSITIVE_INFINITY;
    this.#times[window * LINE_DOUBLES + NEWEST_MS] = Number.NEGATIVE_INFINITY;
  }

  #expireRuns(window: number, nowMs: number): void {
    if (this.idleMs(window) <= nowMs) {
      this.clear(window);
      return;
    }
    const at = window * LINE_WORDS;
    const { records } = this;
    const left = this.#queues.expire(at, nowMs, WINDOW_MS);
    records[at + TOTAL] = (records[at + TOTAL] as number) - left;
    this.#noteOldest(window, nowMs);
  }

  #noteOldest(window: number, nowMs: number): void {
    const at = window * LINE_WORDS;
    const oldestMs = this.#queues.isEmpty(at)
      ? this.#time(window, NEWEST_MS)
      : this.#queues.oldestMs(at, nowMs);
    this.#times[window * LINE_DOUBLES + OLDEST_MS] = oldestMs;
  }

  /**
   * Keeps the newest run although no block is left, before another one follows at `nowMs`: in a place that two others
   * make by becoming one, or in that other one. Returns how many requests the other one takes over.
   */
  #pushLate(window: number, nowMs: number): number {
    const at = window * LINE_WORDS;
    const newestMs = this.#time(window, NEWEST_MS);
    const newestCount = this.records[at + NEWEST_COUNT] as number;
    if (this.#queues.thin(at) && this.#queues.push(at, newestMs, newestCount)) {
      this.#noteOldest(window, nowMs);
      return 0;
    }
    this.#times[window * LINE_DOUBLES + OLDEST_MS] = nowMs;
    return newestCount;
  }
}
