/**
 * The parts of an answer's head that many answers share, each a flat string: V8 would flatten a rope again for every
 * answer.
 *
 * Beside the specified headers of the limits there are those of the IETF's draft
 * (draft-ietf-httpapi-ratelimit-headers-11): RateLimit-Policy has all limits, RateLimit only the one that is nearest to
 * exhaustion.
 */
import { assert } from '../../engine/base/assert.js';
import { flattenString } from '../../engine/base/flatten-string.js';
import { integerText } from '../../engine/base/integer-text.js';

interface Policy {
  readonly name: string;
  readonly limit: number;
}

const ZERO = 0x30;
const EIGHT_DIGITS = 1e8;
const HEAD_BYTES_MAX = 4_096;
const NUMBER_DIGITS_MAX = 16;

/** The length of every window, and so the greatest X-RateLimit-Reset. */
const WINDOW_SECONDS = 60;

export class HeadTexts {
  /** By kind of limit. */
  readonly #limitHeads: readonly string[];
  readonly #jsonHeads: readonly string[];
  /** By seconds until the reset. */
  readonly #resets: readonly string[];
  readonly #requestId: string;
  /** The last head in bytes, what it was made for, and where its numbers are. */
  readonly #room = Buffer.alloc(HEAD_BYTES_MAX);
  #first = '';
  #kind = -1;
  #resetSeconds = -1;
  #digits = 0;
  #leftAt = 0;
  #againAt = 0;
  #numberAt = 0;
  /** By length. */
  readonly #views: Uint8Array[] = [];

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

  /**
   * A whole head, `first` its status line and first headers, to be sent at once. A text would be joined, measured and
   * encoded for every answer; in bytes, nearly always only the numbers differ from the last head.
   */
  bytes(
    first: string,
    kind: number,
    remaining: number,
    resetSeconds: number,
    requestNumber: number,
  ): Uint8Array {
    const digits = digitsOf(remaining);
    const isLaidOut = kind === this.#kind && resetSeconds === this.#resetSeconds && digits === this.#digits;
    if (!isLaidOut || first !== this.#first) this.#layOut(first, kind, resetSeconds, digits);
    writeDigits(this.#room, this.#leftAt + digits, remaining, digits);
    writeDigits(this.#room, this.#againAt + digits, remaining, digits);
    const numberDigits = digitsOf(requestNumber);
    const end = this.#numberAt + numberDigits;
    writeDigits(this.#room, end, requestNumber, numberDigits);
    this.#views[end] ??= this.#room.subarray(0, end);
    return this.#views[end];
  }

  #layOut(first: string, kind: number, resetSeconds: number, digits: number): void {
    [this.#first, this.#kind, this.#resetSeconds, this.#digits] = [first, kind, resetSeconds, digits];
    const room = this.#room;
    const write = (text: string, at: number): number => at + room.write(text, at, 'latin1');
    this.#leftAt = write(this.limitHead(kind), write(`${first}\r\n`, 0));
    this.#againAt = write(this.#resets[resetSeconds] ?? resetText(resetSeconds), this.#leftAt + digits);
    this.#numberAt = write(this.#requestId, this.#againAt + digits);
    assert(this.#numberAt < HEAD_BYTES_MAX - NUMBER_DIGITS_MAX, 'a head has room');
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

function digitsOf(value: number): number {
  let digits = 1;
  for (let power = 10; value >= power; power *= 10) digits++;
  return digits;
}

/** The last digit stands just before `end`. */
function writeDigits(room: Uint8Array, end: number, value: number, digits: number): void {
  let word = value | 0;
  if (word !== value) {
    const high = Math.floor(value / EIGHT_DIGITS);
    writeDigits(room, end - 8, high, digits - 8);
    writeDigits(room, end, value - high * EIGHT_DIGITS, 8);
    return;
  }
  for (let at = end - 1; at >= end - digits; at--) {
    const tens = (word / 10) | 0;
    room[at] = ZERO + word - tens * 10;
    word = tens;
  }
}
