/** The interfaces between an exchange and its transport. */
import type { HttpHandler } from '../../engine/model/ports.js';

/** An exchange that is waiting for its client. */
export interface WaitingExchange {
  /** When waiting ends, in monotonic milliseconds. */
  readonly dueMs: number;
  /** Ends the waiting: `dueMs` has passed. */
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
  /** A programming error; the process ends. */
  onFatal(error: unknown): void;
}
