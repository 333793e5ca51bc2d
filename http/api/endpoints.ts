/** The endpoints of the public API. A new endpoint is an entry here: router, limits and API document follow from it. */
import { ASSETS, MARKET_IDS, MARKETS_MAX } from '../../engine/model/domain.js';
import type { Rules } from '../../engine/model/rules.js';
import { listOf, okResponse, pageResponse, taggedResponses } from '../openapi/common.js';
import { openApiDocument } from '../openapi/document.js';
import { EXAMPLES } from '../openapi/examples.js';
import { orderExamples } from '../openapi/order.js';
import {
  beforeParameter,
  cursorParameter,
  idempotencyKeyParameter,
  ifNoneMatchParameter,
  limitParameter,
  marketIdParameter,
  ofMarketParameter,
  ofNameParameter,
  ofRoundParameter,
  orderStatusParameter,
  roundIdParameter,
  statusParameter,
} from '../openapi/parameters.js';
import type { JsonObject } from '../openapi/schemas.js';
import * as account from './account.js';
import { ACCOUNT_ENDPOINTS } from './account-endpoints.js';
import { ARCHIVE_ENDPOINTS } from './archive-endpoints.js';
import type { Endpoint } from './endpoint.js';
import { ORDERS_LIMIT_DEFAULT, POSITIONS_LIMIT_DEFAULT } from './lists/list-query.js';
import * as orders from './orders.js';
import * as reads from './reads.js';

export const ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/markets',
    scope: 'markets:read',
    handle: reads.markets,
    isOfFirstApi: true,
    operationId: 'listMarkets',
    tag: 'Markets',
    summary: 'List all active markets with current round, pools and live odds',
    text: 'At most 50 ms old.',
    parameters: [ifNoneMatchParameter],
    success: taggedResponses(
      okResponse('All active markets.', listOf('Market', MARKETS_MAX), { live: EXAMPLES.markets }),
    ),
    failures: ['BadRequest'],
  },
  {
    method: 'GET',
    path: '/markets/{id}',
    usualValues: MARKET_IDS,
    scope: 'markets:read',
    handle: reads.market,
    isOfFirstApi: true,
    operationId: 'getMarket',
    tag: 'Markets',
    summary: 'One market',
    text: 'At most 50 ms old.',
    parameters: [marketIdParameter, ifNoneMatchParameter],
    success: taggedResponses(
      okResponse('The market.', 'Market', {
        live: EXAMPLES.market,
        withoutRound: EXAMPLES.marketWithoutRound,
      }),
    ),
    failures: ['BadParameter', 'MarketNotFound'],
  },
  {
    method: 'GET',
    path: '/prices',
    scope: 'markets:read',
    handle: reads.prices,
    isOfFirstApi: true,
    operationId: 'listPrices',
    tag: 'Markets',
    summary: 'Current price per asset',
    text:
      "The open price of each asset's latest round, not real-time ticks; assets that never had a " +
      'round are left out.',
    parameters: [ifNoneMatchParameter],
    success: taggedResponses(
      okResponse('One price for each asset.', listOf('Price', ASSETS.length), { prices: EXAMPLES.prices }),
    ),
    failures: ['BadRequest'],
  },
  {
    method: 'GET',
    path: '/positions',
    scope: 'positions:read',
    handle: account.positions,
    isOfFirstApi: true,
    operationId: 'listPositions',
    tag: 'Orders',
    summary: 'Your positions',
    parameters: [
      statusParameter,
      ofMarketParameter,
      ofRoundParameter,
      cursorParameter,
      limitParameter(POSITIONS_LIMIT_DEFAULT),
    ],
    success: pageResponse('Your positions.', 'Position', { all: EXAMPLES.positions }),
    failures: ['BadParameter', 'PastNotRead'],
  },
  {
    method: 'GET',
    path: '/orders',
    scope: 'positions:read',
    handle: account.orders,
    isOfFirstApi: true,
    operationId: 'listOrders',
    tag: 'Orders',
    summary: 'Your recent orders, most recent first',
    parameters: [
      orderStatusParameter,
      ofMarketParameter,
      ofRoundParameter,
      ofNameParameter,
      beforeParameter,
      cursorParameter,
      limitParameter(ORDERS_LIMIT_DEFAULT),
    ],
    success: pageResponse('Your orders.', 'Position', { recent: EXAMPLES.orders }),
    failures: ['BadParameter', 'PastNotRead'],
  },
  {
    method: 'POST',
    path: '/orders',
    scope: 'orders:write',
    handle: orders.place,
    replays: true,
    isOfFirstApi: true,
    operationId: 'placeOrder',
    tag: 'Orders',
    summary: 'Place a bet',
    text:
      "The bet lands on the market's current round, which must be " +
      'LIVE, more than {cutoff} before it locks. The answer is sent when the bet is on disk: no crash takes it back. ' +
      'With `limitOdds` it rests until it can be had at these odds (extension).',
    parameters: [idempotencyKeyParameter],
    body: { schema: 'OrderRequest', examples: orderExamples },
    success: okResponse(
      'The bet is placed.',
      'OrderResult',
      { placed: EXAMPLES.order, pending: EXAMPLES.pendingOrder },
      201,
    ),
    failures: ['BadOrder', 'MarketNotFound', 'Conflict', 'UnsupportedMediaType', 'OrdersNotTaken'],
  },
  {
    method: 'GET',
    path: '/rounds/{id}',
    scope: 'markets:read',
    handle: reads.round,
    operationId: 'getRound',
    tag: 'Markets',
    summary: 'One round with its provably-fair seed',
    text:
      'Shows the commitment to the seed from the beginning and the seed itself once the round is ' +
      'SETTLED. Each market keeps its last {roundsKept} settled rounds here.',
    parameters: [roundIdParameter],
    success: okResponse('The round.', 'RoundDetail', {
      live: EXAMPLES.liveRound,
      settled: EXAMPLES.settledRound,
    }),
    failures: ['BadParameter', 'RoundNotFound', 'Overloaded'],
  },
  ...ARCHIVE_ENDPOINTS,
  {
    method: 'GET',
    path: '/time',
    scope: 'markets:read',
    handle: reads.time,
    operationId: 'getTime',
    tag: 'Service',
    summary: "The server's clock",
    text: 'By this clock rounds open and lock, and bets are placed.',
    success: okResponse('The time at which the request was handled.', 'ServerTime', {
      now: EXAMPLES.time,
    }),
    failures: ['BadRequest'],
  },
  {
    method: 'GET',
    path: '/limits',
    scope: 'positions:read',
    handle: reads.limits,
    operationId: 'getLimits',
    tag: 'Service',
    summary: 'Your rate limits, what is left of each, and what you may bet',
    text: 'This request is counted.',
    success: okResponse('Your limits.', 'Limits', { silver: EXAMPLES.limits }),
    failures: ['BadRequest'],
  },
  ...ACCOUNT_ENDPOINTS,
];

export const apiDocument = (rules: Rules): JsonObject => openApiDocument(ENDPOINTS, rules);
