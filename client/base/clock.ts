/**
 * The server's clock, as far as answers of `GET /time` tell it. The time that an answer names lies between the request
 * and the answer by our own clock. So each gives an interval in which the offset of the two clocks lies, and the
 * overlap of several intervals is narrower than any of them.
 */
import type { Surroundings } from './timing.js';

/** Clocks of machines drift apart by up to about 0.2 ms a second, so an old interval is widened. */
const DRIFT = 0.0002;

interface Interval {
  readonly fromMs: number;
  readonly toMs: number;
}

export class ServerClock {
  #offset: Interval | null = null;
  /** By the monotonic clock. */
  #takenMs = 0;
  /** Our clock was so far ahead of the monotonic one then. */
  #aheadMs = 0;

  constructor(private readonly around: Pick<Surroundings, 'nowMs' | 'monotonicMs'>) {}

  /** To be added to our clock for the server's time, in milliseconds; 0 before the first answer. */
  get offsetMs(): number {
    const offset = this.#offset;
    return offset === null ? 0 : (offset.fromMs + offset.toMs) / 2;
  }

  /** How far off `offsetMs` may be, in milliseconds; infinite before the first answer. */
  get uncertaintyMs(): number {
    const offset = this.#widened();
    return offset === null ? Number.POSITIVE_INFINITY : (offset.toMs - offset.fromMs) / 2;
  }

  /** By our clock and the offset. */
  nowMs(): number {
    return this.around.nowMs() + this.offsetMs;
  }

  /**
   * Takes in an answer: received now, sent for at this time of the monotonic clock, and made in this whole millisecond of
   * the server's. A contradiction replaces earlier answers: the server's clock was set.
   */
  observe(sentMs: number, serverMs: number): void {
    const known = this.#widened();
    const takenMs = this.around.monotonicMs();
    const receivedMs = this.around.nowMs();
    const tookMs = takenMs - sentMs;
    const seen = { fromMs: serverMs - receivedMs, toMs: serverMs + 1 - (receivedMs - tookMs) };
    const { fromMs, toMs } = known ?? seen;
    const both = { fromMs: Math.max(seen.fromMs, fromMs), toMs: Math.min(seen.toMs, toMs) };
    this.#offset = both.fromMs <= both.toMs ? both : seen;
    [this.#takenMs, this.#aheadMs] = [takenMs, receivedMs - takenMs];
  }

  #widened(): Interval | null {
    if (this.#offset === null) return null;
    const monotonicMs = this.around.monotonicMs();
    // Our clock has whole milliseconds. If it is further off the monotonic one than before, one was set or stood still.
    const setMs = Math.floor(Math.abs(this.around.nowMs() - monotonicMs - this.#aheadMs));
    const doubtMs = (monotonicMs - this.#takenMs) * DRIFT + setMs;
    return { fromMs: this.#offset.fromMs - doubtMs, toMs: this.#offset.toMs + doubtMs };
  }
}
