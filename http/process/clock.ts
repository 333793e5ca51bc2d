/** The system's clock, and a manual one that only the operator API moves (sandbox). */
import { performance } from 'node:perf_hooks';
import { assert } from '../../engine/base/assert.js';
import type { Clock } from '../../engine/model/ports.js';

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** Whole monotonic milliseconds, for whatever must not be affected when the wall clock is set. */
export const wholeMonotonicMs = (): number => Math.floor(performance.now());

/** Stands still until it is set. Its monotonic time is real, because disks are no faster in a sandbox. */
export class ManualClock implements Clock {
  #nowMs: number;

  /** Starts at the last journaled time, or at the system's time if `journaledMs` is 0. */
  constructor(journaledMs: number) {
    this.#nowMs = journaledMs > 0 ? journaledMs : Date.now();
  }

  nowMs(): number {
    return this.#nowMs;
  }
  monotonicMs(): number {
    return performance.now();
  }

  /** Moves to a later time, in milliseconds since 1970. */
  set(nowMs: number): void {
    assert(Number.isSafeInteger(nowMs) && nowMs >= this.#nowMs, 'the manual clock only moves forward');
    this.#nowMs = nowMs;
  }
}
