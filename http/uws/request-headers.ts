/**
 * The headers of a request that the server reads, in one pass over all of them. Only a pass, unlike a look-up by
 * name, finds a header that is sent twice: with two lengths, a proxy in front of this server may disagree on where
 * the request ends (request smuggling).
 */
import type { BrowserHeaders, HttpRequest } from '../../engine/model/ports.js';
import type { UwsRequest, UwsResponse } from './library.js';

const API_KEY = 'x-api-key';
const TRACEPARENT = 'traceparent';
const CONNECTION = 'connection';
const CONTENT_TYPE = 'content-type';
const CONTENT_ENCODING = 'content-encoding';
const AUTHORIZATION = 'authorization';
const IF_NONE_MATCH = 'if-none-match';
const CONTENT_LENGTH = 'content-length';
const IDEMPOTENCY_KEY = 'idempotency-key';
const FORWARDED_FOR = 'x-forwarded-for';
const ACCEPT_ENCODING = 'accept-encoding';
const TRANSFER_ENCODING = 'transfer-encoding';
/** Where `BrowserHeaders` come from. Cookies may be sent in several lines (RFC 9113, section 8.2.3), as one joined by `; `. */
const BROWSER_FIELDS: ReadonlyMap<string, keyof BrowserHeaders> = new Map([
  ['host', 'host'],
  ['origin', 'origin'],
  ['cookie', 'cookie'],
  ['x-csrf-token', 'csrfToken'],
  ['if-match', 'ifMatch'],
]);
export const NO_BROWSER: BrowserHeaders = { host: '', origin: '', cookie: '', csrfToken: '', ifMatch: '' };
const ZERO = 48;
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;

export class RequestHeaders {
  /** null if the header is absent. Different values of one name are joined by `, `; equal ones count once. */
  apiKey: string | null = null;
  idempotencyKey: string | null = null;
  contentType: string | null = null;
  contentEncoding: string | null = null;
  authorization: string | null = null;
  ifNoneMatch: string | null = null;
  forwardedFor: string | null = null;
  acceptEncoding: string | null = null;
  traceparent: string | null = null;
  connection: string | null = null;
  contentLength: string | null = null;
  transferEncoding: string | null = null;
  /** null if they are not read. */
  browser: BrowserHeaders | null = null;

  constructor(private readonly readsBrowserHeaders = false) {}

  read(request: UwsRequest): void {
    this.#clear();
    request.forEach(this.#take);
  }

  #clear(): void {
    this.apiKey = null;
    this.idempotencyKey = null;
    this.contentType = null;
    this.contentEncoding = null;
    this.authorization = null;
    this.ifNoneMatch = null;
    this.forwardedFor = null;
    this.acceptEncoding = null;
    this.traceparent = null;
    this.connection = null;
    this.contentLength = null;
    this.transferEncoding = null;
    if (this.readsBrowserHeaders) this.browser = NO_BROWSER;
  }

  /**
   * No API key, Idempotency-Key, token or length contains a comma and a space, so a joined value is invalid: two
   * different ones are refused like a malformed one.
   */
  readonly #take = (lowerCaseName: string, value: string): void => {
    if (this.browser !== null) this.#takeOfBrowser(this.browser, lowerCaseName, value);
    // By length first, which tells most of these names apart: most headers are of no interest here, and comparing
    // each with every name would dominate the cost of a header.
    switch (lowerCaseName.length) {
      case API_KEY.length:
        if (lowerCaseName === API_KEY) this.apiKey = joined(this.apiKey, value);
        break;
      case CONNECTION.length:
        if (lowerCaseName === CONNECTION) this.connection = listed(this.connection, value);
        break;
      case TRACEPARENT.length:
        if (lowerCaseName === TRACEPARENT) this.traceparent = joined(this.traceparent, value);
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
        // Lists by definition: every element counts.
        else if (lowerCaseName === ACCEPT_ENCODING) this.acceptEncoding = listed(this.acceptEncoding, value);
        else if (lowerCaseName === FORWARDED_FOR) this.forwardedFor = listed(this.forwardedFor, value);
        break;
      case TRANSFER_ENCODING.length:
        // Kept even if sent twice alike: only a single `chunked` is accepted.
        if (lowerCaseName === TRANSFER_ENCODING) this.transferEncoding = listed(this.transferEncoding, value);
        break;
    }
  };

  #takeOfBrowser(browser: BrowserHeaders, lowerCaseName: string, value: string): void {
    const field = BROWSER_FIELDS.get(lowerCaseName);
    if (field === undefined) return;
    const before = browser[field];
    this.browser = { ...browser, [field]: before === '' ? value : `${before}; ${value}` };
  }

  /** A sentence for people, or null if the end of the request is clear. */
  get ambiguity(): string | null {
    const { contentLength, transferEncoding } = this;
    if (transferEncoding !== null && transferEncoding.toLowerCase() !== 'chunked') {
      return 'Transfer-Encoding may only be "chunked"';
    }
    if (contentLength === null) return null;
    if (transferEncoding !== null) return 'Content-Length and Transfer-Encoding exclude each other';
    return this.declaredBytes === null ? 'Content-Length must be one whole number' : null;
  }

  /** null if it is not a single whole number. */
  get declaredBytes(): number | null {
    const digits = this.contentLength;
    if (digits === null || digits === '') return null;
    let bytes = 0;
    // By hand: a regular expression and `Number` cost more on every request.
    for (let at = 0; at < digits.length; at++) {
      const digit = digits.charCodeAt(at) - ZERO;
      if (digit < 0 || digit > 9) return null;
      bytes = bytes * 10 + digit;
    }
    return bytes;
  }

  /** The client wants no answer after this one. */
  get isLast(): boolean {
    return this.connection !== null && CLOSE.test(this.connection);
  }

  get hasBody(): boolean {
    return this.transferEncoding !== null || (this.contentLength !== null && this.contentLength !== '0');
  }
}

function joined(before: string | null, value: string): string {
  return before === null || before === value ? value : `${before}, ${value}`;
}

const listed = (before: string | null, value: string): string =>
  before === null ? value : `${before}, ${value}`;

export type Fault = NonNullable<HttpRequest['fault']>;

/** The library refuses certificates that no authority has signed, but not their absence. */
const NO_CERTIFICATE: Fault = {
  code: 'client_certificate_required',
  detail: 'this port expects a client certificate, and the connection has none',
};

export function faultOf(
  response: UwsResponse,
  { ambiguity }: RequestHeaders,
  expectsCertificate: boolean,
): Fault | null {
  if (expectsCertificate && response.getX509Certificate() === '') return NO_CERTIFICATE;
  return ambiguity === null ? null : { code: 'invalid_request', detail: ambiguity };
}
