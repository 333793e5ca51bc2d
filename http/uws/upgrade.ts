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
import { abandon, headText } from './answer.js';
import type { ExchangeHost } from './exchange-host.js';
import type { UwsRequest, UwsResponse, UwsSocketContext } from './library.js';
import type { Fault, RequestHeaders } from './request-headers.js';
import type { WebSocketData } from './web-socket.js';

const KEY_PROTOCOL = 'tote.key.';
const NO_BODY = new Uint8Array(0);
const BODY_OF_UPGRADE: Fault = { code: 'invalid_request', detail: 'an upgrade has no body' };

export class UpgradeExchange implements HttpRequest, HttpResponder {
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
  #isCorked = false;

  constructor(
    private readonly host: ExchangeHost,
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
    this.response.onAborted(() => this.#guarded(() => this.#finish()));
    this.#isCorked = true;
    this.#guarded(() => this.host.handler(this, this));
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
      const data: WebSocketData = { open, owner: null };
      this.response.upgrade(data, this.#webSocketKey, protocol, '', this.context);
    });
  }

  #answer(write: () => void): void {
    assert(!this.#isAnswered, 'an upgrade is answered once');
    this.#isAnswered = true;
    if (this.#isFinished) return;
    if (this.#isCorked) write();
    else this.response.cork(() => this.#guarded(write));
  }

  #finish(): void {
    assert(!this.#isFinished, 'an upgrade ends once');
    this.#isFinished = true;
    this.host.onFinished();
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.host.onFatal(error);
      if (!this.#isFinished) abandon(this.response, () => this.#guarded(() => this.#finish()));
    }
  }
}

/** The key of the header and of the subprotocols; '' if there is none. Different ones are joined, and so are no key. */
function keyOf(header: string | null, protocols: string): string {
  const keys = new Set(header === null ? [] : [header]);
  for (const protocol of protocols.split(',')) {
    const name = protocol.trim();
    if (name.startsWith(KEY_PROTOCOL)) keys.add(name.slice(KEY_PROTOCOL.length));
  }
  return [...keys].join(', ');
}
