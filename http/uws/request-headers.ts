/**
 * What is read of a request's headers, in one pass over all of them. One pass rather than a look-up for each
 * name, because only it shows a header that is there twice: two lengths are two opinions on where the request
 * ends, and whoever is in front of this server may hold the other one (request smuggling).
 */

const API_KEY = 'x-api-key';
const CONTENT_TYPE = 'content-type';
const AUTHORIZATION = 'authorization';
const CONTENT_LENGTH = 'content-length';
const IDEMPOTENCY_KEY = 'idempotency-key';
const FORWARDED_FOR = 'x-forwarded-for';
const TRANSFER_ENCODING = 'transfer-encoding';
const ZERO = 48;

export class RequestHeaders {
  /** null where the header is absent. Different values of one name are joined by `, `, equal ones are one. */
  apiKey: string | null = null;
  idempotencyKey: string | null = null;
  contentType: string | null = null;
  authorization: string | null = null;
  forwardedFor: string | null = null;
  contentLength: string | null = null;
  transferEncoding: string | null = null;

  clear(): void {
    this.apiKey = null;
    this.idempotencyKey = null;
    this.contentType = null;
    this.authorization = null;
    this.forwardedFor = null;
    this.contentLength = null;
    this.transferEncoding = null;
  }

  /**
   * Takes one header. A joined value is valid for none of the headers read here: no API key, Idempotency-Key,
   * token or length contains a comma and a space, so that two different ones are refused like a malformed one.
   */
  readonly take = (lowerCaseName: string, value: string): void => {
    // By length first, in which no two of these names agree but one pair: most headers are of no interest here, and
    // comparing each with seven names took longer than all else that is done with it.
    switch (lowerCaseName.length) {
      case API_KEY.length:
        if (lowerCaseName === API_KEY) this.apiKey = joined(this.apiKey, value);
        break;
      case CONTENT_TYPE.length:
        if (lowerCaseName === CONTENT_TYPE) this.contentType = joined(this.contentType, value);
        break;
      case AUTHORIZATION.length:
        if (lowerCaseName === AUTHORIZATION) this.authorization = joined(this.authorization, value);
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
  };

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
