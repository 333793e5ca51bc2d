/** One request on its way through the API, and the headers that stand on every answer. */
import type { HttpRequest, HttpResponder } from '../../engine/ports.js';
import type { RateLimits } from '../rate-limits.js';
import type { Refused } from './refused.js';

/** What an operation comes to: a refusal, or null where it answers itself, at once or later. */
export type Verdict = Refused | null;

/** Header names and values in turn. */
export type ExtraHeaders = readonly string[];

const NO_HEADERS: ExtraHeaders = [];

export class Call {
  /** Number of the key and of its account, once the key is known to be good; 0 before. */
  key = 0;
  account = 0;
  /** The limit that is nearest to exhaustion, as the headers tell it. */
  limit = 0;
  remaining = 0;
  resetSeconds = 0;

  constructor(
    readonly request: HttpRequest,
    readonly responder: HttpResponder,
    readonly requestId: string,
    /** Wall-clock time at which the request was taken up, in milliseconds. */
    readonly nowMs: number,
    /** The same instant on the clock of the rate limits. */
    readonly limitsNowMs: number,
  ) {}

  /** Keeps what the headers of the answer will say, as the limits stand now. */
  noteLimits({ limit, remaining, resetSeconds }: RateLimits): void {
    this.limit = limit;
    this.remaining = remaining;
    this.resetSeconds = resetSeconds;
  }

  /** Answers with a body in the envelope. Null, for an operation to return. */
  send(status: number, body: string | Uint8Array, extra: ExtraHeaders = NO_HEADERS): null {
    const headers = ['Content-Type', 'application/json'];
    this.#pushCommon(headers);
    // Only what answers a GET can be stored by anyone on the way without being told so.
    if (this.request.method !== 'POST') headers.push('Cache-Control', 'no-store');
    for (const text of extra) headers.push(text);
    this.responder.send(status, headers, body);
    return null;
  }

  refuse(refused: Refused, extra: ExtraHeaders = NO_HEADERS): null {
    return this.send(refused.status, refused.body, extra);
  }

  /** Answers with headers of another kind of body, or of none. */
  sendOther(status: number, headers: ExtraHeaders, body: string | Uint8Array): null {
    const all = [...headers];
    this.#pushCommon(all);
    this.responder.send(status, all, body);
    return null;
  }

  #pushCommon(headers: string[]): void {
    headers.push(
      'X-RateLimit-Limit',
      `${this.limit}`,
      'X-RateLimit-Remaining',
      `${this.remaining}`,
      'X-RateLimit-Reset',
      `${this.resetSeconds}`,
      'X-Request-Id',
      this.requestId,
    );
  }
}
