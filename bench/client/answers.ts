/**
 * Checks responses and records the server's commitments: how many requests of each template succeeded, and which bets
 * were named. The audit compares this record with the server's books afterwards.
 */
import { assert, must } from '../../engine/base/assert.js';
import { parsedJson } from '../../engine/base/attempt.js';
import { COMPLETE, type Frame, frameHttp, INCOMPLETE } from './framing.js';
import type { ClientResult, Expectation, RequestTemplate } from './job.js';
import { FULL_CHECK_EVERY } from './job.js';

const ZERO = 48;
const CODES_MAX = 50;
const EXAMPLE_BYTES_MAX = 300;
const ERROR = /^\{"success":false,"error":"([a-z_]+)/;
/** Only pages of numbers that a number falls into are kept, however high the numbers are. */
const PAGE_NUMBERS = 2 ** 20;

export const WAITING = 0;
export const EXPECTED = 1;
const UNEXPECTED = 2;
type Checked = typeof WAITING | typeof EXPECTED | typeof UNEXPECTED;

export class Answers {
  readonly #templates: readonly RequestTemplate[];
  readonly #expectations: readonly { readonly want: Expectation; readonly start: Buffer }[];
  readonly #acknowledged: Float64Array;
  readonly #failures = new Map<string, { count: number; example: string }>();
  readonly #frame: Frame = { status: 0, bodyAt: 0, endAt: 0, isLast: false };
  /** The template of the request that was answered with a number, and 1; 0 for no answer. */
  readonly #seen = new Map<number, Uint32Array>();
  #distinct = 0;
  #repeated = 0;
  #checked = 0;
  #failed = 0;

  constructor(templates: readonly RequestTemplate[], expectations: readonly Expectation[]) {
    this.#templates = templates;
    this.#expectations = expectations.map((want) => ({ want, start: Buffer.from(want.bodyStart, 'latin1') }));
    this.#acknowledged = new Float64Array(templates.length);
  }

  get failed(): number {
    return this.#failed;
  }

  /** Whether the server closes the connection of the answer just checked. */
  get isLast(): boolean {
    return this.#frame.isLast;
  }

  /** The template whose answer named this number first; null if none did. */
  templateOf(number: number): number | null {
    const seen = this.#seen.get(Math.floor(number / PAGE_NUMBERS))?.[number % PAGE_NUMBERS] ?? 0;
    return seen === 0 ? null : seen - 1;
  }

  /**
   * Checks the first `end` bytes, the response to a request of `template`. Throws if the bytes cannot be framed or
   * continue after the response: there is no pipelining.
   */
  check(template: number, bytes: Buffer, end: number): Checked {
    const expect = must(this.#templates[template], 'template').expect;
    const { want, start } = must(this.#expectations[expect], 'expectation');
    const framing = frameHttp(bytes, end, this.#frame);
    if (framing === INCOMPLETE) return WAITING;
    const { status, bodyAt, endAt } = this.#frame;
    if (framing !== COMPLETE) throw new Error(`not an answer with a Content-Length: ${excerpt(bytes, end)}`);
    if (endAt !== end) throw new Error(`${end - endAt} bytes follow an answer`);
    const isGood = status === want.status && beginsWith(bytes, bodyAt, start) && endsAsJson(bytes, end);
    if (isGood && this.#fullyGood(want, bytes, bodyAt, end)) {
      this.#acknowledged[template] = (this.#acknowledged[template] as number) + 1;
      if (want.numbered) this.#note(numberAt(bytes, bodyAt + start.length, end), template);
      return EXPECTED;
    }
    const body = bytes.toString('latin1', bodyAt, Math.min(end, bodyAt + EXAMPLE_BYTES_MAX));
    this.noteFailure(ERROR.exec(body)?.[1] ?? `unexpected ${status}`, `${excerpt(bytes, 12)} ${body}`);
    return UNEXPECTED;
  }

  noteFailure(code: string, example: string): void {
    this.#failed += 1;
    const name = this.#failures.has(code) || this.#failures.size < CODES_MAX ? code : 'others';
    const known = this.#failures.get(name);
    if (known === undefined) this.#failures.set(name, { count: 1, example });
    else known.count += 1;
  }

  #fullyGood(want: Expectation, bytes: Buffer, bodyAt: number, end: number): boolean {
    this.#checked += 1;
    if (this.#checked % FULL_CHECK_EVERY !== 1) return true;
    const head = bytes.toString('latin1', 0, bodyAt).toLowerCase();
    if (!want.headers.every((header) => head.includes(`\r\n${header.toLowerCase()}`))) return false;
    return parsedJson(bytes.toString('utf8', bodyAt, end)) !== undefined;
  }

  /** Pages: a map of millions of numbers would slow the client down. */
  #note(number: number, template: number): void {
    assert(number > 0 && Number.isSafeInteger(number), `an answer carries the number ${number}`);
    if (this.templateOf(number) !== null) {
      this.#repeated += 1;
      return;
    }
    this.#distinct += 1;
    const pageAt = Math.floor(number / PAGE_NUMBERS);
    let page = this.#seen.get(pageAt);
    if (page === undefined) {
      page = new Uint32Array(PAGE_NUMBERS);
      this.#seen.set(pageAt, page);
    }
    page[number % PAGE_NUMBERS] = template + 1;
  }

  record(): Pick<ClientResult, 'acknowledged' | 'numbers' | 'failures'> {
    return {
      acknowledged: [...this.#acknowledged],
      numbers: { distinct: this.#distinct, repeated: this.#repeated },
      failures: [...this.#failures].map(([code, { count, example }]) => ({ code, count, example })),
    };
  }
}

function beginsWith(bytes: Buffer, at: number, start: Buffer): boolean {
  for (let index = 0; index < start.length; index += 1) {
    if (bytes[at + index] !== start[index]) return false;
  }
  return true;
}

/** `}` or `]`: detects a body truncated by a wrong length. */
function endsAsJson(bytes: Buffer, end: number): boolean {
  return bytes[end - 1] === 125 || bytes[end - 1] === 93;
}

function numberAt(bytes: Buffer, from: number, end: number): number {
  let number = 0;
  for (let at = from; at < end; at += 1) {
    const value = (bytes[at] as number) - ZERO;
    if (value < 0 || value > 9) break;
    number = number * 10 + value;
  }
  return number;
}

const excerpt = (bytes: Buffer, end: number): string =>
  bytes.toString('latin1', 0, Math.min(end, EXAMPLE_BYTES_MAX));
