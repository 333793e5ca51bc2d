/**
 * How a thread of the lowest rank works where it shares a core: a little, then nothing for about as long.
 *
 * The rank alone does not keep it out of the way. Linux (EEVDF, from 6.6 on) shares time fairly: whenever the journal's
 * thread has interrupted the event loop and sleeps again, the event loop has for a moment had more than its share, and
 * whoever else is ready to run gets the core, whatever its rank, until the next tick, up to 4 ms later. A
 * thread that sleeps often has to be waited for at most as long as it works between two sleeps.
 */
import type { Clock } from '../../engine/model/ports.js';

/** It works for so long, and a little more, before it rests. */
const WORK_MS = 0.25;
/** Shorter sleeps are mostly overhead. */
const REST_MS_MIN = 0.2;
/** Time that went by counts as work even where others had the core: who gets little of it must not rest for long, too. */
const REST_MS_MAX = 0.5;
/**
 * Who is given the core back so late waits behind others that are busy all the time, and would come to nothing with a
 * quarter of a millisecond at a time.
 */
const LATE_MS = 10;
const WORK_MS_WHEN_LATE = 1;

/** Below so many cores the shadow shares one with the event loop or the journal's thread sooner or later. */
const CORES_TO_SPARE = 4;

/** To be called between two small pieces of work, while nothing is held that others wait for. */
export type Rest = () => void;

export const noRest: Rest = () => {};

/** Whether there is a core for work that nobody waits for, of so many that the process may use. */
export const hasCoreToSpare = (cores: number): boolean => cores >= CORES_TO_SPARE;

export class Pace {
  #sinceMs: number;
  #workMs = WORK_MS;

  /** `sleep` gives up the core for so many milliseconds, which need not be whole. */
  constructor(
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly sleep: (ms: number) => void,
  ) {
    this.#sinceMs = clock.monotonicMs();
  }

  /** Work begins now, after a sleep that was not this one's. */
  begin(): void {
    this.#sinceMs = this.clock.monotonicMs();
  }

  /** Sleeps as long as was worked since the last sleep, if that was long enough. */
  rest(): void {
    const workedMs = this.clock.monotonicMs() - this.#sinceMs;
    if (workedMs < this.#workMs) return;
    const restMs = Math.min(Math.max(workedMs, REST_MS_MIN), REST_MS_MAX);
    const wakeMs = this.clock.monotonicMs() + restMs;
    this.sleep(restMs);
    this.begin();
    this.#workMs = this.#sinceMs - wakeMs > LATE_MS ? WORK_MS_WHEN_LATE : WORK_MS;
  }
}

/** Puts this thread to sleep, which must not be the process's main thread's event loop. */
export function sleeper(): (ms: number) => void {
  const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  return (ms) => void Atomics.wait(cell, 0, 0, ms);
}
