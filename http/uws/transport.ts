/**
 * The network on uWebSockets.js: a listening socket, its connections, and a `RequestContext` for every request.
 *
 * A hostile client is bounded by the number of connections here, by the library (4 KiB and about 100 headers, and 10
 * s for a head to arrive), for bodies and answers by `request-context.ts` and `answer.ts`, and by address in
 * `address-bound.ts`.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TlsFiles } from '../../config/certificate.js';
import { assert, must } from '../../engine/base/assert.js';
import type { HttpHandler } from '../../engine/model/ports.js';
import { abandon } from './answer.js';
import { ClientAddresses } from './client-address.js';
import {
  CONNECTION_CELLS,
  CONNECTION_CELLS_BYTES,
  CONNECTIONS_MAX,
  OpenConnections,
} from './connection-limits.js';
import type { UwsApp, UwsAppDescriptor, UwsRequest, UwsResponse, UwsSocketContext } from './library.js';
import { type Acceptor, acceptFor, newApp } from './listening.js';
import { RequestContext } from './request-context.js';
import { type Fault, faultOf, RequestHeaders } from './request-headers.js';
import {
  type OnFault,
  type RequestHost,
  SlowRequests,
  systemTimer,
  TurnCount,
  type UwsTransportOptions,
} from './request-host.js';
import { type WebSocketHost, webSockets } from './web-socket.js';

const SWEEP_MS = 250;
/** These take some 5 ms, and so many pieces of bodies 2 ms. */
const REQUESTS_AT_ONCE = 512;
const PIECES_AT_ONCE = 2_048;
/** When closing, pending answers have this long to be sent; then their connections are closed. */
const CLOSE_DEADLINE_MS = 10_000;
/**
 * When closing, clients have this long to read the end of their WebSockets, while what they still send is dropped. A
 * connection that is closed with unread input is reset, and a client that then sends loses what it has not read.
 */
const STREAM_LINGER_MS = 250;
const BODY_OF_UPGRADE: Fault = { code: 'invalid_request', detail: 'an upgrade has no body' };

export class UwsTransport implements RequestHost, WebSocketHost {
  readonly slow = new SlowRequests();
  readonly requestsInTurn = new TurnCount(REQUESTS_AT_ONCE);
  readonly piecesInTurn = new TurnCount(PIECES_AT_ONCE);
  isClosing = false;
  handler: HttpHandler = () => assert(false, 'a transport listens with a handler');

  readonly #connections: OpenConnections;
  readonly #shared: Int32Array;
  readonly #headers: RequestHeaders;
  readonly #tls: TlsFiles | null;
  readonly #expectsCertificates: boolean;
  /** The last app gets the new connections. Those before it keep the connections made with their older certificates. */
  readonly #apps: UwsApp[] = [];
  #acceptor: Acceptor | null = null;
  #stopTimer: () => void = () => undefined;
  #pending = 0;
  #lingersUntilMs = 0;
  #closed: { readonly dueMs: number; readonly resolve: () => void } | null = null;

  constructor(private readonly options: UwsTransportOptions) {
    const { connectionsMax = CONNECTIONS_MAX, perAddressMax = Infinity, isKnown = null, clock } = options;
    this.#shared = options.openConnections ?? new Int32Array(new SharedArrayBuffer(CONNECTION_CELLS_BYTES));
    this.#headers = new RequestHeaders(options.readsBrowserHeaders);
    this.#connections = new OpenConnections({
      ...{ connectionsMax, perAddressMax, isKnown, shared: this.#shared },
      addresses: new ClientAddresses(options.trustedProxies),
      monotonicMs: clock.monotonicMs,
    });
    this.#tls = options.tls ?? null;
    this.#expectsCertificates = this.#tls !== null && this.#tls.clientCaFile !== null;
  }

  get connections(): number {
    return this.#connections.count;
  }

  async listen(host: string, port: number, handler: HttpHandler): Promise<number> {
    const descriptor = this.join(handler);
    this.#acceptor = await acceptFor([descriptor], host, port, this.#tls !== null);
    this.acceptedAt(this.#acceptor.port);
    return this.#acceptor.port;
  }

  /** Tells the port to all transports that share the bound. */
  acceptedAt(port: number): void {
    Atomics.store(this.#shared, CONNECTION_CELLS.port, port);
  }

  /**
   * Serves connections that an acceptor hands over; the acceptor needs the result. Throws if the library refuses the
   * certificate.
   */
  join(handler: HttpHandler): UwsAppDescriptor {
    assert(this.#apps.length === 0, 'a transport opens once');
    const app = this.#open();
    this.handler = handler;
    this.#stopTimer = (this.options.startTimer ?? systemTimer)(() => this.#sweep(), SWEEP_MS);
    return app.getDescriptor();
  }

  /**
   * Reads the certificate anew, for connections to come: those of its own acceptor, or of the one that gets the result.
   * Throws if the library refuses it.
   */
  renew(): UwsAppDescriptor {
    const before = must(this.#apps.at(-1), 'the app of an open transport').getDescriptor();
    const after = this.#open().getDescriptor();
    this.#acceptor?.swap([before], [after]);
    return after;
  }

  /** Accepts nothing more, answers the requests that wait, and closes. */
  close(): Promise<void> {
    if (this.#apps.length === 0 || this.isClosing) return Promise.resolve();
    this.#stopAccepting();
    this.isClosing = true;
    for (const request of this.slow) request.hurry();
    return new Promise((resolve) => {
      this.#closed = { dueMs: this.monotonicMs() + CLOSE_DEADLINE_MS, resolve };
      this.#closeWhenIdle();
    });
  }

  /**
   * Closes all connections at once. An acceptor must have stopped before: the connections that it has handed over
   * arrive within two turns of the event loop, and are closed.
   */
  async halt(): Promise<void> {
    this.#stopAccepting();
    this.isClosing = true;
    await nextTurn();
    await nextTurn();
    this.cut();
  }

  /** Closes all connections before the event loop's next turn. */
  cut(): void {
    this.isClosing = true;
    this.#stopTimer();
    for (const app of this.#apps) app.close();
  }

  /** Once: the library has freed the listening socket after that. */
  #stopAccepting(): void {
    this.#acceptor?.close();
    this.#acceptor = null;
  }

  #open(): UwsApp {
    const app = newApp(this.#tls);
    this.#apps.push(app);
    app.filter((response, change) => this.#onConnection(response, change));
    const sockets = webSockets(this, (response, request, context) =>
      this.#serve('GET', response, request, context),
    );
    for (const path of this.options.streamPaths ?? []) app.ws(path, sockets);
    // A route for GET and one for POST avoid a string for the method, which is case-sensitive.
    app.get('/*', (response, request) => this.#serve('GET', response, request));
    app.post('/*', (response, request) => this.#serve('POST', response, request));
    app.any('/*', (response, request) => this.#serve(null, response, request));
    return app;
  }

  monotonicMs(): number {
    return this.options.clock.monotonicMs();
  }

  onFinished(): void {
    this.#pending -= 1;
    if (this.isClosing) this.#closeWhenIdle();
  }

  /** Node sees an error that is thrown while another is reported. */
  readonly onFault: OnFault = (error, { method, path, address }) => {
    try {
      return this.options.onFault(error, { method, path, address });
    } catch (thrown) {
      setImmediate(() => {
        throw thrown;
      });
      return '';
    }
  };

  /**
   * `method` is null if it must be read from the request; `context` is that of a request to open a WebSocket. Must not
   * throw: the library would end the process.
   */
  #serve(
    method: string | null,
    response: UwsResponse,
    request: UwsRequest,
    context: UwsSocketContext | null = null,
  ): void {
    try {
      this.requestsInTurn.add();
      const headers = this.#headers;
      const verb = method ?? request.getCaseSensitiveMethod();
      const path = request.getUrl();
      const query = request.getQuery();
      headers.read(request);
      const served = new RequestContext(
        this,
        response,
        verb,
        path,
        query ?? '',
        this.#connections.countedAddress(response, headers.forwardedFor ?? ''),
        headers,
      );
      this.#pending += 1;
      const fault = faultOf(response, headers, this.#expectsCertificates);
      if (context !== null) {
        const ofBody = headers.hasBody ? BODY_OF_UPGRADE : null;
        served.startUpgrade(request, context, fault ?? ofBody);
      } else if (fault !== null) served.startRefused(fault);
      else if (!headers.hasBody) served.start();
      else served.startReceiving(headers.declaredBytes);
    } catch (error) {
      this.#abandon(response, error);
    }
  }

  /** No request context exists yet that could answer. */
  #abandon(response: UwsResponse, error: unknown): void {
    this.onFault(error, { method: '', path: '', address: '' });
    abandon(response, () => undefined);
  }

  onWebSocketEnding(): void {
    this.#lingersUntilMs = this.monotonicMs() + STREAM_LINGER_MS;
  }

  onWebSocketClosed(): void {
    this.#connections.closed();
  }

  #onConnection(response: UwsResponse, change: number): void {
    try {
      if (change < 0) this.#connections.closed();
      else if (!this.#connections.opened(response) || this.isClosing) response.close();
    } catch (error) {
      this.#abandon(response, error);
    }
  }

  #sweep(): void {
    this.slow.sweep(() => this.monotonicMs());
    if (this.#closed === null) return;
    if (this.#closed.dueMs <= this.monotonicMs()) this.#finishClosing();
    else this.#closeWhenIdle();
  }

  #closeWhenIdle(): void {
    // Not at once: the library is still sending the last answer, and connections may be on their way from an acceptor,
    // which takes two turns of the event loop if that is on this thread.
    const close = (): void => {
      if (this.#pending === 0 && this.#lingersUntilMs <= this.monotonicMs()) this.#finishClosing();
    };
    if (this.#pending === 0) setImmediate(() => setImmediate(close));
  }

  #finishClosing(): void {
    const closed = this.#closed;
    if (closed === null) return;
    this.#closed = null;
    this.#stopTimer();
    for (const app of this.#apps) app.close();
    closed.resolve();
  }
}
