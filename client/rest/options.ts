/** How a client is set up, and how it watches. */
import type { Surroundings } from '../base/timing.js';
import type { Fetch } from './send-request.js';

export interface ClientOptions {
  /**
   * The API's address with its base path; all addresses of an exchange on several machines: the client goes on to the
   * next one when one does not answer, or does not serve.
   */
  readonly url?: string | readonly string[];
  /** The secret of an API key: `tote_` and 43 characters. Keep it on your servers. */
  readonly key: string;
  /** How long each attempt waits for its answer: 10 seconds if not given. */
  readonly timeoutMs?: number;
  /** For how long failures that pass are tried again: 30 seconds if not given. */
  readonly retryForMs?: number;
  readonly fetch?: Fetch;
  /** Clock, chance and waiting, for tests. */
  readonly surroundings?: Surroundings;
}

export interface WatchOptions {
  /** From one look to the next: 1 second if not given. */
  readonly everyMs?: number;
  /** Ends the watching without an error. */
  readonly signal?: AbortSignal;
}
