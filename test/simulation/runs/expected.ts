/** A long run must have met each of these so often: a run that reaches nothing proves nothing. */
import { WORLD_OUTCOMES } from '../../support/reference/outcomes.js';
import type { CoverageKind } from '../coverage.js';
import { FAULT_KINDS } from '../faults/fault-plan.js';
import { CRASH_POINTS, FAILING_POINTS } from '../machine/crash-points.js';
import type { Tally } from './tally.js';

/** From so many commands on a run is long enough to have met everything. */
export const LONG_RUN_COMMANDS = 10_000_000;
const OFTEN_ENOUGH = 5;

const each = (name: string, outcomes: string): string[] =>
  outcomes.split(',').map((outcome) => `${name} ${outcome.trim().replace(/\s+/, ' ')}`);

const REPLIES = [
  ...each(
    'POST /v1/orders',
    `
    201, 201 replay, 400 betting_closed, 400 idempotency_key_reused, 400 insufficient_balance, 400
    invalid_request, 400 order_expired, 400 round_exposure_limit, 400 round_not_live, 400
    stake_out_of_range, 400 too_many_open_bets, 401 invalid_api_key, 401 missing_api_key, 403
    account_frozen, 403 insufficient_scope, 403 key_disabled, 403 key_expired, 403 tier_too_low, 404
    market_not_found, 408 request_timeout, 409 idempotency_in_progress, 409 odds_changed, 409 round_changed,
    413 body_too_large, 415 unsupported_media_type, 429 rate_limited, 503 clock_unsynchronised, 503
    disk_reserve, 503 idempotency_full, 503 journal_backlog, 503 market_suspended, 503 overloaded, 503
    shutting_down, 503 stale_price, 503 trading_disabled`,
  ),
  ...each(
    'DELETE /v1/orders/{id}',
    `
    200, 400 order_not_pending, 403 account_frozen, 403 insufficient_scope, 403 key_disabled, 403
    key_expired, 403 tier_too_low, 404 order_not_found, 429 rate_limited, 503 archive_unavailable, 503
    clock_unsynchronised, 503 disk_reserve, 503 journal_backlog, 503 overloaded`,
  ),
  ...each('DELETE /v1/orders', '200, 400 invalid_request'),
  ...each('GET', '/v1/markets 200, /v1/markets/{id} 200, /v1/prices 200, /v1/orders 200, /v1/positions 200'),
  ...each('GET', '/v1/rounds/{id} 200, /v1/openapi.json 200'),
  ...['replay through another gateway', 'GET /v1/markets/{id} 404 market_not_found'],
  ...['GET /v1/rounds/{id} 404 round_not_found', 'GET /v1/orders 400 invalid_request'],
  ...['GET /v1/nowhere 404 not_found', 'HEAD /v1/prices 200', 'OPTIONS /v1/orders 204'],
  'PUT /v1/orders 405 method_not_allowed',
];

const ACCOUNT = '/operator/v1/accounts/{id}';
const OPERATOR = [
  ...each('GET /operator/v1/house', '200, 401 invalid_operator_token'),
  ...each('POST /operator/v1/accounts', '201, 201 replay, 400 invalid_request, 409 reference_conflict'),
  ...each('POST /operator/v1/accounts', '415 unsupported_media_type'),
  ...each(`POST ${ACCOUNT}/deposits`, '201, 201 replay, 409 reference_conflict, 404 account_not_found'),
  ...each(`POST ${ACCOUNT}/withdrawals`, '201, 201 replay, 400 insufficient_balance'),
  ...each(`POST ${ACCOUNT}/keys`, '201, 400 invalid_request, 403 tier_too_low, 409 too_many_keys'),
  ...each('PATCH /operator/v1/keys/{id}', '200, 403 key_expired, 404 key_not_found, 409 too_many_keys'),
  ...each('PATCH /operator/v1/markets/{id}', '200, 404 market_not_found, 409 preview_outdated'),
  ...each('POST /operator/v1/prices', '200, 400 price_refused'),
  ...each('POST /operator/v1/rounds/{id}/void', '200, 404 round_not_found, 409 round_already_resolved'),
  ...each('POST /operator/v1/house/deposits', '201, 201 replay, 409 reference_conflict'),
  ...['POST /operator/v1/clock 409 clock_not_manual', 'PUT /operator/v1/trading 200'],
  ...['PUT /operator/v1/house 405 method_not_allowed', 'GET /operator/v1/nowhere 404 not_found'],
  'GET /readyz 200',
];

const EVENTS = [
  ...['accountCreated', 'accountUpdated', 'keyCreated', 'keyUpdated', 'configured', 'calendarChanged'],
  ...['tradingChanged', 'marketSuspended', 'betPlaced', 'boundaryPriced'],
  ...['orderPending', 'orderFilled', 'rootPublished'],
  ...['roundUpcoming', 'roundOpened', 'roundLocked', 'roundEnded', 'roundSettled'],
  ...each('roundResolved', 'UP, DOWN, DRAW, VOID'),
  ...each('betSettled', 'WIN, LOSS, DRAW, REFUNDED, CANCELLED, EXPIRED'),
  ...each('balanceMoved', 'deposit, withdrawal, seed, settlement'),
  ...each('roundNotOpened', 'stale_price, suspended, market_hours'),
];

const FAULTS = [
  ...FAULT_KINDS,
  ...CRASH_POINTS.map((point) => `crash at ${point}`),
  ...FAILING_POINTS.flatMap((point) => [`EIO at ${point}`, `ENOSPC at ${point}`]),
  ...each('bit flip:', 'row, newest mark, both marks, snapshot'),
  ...each('unsynced batch', 'kept, lost, torn'),
  ...each('space', 'soft, reserve, hard'),
  ...each('clock', '-400, -3000, -120000, +2000, +8000, +60000, +3600000'),
  ...each('price', 'duplicate, out of order, absurd, not a price, from the future, jump, gap'),
  ...[
    ...['request lost', 'request doubled', 'reply lost', 'client gone', 'ring of replies full', 'delayed'],
    ...['fail-stop: disk error', 'fail-stop: hung', 'root refused invalid_request'],
  ],
];

const RECOVERIES = [
  ...['of nothing', 'whole journal', 'snapshot and journal', 'snapshot saved', 'snapshot passed over'],
  ...['crashed', 'disk error', 'clean stop', 'journal shortened', 'good in spite of damage'],
  ...each('refused', 'journal_corrupt, journal_incomplete, mark_unreadable'),
];

export const EXPECTED: Readonly<Record<CoverageKind, readonly string[]>> = {
  command: WORLD_OUTCOMES,
  reply: REPLIES,
  operator: OPERATOR,
  event: EVENTS,
  fault: FAULTS,
  client: [
    ...['polite', 'impatient', 'careless', 'racer', 'hedger', 'whale', 'reader', 'pest', 'limit trader'],
    ...['tick taken', 'tick refused'],
  ],
  recovery: RECOVERIES,
};

/** Only a run that was long enough has met anything too seldom. */
export function whatIsMissing(tally: Tally): string[] {
  return tally.counts.commands < LONG_RUN_COMMANDS ? [] : tally.coverage.missing(EXPECTED, OFTEN_ENOUGH);
}
