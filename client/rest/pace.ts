/**
 * Keeps the requests of one client under the server's rate limits. Every answer says how many requests are left of
 * the limit that is nearest to exhaustion, and when the oldest counted one leaves its window. While plenty are left a
 * request goes out at once; when less than a quarter is, the rest is spread over the time until more come free, so
 * that a busy bot slows down a little instead of standing still for a minute. Messages of a stream are bounded from the
 * first one on: the server ends a stream that sends far too many.
 */
import type { Surroundings } from '../base/timing.js';

/** Below this share of the limit requests are spread. */
const SPREAD_BELOW = 0.25;

export interface Burst {
  /** At most so many requests within `windowMs`. */
  readonly max: number;
  readonly windowMs: number;
}

export class Pace {
  #limit = Number.POSITIVE_INFINITY;
  #remaining = Number.POSITIVE_INFINITY;
  #resetAtMs = 0;
  #nextAtMs = 0;
  #onTheWay = 0;
  /** The last ones, at most as many as a burst may have. */
  readonly #atMs: number[] = [];

  constructor(
    private readonly around: Surroundings,
    private readonly burst: Burst | null = null,
  ) {}

  /** When the next request may be sent, if that is later than now. */
  get nextAtMs(): number {
    return this.#nextAtMs;
  }

  /** Resolves when the next request may be sent. Each caller waits behind those before it. */
  async wait(signal?: AbortSignal): Promise<void> {
    const nowMs = this.around.monotonicMs();
    const atMs = Math.max(nowMs, this.#nextAtMs);
    this.#remaining -= 1;
    this.#nextAtMs = Math.max(atMs + this.#gapMs(atMs), this.#burstEndMs(atMs));
    if (atMs > nowMs) await this.around.sleep(atMs - nowMs, signal);
  }

  /** The request that has waited goes out: a call that was aborted meanwhile sends none. */
  sent(): void {
    this.#onTheWay += 1;
  }

  /** Ends what `sent` began, with the answer's headers; null where no answer came. */
  answered(headers: Headers | null): void {
    this.#onTheWay -= 1;
    const limit = wholeNumber(headers?.get('X-RateLimit-Limit'));
    const remaining = wholeNumber(headers?.get('X-RateLimit-Remaining'));
    const resetSeconds = wholeNumber(headers?.get('X-RateLimit-Reset'));
    if (limit === null || remaining === null || resetSeconds === null) return;
    const nowMs = this.around.monotonicMs();
    this.#limit = limit;
    // The server may not have counted the requests on their way yet.
    this.#remaining = Math.max(0, remaining - this.#onTheWay);
    this.#resetAtMs = nowMs + resetSeconds * 1_000;
    const gapMs = this.#gapMs(nowMs);
    if (gapMs > 0) this.#nextAtMs = Math.max(this.#nextAtMs, nowMs + gapMs);
  }

  /** After a 429. */
  hold(delayMs: number): void {
    this.#nextAtMs = Math.max(this.#nextAtMs, this.around.monotonicMs() + delayMs);
  }

  /** When the next request fits the bound, behind one at `atMs`. */
  #burstEndMs(atMs: number): number {
    if (this.burst === null) return atMs;
    const { max, windowMs } = this.burst;
    const freed = this.#atMs.push(atMs) < max ? undefined : this.#atMs.shift();
    return freed === undefined ? atMs : freed + windowMs;
  }

  #gapMs(atMs: number): number {
    if (this.#remaining >= this.#limit * SPREAD_BELOW) return 0;
    return Math.max(0, this.#resetAtMs - atMs) / Math.max(1, this.#remaining);
  }
}

const wholeNumber = (text: string | null | undefined): number | null =>
  typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : null;
