/**
 * The heads of answers, in bytes. As a text a head would be joined, measured and encoded for every answer; nearly always
 * only the numbers differ from a head before.
 *
 * Beside the specified headers of the limits there are those of the IETF's draft
 * (draft-ietf-httpapi-ratelimit-headers-11): RateLimit-Policy has all limits, RateLimit only the one that is nearest to
 * exhaustion.
 */
import { STATUS_CODES } from 'node:http';
import { assert } from '../../engine/base/assert.js';

const ZERO = 0x30;
const EIGHT_DIGITS = 1e8;
const HEAD_BYTES_MAX = 2_048;
const NUMBER_DIGITS_MAX = 16;

/** The length of every window, and so the greatest X-RateLimit-Reset. */
const WINDOW_SECONDS = 60;

/** At most `limit` requests in a window. */
export interface RatePolicy {
  readonly name: string;
  readonly limit: number;
}

export class HeadTexts {
  /** By kind of limit: its headers up to the number of requests left. */
  readonly #limitHeads: readonly string[];
  /** By status, kind of limit, and digits of the numbers whose length moves what follows. */
  readonly #rooms = new Map<number, HeadRoom[]>();

  constructor(
    private readonly requestIdPrefix: string,
    policies: readonly RatePolicy[],
  ) {
    const all = policies.map(({ name, limit }) => `"${name}";q=${limit};w=${WINDOW_SECONDS}`).join(', ');
    this.#limitHeads = policies.map(
      ({ name, limit }) =>
        `X-RateLimit-Limit: ${limit}\r\nRateLimit-Policy: ${all}\r\nRateLimit: "${name}";r=`,
    );
  }

  /** A whole head, to be sent at once; `last` are its last lines, each behind a line end. */
  bytes(
    status: number,
    last: string,
    kind: number,
    remaining: number,
    resetSeconds: number,
    requestNumber: number,
  ): Uint8Array {
    const leftDigits = digitsOf(remaining);
    const resetDigits = digitsOf(resetSeconds);
    const place = (kind * NUMBER_DIGITS_MAX + leftDigits) * NUMBER_DIGITS_MAX + resetDigits;
    const rooms = this.#rooms.get(status) ?? [];
    const room = rooms[place] ?? this.#layOut(status, kind, leftDigits, resetDigits);
    if (rooms[place] === undefined) {
      rooms[place] = room;
      this.#rooms.set(status, rooms);
    }
    return room.head(remaining, resetSeconds, requestNumber, last);
  }

  #layOut(status: number, kind: number, leftDigits: number, resetDigits: number): HeadRoom {
    const left = '0'.repeat(leftDigits);
    const reset = '0'.repeat(resetDigits);
    const parts = [
      `${status} ${STATUS_CODES[status]}\r\n${this.#limitHeads[kind]}`,
      left,
      ';t=',
      reset,
      '\r\nX-RateLimit-Reset: ',
      reset,
      '\r\nX-RateLimit-Remaining: ',
      left,
      `\r\nX-Request-Id: ${this.requestIdPrefix}-`,
    ];
    return new HeadRoom(parts, leftDigits, resetDigits);
  }
}

/** A head whose numbers before the request's have a given length. */
class HeadRoom {
  readonly #bytes = Buffer.alloc(HEAD_BYTES_MAX);
  /** Where numbers end, in the order of the head. */
  readonly #ends: readonly number[];
  readonly #numberAt: number;
  #lastAt = 0;
  #last = '';
  #end = 0;
  /** By length. */
  readonly #views: Uint8Array[] = [];

  /** Every other part is a number: requests left, seconds, seconds, requests left. */
  constructor(
    parts: readonly string[],
    private readonly leftDigits: number,
    private readonly resetDigits: number,
  ) {
    let end = 0;
    this.#ends = parts.map((part) => {
      end += this.#bytes.write(part, end, 'latin1');
      return end;
    });
    this.#numberAt = end;
  }

  head(remaining: number, resetSeconds: number, requestNumber: number, last: string): Uint8Array {
    const bytes = this.#bytes;
    const { leftDigits, resetDigits } = this;
    const [, leftEnd = 0, , resetEnd = 0, , againEnd = 0, , lastLeftEnd = 0] = this.#ends;
    writeDigits(bytes, leftEnd, remaining, leftDigits);
    writeDigits(bytes, resetEnd, resetSeconds, resetDigits);
    writeDigits(bytes, againEnd, resetSeconds, resetDigits);
    writeDigits(bytes, lastLeftEnd, remaining, leftDigits);
    const digits = digitsOf(requestNumber);
    const lastAt = this.#numberAt + digits;
    writeDigits(bytes, lastAt, requestNumber, digits);
    if (lastAt !== this.#lastAt || last !== this.#last) this.#writeLast(lastAt, last);
    this.#views[this.#end] ??= bytes.subarray(0, this.#end);
    return this.#views[this.#end] ?? bytes;
  }

  #writeLast(lastAt: number, last: string): void {
    [this.#lastAt, this.#last] = [lastAt, last];
    assert(lastAt + last.length <= HEAD_BYTES_MAX, 'a head has room');
    this.#end = lastAt + this.#bytes.write(last, lastAt, 'latin1');
  }
}

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
