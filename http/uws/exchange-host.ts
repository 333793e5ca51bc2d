/** What an exchange and the transport it belongs to know of each other. */
import type { HttpHandler } from '../../engine/model/ports.js';

/** An exchange that waits for its client. */
export interface WaitingExchange {
  /** When patience ends, in monotonic milliseconds. */
  readonly dueMs: number;
  /** Patience has ended. */
  expire(): void;
}

export interface ExchangeHost {
  readonly handler: HttpHandler;
  /** Those that wait for their client: looked at now and then for `dueMs`. */
  readonly slow: Set<WaitingExchange>;
  /** The transport is closing: every answer closes its connection. */
  readonly isClosing: boolean;
  monotonicMs(): number;
  /** The exchange is over: answered in full, or its client has gone. */
  onOver(): void;
  /** A programming error; the process ends. */
  onFatal(error: unknown): void;
}
