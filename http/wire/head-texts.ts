/**
 * The parts of an answer's head that many answers share, each a flat string: V8 would flatten a rope again for every
 * answer.
 */
import { flattenString } from '../../engine/base/flatten-string.js';
import { integerText } from '../../engine/base/integer-text.js';

const LIMIT = 'X-RateLimit-Limit: ';
const REMAINING = '\r\nX-RateLimit-Remaining: ';
const RESET = '\r\nX-RateLimit-Reset: ';
const REQUEST_ID = '\r\nX-Request-Id: ';

/** The greatest X-RateLimit-Reset: a window lasts a minute. */
const RESET_SECONDS_MAX = 60;
/** A power of two; there are four limits. */
const LIMITS_KEPT = 16;

export class HeadTexts {
  /** By the low bits of the limit. */
  readonly #limits = new Array<number>(LIMITS_KEPT).fill(-1);
  readonly #limitHeads = new Array<string>(LIMITS_KEPT).fill('');
  readonly #jsonHeads = new Array<string>(LIMITS_KEPT).fill('');
  /** By seconds until the reset. */
  readonly #resets: readonly string[];

  /** `requestIdPrefix` is the first part of every request's id. */
  constructor(private readonly requestIdPrefix: string) {
    const seconds = Array.from({ length: RESET_SECONDS_MAX + 1 }, (_, at) => at);
    this.#resets = seconds.map((resetSeconds) => flattenString(this.#tail(resetSeconds)));
  }

  /** The text from Content-Type, for JSON, to the name of X-RateLimit-Remaining. */
  jsonHead(limit: number): string {
    return this.#jsonHeads[this.#slotOf(limit)] as string;
  }

  /** The text from X-RateLimit-Limit to the name of X-RateLimit-Remaining. */
  limitHead(limit: number): string {
    return this.#limitHeads[this.#slotOf(limit)] as string;
  }

  #slotOf(limit: number): number {
    const slot = limit & (LIMITS_KEPT - 1);
    if (this.#limits[slot] !== limit) {
      const head = `${LIMIT}${integerText(limit)}${REMAINING}`;
      this.#limitHeads[slot] = flattenString(head);
      this.#jsonHeads[slot] = flattenString(`Content-Type: application/json\r\n${head}`);
      this.#limits[slot] = limit;
    }
    return slot;
  }

  /** The text from the value of X-RateLimit-Remaining to the end of X-Request-Id. */
  tail(remaining: number, resetSeconds: number, requestNumber: number): string {
    const reset = this.#resets[resetSeconds] ?? this.#tail(resetSeconds);
    return `${integerText(remaining)}${reset}${integerText(requestNumber)}`;
  }

  #tail(resetSeconds: number): string {
    return `${RESET}${integerText(resetSeconds)}${REQUEST_ID}${this.requestIdPrefix}-`;
  }
}
