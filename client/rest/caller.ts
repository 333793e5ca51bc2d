/**
 * A call: one request, sent as often as it needs and is allowed to. It waits its turn under the rate limits, is sent
 * again after failures that pass (`retry.ts`), and ends with the answer or one `ToteError`.
 */
import type { ServerClock } from '../base/clock.js';
import { type Failure, ToteError } from '../base/errors.js';
import { backoffMs, type Surroundings } from '../base/timing.js';
import { type Exchanged, exchange, type Fetch, isFailure, type Success, type Wanted } from './exchange.js';
import { Pace } from './pace.js';
import { isOutcomeUnknown, isRetried } from './retry.js';

export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. An order may have been placed all the same. */
  readonly signal?: AbortSignal;
  /** How long each attempt waits for its answer, in milliseconds. */
  readonly timeoutMs?: number;
  /** For how long failures that pass are tried again, in milliseconds; 0 for a single attempt. */
  readonly retryForMs?: number;
}

export interface CallDefaults {
  readonly timeoutMs: number;
  readonly retryForMs: number;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

export interface Request {
  readonly method: Wanted['method'];
  /** Below the base path, with a slash. */
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /** Milliseconds since 1970 by the server's clock: not sent later than this. */
  readonly untilMs?: number;
}

/** After `Retry-After` the server admits one request; a little chance keeps several clients apart. */
const RETRY_AFTER_JITTER_MS = 250;

export class Caller {
  readonly #paces: { readonly read: Pace; readonly write: Pace };

  constructor(
    private readonly base: string,
    private readonly headers: Readonly<Record<string, string>>,
    private readonly send: Fetch,
    private readonly defaults: CallDefaults,
    private readonly around: Surroundings,
    private readonly clock: ServerClock,
  ) {
    this.#paces = { read: new Pace(around), write: new Pace(around) };
  }

  async call(request: Request, options: CallOptions): Promise<Success> {
    const { around, defaults } = this;
    const { timeoutMs = defaults.timeoutMs, retryForMs = defaults.retryForMs, signal } = options;
    const { idempotencyKey = null, untilMs = Number.POSITIVE_INFINITY } = request;
    const pace = request.method === 'GET' ? this.#paces.read : this.#paces.write;
    const wanted = this.#wanted(request);
    const retryUntilMs = around.monotonicMs() + retryForMs;
    const isTooLate = (delayMs: number): boolean => this.clock.nowMs() + delayMs > untilMs;
    let isUnknown = false;
    for (let attempts = 0; ; ) {
      if (isTooLate(pace.delayMs))
        throw new ToteError(TOO_LATE, { attempts, isOutcomeUnknown: isUnknown, idempotencyKey });
      await pace.wait(signal);
      attempts += 1;
      const { outcome } = await this.#exchange(wanted, pace, timeoutMs, signal);
      if (!isFailure(outcome)) return outcome;
      isUnknown ||= isOutcomeUnknown(outcome);
      const delayMs = this.#delayMs(outcome, attempts);
      // Whoever else has a request to send need not find out for himself.
      if (outcome.code === 'rate_limited') pace.hold(delayMs);
      if (!isRetried(outcome) || around.monotonicMs() + delayMs > retryUntilMs || isTooLate(delayMs))
        throw new ToteError(outcome, { attempts, isOutcomeUnknown: isUnknown, idempotencyKey });
      if (outcome.code !== 'rate_limited') await around.sleep(delayMs, signal);
    }
  }

  #wanted({ method, path, query = {}, body, idempotencyKey }: Request): Wanted {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) search.set(name, String(value));
    const headers = {
      ...this.headers,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    };
    const url = `${this.base}${path}${search.size === 0 ? '' : `?${search}`}`;
    return { method, url, headers, body: body === undefined ? null : JSON.stringify(body) };
  }

  async #exchange(
    wanted: Wanted,
    pace: Pace,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Exchanged> {
    let headers: Headers | null = null;
    try {
      const exchanged = await exchange(wanted, this.send, timeoutMs, signal);
      headers = exchanged.headers;
      return exchanged;
    } finally {
      pace.answered(headers);
    }
  }

  /** How long to wait before the next attempt. */
  #delayMs({ retryAfterMs }: Failure, attempts: number): number {
    const { random } = this.around;
    return typeof retryAfterMs === 'number'
      ? retryAfterMs + random() * RETRY_AFTER_JITTER_MS
      : backoffMs(attempts, random);
  }
}

const TOO_LATE: Failure = {
  code: 'not_sent',
  detail: 'the time until which it was to be sent is over, or would be before the rate limits allow it',
  status: 0,
};
