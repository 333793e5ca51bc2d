/** One request on its way through the API, and the headers that stand on every answer. */
import type { HttpRequest, HttpResponder } from '../../engine/ports.js';
import { wholeText } from '../../engine/whole-text.js';
import type { RateLimits } from '../rate-limits.js';
import type { Refused } from './refused.js';

/** What an operation comes to: a refusal, or null where it answers itself, at once or later. */
export type Verdict = Refused | null;

/** Header names and values in turn. */
export type ExtraHeaders = readonly string[];

const NO_HEADERS: ExtraHeaders = [];
const LIMIT = 'X-RateLimit-Limit: ';
const JSON_LIMIT = `Content-Type: application/json\r\n${LIMIT}`;
const REMAINING = '\r\nX-RateLimit-Remaining: ';
const RESET = '\r\nX-RateLimit-Reset: ';
const NO_STORE = '\r\nCache-Control: no-store';

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
    /** Line's end, name and prefix of the request's id, which ends with its number. */
    private readonly requestIdHead: string,
    private readonly requestNumber: number,
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
    let block = JSON_LIMIT + this.#common;
    // Only what answers a GET can be stored by anyone on the way without being told so.
    if (this.request.method !== 'POST') block += NO_STORE;
    for (let at = 0; at < extra.length; at += 2) block += `\r\n${extra[at]}: ${extra[at + 1]}`;
    this.responder.send(status, block, body);
    return null;
  }

  refuse(refused: Refused, extra: ExtraHeaders = NO_HEADERS): null {
    return this.send(refused.status, refused.body, extra);
  }

  /** Answers with headers of another kind of body, or of none. */
  sendOther(status: number, headers: ExtraHeaders, body: string | Uint8Array): null {
    let block = '';
    for (let at = 0; at < headers.length; at += 2) block += `${headers[at]}: ${headers[at + 1]}\r\n`;
    this.responder.send(status, block + LIMIT + this.#common, body);
    return null;
  }

  /** Value of the limit and what follows it on every answer. */
  get #common(): string {
    return `${wholeText(this.limit)}${REMAINING}${wholeText(this.remaining)}${RESET}${wholeText(this.resetSeconds)}${this.requestIdHead}${wholeText(this.requestNumber)}`;
  }
}
