/**
 * What is read of a request's headers, in one pass over all of them. One pass rather than a look-up for each
 * name, because only it shows a header that is there twice: two lengths are two opinions on where the request
 * ends, and whoever is in front of this server may hold the other one (request smuggling).
 *
 * The same pass finds out whether the library has dropped bytes of a value: where each line is `name: value` and
 * nothing else, every line ends where the lengths of those before it say. If not, `sent-head.ts` reads the head again.
 */

import type { UwsRequest } from './library.js';
import { sentHeaders } from './sent-head.js';

const API_KEY = 'x-api-key';
const CONTENT_TYPE = 'content-type';
const CONTENT_ENCODING = 'content-encoding';
const AUTHORIZATION = 'authorization';
const IF_NONE_MATCH = 'if-none-match';
const CONTENT_LENGTH = 'content-length';
const IDEMPOTENCY_KEY = 'idempotency-key';
const FORWARDED_FOR = 'x-forwarded-for';
const TRANSFER_ENCODING = 'transfer-encoding';
const VERSION = ' HTTP/1.1';
const LINE_END_CHARS = 2;
const ZERO = 48;
const SPACE = 0x20;
const CARRIAGE_RETURN = 0x0d;

export class RequestHeaders {
  /** What the event loop has just received begins here (`receive-buffer.ts`); null where that cannot be seen. */
  received: Uint8Array | null = null;
  /** null where the header is absent. Different values of one name are joined by `, `, equal ones are one. */
  apiKey: string | null = null;
  idempotencyKey: string | null = null;
  contentType: string | null = null;
  contentEncoding: string | null = null;
  authorization: string | null = null;
  ifNoneMatch: string | null = null;
  forwardedFor: string | null = null;
  contentLength: string | null = null;
  transferEncoding: string | null = null;
  /** Where the next line begins in `received`, if all before it are as the library tells them; else -1. */
  #lineAt = 0;

  /** Takes all headers of a request; `query` is undefined where its target has no question mark. */
  read(request: UwsRequest, method: string, path: string, query: string | undefined): void {
    this.#clear();
    const targetChars = path.length + (query === undefined ? 0 : query.length + 1);
    this.#lineAt =
      this.received === null ? -1 : method.length + 1 + targetChars + VERSION.length + LINE_END_CHARS;
    request.forEach(this.#takeTold);
    if (this.#lineAt < 0 && this.received !== null) {
      this.#readAgain(request, this.received, `${method} ${path}${query === undefined ? '' : `?${query}`}`);
    }
  }

  #readAgain(request: UwsRequest, received: Uint8Array, start: string): void {
    const told: [string, string][] = [];
    request.forEach((name, value) => {
      told.push([name, value]);
    });
    const sent = sentHeaders(received, start + VERSION, told);
    if (sent === null) return;
    this.#clear();
    for (const [name, value] of sent) this.#take(name, value);
  }

  #clear(): void {
    this.apiKey = null;
    this.idempotencyKey = null;
    this.contentType = null;
    this.contentEncoding = null;
    this.authorization = null;
    this.ifNoneMatch = null;
    this.forwardedFor = null;
    this.contentLength = null;
    this.transferEncoding = null;
  }

  readonly #takeTold = (lowerCaseName: string, value: string): void => {
    const { received } = this;
    if (this.#lineAt >= 0 && received !== null) {
      const valueAt = this.#lineAt + lowerCaseName.length + 2;
      const endAt = valueAt + value.length;
      const isWhole = received[valueAt - 1] === SPACE && received[endAt] === CARRIAGE_RETURN;
      this.#lineAt = isWhole ? endAt + LINE_END_CHARS : -1;
    }
    this.#take(lowerCaseName, value);
  };

  /**
   * Takes one header. A joined value is valid for none of the headers read here: no API key, Idempotency-Key,
   * token or length contains a comma and a space, so that two different ones are refused like a malformed one.
   */
  #take(lowerCaseName: string, value: string): void {
    // By length first, in which of these names only two pairs agree: most headers are of no interest here, and
    // comparing each with all names took longer than all else that is done with it.
    switch (lowerCaseName.length) {
      case API_KEY.length:
        if (lowerCaseName === API_KEY) this.apiKey = joined(this.apiKey, value);
        break;
      case CONTENT_TYPE.length:
        if (lowerCaseName === CONTENT_TYPE) this.contentType = joined(this.contentType, value);
        break;
      case CONTENT_ENCODING.length:
        if (lowerCaseName === CONTENT_ENCODING) this.contentEncoding = listed(this.contentEncoding, value);
        break;
      case AUTHORIZATION.length:
        if (lowerCaseName === AUTHORIZATION) this.authorization = joined(this.authorization, value);
        else if (lowerCaseName === IF_NONE_MATCH) this.ifNoneMatch = listed(this.ifNoneMatch, value);
        break;
      case CONTENT_LENGTH.length:
        if (lowerCaseName === CONTENT_LENGTH) this.contentLength = joined(this.contentLength, value);
        break;
      case IDEMPOTENCY_KEY.length:
        if (lowerCaseName === IDEMPOTENCY_KEY) this.idempotencyKey = joined(this.idempotencyKey, value);
        // A list anyhow, of which every element counts.
        else if (lowerCaseName === FORWARDED_FOR) this.forwardedFor = listed(this.forwardedFor, value);
        break;
      case TRANSFER_ENCODING.length:
        // Even twice the same is not the one `chunked` that is understood here.
        if (lowerCaseName === TRANSFER_ENCODING) this.transferEncoding = listed(this.transferEncoding, value);
        break;
    }
  }

  /** What makes it doubtful where the request ends, as a sentence for people; null where nothing does. */
  get ambiguity(): string | null {
    const { contentLength, transferEncoding } = this;
    if (transferEncoding !== null && transferEncoding.toLowerCase() !== 'chunked') {
      return 'Transfer-Encoding may only be "chunked"';
    }
    if (contentLength === null) return null;
    if (transferEncoding !== null) return 'Content-Length and Transfer-Encoding exclude each other';
    return this.declaredBytes === null ? 'Content-Length must be one whole number' : null;
  }

  /** The body's length as it is told, or null where it is not told by one whole number. */
  get declaredBytes(): number | null {
    const digits = this.contentLength;
    if (digits === null || digits === '') return null;
    let bytes = 0;
    // A pattern and the language's own conversion took 1,000 instructions a request.
    for (let at = 0; at < digits.length; at++) {
      const digit = digits.charCodeAt(at) - ZERO;
      if (digit < 0 || digit > 9) return null;
      bytes = bytes * 10 + digit;
    }
    return bytes;
  }

  /** Whether a body follows. */
  get hasBody(): boolean {
    return this.transferEncoding !== null || (this.contentLength !== null && this.contentLength !== '0');
  }
}

function joined(before: string | null, value: string): string {
  return before === null || before === value ? value : `${before}, ${value}`;
}

const listed = (before: string | null, value: string): string =>
  before === null ? value : `${before}, ${value}`;
