/**
 * Failures that are worth the same request again. An order is always sent again with the same Idempotency-Key, so that
 * it is placed once, however many attempts reach the server. docs/bots/errors.md shows which.
 */
import type { ErrorCode, Failure } from '../base/errors.js';

/**
 * Their causes are likely to be over in seconds. All of them leave the order unplaced, or it is answered when it is
 * sent again.
 */
export const RETRIED_CODES: readonly ErrorCode[] = [
  'connection_failed',
  'timed_out',
  'request_timeout',
  'idempotency_in_progress',
  'rate_limited',
  'stale_price',
  'price_held',
  'clock_unsynchronised',
  'journal_backlog',
  'archive_behind',
  'idempotency_full',
  'overloaded',
  'shutting_down',
];

/** Statuses of a proxy while the server behind it is away or does not answer. */
const PROXY_STATUSES: readonly number[] = [502, 503, 504];

export function isRetried({ code, status = 0, isFinal }: Failure): boolean {
  if (isFinal === true) return false;
  return code === 'bad_answer' ? PROXY_STATUSES.includes(status) : RETRIED_CODES.includes(code);
}

/** The attempt has ended, but its order may have been placed. */
const LOST_CODES: readonly ErrorCode[] = ['connection_failed', 'bad_answer', 'internal_error'];
/** The attempt may still be on its way: also a proxy that gave up waiting (504) may have passed it on. */
const LATE_CODES: readonly ErrorCode[] = ['timed_out', 'aborted'];
const GATEWAY_TIMEOUT = 504;

/** With these the server refuses an order after it has looked for its Idempotency-Key: no attempt before was placed. */
const TELLING_CODES: readonly ErrorCode[] = [
  'idempotency_key_reused',
  'tier_too_low',
  'account_frozen',
  'market_not_found',
  'order_expired',
  'round_changed',
  'trading_disabled',
  'market_suspended',
  'round_not_live',
  'betting_closed',
  'stale_price',
  'price_held',
  'price_source_changed',
  'price_too_coarse',
  'stake_out_of_range',
  'odds_changed',
  'insufficient_balance',
  'round_exposure_limit',
  'too_many_open_bets',
];

/** Whether an earlier attempt of a write may have succeeded. */
export class Doubt {
  #isLost = false;
  #isLate = false;

  /** `isOrder`: no cancellation, which has no key. `namesRound`: the order has a `roundId`. */
  constructor(
    private readonly isOrder: boolean,
    private readonly namesRound: boolean,
  ) {}

  get isOutcomeUnknown(): boolean {
    return this.#isLost || this.#isLate;
  }

  add({ code, status, isUnsent }: Failure): void {
    if (isUnsent === true) return;
    // It has come too late for an attempt on its way, too: that one would be refused as well.
    if (code === 'order_expired' || (code === 'betting_closed' && this.namesRound)) this.#isLate = false;
    if (LATE_CODES.includes(code) || status === GATEWAY_TIMEOUT) this.#isLate = true;
    else if (LOST_CODES.includes(code)) this.#isLost = true;
    else if (this.isOrder && TELLING_CODES.includes(code)) this.#isLost = false;
  }
}
