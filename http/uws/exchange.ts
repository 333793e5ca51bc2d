/**
 * One request on a socket and its answer. It is what the handler gets as request and as responder, in one
 * object, since there is one for every request.
 *
 * Nothing here trusts the client: the body is bounded in bytes and in time, and so is the answer that nobody
 * reads. Nothing is sent once the client has gone, and an exception never reaches the library, which would end
 * the process without a word.
 */
import { Buffer } from 'node:buffer';
import { assert } from '../../engine/base/assert.js';
import type { HeaderBlock, HeaderList, HttpRequest, HttpResponder } from '../../engine/model/ports.js';
import { abandon, bytesIn, goesShortWay, headText, REPLY_DEADLINE_MS } from './answer.js';
import { BODY_BYTES_MAX, BODY_DEADLINE_MS, BodyBuffer, DRAIN_BYTES_MAX, LINGER_MS } from './body-buffer.js';
import type { ExchangeHost, WaitingExchange } from './exchange-host.js';
import type { UwsResponse } from './library.js';
import type { RequestHeaders } from './request-headers.js';

const NO_BODY = new Uint8Array(0);

export class Exchange implements HttpRequest, HttpResponder, WaitingExchange {
  readonly apiKey: string;
  readonly idempotencyKey: string | null;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly authorization: string;
  readonly ifNoneMatch: string;
  body: Uint8Array = NO_BODY;
  fault: HttpRequest['fault'] = null;
  /** While `slow` holds it: when patience ends, in monotonic milliseconds; else 0. */
  dueMs = 0;

  #isDispatched = false;
  #isSent = false;
  #isOver = false;
  /** Within a callback of the library, which corks the socket by itself. */
  #isCorked = false;
  /** null where the body came in one piece, as most do. */
  #pieces: BodyBuffer | null = null;
  /**
   * The library reads chunks leniently: it does not look at the line ends between them, so where a proxy sees one
   * request it may see two. Nothing that follows a chunked body on its connection is carried out.
   */
  #isChunked = false;
  #receivedBytes = 0;

  constructor(
    private readonly host: ExchangeHost,
    private readonly response: UwsResponse,
    readonly method: string,
    readonly path: string,
    readonly query: string,
    readonly address: string,
    headers: RequestHeaders,
  ) {
    this.apiKey = headers.apiKey ?? '';
    this.idempotencyKey = headers.idempotencyKey;
    this.contentType = headers.contentType ?? '';
    this.contentEncoding = headers.contentEncoding ?? '';
    this.authorization = headers.authorization ?? '';
    this.ifNoneMatch = headers.ifNoneMatch ?? '';
  }

  /** Takes up a request without a body, within the library's callback. */
  start(): void {
    try {
      this.#dispatch(true);
      // Most are answered by now. That the client has gone is told in a callback of its own, never before this.
      if (!this.#isOver) this.#watchAbort();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Takes up a request whose body follows; `declaredBytes` is null where its length is not told. */
  startReceiving(declaredBytes: number | null): void {
    this.#watchAbort();
    this.response.onData((chunk, isLast) => this.#onChunk(chunk, isLast));
    if (declaredBytes === null) {
      this.#isChunked = true;
      // Of a length that was told, the library hands over at once what there is, even if that is nothing.
      this.#wait(BODY_DEADLINE_MS);
    } else if (declaredBytes > BODY_BYTES_MAX) {
      this.#refuseBody();
      if (declaredBytes > DRAIN_BYTES_MAX) this.#dispatchLater();
    }
  }

  /** Takes up a request that does not show where it ends: nothing behind it is carried out, see `#dispatchLater`. */
  startRefused(detail: string): void {
    this.fault = { code: 'invalid_request', detail };
    this.#watchAbort();
    this.response.onData(() => undefined);
    this.#dispatchLater();
  }

  expire(): void {
    this.#stopWaiting();
    if (this.#isDispatched) {
      this.response.close();
      return;
    }
    this.fault ??= { code: 'request_timeout', detail: 'the body took too long to arrive' };
    this.#guarded(() => this.#dispatch(false));
  }

  send(status: number, headers: HeaderList | HeaderBlock, body: string | Uint8Array): void {
    assert(this.#isDispatched && !this.#isSent, 'a request is answered once');
    this.#isSent = true;
    if (this.#isOver) return;
    if (this.#isCorked) this.#write(status, headers, body);
    else this.response.cork(() => this.#guarded(() => this.#write(status, headers, body)));
  }

  #onChunk(chunk: ArrayBuffer, isLast: boolean): void {
    try {
      // An early answer is on its way; the library goes on reading until the connection closes.
      if (this.#isDispatched) return;
      const bytes = this.#receivedBytes + chunk.byteLength;
      if (bytes > BODY_BYTES_MAX && this.fault === null) this.#refuseBody();
      if (isLast && this.#receivedBytes === 0 && this.fault === null && !this.#isChunked) {
        this.body = new Uint8Array(chunk);
        this.#dispatch(true);
        return;
      }
      if (this.fault === null) {
        this.#pieces ??= new BodyBuffer(BODY_BYTES_MAX);
        this.#pieces.add(chunk);
      }
      this.#receivedBytes = bytes;
      if (isLast || bytes > DRAIN_BYTES_MAX) {
        this.body = this.#pieces?.bytes() ?? NO_BODY;
        if (this.#isChunked) this.#dispatchLater();
        else this.#dispatch(true);
      } else if (this.dueMs === 0) {
        this.#wait(BODY_DEADLINE_MS);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The body is too long: from here on it is only counted. */
  #refuseBody(): void {
    this.fault = { code: 'body_too_large', detail: `a body has at most ${BODY_BYTES_MAX} bytes` };
    this.#pieces = null;
    this.#wait(LINGER_MS);
  }

  /** Patience only ever gets shorter. */
  #wait(patienceMs: number): void {
    const dueMs = this.host.monotonicMs() + patienceMs;
    this.dueMs = this.dueMs > 0 ? Math.min(this.dueMs, dueMs) : dueMs;
    this.host.slow.add(this);
  }

  #stopWaiting(): void {
    if (this.dueMs === 0) return;
    this.dueMs = 0;
    this.host.slow.delete(this);
  }

  /** After the library has parsed all that has arrived: if that makes another request, it closes the connection. */
  #dispatchLater(): void {
    setImmediate(() => {
      if (!this.#isOver && !this.#isDispatched) this.#guarded(() => this.#dispatch(false));
    });
  }

  #dispatch(isCorked: boolean): void {
    this.#isDispatched = true;
    this.#stopWaiting();
    this.#isCorked = isCorked;
    this.host.handler(this, this);
    this.#isCorked = false;
    // Where it came in one chunk, the library empties it now; so that nobody relies on it, it always goes.
    this.body = NO_BODY;
    this.#pieces = null;
  }

  /**
   * The head goes out in one piece: each `writeHeader` would cost a third of a microsecond. Header values are
   * the server's own and hold no line ends.
   */
  #write(status: number, headers: HeaderList | HeaderBlock, body: string | Uint8Array): void {
    const { response } = this;
    const hasNoBody = status === 204 || status === 304;
    const isBare = hasNoBody || this.method === 'HEAD';
    let head = headText(status, headers);
    if (this.fault !== null || this.#isChunked) {
      // What else this connection has to say is not to be trusted.
      response.writeStatus(head).end(isBare ? '' : body, true);
      this.#over();
      return;
    }
    if (this.host.isClosing) head += '\r\nConnection: close';
    if (isBare) {
      // Given a length, `endWithoutBody` waits for ever for a body that is never sent.
      if (!hasNoBody) head += `\r\nContent-Length: ${bytesIn(body)}`;
      response.writeStatus(head).endWithoutBody();
      this.#over();
    } else if (goesShortWay(status, body, this.host.isClosing)) {
      response.writeStatus(head).end(body, false);
      this.#over();
    } else {
      // `end` would buffer without bound what a client that sends and never reads has asked for.
      const [, isTaken] = response.writeStatus(head).tryEnd(body, bytesIn(body));
      if (isTaken) this.#over();
      else this.#writeRest(typeof body === 'string' ? Buffer.from(body) : body);
    }
  }

  /** Sends what is left whenever the socket takes more. */
  #writeRest(body: Uint8Array): void {
    this.#wait(REPLY_DEADLINE_MS);
    this.response.onWritable((offset) => {
      let isFlushed = true;
      this.#guarded(() => {
        const [hasRoom, isTaken] = this.response.tryEnd(body.subarray(offset), body.byteLength);
        isFlushed = hasRoom;
        if (isTaken) this.#over();
      });
      return isFlushed;
    });
  }

  #watchAbort(): void {
    this.response.onAborted(() => this.#guarded(() => this.#over()));
  }

  #over(): void {
    assert(!this.#isOver, 'an exchange ends once');
    this.#isOver = true;
    this.#stopWaiting();
    this.host.onOver();
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.host.onFatal(error);
    if (!this.#isOver) abandon(this.response, () => this.#guarded(() => this.#over()));
  }
}
