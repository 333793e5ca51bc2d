/** One request on its way through the API, and the headers that stand on every answer. */
import type { HttpRequest, HttpResponder } from '../../engine/model/ports.js';
import type { Refused } from '../kit/refused.js';
import type { RateLimits } from '../limits/rate-limits.js';
import type { HeadTexts } from '../wire/head-texts.js';

/** What an operation comes to: a refusal, or null where it answers itself, at once or later. */
export type Verdict = Refused | null;

/** Header names and values in turn. */
export type ExtraHeaders = readonly string[];

const NO_HEADERS: ExtraHeaders = [];
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
    private readonly texts: HeadTexts,
    /** Ends the request's id. */
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
    let block = this.texts.jsonHead(this.limit) + this.#tail;
    // Only what answers a GET can be stored by anyone on the way without being told so.
    if (this.request.method !== 'POST') block += NO_STORE;
    for (let at = 0; at < extra.length; at += 2) block += `\r\n${extra[at]}: ${extra[at + 1]}`;
    this.responder.send(status, block, body);
    return null;
  }

  refuse(refused: Refused, extra: ExtraHeaders = refused.headers): null {
    return this.send(refused.status, refused.body, extra);
  }

  /** Answers with headers of another kind of body, or of none. */
  sendOther(status: number, headers: ExtraHeaders, body: string | Uint8Array): null {
    let block = '';
    for (let at = 0; at < headers.length; at += 2) block += `${headers[at]}: ${headers[at + 1]}\r\n`;
    this.responder.send(status, block + this.texts.limitHead(this.limit) + this.#tail, body);
    return null;
  }

  /** What ends the headers of every answer. */
  get #tail(): string {
    return this.texts.tail(this.remaining, this.resetSeconds, this.requestNumber);
  }
}
