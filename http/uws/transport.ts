/**
 * The network on uWebSockets.js: a listening socket, its connections, and an `Exchange` for every request.
 *
 * A hostile client is bounded by the number of connections here, by the library (4 KiB and about 100 headers, and 10
 * s for a head to arrive), and for bodies and answers by `exchange.ts` and `answer.ts`. There is no bound by address:
 * the library does not report whose connection closes, and one proxy may rightly hold most of them.
 */
import { assert } from '../../engine/base/assert.js';
import type { Clock, HttpHandler, Transport } from '../../engine/model/ports.js';
import { abandon } from './answer.js';
import { ClientAddresses, type Peer } from './client-address.js';
import { Exchange } from './exchange.js';
import type { ExchangeHost, WaitingExchange } from './exchange-host.js';
import { type UwsApp, type UwsAppDescriptor, type UwsRequest, type UwsResponse, uws } from './library.js';
import { type Listening, listenOn } from './listening.js';
import { receiveBuffer } from './receive-buffer.js';
import { RequestHeaders } from './request-headers.js';

/** Open connections; further ones are closed at once. */
export const CONNECTIONS_MAX = 10_000;
/** How often slow clients are checked, in milliseconds. */
const SWEEP_MS = 250;
/**
 * How many slow clients are expired per turn of the event loop, so that many that stall at the same moment do not
 * block it.
 */
const EXPIRED_PER_TURN_MAX = 16;
/** When closing, pending answers have this long to be sent; then their connections are closed. */
export const CLOSE_DEADLINE_MS = 10_000;

/** Calls `run` every `periodMs` milliseconds until the returned function is called. */
export type StartTimer = (run: () => void, periodMs: number) => () => void;

export interface UwsTransportOptions {
  readonly clock: Clock;
  /** Addresses or ranges whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** A programming error in a handler. The state can no longer be trusted, and the process is expected to end. */
  readonly onFatal: (error: unknown) => void;
  readonly connectionsMax?: number;
  /** Connections of all transports that share the bound: one 32-bit integer. Its own if absent. */
  readonly openConnections?: Int32Array;
  /** The system's timer if absent. */
  readonly startTimer?: StartTimer;
}

const systemTimer: StartTimer = (run, periodMs) => {
  const timer = setInterval(run, periodMs);
  timer.unref();
  return () => clearInterval(timer);
};

export class UwsTransport implements Transport, ExchangeHost {
  readonly slow = new Set<WaitingExchange>();
  isClosing = false;
  handler: HttpHandler = () => assert(false, 'a transport listens with a handler');

  readonly #addresses: ClientAddresses;
  readonly #connectionsMax: number;
  readonly #openConnections: Int32Array;
  readonly #headers = new RequestHeaders();
  #app: UwsApp | null = null;
  #listening: Listening | null = null;
  #stopTimer: () => void = () => undefined;
  #connections = 0;
  /** The peer of all open connections if they share one; else null. */
  #onlyPeer: Peer | null = null;
  /** Requests not answered yet. */
  #pending = 0;
  /** Slow exchanges are being expired, some in every turn of the event loop. */
  #isExpiring = false;
  #closed: { readonly dueMs: number; readonly resolve: () => void } | null = null;

  constructor(private readonly options: UwsTransportOptions) {
    this.#addresses = new ClientAddresses(options.trustedProxies);
    this.#connectionsMax = options.connectionsMax ?? CONNECTIONS_MAX;
    this.#openConnections = options.openConnections ?? new Int32Array(1);
  }

  /** Connections open now. */
  get connections(): number {
    return this.#connections;
  }

  async listen(host: string, port: number, handler: HttpHandler): Promise<number> {
    this.#listening = await listenOn(await this.#open(handler), host, port);
    return this.#listening.port;
  }

  /** Serves connections that an acceptor hands over. Resolves with what the acceptor needs. */
  async join(handler: HttpHandler): Promise<UwsAppDescriptor> {
    return (await this.#open(handler)).getDescriptor();
  }

  close(): Promise<void> {
    if (this.#app === null || this.isClosing) return Promise.resolve();
    this.#listening?.close();
    this.isClosing = true;
    return new Promise((resolve) => {
      this.#closed = { dueMs: this.monotonicMs() + CLOSE_DEADLINE_MS, resolve };
      this.#closeWhenIdle();
    });
  }

  /** Closes all connections at once, whatever waits on them. */
  halt(): void {
    this.#listening?.close();
    this.isClosing = true;
    this.#stopTimer();
    this.#app?.close();
  }

  async #open(handler: HttpHandler): Promise<UwsApp> {
    assert(this.#app === null, 'a transport opens once');
    const app = uws.App();
    this.#app = app;
    this.handler = handler;
    this.#headers.received = await receiveBuffer();
    app.filter((response, change) => this.#guarded(() => this.#onConnection(response, change)));
    // GET and POST have routes of their own, which avoids creating a string for the method. Methods are
    // case-sensitive.
    app.get('/*', (response, request) => this.#serve('GET', response, request));
    app.post('/*', (response, request) => this.#serve('POST', response, request));
    app.any('/*', (response, request) => this.#serve(null, response, request));
    this.#stopTimer = (this.options.startTimer ?? systemTimer)(() => this.#sweep(), SWEEP_MS);
    return app;
  }

  monotonicMs(): number {
    return this.options.clock.monotonicMs();
  }

  onFinished(): void {
    this.#pending -= 1;
    if (this.isClosing) this.#closeWhenIdle();
  }

  /**
   * Reports a programming error. An exception that reaches the library ends the process silently, so what `onFatal`
   * itself throws is rethrown where Node sees it.
   */
  onFatal(error: unknown): void {
    try {
      this.options.onFatal(error);
    } catch (thrown) {
      setImmediate(() => {
        throw thrown;
      });
    }
  }

  /** `method` is null if it must be read from the request. Must not throw: the library would end the process. */
  #serve(method: string | null, response: UwsResponse, request: UwsRequest): void {
    try {
      const headers = this.#headers;
      const verb = method ?? request.getCaseSensitiveMethod();
      const path = request.getUrl();
      const query = request.getQuery();
      headers.read(request, verb, path, query);
      const exchange = new Exchange(
        this,
        response,
        verb,
        path,
        query ?? '',
        this.#addresses.counted(this.#peerOf(response), headers.forwardedFor ?? ''),
        headers,
      );
      this.#pending += 1;
      const { ambiguity } = headers;
      if (ambiguity !== null) exchange.startRefused(ambiguity);
      else if (!headers.hasBody) exchange.start();
      else exchange.startReceiving(headers.declaredBytes);
    } catch (error) {
      this.onFatal(error);
      abandon(response, () => undefined);
    }
  }

  #peerOf(response: UwsResponse): Peer {
    return this.#onlyPeer ?? this.#addresses.peer(response.getRemoteAddress());
  }

  /**
   * Asking the library for an address costs as much as the rest of starting a request. A sole peer, such as a proxy,
   * is therefore looked up once a connection. The library does not report whose connection closes.
   */
  #onConnection(response: UwsResponse, change: number): void {
    this.#connections += change;
    const open = Atomics.add(this.#openConnections, 0, change) + change;
    if (change < 0) return;
    if (this.isClosing || open > this.#connectionsMax) {
      response.close();
      return;
    }
    const peer = this.#addresses.peer(response.getRemoteAddress());
    if (this.#connections === 1) this.#onlyPeer = peer;
    else if (this.#onlyPeer !== peer) this.#onlyPeer = null;
  }

  #sweep(): void {
    if (!this.#isExpiring) this.#expireSome(this.slow.values());
    if (this.#closed !== null && this.#closed.dueMs <= this.monotonicMs()) this.#finishClosing();
  }

  /** Continues where it stopped: a set's iterator tolerates removals and additions in between. */
  #expireSome(waiting: Iterator<WaitingExchange>): void {
    const nowMs = this.monotonicMs();
    let left = EXPIRED_PER_TURN_MAX;
    this.#isExpiring = true;
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
      const exchange = next.value;
      if (exchange.dueMs > nowMs) continue;
      this.#guarded(() => exchange.expire());
      left -= 1;
      if (left === 0) {
        setImmediate(() => this.#expireSome(waiting));
        return;
      }
    }
    this.#isExpiring = false;
  }

  #closeWhenIdle(): void {
    // Not at once: the library is still sending the last answer.
    if (this.#pending === 0) setImmediate(() => this.#pending === 0 && this.#finishClosing());
  }

  #finishClosing(): void {
    const closed = this.#closed;
    if (closed === null) return;
    this.#closed = null;
    this.#stopTimer();
    this.#app?.close();
    closed.resolve();
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.onFatal(error);
    }
  }
}
