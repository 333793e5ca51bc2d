/**
 * The only clock that moves in a simulation: a queue of events. Two at the same millisecond happen in the order in
 * which they were planned, so one seed always gives one run.
 */
import { assert } from '../../../engine/base/assert.js';
import type { Clock } from '../../../engine/model/ports.js';

interface Planned {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

const isBefore = (a: Planned, b: Planned): boolean =>
  a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

export class Scheduler {
  nowMs: number;
  readonly #heap: Planned[] = [];
  #order = 0;

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  get nextMs(): number {
    return this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  at(atMs: number, run: () => void): void {
    assert(atMs >= this.nowMs, 'nothing is planned for the past');
    const planned = { atMs, order: this.#order++, run };
    const heap = this.#heap;
    let i = heap.length;
    heap.push(planned);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      const above = heap[parent] as Planned;
      if (!isBefore(planned, above)) break;
      heap[i] = above;
      i = parent;
    }
    heap[i] = planned;
  }

  after(delayMs: number, run: () => void): void {
    this.at(this.nowMs + delayMs, run);
  }

  step(): void {
    const first = this.#take();
    this.nowMs = first.atMs;
    first.run();
  }

  #take(): Planned {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    assert(first !== undefined && last !== undefined, 'something is planned');
    if (heap.length === 0) return first;
    let i = 0;
    for (;;) {
      const left = 2 * i + 1;
      if (left >= heap.length) break;
      const right = left + 1;
      const child =
        right < heap.length && isBefore(heap[right] as Planned, heap[left] as Planned) ? right : left;
      if (isBefore(last, heap[child] as Planned)) break;
      heap[i] = heap[child] as Planned;
      i = child;
    }
    heap[i] = last;
    return first;
  }
}

/** One reading of the monotonic clock costs this, so that long work within one event is seen to take time. */
const READING_MS = 0.4;

/** The server's clocks: faults move the wall clock, and the monotonic one starts with each process. */
export class SimClock implements Clock {
  #wallOffsetMs = 0;
  wasSet = false;
  #bootMs: number;
  #lastMs = 0;

  constructor(private readonly scheduler: Scheduler) {
    this.#bootMs = scheduler.nowMs;
  }

  /** A new process: its monotonic clock has another origin. */
  boot(): void {
    this.#bootMs = this.scheduler.nowMs - 1_000;
    this.#lastMs = 0;
    this.wasSet = false;
  }
  get wallOffsetMs(): number {
    return this.#wallOffsetMs;
  }
  set wallOffsetMs(offsetMs: number) {
    this.wasSet ||= offsetMs !== this.#wallOffsetMs;
    this.#wallOffsetMs = offsetMs;
  }
  nowMs(): number {
    return this.scheduler.nowMs + this.#wallOffsetMs;
  }
  monotonicMs(): number {
    this.#lastMs = Math.max(this.#lastMs + READING_MS, this.scheduler.nowMs - this.#bootMs);
    return this.#lastMs;
  }
}
