/**
 * Detects steps of the wall clock. Betting windows are wall-clock times: after a step, bets would
 * be taken at a price that is already known. The guard is pure; it is given readings of both clocks.
 *
 * - Behind: the wall clock is more than 1 s before the last stamp, which may be from before a restart. Sound again
 *   once it has caught up.
 * - Unconfirmed: at the start, or after a step, it is more than 15 minutes ahead of the last stamp, and stakes are open. A
 *   wrong clock would settle them for good. Sound again once it is believed, because an operator or another clock confirms
 *   it, or once it has been set right.
 * - Stepped: it has advanced by more than 5 s against the monotonic clock. Sound again once both have agreed for 10
 *   s.
 */

/** Tolerated distance behind the last stamp: time servers slew and step a little. */
export const BACKWARD_STEP_MS_MAX = 1_000;
/** Tolerated gain on the monotonic clock within `ANCHOR_MS`. */
export const FORWARD_STEP_MS_MAX = 5_000;
/** After a forward step both clocks must agree for this long, to within the tolerance. */
export const AGREEMENT_MS = 10_000;
const AGREEMENT_TOLERANCE_MS = 1_000;
/** With open stakes no clock is believed of itself that is further ahead of the last stamp. */
export const GAP_MS_MAX = 900_000;
/** An anchor is renewed after this time. Slewing is far slower than the tolerance within it. */
const ANCHOR_MS = 60_000;

export type ClockCondition = 'sound' | 'behind' | 'unconfirmed' | 'stepped';

export class ClockGuard {
  #behind = false;
  #unconfirmed = false;
  #stepped = false;
  /** Whether the distance to the last stamp needs no other clock to confirm it. */
  #isBelieved = false;
  /** Least difference of wall and monotonic time seen since `#anchoredAtMs`; null before the first sample. */
  #anchorOffsetMs: number | null = null;
  /** Monotonic time of the anchor. While stepped: since when both clocks have agreed. */
  #anchoredAtMs = 0;

  constructor(private readonly hasStakes: () => boolean = () => false) {}

  get condition(): ClockCondition {
    if (this.#behind) return 'behind';
    if (this.#unconfirmed) return 'unconfirmed';
    return this.#stepped ? 'stepped' : 'sound';
  }

  /**
   * Evaluates one reading of both clocks against the last stamp. Returns whether the wall clock is sound. Must be
   * called at least every few seconds.
   */
  sample(wallMs: number, monotonicMs: number, lastStampMs: number): boolean {
    if (this.#behind) this.#behind = wallMs < lastStampMs;
    else this.#behind = lastStampMs - wallMs > BACKWARD_STEP_MS_MAX;
    this.#compare(wallMs - monotonicMs, monotonicMs);
    this.#unconfirmed = !this.#isBelieved && wallMs - lastStampMs > GAP_MS_MAX && this.hasStakes();
    this.#isBelieved = !this.#unconfirmed;
    return this.condition === 'sound';
  }

  /** Somebody who knows the time has confirmed the last reading. */
  believe(): void {
    this.#isBelieved = true;
    this.#stepped = false;
  }

  #compare(offsetMs: number, monotonicMs: number): void {
    const gainedMs = this.#anchorOffsetMs === null ? 0 : offsetMs - this.#anchorOffsetMs;
    if (gainedMs > FORWARD_STEP_MS_MAX) {
      this.#stepped = true;
      this.#isBelieved = false;
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
