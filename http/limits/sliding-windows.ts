/**
 * The exact sliding windows behind every rate limit: the times, in milliseconds, of the requests counted in the last
 * 60,000 ms, at most as many as the limit. A request that is counted beyond the limit takes the place of the oldest.
 *
 * A window has a record, with the fields that every request reads and its newest time. Older times are in a chain of
 * blocks of fifteen, which all windows draw from one pool: memory goes by the requests of a minute, whatever the limits
 * are. Time is a parameter and never goes backwards.
 *
 * Window 0 is empty, and represents all that are not open.
 */
import { assert } from '../../engine/base/assert.js';
import { LINE_BYTES, LINE_DOUBLES, LINE_WORDS, type Memory } from './shared-memory.js';

/** A request leaves its window exactly this long after it was counted. */
export const WINDOW_MS = 60_000;
const TIMES_PER_BLOCK = LINE_WORDS - 1;
/** A request counts in so many windows, and may need a block in each. */
const BLOCKS_PER_REQUEST = 3;

/** Doubles of a record, which is a cache line. -Infinity and Infinity in an empty window. */
const NEWEST_MS = 0;
const OLDEST_MS = 1;
/** Words, behind the doubles. `TOTAL` is as of the last `expire`. */
const TOTAL = 4;
/** The window's chain of blocks: times begin at `HEAD_AT` of the first and end at `TAIL_AT` of the last. */
const HEAD = 5;
const HEAD_AT = 6;
const TAIL = 7;
const TAIL_AT = 8;
/** For the table that opened the window (`window-table.ts`). */
export const OLDER = 9;
export const NEWER = 10;
export const OWNER = 11;

/** Word of a block: the next one of its chain, or the next free one. Its times follow. */
const NEXT = 0;
const FIRST_TIME = 1;

/** Words of the pool: the first free block, how many blocks were ever taken, and how many are. */
const FREE = 0;
const TOUCHED = 1;
const TAKEN = 2;

export class SlidingWindows {
  static bytes(windowsMax: number, blocksMax: number): number {
    return (windowsMax + 1 + 1 + blocksMax + 1) * LINE_BYTES;
  }

  /** The record of window `w` begins at word `w * LINE_WORDS`. */
  readonly records: Uint32Array;
  readonly #times: Float64Array;
  readonly #pool: Uint32Array;
  /** Block `b` begins at word `b * LINE_WORDS`; 0 is none. Times are their lower 32 bits. */
  readonly #blocks: Uint32Array;

  constructor(
    memory: Memory,
    windowsMax: number,
    private readonly blocksMax: number,
  ) {
    this.records = memory.lines(windowsMax + 1);
    const { buffer, byteOffset } = this.records;
    this.#times = new Float64Array(buffer, byteOffset, (windowsMax + 1) * LINE_DOUBLES);
    this.#pool = memory.lines(1);
    this.#blocks = memory.lines(blocksMax + 1);
    this.open(0);
  }

  /** Blocks that were ever in use: memory grows with them. */
  get blocksTouched(): number {
    return this.#pool[TOUCHED] as number;
  }

  /** A request can be counted in all its windows. */
  get hasRoom(): boolean {
    return (this.#pool[TAKEN] as number) + BLOCKS_PER_REQUEST <= this.blocksMax;
  }

  open(window: number): void {
    this.records[window * LINE_WORDS + TOTAL] = 0;
    this.#times[window * LINE_DOUBLES + OLDEST_MS] = Number.POSITIVE_INFINITY;
    this.#times[window * LINE_DOUBLES + NEWEST_MS] = Number.NEGATIVE_INFINITY;
  }

  /** As of the last `expire`. */
  total(window: number): number {
    return this.records[window * LINE_WORDS + TOTAL] as number;
  }

  /** Drops requests that have left the window by `nowMs`. Must be called before any of the values below are read. */
  expire(window: number, nowMs: number): void {
    if (this.#time(window, OLDEST_MS) + WINDOW_MS > nowMs) return;
    if (this.idleMs(window) <= nowMs) this.clear(window);
    else this.#dropOldest(window, nowMs);
  }

  /** To be called while there is room; `nowMs` is not before the last request's time. */
  count(window: number, limit: number, nowMs: number): void {
    const newestMs = this.#time(window, NEWEST_MS);
    assert(newestMs <= nowMs, 'a window never goes back in time');
    if (this.total(window) >= limit) this.#dropOldest(window, nowMs);
    const at = window * LINE_WORDS;
    const total = this.records[at + TOTAL] as number;
    if (total === 0) this.#times[window * LINE_DOUBLES + OLDEST_MS] = nowMs;
    else this.#push(at, total === 1, newestMs);
    this.#times[window * LINE_DOUBLES + NEWEST_MS] = nowMs;
    this.records[at + TOTAL] = total + 1;
  }

  /** The oldest counted request leaves the window at this time; `nowMs` if there is none. */
  resetMs(window: number, nowMs: number): number {
    return this.total(window) === 0 ? nowMs : this.#time(window, OLDEST_MS) + WINDOW_MS;
  }

  /** The newest counted request leaves at this time, and the window is empty; -Infinity if there is none. */
  idleMs(window: number): number {
    return this.#time(window, NEWEST_MS) + WINDOW_MS;
  }

  /**
   * Fewer than `limit` requests are in the window from this time on, if no more are counted; `nowMs` if that is true
   * already.
   */
  roomMs(window: number, limit: number, nowMs: number): number {
    return this.total(window) < limit ? nowMs : this.resetMs(window, nowMs);
  }

  clear(window: number): void {
    const at = window * LINE_WORDS;
    const times = (this.records[at + TOTAL] as number) - 1;
    if (times > 0) {
      const blocks = Math.ceil(
        ((this.records[at + HEAD_AT] as number) - FIRST_TIME + times) / TIMES_PER_BLOCK,
      );
      this.#giveBack(this.records[at + HEAD] as number, this.records[at + TAIL] as number, blocks);
    }
    this.open(window);
  }

  #time(window: number, field: number): number {
    return this.#times[window * LINE_DOUBLES + field] as number;
  }

  /** Drops the oldest request, and those after it that have left the window by `nowMs`; the newest has not. */
  #dropOldest(window: number, nowMs: number): void {
    const at = window * LINE_WORDS;
    const { records } = this;
    const blocks = this.#blocks;
    // The chain holds all times but the newest.
    let times = (records[at + TOTAL] as number) - 1;
    if (times === 0) {
      this.open(window);
      return;
    }
    let head = records[at + HEAD] as number;
    let headAt = records[at + HEAD_AT] as number;
    let oldestMs: number;
    do {
      times -= 1;
      headAt += 1;
      if (times === 0 || headAt === LINE_WORDS) {
        const next = blocks[head * LINE_WORDS + NEXT] as number;
        this.#giveBack(head, head, 1);
        head = next;
        headAt = FIRST_TIME;
      }
      if (times === 0) oldestMs = this.#time(window, NEWEST_MS);
      else oldestMs = nowMs - (((nowMs >>> 0) - (blocks[head * LINE_WORDS + headAt] as number)) >>> 0);
    } while (oldestMs + WINDOW_MS <= nowMs);
    records[at + TOTAL] = times + 1;
    records[at + HEAD] = head;
    records[at + HEAD_AT] = headAt;
    this.#times[window * LINE_DOUBLES + OLDEST_MS] = oldestMs;
  }

  #push(at: number, isFirst: boolean, timeMs: number): void {
    const { records } = this;
    if (isFirst) {
      records[at + HEAD] = records[at + TAIL] = this.#take();
      records[at + HEAD_AT] = records[at + TAIL_AT] = FIRST_TIME;
    } else if (records[at + TAIL_AT] === LINE_WORDS) {
      const block = this.#take();
      this.#blocks[(records[at + TAIL] as number) * LINE_WORDS + NEXT] = block;
      records[at + TAIL] = block;
      records[at + TAIL_AT] = FIRST_TIME;
    }
    const end = records[at + TAIL_AT] as number;
    this.#blocks[(records[at + TAIL] as number) * LINE_WORDS + end] = timeMs;
    records[at + TAIL_AT] = end + 1;
  }

  #take(): number {
    const pool = this.#pool;
    assert((pool[TAKEN] as number) < this.blocksMax, 'a request is counted where there is room');
    pool[TAKEN] = (pool[TAKEN] as number) + 1;
    const free = pool[FREE] as number;
    if (free === 0) {
      pool[TOUCHED] = (pool[TOUCHED] as number) + 1;
      return pool[TOUCHED] as number;
    }
    pool[FREE] = this.#blocks[free * LINE_WORDS + NEXT] as number;
    return free;
  }

  #giveBack(first: number, last: number, blocks: number): void {
    const pool = this.#pool;
    pool[TAKEN] = (pool[TAKEN] as number) - blocks;
    this.#blocks[last * LINE_WORDS + NEXT] = pool[FREE] as number;
    pool[FREE] = first;
  }
}
