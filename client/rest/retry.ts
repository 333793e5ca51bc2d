/**
 * Which failures are worth the same request again. An order is always sent again with the same Idempotency-Key, so
 * that it is placed once, however many attempts reach the server. docs/bots.md has this table with the reasons.
 */
import type { ErrorCode, Failure } from '../base/errors.js';

/**
 * Whose cause is likely to be over in seconds. All of them leave the order unplaced, or it is answered when it is sent
 * again.
 */
export const RETRIED_CODES: readonly ErrorCode[] = [
  'connection_failed',
  'timed_out',
  'request_timeout',
  'idempotency_in_progress',
  'rate_limited',
  'stale_price',
  'clock_unsynchronised',
  'journal_backlog',
  'archive_behind',
  'idempotency_full',
  'overloaded',
  'shutting_down',
];

/** What a proxy answers while the server behind it is away or does not answer. */
const PROXY_STATUSES: readonly number[] = [502, 503, 504];

export function isRetried({ code, status, isFinal }: Failure): boolean {
  if (isFinal === true) return false;
  return code === 'bad_answer' ? PROXY_STATUSES.includes(status) : RETRIED_CODES.includes(code);
}

/** An error of the server may have come after the order was placed. */
const UNKNOWN_CODES: readonly ErrorCode[] = [
  'connection_failed',
  'timed_out',
  'bad_answer',
  'internal_error',
];

/** Whether the server may have done what was asked although no answer of its own says so. */
export const isOutcomeUnknown = ({ code, isUnsent }: Failure): boolean =>
  isUnsent !== true && UNKNOWN_CODES.includes(code);
