/**
 * The parts of an answer's head that many answers share, each a flat string: V8 would flatten a rope again for every
 * answer.
 *
 * Beside the specified headers of the limits there are those of the IETF's draft
 * (draft-ietf-httpapi-ratelimit-headers-11): RateLimit-Policy has all limits, RateLimit only the one that is nearest to
 * exhaustion.
 */
import { flattenString } from '../../engine/base/flatten-string.js';
import { integerText } from '../../engine/base/integer-text.js';

interface Policy {
  readonly name: string;
  readonly limit: number;
}

/** The length of every window, and so the greatest X-RateLimit-Reset. */
const WINDOW_SECONDS = 60;

export class HeadTexts {
  /** By kind of limit. */
  readonly #limitHeads: readonly string[];
  readonly #jsonHeads: readonly string[];
  /** By seconds until the reset. */
  readonly #resets: readonly string[];
  readonly #requestId: string;

  constructor(requestIdPrefix: string, policies: readonly Policy[]) {
    const all = policies.map(({ name, limit }) => `"${name}";q=${limit};w=${WINDOW_SECONDS}`).join(', ');
    const heads = policies.map(
      ({ name, limit }) =>
        `X-RateLimit-Limit: ${limit}\r\nRateLimit-Policy: ${all}\r\nRateLimit: "${name}";r=`,
    );
    this.#limitHeads = heads.map(flattenString);
    this.#jsonHeads = heads.map((head) => flattenString(`Content-Type: application/json\r\n${head}`));
    const seconds = Array.from({ length: WINDOW_SECONDS + 1 }, (_, at) => at);
    this.#resets = seconds.map((resetSeconds) => flattenString(resetText(resetSeconds)));
    this.#requestId = flattenString(`\r\nX-Request-Id: ${requestIdPrefix}-`);
  }

  /** From Content-Type, for JSON, up to the number of requests left in RateLimit. */
  jsonHead(kind: number): string {
    return this.#jsonHeads[kind] as string;
  }

  /** The same without Content-Type. */
  limitHead(kind: number): string {
    return this.#limitHeads[kind] as string;
  }

  /** From that number to the end of X-Request-Id. */
  tail(remaining: number, resetSeconds: number, requestNumber: number): string {
    const left = integerText(remaining);
    const reset = this.#resets[resetSeconds] ?? resetText(resetSeconds);
    return `${left}${reset}${left}${this.#requestId}${integerText(requestNumber)}`;
  }
}

const resetText = (resetSeconds: number): string =>
  `;t=${resetSeconds}\r\nX-RateLimit-Reset: ${resetSeconds}\r\nX-RateLimit-Remaining: `;
