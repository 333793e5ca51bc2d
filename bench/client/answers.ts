/**
 * Checks responses and records what the server has committed itself to: how many requests of each template succeeded,
 * and which bets were named. The suite compares this record with the server's ledger afterwards.
 */
import { assert, must } from '../../engine/base/assert.js';
import { COMPLETE, type Frame, frameHttp, INCOMPLETE } from './framing.js';
import type { ClientResult, Expectation, RequestTemplate } from './job.js';
import { FULL_CHECK_EVERY } from './job.js';

const ZERO = 48;
/** Unexpected responses that are counted separately; the rest count as the last. */
const UNEXPECTED_KINDS_MAX = 20;
const UNEXPECTED_BYTES_MAX = 160;
/** Highest bet number for which repetition is detected: 2^28 bits are 32 MB. */
const NUMBERS_MAX = 2 ** 28;

/** Result of `check`. */
export const WAITING = 0;
export const ANSWERED = 1;

export class Answers {
  readonly #templates: readonly RequestTemplate[];
  readonly #expectations: readonly {
    readonly want: Expectation;
    readonly start: Buffer;
    readonly refusals: readonly Buffer[];
  }[];
  readonly #acknowledged: Float64Array;
  readonly #unexpected = new Map<string, number>();
  readonly #frame: Frame = { status: 0, bodyAt: 0, endAt: 0 };
  #seen = new Uint8Array(1 << 16);
  #distinct = 0;
  #repeated = 0;
  #checkedCount = 0;
  #refused = 0;

  constructor(templates: readonly RequestTemplate[], expectations: readonly Expectation[]) {
    this.#templates = templates;
    this.#expectations = expectations.map((want) => ({
      want,
      start: Buffer.from(want.protocol === 'http' ? want.bodyStart : want.reply, 'latin1'),
      refusals:
        want.protocol === 'http' ? (want.refusals?.bodyStarts ?? []).map((text) => Buffer.from(text)) : [],
    }));
    this.#acknowledged = new Float64Array(templates.length);
  }

  /**
   * Checks the first `end` bytes, the response to a request of `template`. Returns `WAITING` if it is incomplete,
   * else `ANSWERED`. Throws if the bytes cannot be framed or continue after the response: there is no pipelining.
   */
  check(template: number, bytes: Buffer, end: number): typeof WAITING | typeof ANSWERED {
    const { want, start, refusals } = must(
      this.#expectations[must(this.#templates[template], 'template').expect],
      'expectation',
    );
    if (want.protocol === 'resp') return this.#checkResp(template, start, bytes, end);
    const framing = frameHttp(bytes, end, this.#frame);
    if (framing === INCOMPLETE) return WAITING;
    const { status, bodyAt, endAt } = this.#frame;
    if (framing !== COMPLETE) throw new Error(`not an answer: ${excerpt(bytes, end)}`);
    if (endAt !== end) throw new Error(`${end - endAt} bytes follow an answer`);
    const good = status === want.status && beginsWith(bytes, bodyAt, start) && endsAsJson(bytes, end);
    if (good && this.#fullyGood(want, bytes, bodyAt, end)) {
      this.#acknowledged[template] = (this.#acknowledged[template] as number) + 1;
      if (want.numbered) this.#note(numberAt(bytes, bodyAt + start.length, end));
    } else if (
      status === want.refusals?.status &&
      refusals.some((refusal) => beginsWith(bytes, bodyAt, refusal)) &&
      endsAsJson(bytes, end)
    ) {
      this.#refused += 1;
    } else this.#noteUnexpected(excerpt(bytes, 12) + bytes.toString('latin1', bodyAt, end));
    return ANSWERED;
  }

  #checkResp(template: number, reply: Buffer, bytes: Buffer, end: number): typeof WAITING | typeof ANSWERED {
    if (bytes[end - 1] !== 10) return WAITING;
    if (end === reply.length && beginsWith(bytes, 0, reply)) {
      this.#acknowledged[template] = (this.#acknowledged[template] as number) + 1;
    } else this.#noteUnexpected(excerpt(bytes, end));
    return ANSWERED;
  }

  #fullyGood(want: Expectation & { protocol: 'http' }, bytes: Buffer, bodyAt: number, end: number): boolean {
    this.#checkedCount += 1;
    if (this.#checkedCount % FULL_CHECK_EVERY !== 1) return true;
    const head = bytes.toString('latin1', 0, bodyAt).toLowerCase();
    if (!want.headers.every((header) => head.includes(`\r\n${header.toLowerCase()}`))) return false;
    try {
      JSON.parse(bytes.toString('utf8', bodyAt, end));
      return true;
    } catch {
      return false;
    }
  }

  /** A bitmap: a set of millions of numbers would slow the client down. */
  #note(number: number): void {
    assert(number > 0 && number < NUMBERS_MAX, `an answer carries the number ${number}`);
    const at = number >>> 3;
    while (at >= this.#seen.length) {
      const grown = new Uint8Array(this.#seen.length * 2);
      grown.set(this.#seen);
      this.#seen = grown;
    }
    const bit = 1 << (number & 7);
    const byte = this.#seen[at] as number;
    if ((byte & bit) === 0) this.#distinct += 1;
    else this.#repeated += 1;
    this.#seen[at] = byte | bit;
  }

  #noteUnexpected(answer: string): void {
    const kind = answer.slice(0, UNEXPECTED_BYTES_MAX);
    const known = this.#unexpected.has(kind) || this.#unexpected.size < UNEXPECTED_KINDS_MAX;
    const name = known ? kind : 'others';
    this.#unexpected.set(name, (this.#unexpected.get(name) ?? 0) + 1);
  }

  record(): Pick<ClientResult, 'acknowledged' | 'refused' | 'numbers' | 'unexpected'> {
    return {
      acknowledged: [...this.#acknowledged],
      refused: this.#refused,
      numbers: { distinct: this.#distinct, repeated: this.#repeated },
      unexpected: [...this.#unexpected].map(([answer, count]) => ({ answer, count })),
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
  bytes.toString('latin1', 0, Math.min(end, UNEXPECTED_BYTES_MAX));
