/** The system's clock, and a manual one that only the operator API moves (sandbox). */
import { performance } from 'node:perf_hooks';
import { assert } from '../engine/base/assert.js';
import type { Clock } from '../engine/model/ports.js';

const ORIGIN_TRIES = 100;
const ORIGIN_ERROR_MS = 0.005;

/**
 * `performance.now` counts from the start of a thread; from this instant on it counts the same in all of them. A thread
 * that is interrupted between the two readings would be off by that, so the closest pair of several counts.
 */
function originOfThreadMs(): number {
  let originMs = 0;
  let errorMs = Number.POSITIVE_INFINITY;
  for (let n = 0; n < ORIGIN_TRIES && errorMs > ORIGIN_ERROR_MS; n++) {
    const beforeMs = performance.now();
    const systemMs = Number(process.hrtime.bigint()) / 1e6;
    const tookMs = performance.now() - beforeMs;
    if (tookMs >= errorMs) continue;
    errorMs = tookMs;
    originMs = systemMs - beforeMs - tookMs / 2;
  }
  return originMs;
}

const originMs = originOfThreadMs();

const monotonicMs = (): number => originMs + performance.now();

export const systemClock: Clock = { nowMs: () => Date.now(), monotonicMs };

/** For everything that must not be affected when the wall clock is set. The same in all threads. */
export const wholeMonotonicMs = (): number => Math.floor(monotonicMs());

/** Stands still until it is set. Its monotonic time is real, because disks are no faster in a sandbox. */
export class ManualClock implements Clock {
  readonly memory = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  readonly #nowMs = new Float64Array(this.memory);
  readonly monotonicMs = monotonicMs;

  /** Starts at the last journaled time; if `journaledMs` is 0, at the given time or else the system's. */
  constructor(journaledMs: number, startMs: number | null) {
    this.#nowMs[0] = journaledMs > 0 ? journaledMs : (startMs ?? Date.now());
  }

  nowMs(): number {
    return this.#nowMs[0] as number;
  }

  set(nowMs: number): void {
    assert(Number.isSafeInteger(nowMs) && nowMs >= this.nowMs(), 'the manual clock only moves forward');
    this.#nowMs[0] = nowMs;
  }
}

/** The system's clock, or the manual one of another thread. */
export function clockIn(manual: SharedArrayBuffer | null): Clock {
  if (manual === null) return systemClock;
  const nowMs = new Float64Array(manual);
  return { nowMs: () => nowMs[0] as number, monotonicMs };
}
