/**
 * What a transport is given, and what it and its exchanges share: their interfaces, and the exchanges that wait for slow
 * clients.
 */

import type { TlsFiles } from '../../config/certificate.js';
import type { Clock, HttpHandler } from '../../engine/model/ports.js';

/** What a request or stream was about, for the log. */
export interface Concerned {
  readonly method: string;
  readonly path: string;
  readonly address: string;
}

/** Reports a programming error that ends a client's request or stream. Returns the request's id. */
export type OnFault = (error: unknown, concerned: Concerned) => string;

/** Calls `run` every `periodMs` milliseconds until the returned function is called. */
export type StartTimer = (run: () => void, periodMs: number) => () => void;

export interface UwsTransportOptions {
  readonly clock: Clock;
  /** Addresses or ranges whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  readonly onFault: OnFault;
  /** Plain HTTP if absent. */
  readonly tls?: TlsFiles | null;
  readonly connectionsMax?: number;
  /** Connections of all transports that share the bound: one 32-bit integer. Its own if absent. */
  readonly openConnections?: Int32Array;
  /** Paths that have a WebSocket; none if absent. */
  readonly streamPaths?: readonly string[];
  /** Whether requests have `browser`; no if absent. */
  readonly readsBrowserHeaders?: boolean;
  /** The system's timer if absent. */
  readonly startTimer?: StartTimer;
}

/** The system's timer, which does not keep the process running. */
export const systemTimer: StartTimer = (run, periodMs) => {
  const timer = setInterval(run, periodMs);
  timer.unref();
  return () => clearInterval(timer);
};

/** An exchange that is waiting for its client. */
export interface WaitingExchange {
  /** When waiting ends, in monotonic milliseconds. */
  readonly dueMs: number;
  /** Ends the waiting: `dueMs` has passed. Never throws. */
  expire(): void;
}

export interface ExchangeHost {
  readonly handler: HttpHandler;
  /** Exchanges that wait for their client. The transport expires them after `dueMs`. */
  readonly slow: Set<WaitingExchange>;
  /** The transport is closing: every answer closes its connection. */
  readonly isClosing: boolean;
  monotonicMs(): number;
  /** The exchange has ended: answered in full, or its client disconnected. */
  onFinished(): void;
  /** Never throws: an exception that reached the library would end the process. */
  readonly onFault: OnFault;
}

/**
 * How many slow clients are expired per turn of the event loop, so that many that stall at the same moment do not
 * block it.
 */
const EXPIRED_PER_TURN_MAX = 16;

export class SlowExchanges extends Set<WaitingExchange> {
  /** Some are being expired in every turn of the event loop. */
  #isExpiring = false;

  /** Expires those that are due. */
  sweep(monotonicMs: () => number): void {
    if (!this.#isExpiring) this.#expireSome(this.values(), monotonicMs);
  }

  /** Continues where it stopped: a set's iterator tolerates removals and additions in between. */
  #expireSome(waiting: Iterator<WaitingExchange>, monotonicMs: () => number): void {
    const nowMs = monotonicMs();
    let left = EXPIRED_PER_TURN_MAX;
    this.#isExpiring = true;
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
      const exchange = next.value;
      if (exchange.dueMs > nowMs) continue;
      exchange.expire();
      left -= 1;
      if (left === 0) {
        setImmediate(() => this.#expireSome(waiting, monotonicMs));
        return;
      }
    }
    this.#isExpiring = false;
  }
}
