/** One request on its way through the public API, and the headers of its answer. */
import type { KeyLimit } from '../../config/rate-limits.js';
import type { HeadBytes, HttpRequest, HttpResponder } from '../../engine/model/ports.js';
import { headerLines } from '../kit/header-lines.js';
import { type Given, parsePathId, parseQuery } from '../kit/params.js';
import { Refused } from '../kit/refused.js';
import { isNamed, type TaggedBody } from '../kit/tagged-body.js';
import { type Counted, keyLimitOf, type RateLimits } from '../limits/rate-limits.js';
import { type GatewayMeter, NO_ROUTE } from '../metrics/gateway-meter.js';
import type { HeadTexts } from '../wire/head-texts.js';
import { successText } from '../wire/wire.js';
import { type ParsedOrder, parseOrder } from './order-request.js';

const OK = 200;
export const CREATED = 201;
const NOT_MODIFIED = 304;
const NO_HEADERS: Refused['headers'] = [];
const REPLAY_HEADER = ['X-Idempotent-Replay', 'true'];
const JSON_TYPE = '\r\nContent-Type: application/json';
/** Caches may store the answer to a GET unless forbidden. */
const UNSTORED_JSON = `${JSON_TYPE}\r\nCache-Control: no-store`;

export class Call implements Counted {
  route = NO_ROUTE;
  /**
   * Numbers of the key and of its account, once the key has been found valid; 0 before. The key of a stream was found
   * when it opened.
   */
  key = 0;
  account = 0;
  wantsReceipt = false;
  /** Values of the path's `{...}` parts, in order and as the client sent them. */
  params: readonly string[] = [];
  /** By the request's method, until its operation says otherwise. */
  keyLimit: KeyLimit;
  /** For the headers: the kind of the limit that is nearest to exhaustion, and what is left of it. */
  limitKind = 0;
  remaining = 0;
  resetSeconds = 0;
  /** Whole seconds until a request that the limits refuse fits them; 0 for any other. */
  retryAfterSeconds = 0;

  constructor(
    readonly request: HttpRequest,
    readonly responder: HttpResponder,
    private readonly texts: HeadTexts,
    protected readonly meter: GatewayMeter,
    /** The last part of the request's id; 0 for an order of a stream. */
    readonly requestNumber: number,
    /** Wall-clock time at which handling began. */
    readonly nowMs: number,
    /** The same instant on the clock of the rate limits. */
    readonly limitsNowMs: number,
    /** The same instant, monotonic. */
    readonly startedMs: number,
  ) {
    this.keyLimit = keyLimitOf(request.method);
  }

  get address(): string {
    return this.request.address;
  }

  noteLimits({ kind, remaining, resetSeconds, retryAfterSeconds }: RateLimits): void {
    this.limitKind = kind;
    this.remaining = remaining;
    this.resetSeconds = resetSeconds;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** The first of the path's parts, decoded. */
  id(name = 'id'): string {
    return parsePathId(this.params[0] ?? '', name);
  }

  query(known: readonly string[]): Given {
    return parseQuery(this.request.query, known);
  }

  /** Runs `work`, and answers with the refusal that it throws, if any. */
  attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.refuse(error);
    }
  }

  send(status: number, body: string | Uint8Array, extra = NO_HEADERS): void {
    const type = this.request.method === 'POST' ? JSON_TYPE : UNSTORED_JSON;
    this.#answer(status, type + headerLines(extra), body);
  }

  sendData<T>(data: T): void {
    this.send(OK, Buffer.from(successText(JSON.stringify(data))));
  }

  /** `dataText` is JSON in ASCII. */
  sendText(dataText: string): void {
    this.send(OK, successText(dataText));
  }

  /** `nextCursor` is null on the last page. */
  sendPage<T>(data: readonly T[], nextCursor: string | null): void {
    this.send(OK, Buffer.from(JSON.stringify({ success: true, data, nextCursor })));
  }

  /** The Content-Type must be known to be JSON. */
  order(): ParsedOrder {
    return parseOrder(this.request.body);
  }

  /** `dataText` is the JSON of an OrderResult. */
  sendOrder(dataText: string, isReplay: boolean): void {
    this.send(CREATED, successText(dataText), isReplay ? REPLAY_HEADER : NO_HEADERS);
  }

  refuse(refused: Refused, extra = refused.headers): void {
    this.meter.refused(refused.code);
    this.send(refused.status, refused.body, extra);
  }

  sendEmpty(status: number, headers: Refused['headers']): void {
    this.#answer(status, headerLines(headers), '');
  }

  /** Answers with 304 if the client has the form that suits it. */
  sendTagged(body: TaggedBody): void {
    const { acceptEncoding, ifNoneMatch } = this.request;
    const form = body.form(acceptEncoding);
    if (isNamed(form.etag, ifNoneMatch)) this.#answer(NOT_MODIFIED, form.notModifiedHead, '');
    else this.#answer(OK, form.head, form.bytes);
  }

  #answer(status: number, last: string, body: string | Uint8Array): void {
    this.meter.answered(this.route, status);
    this.responder.send(status, this.head(status, last), body);
  }

  /** The headers of every answer, then `last`. */
  head(status: number, last = ''): HeadBytes {
    const { limitKind, remaining, resetSeconds, requestNumber } = this;
    return this.texts.bytes(status, last, limitKind, remaining, resetSeconds, requestNumber);
  }
}
