/**
 * The time of commands: `max(last stamp, wall clock)`, so that it never goes backwards (design, "Determinism").
 *
 * While the wall clock is not sound it stands still: a clock that jumps ahead and comes back must neither end
 * rounds early nor leave the engine ahead of the world until the world has caught up.
 */
import type { Clock } from '../model/ports.js';
import type { ClockCondition, ClockGuard } from './clock-guard.js';

/** A reading of the wall clock this close after the last stamp needs no judgement by the guard. */
const REGULAR_STEP_MS = 1_000;

export class CommandClock {
  #sound = true;

  /**
   * `lastStampMs` is the last journaled time. `guard` is null where the clock is moved by hand and cannot be
   * wrong.
   */
  constructor(
    private readonly clock: Clock,
    private readonly guard: ClockGuard | null,
    private lastStampMs: number,
  ) {}

  get sound(): boolean {
    return this.#sound;
  }
  get condition(): ClockCondition {
    return this.guard?.condition ?? 'sound';
  }

  /** The time of a command made now, in milliseconds. */
  next(): number {
    const wallMs = this.clock.nowMs();
    const stepMs = wallMs - this.lastStampMs;
    if (this.#sound && stepMs >= 0 && stepMs <= REGULAR_STEP_MS) this.lastStampMs = wallMs;
    else this.#judge(wallMs);
    return this.lastStampMs;
  }

  /** Compares the clocks; to be called several times a second. */
  check(): void {
    this.#judge(this.clock.nowMs());
  }

  #judge(wallMs: number): void {
    this.#sound =
      this.guard === null || this.guard.sample(wallMs, this.clock.monotonicMs(), this.lastStampMs);
    if (this.#sound && wallMs > this.lastStampMs) this.lastStampMs = wallMs;
  }
}
