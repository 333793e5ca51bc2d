/**
 * Answers of a server with the default rules, shown as examples in the API document. Written by
 * `test/http/openapi/examples-generate.ts`; a test holds them equal to what the handlers answer.
 */
import type { FailureName } from './failures.js';

/** `error` of failures, by the name of their response. */
export const EXAMPLE_FAILURES: Readonly<Record<FailureName, readonly string[]>> = {
  BadRequest: ['invalid_request: Content-Length and Transfer-Encoding exclude each other'],
  BadParameter: ['invalid_request: limit must be a whole number from 1 to 200'],
  BadOrder: [
    'invalid_request: expectedPercnt is not a known field',
    'round_not_live: the market has no live round at this moment',
    'betting_closed: bets are refused in the last 20 seconds before the lock',
    'order_expired: validUntil has passed',
    'stake_out_of_range: amount must be 1 to 5000 USD for this market and account tier',
    'insufficient_balance: the stake is more than the balance',
    'round_exposure_limit: the round would come to owe too much on UP; up to 142.91 USD can be bet on UP now',
    'too_many_open_bets: an account may have 2 open bets',
    'idempotency_key_reused: this Idempotency-Key was used with another body',
  ],
  BadCancel: [
    'invalid_request: unknown query parameter "why"; a write takes none: its fields stand in the body',
    'order_not_pending: only an order that rests can be cancelled',
  ],
  BadQuote: ['invalid_request: expectedPercnt is not a known field'],
  Unauthorized: ['missing_api_key: the X-API-Key header is required', 'invalid_api_key: no such key'],
  Forbidden: [
    'key_disabled: this key is disabled',
    'key_expired: this key has expired',
    'insufficient_scope: this key lacks the scope of the endpoint',
  ],
  OrderForbidden: [
    'key_disabled: this key is disabled',
    'key_expired: this key has expired',
    'insufficient_scope: this key lacks the scope of the endpoint',
    'tier_too_low: the scope needs an account of Silver tier or higher',
    'account_frozen: the account takes no orders',
  ],
  MarketNotFound: ['market_not_found: no active market has this id'],
  RoundNotFound: ['round_not_found: no round in memory has this id'],
  OrderNotFound: ['order_not_found: no order of yours has this id'],
  ProofNotFound: [
    'order_not_found: no order of yours has this id',
    "proof_not_found: the order's round is not settled yet, or no Merkle root of it was put on record",
  ],
  RequestTimeout: ['request_timeout: the body took too long to arrive'],
  Conflict: [
    'odds_changed',
    'round_changed: roundId is not the current round of the market',
    'idempotency_in_progress: the first request with this Idempotency-Key is not durable yet; try again',
  ],
  ContentTooLarge: ['body_too_large: a body has at most 16384 bytes'],
  UnsupportedMediaType: ['unsupported_media_type: the Content-Type must be application/json'],
  TooManyRequests: [
    "rate_limited: the key's limit for reads (key_read), 120 in 60 seconds, is reached; wait as long as Retry-After says",
  ],
  OrdersNotTaken: [
    'trading_disabled: maintenance until 14:00 UTC',
    'market_suspended: this market takes no bets',
    'stale_price: the house has no fresh price to quote from; try again',
    'clock_unsynchronised: orders are not taken right now; try again',
    'journal_backlog: orders are not taken right now; try again',
    'disk_reserve: orders are not taken right now; try again',
    'journal_unavailable: nothing can be put on record until an operator has acted',
    'idempotency_full: the memory of Idempotency-Keys is full; try again',
    'overloaded: the server is behind; try again',
    'shutting_down: the server is stopping',
  ],
  CancelsNotTaken: [
    'clock_unsynchronised: orders are not taken right now; try again',
    'journal_backlog: orders are not taken right now; try again',
    'disk_reserve: orders are not taken right now; try again',
    'journal_unavailable: nothing can be put on record until an operator has acted',
    'overloaded: the server is behind; try again',
    'archive_behind: what has happened just now is not stored yet; try again',
    'archive_unavailable: what has left memory cannot be read now; try again later',
    'shutting_down: the server is stopping',
  ],
  Overloaded: [
    'overloaded: the server is behind; try again',
    'journal_unavailable: nothing can be put on record until an operator has acted',
  ],
  PastNotRead: [
    'overloaded: the server is behind; try again',
    'archive_behind: what has happened just now is not stored yet; try again',
    'archive_unavailable: what has left memory cannot be read now; try again later',
    'journal_unavailable: nothing can be put on record until an operator has acted',
  ],
};
