/** Query parameters and ids in paths, as the operator API's document describes them. */
import { ASSETS, ROUND_STATUSES, TIERS } from '../../engine/model/domain.js';
import { ACTION_KINDS } from '../../engine/model/operators.js';
import { STATUS_OF_ORDERS } from '../api/lists/list-query.js';
import type { JsonObject } from '../openapi/schemas.js';

const text: JsonObject = { type: 'string' };
const time: JsonObject = { type: 'string', format: 'date-time' };
const choice = (words: readonly string[]): JsonObject => ({ type: 'string', enum: words });
const flag: JsonObject = { type: 'boolean' };
const limit = (maximum: number): JsonObject => ({ type: 'integer', minimum: 1, maximum, default: 100 });

const query = (name: string, description: string, schema: JsonObject, required = false): JsonObject => ({
  name,
  in: 'query',
  required,
  description,
  schema,
});

/** By a short name, since several lists have other values under the same name. */
export const PARAMETERS = {
  accountId: query('accountId', 'Only those of this account.', text),
  action: query('action', 'Only actions of this kind.', choice(ACTION_KINDS)),
  anyId: query('id', 'The id of the bet or of the request, or the Idempotency-Key.', text, true),
  by: query('by', 'The length of the parts.', { ...choice(['hour', 'day']), default: 'hour' }),
  cursor: query('cursor', '`nextCursor` of the page before.', text),
  enabled: query('enabled', 'Only keys that are enabled, or disabled.', flag),
  expiresBefore: query('expiresBefore', 'Only keys that expire before this time.', time),
  from: query('from', 'At this time or later: ISO 8601.', time),
  frozen: query('frozen', 'Only accounts that are frozen, or are not.', flag),
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The `ETag` of the rules that were seen.',
    schema: text,
  },
  limit: query('limit', 'The longest page that is wanted.', limit(200)),
  limitOfSearch: query(
    'limit',
    'The longest page that is wanted; it may be shorter, even empty.',
    limit(1_000),
  ),
  marketId: query('marketId', 'Only those of this market.', text),
  name: query('name', 'A part of the name, in any case.', text),
  operator: query('operator', 'Only what the token of this name has done, or was refused.', text),
  owner: query('accountId', 'Only those of this account, or `house`.', text),
  reference: query('reference', 'The reference of a deposit or a withdrawal.', text, true),
  roundId: query('roundId', 'Only those of this round.', text),
  since: query('since', 'Only samples after this time, in seconds since 1970.', {
    type: 'number',
    minimum: 0,
  }),
  status: query('status', 'Only bets with this state.', choice([...STATUS_OF_ORDERS.keys()])),
  statusOfRound: query('status', 'Only rounds with this state.', choice(ROUND_STATUSES)),
  tier: query('tier', 'Only accounts of this tier.', choice(TIERS)),
  to: query('to', 'Before this time: ISO 8601.', time),
} as const;
export type ParameterName = keyof typeof PARAMETERS;

const IDS: Readonly<Record<string, string>> = {
  accounts: 'Account, such as `acc_1`.',
  bets: 'Bet, such as `bet_1`.',
  keys: 'Key, such as `key_1`.',
  markets: 'Market, such as `BTC_ONE_MINUTE`.',
  rounds: 'Round, such as `BTC_ONE_MINUTE_29684310`.',
};

export function pathParameters(path: string): JsonObject[] {
  const [, collection = ''] = path.split('/');
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: name === 'crypto' ? 'Asset.' : (IDS[collection] ?? ''),
    schema: name === 'crypto' ? choice(ASSETS) : text,
  }));
}
