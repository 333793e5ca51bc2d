/** The interfaces between a transport and its requests, and what bounds the requests that wait, and those of a turn. */
import type { TlsFiles } from '../../config/certificate.js';
import type { Clock, HttpHandler, HttpRequest } from '../../engine/model/ports.js';

export type Concerned = Pick<HttpRequest, 'method' | 'path' | 'address'>;

/** Reports a programming error that ends a client's request or stream. Returns the request's id. */
export type OnFault = (error: unknown, concerned: Concerned) => string;

type StartTimer = (run: () => void, periodMs: number) => () => void;

export interface UwsTransportOptions {
  readonly clock: Clock;
  readonly trustedProxies: readonly string[];
  readonly onFault: OnFault;
  /** Plain HTTP if absent. */
  readonly tls?: TlsFiles | null;
  readonly connectionsMax?: number;
  /** No bound if absent. */
  readonly perAddressMax?: number;
  /** `CONNECTION_CELLS` of all transports that share the bound. Its own if absent. */
  readonly openConnections?: Int32Array;
  /** Some of the connections are kept for known addresses; none are if absent. */
  readonly isKnown?: (address: string) => boolean;
  readonly streamPaths?: readonly string[];
  readonly readsBrowserHeaders?: boolean;
  readonly startTimer?: StartTimer;
}

/** Does not keep the process running. */
export const systemTimer: StartTimer = (run, periodMs) => {
  const timer = setInterval(run, periodMs);
  timer.unref();
  return () => clearInterval(timer);
};

export interface SlowRequest {
  /** In monotonic milliseconds. */
  readonly dueMs: number;
  /** The server stops: what is left of the body has a second to arrive. */
  hurry(): void;
  /** Is called once `dueMs` has passed. Never throws. */
  expire(): void;
}

export interface RequestHost {
  readonly handler: HttpHandler;
  /** The transport expires them after `dueMs`. */
  readonly slow: Set<SlowRequest>;
  readonly requestsInTurn: Pick<TurnCount, 'isFull'>;
  readonly piecesInTurn: TurnCount;
  /** While closing, every answer closes its connection. */
  readonly isClosing: boolean;
  monotonicMs(): number;
  /** The answer is sent in full, or the client has disconnected. */
  onFinished(): void;
  /** Never throws: an exception that reached the library would end the process. */
  readonly onFault: OnFault;
}

/** So that many clients that stall at the same moment do not block the event loop. */
const EXPIRED_PER_TURN_MAX = 16;

export class SlowRequests extends Set<SlowRequest> {
  #isExpiring = false;

  sweep(monotonicMs: () => number): void {
    if (!this.#isExpiring) this.#expireSome(this.values(), monotonicMs);
  }

  /** Continues where it stopped: a set's iterator tolerates removals and additions in between. */
  #expireSome(waiting: Iterator<SlowRequest>, monotonicMs: () => number): void {
    const nowMs = monotonicMs();
    let left = EXPIRED_PER_TURN_MAX;
    this.#isExpiring = true;
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
      const request = next.value;
      if (request.dueMs > nowMs) continue;
      request.expire();
      left -= 1;
      if (left === 0) {
        setImmediate(() => this.#expireSome(waiting, monotonicMs));
        return;
      }
    }
    this.#isExpiring = false;
  }
}

/**
 * Counts the requests of a turn of the event loop, or the pieces of their bodies. The library reads on from a socket that
 * fills its buffer, and from all sockets that have something, so clients that send faster than they are answered would
 * hold up all others, without a key. In a turn that is full all further requests are answered at its end: the library does
 * not tell connections apart, but it closes one with a request behind an unanswered one.
 */
export class TurnCount {
  #count = 0;
  readonly #endTurn = (): void => {
    this.#count = 0;
  };

  constructor(private readonly most: number) {}

  add(): void {
    this.#count += 1;
    if (this.#count === 1) setImmediate(this.#endTurn);
  }

  get isFull(): boolean {
    return this.#count > this.most;
  }
}
