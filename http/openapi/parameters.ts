/** The parameters of the API's endpoints, as the OpenAPI document describes them. */
import { LIST_LIMIT_MAX } from '../../engine/model/bet-pages.js';
import { IDEMPOTENCY_KEY_PATTERN } from '../kit/idempotency.js';
import { CLIENT_ORDER_ID_PATTERN } from '../kit/params.js';
import { type JsonObject, schemaRef } from './schemas.js';

const inPath = (name: string, description: string, example?: string): JsonObject => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
  ...(example !== undefined && { example }),
});

export const marketIdParameter = inPath('id', 'Market id, `<CRYPTO>_<TIMEFRAME>`.', '{suggestedMarket}');
/** Has no example: only `GET /markets` knows which rounds exist. */
export const roundIdParameter = inPath(
  'id',
  'Round id, `<CRYPTO>_<TIMEFRAME>_<roundNumber>`, such as `currentRound.id` of a market.',
);
export const orderIdParameter = inPath(
  'id',
  'Order id, such as `bet.id` of the answer to an order.',
  'bet_1',
);
export const seenKeyParameter = inPath('key', 'An Idempotency-Key, percent-encoded.');

export const statusParameter: JsonObject = {
  name: 'status',
  in: 'query',
  description:
    '`active`: open positions only; `all`: the first page has those first that were placed or ended last (a fill counts for ' +
    'neither), the pages behind it the rest, most recently placed first.',
  schema: { type: 'string', enum: ['active', 'all'], default: 'active' },
};

const query = (name: string, description: string, schema: JsonObject): JsonObject => ({
  name,
  in: 'query',
  description,
  schema,
  'x-extension': true,
});
export const cancelMarketParameter = query('marketId', 'Only orders in this market.', { type: 'string' });
export const cancelSideParameter = query('prediction', 'Only orders on this side.', schemaRef('Prediction'));
const orderStatus = { type: 'string', enum: ['active', 'settled', 'all'], default: 'all' };

export const orderStatusParameter = query('status', 'Open orders, settled ones, or all.', orderStatus);
export const ofMarketParameter = query('marketId', 'Only bets of this market.', { type: 'string' });
export const ofRoundParameter = query('roundId', 'Only bets of this round.', { type: 'string' });
export const ofNameParameter = query('clientOrderId', 'Only orders of this `clientOrderId`.', {
  type: 'string',
  pattern: CLIENT_ORDER_ID_PATTERN,
});
export const beforeParameter = query(
  'before',
  'Only orders that were placed before this order (`bet_7`), instead of `cursor`, or before this time, which goes with every page.',
  { type: 'string' },
);
export const cursorParameter = query(
  'cursor',
  '`nextCursor` of the page before, of the same list and filters.',
  {
    type: 'string',
    maxLength: 2_400,
  },
);

export const limitParameter = (fallback: number): JsonObject => ({
  name: 'limit',
  in: 'query',
  description: 'At most this many elements.',
  schema: { type: 'integer', minimum: 1, maximum: LIST_LIMIT_MAX, default: fallback },
});

const time: JsonObject = { type: 'string', format: 'date-time' };
export const roundsOfMarketParameter = query('marketId', 'Only rounds of this market.', { type: 'string' });
export const fromParameter = query('from', 'Only rounds that start at this time or later.', time);
export const toParameter = query('to', 'Only rounds that start before this time.', time);

export const ifNoneMatchParameter: JsonObject = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of the copy that you have.',
  schema: { type: 'string' },
  'x-extension': true,
};

/** Has no example, because a page would fill it in, and a second order with the same key is not placed. */
export const idempotencyKeyParameter: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A UUID or any unique string of 1 to 255 visible ASCII characters, quoted or bare; remembered for {memory}. ' +
    'Send ASCII alone: bytes above it are dropped at either end of the value, and refused within it. ' +
    'The same key with the same body replays the first answer and places nothing: a new order needs a new key.',
  schema: { type: 'string', minLength: 1, maxLength: 257, pattern: IDEMPOTENCY_KEY_PATTERN },
};
