/** One class of error for requests without success, with a code to decide by. */
import type { ServerCode, StreamError } from './types.js';

/**
 * Codes of the client's own, where no answer of the server says what happened: the connection failed, no answer came in
 * time, the answer is none of tote's (a proxy's page), or the call's signal ended it (`cause` is the signal's reason).
 */
export type ClientCode = 'connection_failed' | 'timed_out' | 'bad_answer' | 'aborted';

/** A later version of the server may send codes that this type does not list. */
export type ErrorCode = ServerCode | StreamError['code'] | ClientCode;

/** The odds that an order refused with `odds_changed` would have met. */
export interface CurrentOdds {
  /** The side's share of the pool in percent, before the stake joins it. */
  readonly percent: number;
  /** The odds that the bet would have got. */
  readonly oddsAtBet: number;
}

export interface Failure {
  readonly code: ErrorCode;
  /** For people; may change at any time. */
  readonly detail: string;
  /** HTTP status; absent where no answer came, and over the stream. */
  readonly status?: number;
  readonly requestId?: string | null;
  readonly retryAfterMs?: number | null;
  readonly current?: CurrentOdds | null;
  readonly cause?: unknown;
  /** The request certainly did not reach the server. */
  readonly isUnsent?: true;
  /** Another attempt would end in the same way. */
  readonly isFinal?: true;
}

/** Every attempt of an order has the same marks; both are null for other requests. */
export interface OrderMarks {
  readonly idempotencyKey: string | null;
  /** Goes into `betHash`; null also for an order without one. */
  readonly clientSeed: string | null;
}

export const NO_MARKS: OrderMarks = { idempotencyKey: null, clientSeed: null };

export interface Attempts extends OrderMarks {
  readonly attempts: number;
  /**
   * For an order or a cancellation: an attempt may have reached the server, and no answer tells the outcome. Send an
   * order again with the same key, or look for it with `getOrderByIdempotencyKey`. A read has no outcome.
   */
  readonly isOutcomeUnknown: boolean;
}

export class ToteError extends Error implements Attempts {
  override readonly name = 'ToteError';
  readonly code: ErrorCode;
  /** HTTP status; 0 where no answer came, and over the stream. */
  readonly status: number;
  /** The field, parameter or header that `invalid_request` names; null where it names none. */
  readonly field: string | null;
  /** `X-Request-Id`, to quote in a report; null where no answer came. */
  readonly requestId: string | null;
  /** The wait that the server asks for before the next try; null where it asks for none. */
  readonly retryAfterMs: number | null;
  /** With `odds_changed`, where the order had `minOdds`: the odds now, so that the next order needs no other read. */
  readonly current: CurrentOdds | null;
  readonly attempts: number;
  readonly isOutcomeUnknown: boolean;
  readonly idempotencyKey: string | null;
  readonly clientSeed: string | null;

  constructor(failure: Failure, { attempts, isOutcomeUnknown, idempotencyKey, clientSeed }: Attempts) {
    const { code, detail, cause } = failure;
    super(detail === '' ? code : `${code}: ${detail}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = failure.status ?? 0;
    this.field = code === 'invalid_request' ? fieldIn(detail) : null;
    this.requestId = failure.requestId ?? null;
    this.retryAfterMs = failure.retryAfterMs ?? null;
    this.current = failure.current ?? null;
    this.attempts = attempts;
    this.isOutcomeUnknown = isOutcomeUnknown;
    this.idempotencyKey = idempotencyKey;
    this.clientSeed = clientSeed;
  }
}

/** Where nothing is tried again. */
export const failed = (failure: Failure): ToteError =>
  new ToteError(failure, { attempts: 1, isOutcomeUnknown: false, ...NO_MARKS });

/** `unknown query parameter "curso"; ...`, or a sentence that begins with the field: `amount must be ...`. */
function fieldIn(detail: string): string | null {
  const [, quoted, given, first] =
    /^(?:unknown query parameter "([^"]+)"|query parameter (\S+) |([A-Za-z][\w.[\]-]*) (?:must|is|has) )/.exec(
      detail,
    ) ?? [];
  return quoted ?? given ?? first ?? null;
}
