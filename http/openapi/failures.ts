/**
 * The failures of the public API: the kinds that endpoints name, the codes of each, and their meanings. The API
 * document and docs/bots/errors.md are made from these tables. Tests compare them with the registry and with the
 * answers of a real server.
 */
import { ERROR_STATUS, type PublicCode } from '../../engine/model/errors.js';

/** The meaning of a code, or advice. */
export const MEANINGS = {
  invalid_request: 'the sentence names the field and what was expected',
  round_not_live: 'the market has no LIVE round: wait for the next one',
  betting_closed: 'betting on the round has closed: wait for the next one',
  order_expired: "the order came after its `validUntil`, by the server's clock (`GET /time`): decide anew",
  stake_out_of_range: "outside minBet and maxBet or the tier's limit; the sentence gives the range",
  insufficient_balance: 'the stake is more than the balance: bet less, or wait until bets are settled',
  round_exposure_limit:
    'the round would owe too much on this side: bet at most what the sentence says, or the other side',
  too_many_open_bets: 'the account has as many open bets as the rules allow: wait until rounds end',
  order_not_pending:
    'only a limit order that rests can be cancelled: `GET /orders/{id}` says what has become of it',
  idempotency_key_reused:
    'the key has placed another order: read `GET /orders`, and give a new order a new key',
  missing_api_key: 'send `X-API-Key`',
  invalid_api_key: 'malformed or unknown: stop, and check the key',
  key_disabled: 'an operator has disabled the key: stop, and ask them',
  key_expired: 'have another key made',
  insufficient_scope: "the key lacks the endpoint's scope: have another made",
  tier_too_low: 'betting needs Silver or higher',
  account_frozen: 'the account reads, but takes no orders: ask the operator. Open bets settle as ever',
  market_not_found: 'no active market has this id: see `GET /markets`',
  round_not_found: 'no such round: too old, not yet begun, or for a proof not settled',
  order_not_found: 'no order of yours has this id',
  proof_not_found: 'the round is not settled yet or has no Merkle root, or the order was never filled',
  not_found: 'no such path; paths have no trailing slash',
  method_not_allowed: '`Allow` names the methods of the path',
  request_timeout: 'the body took too long to arrive; nothing was done',
  slow_consumer: 'the stream was not read: open another, and read what you missed',
  odds_changed: 'decide anew; with `minOdds`, `current` has what the order would get now',
  round_changed: "the market's current round is not the order's `roundId`: decide anew",
  idempotency_in_progress: 'the first request is not on disk yet: send it again',
  body_too_large: 'a body has at most 16 KiB',
  unsupported_media_type: 'the body must be `application/json`, and not compressed',
  upgrade_required: '`/v1/stream` is a WebSocket',
  resync_required:
    'the stream cannot resume from this number: subscribe without `since`, then read what you missed',
  rate_limited: 'the sentence names the limit: wait as long as `Retry-After` says',
  too_many_streams: 'the key has 20 open streams: close one',
  internal_error:
    'an error of the server at this request alone: send an order again with its Idempotency-Key',
  trading_disabled: 'an operator has stopped orders; the sentence gives the reason',
  market_suspended: 'the market takes no orders, by an operator or because of news: bet elsewhere',
  stale_price: 'the house has no fresh price to quote from: usually over with the next tick',
  price_held: 'a price far from the last one is being checked: seconds to half a minute',
  price_source_changed:
    'prices come from another source than when the round opened, or soon will: bet on the next round',
  price_too_coarse:
    'the price moves in steps too large for the time that is left: bet on a longer time frame',
  clock_unsynchronised: "the server's clock is in doubt: seconds, as a rule",
  journal_backlog: 'the disk or the replicated log does not keep up: try again',
  disk_reserve: 'the disk is nearly full: an operator has to act. Reading and settlement go on',
  journal_unavailable: 'nothing can be put on record: an operator has to act. Reading goes on',
  idempotency_full: 'the memory for Idempotency-Keys is full; some are forgotten every minute',
  archive_behind:
    'past data are read from disk, which is a moment behind: try again after `Retry-After` seconds',
  archive_unavailable: 'older data cannot be read: an operator has to act. Orders go on',
  overloaded: 'too many requests wait for the engine: try again after `Retry-After` seconds',
  shutting_down: 'the server stops; the next one answers',
} as const satisfies Record<PublicCode, string>;

export const PUBLIC_CODES = Object.keys(MEANINGS) as readonly PublicCode[];

export interface FailureKind {
  readonly meaning: string;
  /** All of one status. */
  readonly codes: readonly [PublicCode, ...PublicCode[]];
  readonly headers?: readonly string[];
  /** Whether some of the codes, but not all, come with Retry-After. */
  readonly mayHaveRetryAfter?: true;
}

/** By the name of the response in the document. */
export const FAILURE_KINDS = {
  BadRequest: { meaning: 'The request does not show where it ends.', codes: ['invalid_request'] },
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
    mayHaveRetryAfter: true,
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
    mayHaveRetryAfter: true,
  },
  Overloaded: {
    meaning:
      'Too many requests wait for the engine, or what was asked for is not on record yet, or cannot be.',
    codes: ['overloaded', 'journal_backlog', 'journal_unavailable'],
    headers: ['Retry-After'],
  },
  PastNotRead: {
    meaning: 'The past cannot be read right now.',
    codes: ['overloaded', 'archive_behind', 'archive_unavailable', 'journal_backlog', 'journal_unavailable'],
    headers: ['Retry-After'],
  },
} as const satisfies Record<string, FailureKind>;

export type FailureName = keyof typeof FAILURE_KINDS;

export const ANY_REQUEST_FAILURES = ['RequestTimeout', 'ContentTooLarge', 'TooManyRequests'] as const;

export const DOCUMENT_FAILURES: readonly FailureName[] = ['BadRequest', ...ANY_REQUEST_FAILURES];

export const statusOf = (name: FailureName): number => ERROR_STATUS[FAILURE_KINDS[name].codes[0]];
