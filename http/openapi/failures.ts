/**
 * The failures of the public API: the kinds that endpoints name, the codes of each, and their meanings. The API
 * document is made from these tables. Tests compare them with the registry, with the guide's table and with the
 * answers of a real server.
 */
import { ERROR_STATUS, type ErrorCode } from '../../engine/model/errors.js';

/** Every code of the public API, with its meaning or what to do about it, as in the guide. */
export const MEANINGS = {
  invalid_request: 'the sentence names the field and what was expected',
  round_not_live: 'the market has no LIVE round now',
  betting_closed: "the round locks too soon: the rules' cutoff or less is left",
  order_expired: 'the order came after its `validUntil`',
  stake_out_of_range: "outside minBet and maxBet or the tier's limit; the sentence gives the range",
  insufficient_balance: 'the stake is more than the balance',
  round_exposure_limit:
    'the round would come to owe too much on this side; the sentence says what can be bet now',
  too_many_open_bets: 'the account has as many open bets as the rules allow',
  order_not_pending: 'only a limit order that rests can be cancelled',
  idempotency_key_reused: 'the key stands for another order',
  missing_api_key: 'no `X-API-Key`',
  invalid_api_key: 'malformed or unknown',
  key_disabled: 'an operator has disabled the key',
  key_expired: 'make another',
  insufficient_scope: "the key lacks the endpoint's scope",
  tier_too_low: 'writing needs Silver or higher',
  account_frozen: 'the account reads, but takes no orders',
  market_not_found: 'no active market has this id',
  round_not_found: 'no round in memory has this id',
  order_not_found: 'no order of yours has this id',
  proof_not_found:
    "the order's round is not settled yet, no Merkle root of it was put on record, or the order was never filled",
  not_found: 'no such path; paths have no trailing slash',
  method_not_allowed: '`Allow` names the methods of the path',
  request_timeout: 'the body took too long to arrive',
  slow_consumer: 'a stream was not read: open another, and read what you missed',
  odds_changed: 'look at the market again and decide anew; with `minOdds`, `current` has what it is now',
  round_changed: "the market's current round is not the order's `roundId`",
  idempotency_in_progress: 'the first request is not on disk yet; try again',
  body_too_large: 'a body has at most 16 KiB',
  unsupported_media_type: 'the body must be `application/json`, and not compressed',
  upgrade_required: '`/v1/stream` is a WebSocket',
  resync_required: 'a stream cannot resume from this number: subscribe without it, then read what you missed',
  rate_limited: 'the sentence names the limit; wait as long as `Retry-After` says',
  too_many_streams: 'the key has 20 open streams',
  internal_error:
    'an error of the server, at this request alone. Whether an order was placed, it says when it is sent again with its Idempotency-Key',
  trading_disabled: 'an operator has stopped orders; the sentence gives the reason',
  market_suspended: 'an operator has stopped orders in this market',
  stale_price: 'the house has no fresh price to quote from; try again after `Retry-After` seconds',
  price_held: 'a price far from the last one is being checked; try again after `Retry-After` seconds',
  price_source_changed:
    'prices come from another source than when the round opened; the next round takes orders',
  price_too_coarse: 'the price moves in steps too large for the time that is left when betting closes',
  clock_unsynchronised: "the server's clock is not to be trusted right now",
  journal_backlog: 'the disk does not keep up; try again',
  disk_reserve: 'the disk is nearly full; reading and settlement go on',
  journal_unavailable: 'nothing can be put on record; an operator has to act',
  idempotency_full: 'the memory for Idempotency-Keys is full; try again',
  archive_behind: 'what has happened just now is not stored yet; try again after `Retry-After` seconds',
  archive_unavailable: 'what has left memory cannot be read now; an operator has to look',
  overloaded: 'too many requests wait for the engine; try again after `Retry-After` seconds',
  shutting_down: 'the server is stopping',
} as const satisfies Partial<Record<ErrorCode, string>>;

export type PublicCode = keyof typeof MEANINGS;

export const PUBLIC_CODES = Object.keys(MEANINGS) as readonly PublicCode[];

export interface FailureKind {
  readonly meaning: string;
  /** All of one status. */
  readonly codes: readonly [PublicCode, ...PublicCode[]];
  /** Headers of its own. */
  readonly headers?: readonly string[];
}

const ANY_REQUEST_MEANING = 'The request does not show where it ends.';

/** By the name of the response in the document. */
export const FAILURE_KINDS = {
  BadRequest: { meaning: ANY_REQUEST_MEANING, codes: ['invalid_request'] },
  BadParameter: {
    meaning: 'A parameter is unknown, given twice or out of range.',
    codes: ['invalid_request'],
  },
  BadOrder: {
    meaning: 'The order is not well-formed, or the rules refuse it.',
    codes: [
      'invalid_request',
      'round_not_live',
      'betting_closed',
      'order_expired',
      'stake_out_of_range',
      'insufficient_balance',
      'round_exposure_limit',
      'too_many_open_bets',
      'idempotency_key_reused',
    ],
  },
  BadCancel: {
    meaning: 'The request has a query, or the order is not PENDING.',
    codes: ['invalid_request', 'order_not_pending'],
  },
  BadQuote: { meaning: 'The order is not well-formed.', codes: ['invalid_request'] },
  Unauthorized: {
    meaning: 'Missing, malformed or unknown API key.',
    codes: ['missing_api_key', 'invalid_api_key'],
    headers: ['WWW-Authenticate'],
  },
  Forbidden: {
    meaning: 'Key disabled or expired, or scope missing.',
    codes: ['key_disabled', 'key_expired', 'insufficient_scope'],
  },
  OrderForbidden: {
    meaning: 'Key disabled or expired, scope missing, tier too low for the scope, or account frozen.',
    codes: ['key_disabled', 'key_expired', 'insufficient_scope', 'tier_too_low', 'account_frozen'],
  },
  MarketNotFound: { meaning: 'There is no such market.', codes: ['market_not_found'] },
  RoundNotFound: { meaning: 'There is no such round any more, or yet.', codes: ['round_not_found'] },
  OrderNotFound: { meaning: 'You have no such order.', codes: ['order_not_found'] },
  ProofNotFound: {
    meaning: 'You have no such order, or its round is not settled or has no root.',
    codes: ['order_not_found', 'proof_not_found'],
  },
  RequestTimeout: { meaning: 'The body took too long to arrive.', codes: ['request_timeout'] },
  Conflict: {
    meaning:
      'The odds moved beyond tolerance, the round is another one, or the first request with this Idempotency-Key is ' +
      'still in progress.',
    codes: ['odds_changed', 'round_changed', 'idempotency_in_progress'],
  },
  ContentTooLarge: { meaning: 'The body is too large.', codes: ['body_too_large'] },
  UnsupportedMediaType: {
    meaning: 'The body is not `application/json`, or it has a Content-Encoding other than `identity`.',
    codes: ['unsupported_media_type'],
  },
  TooManyRequests: {
    meaning: 'Rate limit exceeded; the sentence and `RateLimit` name it.',
    codes: ['rate_limited'],
    headers: ['Retry-After'],
  },
  OrdersNotTaken: {
    meaning: 'Orders are not taken right now; this one was not placed.',
    codes: [
      'trading_disabled',
      'market_suspended',
      'stale_price',
      'price_held',
      'price_source_changed',
      'price_too_coarse',
      'clock_unsynchronised',
      'journal_backlog',
      'disk_reserve',
      'journal_unavailable',
      'idempotency_full',
      'overloaded',
      'shutting_down',
    ],
  },
  CancelsNotTaken: {
    meaning: 'The cancellation cannot be put on record right now; the order rests.',
    codes: [
      'clock_unsynchronised',
      'journal_backlog',
      'disk_reserve',
      'journal_unavailable',
      'overloaded',
      'archive_behind',
      'archive_unavailable',
      'shutting_down',
    ],
  },
  Overloaded: {
    meaning: 'Too many requests wait for the engine, or what was asked for cannot be put on record.',
    codes: ['overloaded', 'journal_unavailable'],
    headers: ['Retry-After'],
  },
  PastNotRead: {
    meaning: 'The past cannot be read right now.',
    codes: ['overloaded', 'archive_behind', 'archive_unavailable', 'journal_unavailable'],
    headers: ['Retry-After'],
  },
} as const satisfies Record<string, FailureKind>;

export type FailureName = keyof typeof FAILURE_KINDS;

/** Failures that any request may get, with or without a key. */
export const ANY_REQUEST_FAILURES = ['RequestTimeout', 'ContentTooLarge', 'TooManyRequests'] as const;

/** Failures of the document itself. */
export const DOCUMENT_FAILURES: readonly FailureName[] = ['BadRequest', ...ANY_REQUEST_FAILURES];

export const statusOf = (name: FailureName): number => ERROR_STATUS[FAILURE_KINDS[name].codes[0]];
