/**
 * One request on a socket and its answer. One object is both the request and the responder that the handler gets,
 * because one is created for every request.
 *
 * A request to open a WebSocket has no body, and an ordinary answer refuses it and ends the connection. A browser cannot
 * set a header there, so its key may also come as a subprotocol, `tote.key.<secret>`. It is taken as the header would be,
 * and a request with both is one with the header twice.
 *
 * The client is not trusted: bodies, and answers that it does not read, are bounded in bytes and in time. Nothing is
 * sent after a disconnect. An exception that reached the library would end the process silently: each is caught here and
 * ends this request alone.
 */
import { assert } from '../../engine/base/assert.js';
import type {
  HeadBytes,
  HeaderBlock,
  HeaderList,
  HttpRequest,
  HttpResponder,
  StreamOwner,
  StreamSocket,
  StreamUpgrade,
} from '../../engine/model/ports.js';
import { type Client, workFor } from '../kit/client-work.js';
import {
  abandon,
  bytesIn,
  faultAnswer,
  headOf,
  isBuffered,
  isLastBare,
  REPLY_DEADLINE_MS,
} from './answer.js';
import type { UwsRequest, UwsResponse, UwsSocketContext } from './library.js';
import type { Fault, RequestHeaders } from './request-headers.js';
import type { RequestHost, SlowRequest } from './request-host.js';
import { isWebSocket, keyOf, type WebSocketData } from './web-socket.js';

const NO_BODY = new Uint8Array(0);
const CLOSES = '\r\nConnection: close';

export class RequestContext implements HttpRequest, HttpResponder, SlowRequest, Client {
  apiKey: string;
  readonly idempotencyKey: string | null;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly authorization: string;
  readonly ifNoneMatch: string;
  readonly acceptEncoding: string;
  readonly traceparent: string;
  readonly browser: RequestHeaders['browser'];
  body: Uint8Array = NO_BODY;
  fault: HttpRequest['fault'] = null;
  upgrade?: StreamUpgrade;
  /** In monotonic milliseconds, while in `slow`; else 0. */
  dueMs = 0;

  #isUpgrade = false;
  #isDispatched = false;
  #isSent = false;
  #isFinished = false;
  #hasFailed = false;
  /** True within a callback of the library, which has corked the socket already. */
  #isCorked = false;
  /** null if the body came as a single chunk, as most do. */
  #pieces: BodyBuffer | null = null;
  /**
   * The library parses chunked bodies leniently: it does not check the line ends between chunks, so it may see two
   * requests where a proxy sees one. Nothing that follows a chunked body on its connection is processed.
   */
  #isChunked = false;
  #receivedBytes = 0;
  #pieceCount = 0;
  /** The client has sent `Connection: close`. */
  readonly #isLast: boolean;
  /** Nothing behind the request is processed, see `#dispatchLater`. */
  #isLater: boolean;
  /** The library closes after `close` alone, and does not answer with the header. */
  readonly #isClosedByLibrary: boolean;

  constructor(
    private readonly host: RequestHost,
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
    this.acceptEncoding = headers.acceptEncoding ?? '';
    this.traceparent = headers.traceparent ?? '';
    this.browser = headers.browser;
    this.#isLast = headers.isLast;
    this.#isLater = this.#isLast || host.requestsInTurn.isFull;
    this.#isClosedByLibrary = headers.connection?.length === 'close'.length;
  }

  /** Starts a request without a body, within the library's callback. */
  start(): void {
    if (this.#isLater && this.upgrade === undefined) {
      this.#watchAbort();
      this.#dispatchLater();
      return;
    }
    workFor(this, () => {
      this.#dispatch(true);
      // Most are answered by now. The library reports a disconnect in a callback of its own, never before this.
      if (!this.#isFinished) this.#watchAbort();
    });
  }

  /** Starts a request to open a WebSocket, within the library's callback. */
  startUpgrade(request: UwsRequest, context: UwsSocketContext, fault: Fault | null): void {
    const protocols = request.getHeader('sec-websocket-protocol');
    const key = request.getHeader('sec-websocket-key');
    this.#isUpgrade = true;
    this.apiKey = keyOf(this.apiKey, protocols);
    this.fault = fault;
    if (isWebSocket(request)) this.upgrade = { protocols, accept: this.#accept.bind(this, key, context) };
    this.start();
  }

  /** `declaredBytes` is null if the length was not declared. */
  startReceiving(declaredBytes: number | null): void {
    this.#watchBody();
    if (declaredBytes === null) {
      this.#isChunked = true;
      // With a declared length, the library passes on at once whatever has arrived, even if that is nothing.
      this.#waitForBody();
    } else if (declaredBytes > BODY_BYTES_MAX) {
      this.#refuseBody();
      if (declaredBytes > DRAIN_BYTES_MAX) this.#dispatchLater();
    }
  }

  /** Nothing behind such a request is processed, see `#dispatchLater`. */
  startRefused(fault: Fault): void {
    this.fault = fault;
    this.#isLater = true;
    this.#watchBody();
    this.#dispatchLater();
  }

  hurry(): void {
    if (!this.#isDispatched) this.#wait(LINGER_MS);
  }

  expire(): void {
    workFor(this, () => {
      this.#stopWaiting();
      if (this.#isDispatched) this.response.close();
      else {
        this.fault ??= { code: 'request_timeout', detail: 'the body took too long to arrive' };
        this.#dispatch(false);
      }
    });
  }

  send(status: number, headers: HeaderList | HeaderBlock | HeadBytes, body: string | Uint8Array): void {
    if (!this.#beginAnswer()) return;
    if (this.#isCorked) this.#write(status, headers, body);
    else this.response.cork(() => workFor(this, () => this.#write(status, headers, body)));
  }

  #accept(
    key: string,
    context: UwsSocketContext,
    protocol: string,
    open: (socket: StreamSocket) => StreamOwner,
    head?: HeadBytes,
  ): void {
    if (!this.#beginAnswer()) return;
    const { path, address } = this;
    const data: WebSocketData = { path, address, open, stream: null };
    const accept = (): void => {
      // The response ends here, and an abort is no longer reported to it.
      this.#finish();
      if (head !== undefined) this.response.writeStatus(head);
      this.response.upgrade(data, key, protocol, '', context);
    };
    if (this.#isCorked) accept();
    else this.response.cork(() => workFor(this, accept));
  }

  /** Returns false if nothing can be sent any more. */
  #beginAnswer(): boolean {
    if (this.#hasFailed) return false;
    assert(this.#isDispatched && !this.#isSent, 'a request is answered once');
    this.#isSent = true;
    return !this.#isFinished;
  }

  #watchBody(): void {
    this.#watchAbort();
    this.response.onData((chunk, isLast) => workFor(this, () => this.#onChunk(chunk, isLast)));
  }

  #onChunk(chunk: ArrayBuffer, isLast: boolean): void {
    const { piecesInTurn } = this.host;
    piecesInTurn.add();
    // Already answered; the library keeps reading until the connection closes.
    if (this.#isDispatched) return;
    this.#pieceCount += 1;
    if (piecesInTurn.isFull && this.#pieceCount > BODY_PIECES_OF_FULL_TURN) {
      // Behind an answer the library would still pass on all that it has received.
      this.#isDispatched = true;
      this.response.close();
      return;
    }
    if (this.#pieceCount > BODY_PIECES_MAX) {
      this.fault ??= { code: 'body_too_large', detail: `a body comes in at most ${BODY_PIECES_MAX} pieces` };
      this.#dispatch(true);
      return;
    }
    const bytes = this.#receivedBytes + chunk.byteLength;
    if (bytes > BODY_BYTES_MAX && this.fault === null) this.#refuseBody();
    const isLater = this.#isChunked || this.#isLater;
    if (isLast && this.#receivedBytes === 0 && this.fault === null && !isLater) {
      this.body = new Uint8Array(chunk);
      this.#dispatch(true);
      return;
    }
    if (this.fault === null) {
      this.#pieces ??= new BodyBuffer();
      this.#pieces.add(chunk);
    }
    this.#receivedBytes = bytes;
    if (isLast || bytes > DRAIN_BYTES_MAX) {
      this.body = this.#pieces?.bytes() ?? NO_BODY;
      if (isLater) this.#dispatchLater();
      else this.#dispatch(true);
    } else if (this.dueMs === 0) this.#waitForBody();
  }

  /** From now on the body's bytes are only counted. */
  #refuseBody(): void {
    this.fault = { code: 'body_too_large', detail: `a body has at most ${BODY_BYTES_MAX} bytes` };
    this.#pieces = null;
    this.#wait(LINGER_MS);
  }

  #waitForBody(): void {
    this.#wait(this.host.isClosing ? LINGER_MS : BODY_DEADLINE_MS);
  }

  /** A deadline is only ever moved forward. */
  #wait(timeoutMs: number): void {
    const dueMs = this.host.monotonicMs() + timeoutMs;
    this.dueMs = this.dueMs > 0 ? Math.min(this.dueMs, dueMs) : dueMs;
    this.host.slow.add(this);
  }

  #stopWaiting(): void {
    if (this.dueMs === 0) return;
    this.dueMs = 0;
    this.host.slow.delete(this);
  }

  /** Waits until the library has parsed everything received, and closed the connection if that is another request. */
  #dispatchLater(): void {
    setImmediate(() => {
      if (!this.#isFinished && !this.#isDispatched) workFor(this, () => this.#dispatch(false));
    });
  }

  #dispatch(isCorked: boolean): void {
    this.#isDispatched = true;
    this.#stopWaiting();
    this.#isCorked = isCorked;
    this.host.handler(this, this);
    this.#isCorked = false;
    // The library now frees a body of one chunk; dropping all of them is consistent.
    this.body = NO_BODY;
    this.#pieces = null;
  }

  /**
   * The whole head is one `writeStatus`, which is cheaper than a `writeHeader` for each header. Header values are the
   * server's own and contain no line ends.
   */
  #write(status: number, headers: HeaderList | HeaderBlock | HeadBytes, body: string | Uint8Array): void {
    const { response } = this;
    const hasNoBody = status === 204 || status === 304;
    const isBare = hasNoBody || body.length === 0 || this.method === 'HEAD';
    const { isClosing } = this.host;
    const isUntold = this.#isLast && !this.#isClosedByLibrary;
    if (this.fault !== null || this.#isChunked || this.#isUpgrade || isUntold) {
      // Nothing that follows on this connection can be trusted.
      const head = headOf(status, headers, this.#isClosedByLibrary ? CLOSES : '');
      response.writeStatus(head).end(isBare ? '' : body, true);
      this.#finish();
      return;
    }
    const closesBare = isBare && !isClosing && !this.#isLast && isLastBare();
    let more = isClosing || this.#isLast || closesBare ? CLOSES : '';
    // Given a length, `endWithoutBody` would wait for ever for a body that is never sent.
    if (isBare && !hasNoBody) more += `\r\nContent-Length: ${bytesIn(body)}`;
    // The library adds the last line end, and takes the answer for one that is still to come.
    if (closesBare) more += '\r\n';
    response.writeStatus(headOf(status, headers, more));
    if (closesBare) this.#wait(0);
    else if (isBare) {
      response.endWithoutBody();
      this.#finish();
    } else if (isBuffered(body, isClosing)) {
      response.end(body, false);
      this.#finish();
    } else {
      // `end` would buffer without bound for a client that sends requests and never reads.
      const [, isSent] = response.tryEnd(body, bytesIn(body));
      if (isSent) this.#finish();
      else this.#writeRest(typeof body === 'string' ? Buffer.from(body) : body);
    }
  }

  #writeRest(body: Uint8Array): void {
    this.#wait(REPLY_DEADLINE_MS);
    this.response.onWritable((offset) => {
      let isFlushed = true;
      workFor(this, () => {
        const [hasRoom, isSent] = this.response.tryEnd(body.subarray(offset), body.byteLength);
        isFlushed = hasRoom;
        if (isSent) this.#finish();
      });
      return isFlushed;
    });
  }

  #watchAbort(): void {
    this.response.onAborted(() => workFor(this, () => this.#finish()));
  }

  #finish(): void {
    assert(!this.#isFinished, 'a request ends once');
    this.#isFinished = true;
    this.#stopWaiting();
    this.host.onFinished();
  }

  fail(error: unknown): void {
    const requestId = this.host.onFault(error, this);
    const isAnswered = this.#isSent || this.#hasFailed;
    this.#hasFailed = true;
    this.#isDispatched = true;
    if (this.#isFinished) return;
    if (isAnswered) abandon(this.response, () => this.#endFailed());
    else if (this.#isCorked) this.#writeFault(requestId);
    else this.response.cork(() => this.#writeFault(requestId));
    this.#isCorked = false;
  }

  #writeFault(requestId: string): void {
    try {
      const [head, body] = faultAnswer(requestId);
      this.response.writeStatus(head).end(this.method === 'HEAD' ? '' : body, true);
      this.#endFailed();
    } catch {
      abandon(this.response, () => this.#endFailed());
    }
  }

  #endFailed(): void {
    if (!this.#isFinished) this.#finish();
  }
}

/** A longer body is refused with 413. */
export const BODY_BYTES_MAX = 16 * 1024;
/**
 * More, the end included, are refused at once, which closes the connection. The library passes on each chunk by itself,
 * and reads on from a socket that fills its buffer, so chunks of a byte would hold up all others. These take some 5 ms.
 */
const BODY_PIECES_MAX = 1_024;
/** A body in more ends its connection unanswered where others, too, have come in many pieces in the same turn. */
const BODY_PIECES_OF_FULL_TURN = 8;
/**
 * This much of a body that is too long is received and dropped before the answer, for at most `LINGER_MS`: closing
 * the connection on a client that is still sending resets it, and the answer is lost.
 */
const DRAIN_BYTES_MAX = 256 * 1024;
const LINGER_MS = 1_000;
/** However steadily the body trickles in. The library ends such a connection unanswered after 8 to 12 s. */
const BODY_DEADLINE_MS = 7_000;

const NOTHING = new Uint8Array(0);

/** Memory grows with the bytes received, not with the length announced. */
class BodyBuffer {
  #room: Uint8Array = NOTHING;
  #usedBytes = 0;

  /** Copies the piece. All pieces together have at most `BODY_BYTES_MAX` bytes. */
  add(chunk: ArrayBuffer): void {
    const bytes = this.#usedBytes + chunk.byteLength;
    assert(bytes <= BODY_BYTES_MAX, 'a body that is too long is not kept');
    if (bytes > this.#room.byteLength) {
      const room = new Uint8Array(Math.min(BODY_BYTES_MAX, bytes * 2));
      room.set(this.#room.subarray(0, this.#usedBytes));
      this.#room = room;
    }
    this.#room.set(new Uint8Array(chunk), this.#usedBytes);
    this.#usedBytes = bytes;
  }

  /** Not copied. */
  bytes(): Uint8Array {
    return this.#room.subarray(0, this.#usedBytes);
  }
}
