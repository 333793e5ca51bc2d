/**
 * A request to open a WebSocket. Up to the upgrade it is an ordinary request without a body, and the handler may refuse it
 * with an ordinary answer, which ends the connection.
 *
 * A browser cannot set a header here, so the key may also come as a subprotocol, `tote.key.<secret>`. It is taken as the
 * header would be, and a request with both is one with the header twice.
 */
import { assert } from '../../engine/base/assert.js';
import type {
  HeaderBlock,
  HeaderList,
  HttpRequest,
  HttpResponder,
  StreamOwner,
  StreamSocket,
  StreamUpgrade,
} from '../../engine/model/ports.js';
import { type Client, workFor } from '../kit/client-work.js';
import { abandon, faultAnswer, headText } from './answer.js';
import type { UwsRequest, UwsResponse, UwsSocketContext } from './library.js';
import type { Fault, RequestHeaders } from './request-headers.js';
import type { RequestHost } from './request-host.js';
import type { WebSocketData } from './web-socket.js';

const KEY_PROTOCOL = 'tote.key.';
const NO_BODY = new Uint8Array(0);
const BODY_OF_UPGRADE: Fault = { code: 'invalid_request', detail: 'an upgrade has no body' };

export class UpgradeContext implements HttpRequest, HttpResponder, Client {
  readonly method = 'GET';
  readonly apiKey: string;
  readonly idempotencyKey: string | null;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly acceptEncoding: string;
  readonly traceparent: string;
  readonly browser: RequestHeaders['browser'];
  readonly authorization: string;
  readonly ifNoneMatch: string;
  readonly body = NO_BODY;
  readonly fault: HttpRequest['fault'];
  readonly upgrade: StreamUpgrade;
  readonly #webSocketKey: string;
  #isAnswered = false;
  #isFinished = false;
  #hasFailed = false;
  #isCorked = false;

  constructor(
    private readonly host: RequestHost,
    private readonly response: UwsResponse,
    readonly path: string,
    readonly query: string,
    readonly address: string,
    headers: RequestHeaders,
    fault: Fault | null,
    request: UwsRequest,
    private readonly context: UwsSocketContext,
  ) {
    const protocols = request.getHeader('sec-websocket-protocol');
    this.apiKey = keyOf(headers.apiKey, protocols);
    this.idempotencyKey = headers.idempotencyKey;
    this.contentType = headers.contentType ?? '';
    this.contentEncoding = headers.contentEncoding ?? '';
    this.acceptEncoding = headers.acceptEncoding ?? '';
    this.traceparent = headers.traceparent ?? '';
    this.browser = headers.browser;
    this.authorization = headers.authorization ?? '';
    this.ifNoneMatch = headers.ifNoneMatch ?? '';
    this.fault = fault ?? (headers.hasBody ? BODY_OF_UPGRADE : null);
    this.#webSocketKey = request.getHeader('sec-websocket-key');
    this.upgrade = { protocols, accept: (protocol, open) => this.#accept(protocol, open) };
  }

  /** Within the library's callback. */
  start(): void {
    workFor(this, () => {
      this.response.onAborted(() => workFor(this, () => this.#finish()));
      this.#isCorked = true;
      this.host.handler(this, this);
    });
    this.#isCorked = false;
  }

  send(status: number, headers: HeaderList | HeaderBlock, body: string | Uint8Array): void {
    this.#answer(() => {
      this.response.writeStatus(headText(status, headers)).end(body, true);
      this.#finish();
    });
  }

  #accept(protocol: string, open: (socket: StreamSocket) => StreamOwner): void {
    this.#answer(() => {
      // The response ends here, and an abort is no longer reported to it.
      this.#finish();
      const { path, address } = this;
      const data: WebSocketData = { path, address, open, stream: null };
      this.response.upgrade(data, this.#webSocketKey, protocol, '', this.context);
    });
  }

  #answer(write: () => void): void {
    if (this.#hasFailed) return;
    assert(!this.#isAnswered, 'an upgrade is answered once');
    this.#isAnswered = true;
    if (this.#isFinished) return;
    if (this.#isCorked) write();
    else this.response.cork(() => workFor(this, write));
  }

  #finish(): void {
    assert(!this.#isFinished, 'an upgrade ends once');
    this.#isFinished = true;
    this.host.onFinished();
  }

  fail(error: unknown): void {
    const requestId = this.host.onFault(error, this);
    const isAnswered = this.#isAnswered || this.#hasFailed;
    this.#hasFailed = true;
    if (this.#isFinished) return;
    if (isAnswered) abandon(this.response, () => this.#endFailed());
    else if (this.#isCorked) this.#writeFault(requestId);
    else this.response.cork(() => this.#writeFault(requestId));
  }

  #writeFault(requestId: string): void {
    try {
      const [head, body] = faultAnswer(requestId);
      this.response.writeStatus(head).end(body, true);
      this.#endFailed();
    } catch {
      abandon(this.response, () => this.#endFailed());
    }
  }

  #endFailed(): void {
    if (!this.#isFinished) this.#finish();
  }
}

/** '' if there is no key. Different ones are joined, and so are no key. */
function keyOf(header: string | null, protocols: string): string {
  const keys = new Set(header === null ? [] : [header]);
  for (const protocol of protocols.split(',')) {
    const name = protocol.trim();
    if (name.startsWith(KEY_PROTOCOL)) keys.add(name.slice(KEY_PROTOCOL.length));
  }
  return [...keys].join(', ');
}
