/**
 * The OpenAPI 3.1 document of the public API (specification, sections 4 and 9). The schemas come from the
 * handlers' types (`openapi-schemas.ts`), the parts that endpoints share from `openapi-common.ts`; this file
 * says what each endpoint takes and answers. What goes beyond the specification carries `x-extension: true`.
 */
import { errorResponses, okResponse, SHARED } from './common.js';
import { componentSchemas, type Json, type JsonObject } from './schemas.js';

const ref = (schema: string): JsonObject => ({ $ref: `#/components/schemas/${schema}` });
const listOf = (schema: string): JsonObject => ({ type: 'array', items: ref(schema) });

const INTRODUCTION = `A trading server for parimutuel UP/DOWN prediction markets. Each market runs in rounds; a bet
says whether the asset's price will be higher (UP) or lower (DOWN) at the round's end. Odds are totalPool / sidePool,
a win pays amount * oddsAtBet * 0.97, and bets settle by themselves when the round ends.

Every answer is \`{ "success": true, "data": ... }\` or \`{ "success": false, "error": "..." }\`. \`error\` starts with
a stable code. Times are ISO 8601 in UTC, amounts are in USD.`;

const marketIdParameter: JsonObject = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Market id, `<CRYPTO>_<TIMEFRAME>`.',
  schema: { type: 'string' },
  example: 'BTC_ONE_MINUTE',
};

const roundIdParameter: JsonObject = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Round id, `<CRYPTO>_<TIMEFRAME>_<roundNumber>`.',
  schema: { type: 'string' },
  example: 'BTC_ONE_MINUTE_29333333',
};

const statusParameter: JsonObject = {
  name: 'status',
  in: 'query',
  description: '`active`: open positions only; `all`: the full history, most recently changed first.',
  schema: { type: 'string', enum: ['active', 'all'], default: 'active' },
};

const limitParameter = (fallback: number): JsonObject => ({
  name: 'limit',
  in: 'query',
  description: 'At most this many elements.',
  schema: { type: 'integer', minimum: 1, maximum: 200, default: fallback },
});

const idempotencyKeyParameter: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A UUID or any unique string of 1 to 255 visible ASCII characters, quoted or bare; remembered for 10 minutes. ' +
    'The same key with the same body replays the first answer and places nothing.',
  schema: { type: 'string' },
  example: '0b4f2c1e-6f0a-4a53-9d0e-2f4f6a1c9a77',
};

const orderBody: JsonObject = {
  required: true,
  content: {
    'application/json': {
      schema: ref('OrderRequest'),
      example: { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 10, expectedPercent: 50 },
    },
  },
};

const getMarkets: JsonObject = {
  operationId: 'listMarkets',
  tags: ['Markets'],
  summary: 'List all active markets with current round, pools and live odds',
  description: 'Scope `markets:read`. At most 50 ms old.',
  responses: { ...okResponse('All active markets.', listOf('Market')), ...errorResponses(401, 403, 429) },
};

const getMarket: JsonObject = {
  operationId: 'getMarket',
  tags: ['Markets'],
  summary: 'One market',
  description: 'Scope `markets:read`. At most 50 ms old.',
  parameters: [marketIdParameter],
  responses: { ...okResponse('The market.', ref('Market')), ...errorResponses(400, 401, 403, 404, 429) },
};

const getPrices: JsonObject = {
  operationId: 'listPrices',
  tags: ['Markets'],
  summary: 'Current price per asset',
  description:
    "Scope `markets:read`. The open price of each asset's latest round, not real-time ticks; assets that never had a " +
    'round are left out.',
  responses: {
    ...okResponse('One price for each asset.', listOf('Price')),
    ...errorResponses(401, 403, 429),
  },
};

const getPositions: JsonObject = {
  operationId: 'listPositions',
  tags: ['Orders'],
  summary: 'Your positions',
  description: 'Scope `positions:read`.',
  parameters: [statusParameter, limitParameter(100)],
  responses: { ...okResponse('Your positions.', listOf('Position')), ...errorResponses(400, 401, 403, 429) },
};

const getOrders: JsonObject = {
  operationId: 'listOrders',
  tags: ['Orders'],
  summary: 'Your recent orders, most recent first',
  description: 'Scope `positions:read`.',
  parameters: [limitParameter(50)],
  responses: { ...okResponse('Your orders.', listOf('Position')), ...errorResponses(400, 401, 403, 429) },
};

const postOrder: JsonObject = {
  operationId: 'placeOrder',
  tags: ['Orders'],
  summary: 'Place a bet',
  description:
    "Scope `orders:write`, which needs Silver tier or higher. The bet lands on the market's current round, which must be " +
    'LIVE, at least 20 seconds before it locks. The answer is sent when the bet is on disk: no crash takes it back.',
  parameters: [idempotencyKeyParameter],
  requestBody: orderBody,
  responses: {
    ...okResponse('The bet is placed.', ref('OrderResult'), 201),
    ...errorResponses(400, 401, 403, 404, 409, 413, 415, 429, 503),
  },
};

const getRound: JsonObject = {
  operationId: 'getRound',
  tags: ['Markets'],
  summary: 'One round with its provably-fair seed',
  description:
    'Scope `markets:read`. Shows the commitment to the seed from the beginning and the seed itself once the round is ' +
    'SETTLED. Each market keeps its last 200 settled rounds here.',
  'x-extension': true,
  parameters: [roundIdParameter],
  responses: { ...okResponse('The round.', ref('RoundDetail')), ...errorResponses(400, 401, 403, 404, 429) },
};

const getDocument: JsonObject = {
  operationId: 'getOpenApi',
  tags: ['Description'],
  summary: 'This document',
  description: 'Needs no key, but counts for the address, and for the key if one is sent.',
  'x-extension': true,
  security: [],
  responses: {
    200: {
      description: 'OpenAPI 3.1.',
      headers: SHARED.everyHeader,
      content: { 'application/json': { schema: { type: 'object' } } },
    },
    ...errorResponses(429),
  },
};

/** The document. */
export function openApiDocument(): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'tote',
      version: '1.0.0',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      { url: '/v1', description: 'Canonical base' },
      { url: '/api/v1', description: 'Legacy base, the same version' },
    ],
    tags: [
      { name: 'Markets', description: 'Public market data' },
      { name: 'Orders', description: 'Your bets' },
      { name: 'Description', description: 'About the interface' },
    ],
    security: [{ apiKey: [] }],
    paths: {
      '/markets': { get: getMarkets },
      '/markets/{id}': { get: getMarket },
      '/prices': { get: getPrices },
      '/positions': { get: getPositions },
      '/orders': { get: getOrders, post: postOrder },
      '/rounds/{id}': { get: getRound },
      '/openapi.json': { get: getDocument },
    },
    components: {
      securitySchemes: SHARED.securitySchemes,
      headers: SHARED.headers,
      responses: SHARED.responses,
      schemas: componentSchemas(),
    },
  } satisfies Record<string, Json>;
}
