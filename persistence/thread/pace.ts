/**
 * How a thread of low priority works on a shared core: a little, then not at all for about as long.
 *
 * Priority alone does not keep it out of the way. Linux (EEVDF, since 6.6) shares time fairly: after the journal's
 * thread has interrupted the event loop and sleeps again, the event loop has had more than its share for a moment, and
 * any other thread that is ready gets the core, whatever its priority, until the next tick, up to 4 ms later. A thread
 * that sleeps often delays others by no more than it works between two sleeps.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { availableParallelism, constants, getPriority, setPriority } from 'node:os';
import { attempt } from '../../engine/base/attempt.js';
import type { Clock } from '../../engine/model/ports.js';

const WORK_MS = 0.25;
/** Shorter sleeps are mostly overhead. */
const REST_MS_MIN = 0.2;
/** Elapsed time counts as work even if others had the core. A thread that gets little of it must not rest long, too. */
const REST_MS_MAX = 0.5;
/** A thread that gets the core back this late waits behind busy ones, and makes no progress with WORK_MS at a time. */
const LATE_MS = 10;
const WORK_MS_WHEN_LATE = 1;
const WORK_MS_WHEN_HURRIED = 0.5;

/** With fewer cores, the shadow sooner or later shares one with the event loop or the journal's thread. */
const CORES_TO_SPARE = 4;

/** Called between small pieces of work, while the thread holds nothing that others wait for. */
export type Rest = () => void;

export const noRest: Rest = () => {};

export const hasCoreToSpare = (cores: number): boolean => cores >= CORES_TO_SPARE;

export class Pace {
  /** The thread has fallen behind: it rests for a third of the time instead of half. */
  isHurried = false;
  #sinceMs: number;
  #workMs = WORK_MS;

  constructor(
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly sleep: (ms: number) => void,
  ) {
    this.#sinceMs = clock.monotonicMs();
  }

  /** Counts work from now on, after the thread has slept by other means. */
  begin(): void {
    this.#sinceMs = this.clock.monotonicMs();
  }

  rest(): void {
    const workedMs = this.clock.monotonicMs() - this.#sinceMs;
    if (workedMs < this.#workMs || (this.isHurried && workedMs < WORK_MS_WHEN_HURRIED)) return;
    const restMs = this.isHurried ? REST_MS_MIN : Math.min(Math.max(workedMs, REST_MS_MIN), REST_MS_MAX);
    const wakeMs = this.clock.monotonicMs() + restMs;
    this.sleep(restMs);
    this.begin();
    this.#workMs = this.#sinceMs - wakeMs > LATE_MS ? WORK_MS_WHEN_LATE : WORK_MS;
  }
}

/**
 * The event loop and the journal's thread come first where cores are scarce: they get nine tenths of one that they
 * share with such a thread. With much less than a tenth, the shadow falls ever further behind a busy server.
 */
const NICE_BY = 10;
const HELPERS_NICE_BY = 15;
/** A server has loaded and compiled most of its code by then. */
export const WARM_MS = 15_000;

/** Lowers the priority of this thread, which is to rest by the pace: with cores to spare it does not sleep. */
export function backgroundPace(): Pace {
  lowerOwnPriority(NICE_BY);
  const clock = { monotonicMs: () => performance.now() };
  return new Pace(clock, hasCoreToSpare(availableParallelism()) ? () => undefined : sleeper());
}

/** Not for the main thread, whose event loop it would block. */
function sleeper(): (ms: number) => void {
  const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  return (ms) => void Atomics.wait(cell, 0, 0, ms);
}

/** CPU time of this thread in milliseconds; 0 except on Linux. */
export const threadCpuMs = (): number =>
  attempt(() => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6, 0);

/**
 * V8 compiles and collects garbage on four threads of its own, on however few cores. At the first end of a round they have
 * a tenth of a second to compile, which orders must not wait for. A server that has just begun is faster if they come
 * first. To be called before the first worker is started.
 */
export function lowerHelpersWhenWarm(): void {
  if (hasCoreToSpare(availableParallelism())) return;
  const helpers = threadIds().filter((id) => id !== process.pid);
  const lower = (): void => {
    for (const id of threadIds()) if (helpers.includes(id)) lowerPriority(id, HELPERS_NICE_BY);
  };
  setTimeout(lower, WARM_MS).unref();
}

/** This process's; none except on Linux. */
const threadIds = (): number[] => attempt(() => readdirSync('/proc/self/task').map(Number), []);

/**
 * Below the process's own, which an operator may have chosen. On Linux every thread has its own nice value. A thread that has
 * just ended is left alone.
 */
const lowerPriority = (threadId: number, by: number): void =>
  attempt(
    () => setPriority(threadId, Math.min(getPriority(process.pid) + by, constants.priority.PRIORITY_LOW)),
    undefined,
  );

/** Elsewhere than on Linux this does nothing. */
const lowerOwnPriority = (by: number): void =>
  attempt(() => lowerPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), by), undefined);
