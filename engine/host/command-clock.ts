/**
 * The time of commands: `max(last stamp, wall clock)`, so that it never goes backwards. It stands still while the wall
 * clock is not sound: a clock that jumps ahead and returns must neither end rounds early nor leave the engine ahead of
 * real time.
 */
import type { Clock } from '../model/ports.js';
import type { ClockCondition, ClockGuard } from './clock-guard.js';

/** A reading this close to the last stamp needs no check by the guard. */
const REGULAR_STEP_MS = 1_000;

export class CommandClock {
  #sound = true;

  /** `lastStampMs` is the last journaled time. `guard` is null for a manual clock, which cannot be wrong. */
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

  get nowMs(): number {
    return this.clock.nowMs();
  }

  /** How far the wall clock is ahead of the last stamp, negative if behind; 0 while it is sound. */
  get offsetMs(): number {
    return this.#sound ? 0 : this.clock.nowMs() - this.lastStampMs;
  }

  /** The wall clock is right, however far it is ahead of the last stamp. */
  believe(): void {
    this.guard?.believe();
    this.check();
  }

  next(): number {
    const wallMs = this.clock.nowMs();
    const stepMs = wallMs - this.lastStampMs;
    if (this.#sound && stepMs >= 0 && stepMs <= REGULAR_STEP_MS) this.lastStampMs = wallMs;
    else this.#sampleClocks(wallMs);
    return this.lastStampMs;
  }

  /** Call several times a second. */
  check(): void {
    this.#sampleClocks(this.clock.nowMs());
  }

  #sampleClocks(wallMs: number): void {
    this.#sound =
      this.guard === null || this.guard.sample(wallMs, this.clock.monotonicMs(), this.lastStampMs);
    if (this.#sound && wallMs > this.lastStampMs) this.lastStampMs = wallMs;
  }
}
