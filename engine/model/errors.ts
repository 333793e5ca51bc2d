/**
 * The one registry of error codes. A code is the stable first part of the envelope's `error` string and never changes
 * its meaning; a removed code is not used again. The status belongs to the code, so that no two places can answer it
 * differently.
 */
export const ERROR_STATUS = {
  // 400: the request itself
  invalid_request: 400,
  round_not_live: 400,
  betting_closed: 400,
  order_expired: 400,
  stake_out_of_range: 400,
  insufficient_balance: 400,
  round_exposure_limit: 400,
  too_many_open_bets: 400,
  order_not_pending: 400,
  idempotency_key_reused: 400,
  price_refused: 400,
  // 401: who is asking
  missing_api_key: 401,
  invalid_api_key: 401,
  invalid_operator_token: 401,
  client_certificate_required: 401,
  invalid_session: 401,
  // 403: known, but not allowed
  key_disabled: 403,
  key_expired: 403,
  insufficient_scope: 403,
  csrf_refused: 403,
  insufficient_role: 403,
  tier_too_low: 403,
  account_frozen: 403,
  // 404 and HTTP's own
  not_found: 404,
  market_not_found: 404,
  round_not_found: 404,
  order_not_found: 404,
  proof_not_found: 404,
  account_not_found: 404,
  key_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  slow_consumer: 408,
  body_too_large: 413,
  unsupported_media_type: 415,
  upgrade_required: 426,
  // 409: in conflict with the present state
  odds_changed: 409,
  round_changed: 409,
  idempotency_in_progress: 409,
  reference_conflict: 409,
  too_many_keys: 409,
  resync_required: 409,
  round_already_resolved: 409,
  clock_not_manual: 409,
  feed_not_push: 409,
  price_not_held: 409,
  preview_outdated: 409,
  rate_limited: 429,
  too_many_streams: 429,
  // 500: an error in the server itself
  internal_error: 500,
  // 503: not now
  trading_disabled: 503,
  market_suspended: 503,
  stale_price: 503,
  price_held: 503,
  price_source_changed: 503,
  price_too_coarse: 503,
  clock_unsynchronised: 503,
  journal_backlog: 503,
  archive_behind: 503,
  archive_unavailable: 503,
  disk_reserve: 503,
  journal_unavailable: 503,
  idempotency_full: 503,
  overloaded: 503,
  shutting_down: 503,
  standby: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** No bot is answered them. */
type OperatorCode =
  | 'price_refused'
  | 'invalid_operator_token'
  | 'client_certificate_required'
  | 'invalid_session'
  | 'csrf_refused'
  | 'insufficient_role'
  | 'standby'
  | 'account_not_found'
  | 'key_not_found'
  | 'reference_conflict'
  | 'too_many_keys'
  | 'round_already_resolved'
  | 'clock_not_manual'
  | 'feed_not_push'
  | 'preview_outdated'
  | 'price_not_held';
export type PublicCode = Exclude<ErrorCode, OperatorCode>;

/** Where a code is a number, it is its place here. */
export const ERROR_CODES = Object.keys(ERROR_STATUS) as readonly ErrorCode[];

/** Why the house has no fair share of a round, and so no quote: by `-1 - share` (`domain.ts`). */
export const NO_SHARE_CODES = [
  'stale_price',
  'price_held',
  'price_source_changed',
  'price_too_coarse',
  'market_suspended',
] as const satisfies readonly ErrorCode[];
const NO_SHARE_TEXTS = [
  'the house has no fresh price to quote from; try again',
  'a price that is far from the last one is being checked; try again',
  'prices come from another source than when the round opened, or soon will; bet on the next round',
  'the price moves in steps too large for the time that is left when betting closes',
  'news falls into this round; it takes orders again once the news is over',
] as const;

export function noShareRefusal(shareE6: number): { readonly code: ErrorCode; readonly detail: string } {
  const at = -1 - shareE6;
  return { code: NO_SHARE_CODES[at] ?? 'stale_price', detail: NO_SHARE_TEXTS[at] ?? '' };
}

/** The envelope's `error` string: the code, or the code, a colon and a sentence for people. */
export function errorText(code: ErrorCode, detail: string): string {
  return detail === '' ? code : `${code}: ${detail}`;
}
