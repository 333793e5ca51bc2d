/**
 * The server's clock, as far as answers of `GET /time` tell it. The time that an answer names lies between the request
 * and the answer by our own clock. So each gives an interval in which the offset of the two clocks lies, and the
 * overlap of several intervals is narrower than any of them.
 */

/** Clocks of machines drift apart by up to about 0.2 ms a second, so an old interval is widened. */
const DRIFT = 0.0002;

interface Interval {
  readonly fromMs: number;
  readonly toMs: number;
}

export class ServerClock {
  #offset: Interval | null = null;
  #takenMs = 0;

  constructor(private readonly localMs: () => number) {}

  /** To be added to our clock for the server's time, in milliseconds; 0 before the first answer. */
  get offsetMs(): number {
    const offset = this.#offset;
    return offset === null ? 0 : (offset.fromMs + offset.toMs) / 2;
  }

  /** How far off `offsetMs` may be, in milliseconds; infinite before the first answer. */
  get uncertaintyMs(): number {
    const offset = this.#widened(this.localMs());
    return offset === null ? Number.POSITIVE_INFINITY : (offset.toMs - offset.fromMs) / 2;
  }

  /** By our clock and the offset. */
  nowMs(): number {
    return this.localMs() + this.offsetMs;
  }

  /**
   * Takes in an answer: sent for and received at these times of our clock, and made in this whole millisecond of the
   * server's. A contradiction replaces earlier answers: one of the clocks was set.
   */
  observe(sentMs: number, receivedMs: number, serverMs: number): void {
    const seen = { fromMs: serverMs - receivedMs, toMs: serverMs + 1 - sentMs };
    const known = this.#widened(receivedMs) ?? seen;
    const both = { fromMs: Math.max(seen.fromMs, known.fromMs), toMs: Math.min(seen.toMs, known.toMs) };
    this.#offset = both.fromMs <= both.toMs ? both : seen;
    this.#takenMs = receivedMs;
  }

  #widened(nowMs: number): Interval | null {
    if (this.#offset === null) return null;
    const driftMs = Math.max(0, nowMs - this.#takenMs) * DRIFT;
    return { fromMs: this.#offset.fromMs - driftMs, toMs: this.#offset.toMs + driftMs };
  }
}
