/**
 * Whether the wall clock can be believed (design, "Faults": clock steps). Betting windows are wall-clock times, so
 * a clock that stepped would take bets on a price that is already known. Pure: it is given samples of both
 * clocks and judges them.
 *
 * - Behind: the wall clock stands more than 1 s before a time that was already given out, also before a restart.
 *   Sound again once it has caught up.
 * - Stepped: it went forward by more than 5 s against the monotonic clock. Sound again once both have agreed
 *   for 10 s.
 */

/** The wall clock may stand this far before the last stamp: time servers slew and step a little. */
export const BACKWARD_STEP_MS_MAX = 1_000;
/** The wall clock may gain this much on the monotonic clock within `ANCHOR_MS`. */
export const FORWARD_STEP_MS_MAX = 5_000;
/** After a step forward both clocks must agree for this long... */
export const AGREEMENT_MS = 10_000;
/** ...to within this much. */
const AGREEMENT_TOLERANCE_MS = 1_000;
/** How long a comparison with the monotonic clock stands before it is taken anew; slewing is far slower. */
const ANCHOR_MS = 60_000;

export type ClockCondition = 'sound' | 'behind' | 'stepped';

export class ClockGuard {
  #behind = false;
  #stepped = false;
  /** Wall less monotonic time, the least seen since `#anchoredAtMs`; null before the first sample. */
  #anchorOffsetMs: number | null = null;
  /** Monotonic time of the anchor; while stepped, since when both clocks agree. */
  #anchoredAtMs = 0;

  get condition(): ClockCondition {
    if (this.#behind) return 'behind';
    return this.#stepped ? 'stepped' : 'sound';
  }

  /**
   * Judges one reading of both clocks, in milliseconds, against the last time that was given out. Returns
   * whether the wall clock is sound. Readings come at least every few seconds.
   */
  sample(wallMs: number, monotonicMs: number, lastStampMs: number): boolean {
    if (this.#behind) this.#behind = wallMs < lastStampMs;
    else this.#behind = lastStampMs - wallMs > BACKWARD_STEP_MS_MAX;
    this.#compare(wallMs - monotonicMs, monotonicMs);
    return !this.#behind && !this.#stepped;
  }

  #compare(offsetMs: number, monotonicMs: number): void {
    const gainedMs = this.#anchorOffsetMs === null ? 0 : offsetMs - this.#anchorOffsetMs;
    if (gainedMs > FORWARD_STEP_MS_MAX) {
      this.#stepped = true;
      this.#anchor(offsetMs, monotonicMs);
    } else if (this.#stepped) {
      if (Math.abs(gainedMs) > AGREEMENT_TOLERANCE_MS) this.#anchor(offsetMs, monotonicMs);
      else if (monotonicMs - this.#anchoredAtMs >= AGREEMENT_MS) this.#stepped = false;
    } else if (
      this.#anchorOffsetMs === null ||
      gainedMs < 0 ||
      monotonicMs - this.#anchoredAtMs >= ANCHOR_MS
    ) {
      this.#anchor(offsetMs, monotonicMs);
    }
  }

  #anchor(offsetMs: number, monotonicMs: number): void {
    this.#anchorOffsetMs = offsetMs;
    this.#anchoredAtMs = monotonicMs;
  }
}
