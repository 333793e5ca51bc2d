/** What the operator API's document says of each route, by method and path. A test holds it to the routes. */
import { ACCOUNTS, HOUSE, KEYS } from './money-operations.js';
import { type Operation, PAGED, PAST } from './operation.js';

const TRADING: Readonly<Record<string, Operation>> = {
  'GET /rounds': {
    id: 'listRounds',
    tag: 'Trading',
    summary: 'Rounds, the last to start first',
    query: ['marketId', 'statusOfRound', 'from', 'to', ...PAGED],
    answer: 'RoundResource',
    shape: 'page',
    codes: PAST,
  },
  'GET /bets': {
    id: 'listBets',
    tag: 'Trading',
    summary: 'Bets, newest first',
    query: ['accountId', 'marketId', 'roundId', 'status', 'from', 'to', ...PAGED],
    answer: 'BetResource',
    shape: 'page',
    codes: ['account_not_found', ...PAST],
  },
  'GET /bets/{id}': {
    id: 'getBet',
    tag: 'Trading',
    summary: 'One bet',
    answer: 'BetResource',
    codes: ['order_not_found', ...PAST],
  },
  'PUT /trading': {
    id: 'setTrading',
    tag: 'Trading',
    summary: 'Stop or take orders',
    text: 'Clients read the reason in the 503 of their orders.',
    body: 'TradingBody',
    answer: 'TradingState',
  },
  'PATCH /markets/{id}': {
    id: 'suspendMarket',
    tag: 'Trading',
    summary: 'Suspend or resume a market',
    body: 'MarketBody',
    answer: 'MarketState',
    codes: ['market_not_found'],
  },
  'POST /rounds/{id}/void': {
    id: 'voidRound',
    tag: 'Trading',
    summary: 'Void a round: every stake goes back',
    body: 'VoidRoundBody',
    answer: 'VoidedRound',
    codes: ['round_not_found', 'round_already_resolved'],
  },
  'POST /prices/{crypto}/confirm': {
    id: 'confirmPrice',
    tag: 'Trading',
    summary: 'Believe a price that is held back as absurd',
    body: 'ConfirmPriceBody',
    answer: 'ConfirmedPrice',
    codes: ['not_found', 'price_not_held'],
  },
  'GET /prices/{crypto}/history': {
    id: 'getPriceHistory',
    tag: 'Trading',
    summary: 'Prices of the last hour',
    answer: 'PriceHistoryResource',
    codes: ['not_found'],
  },
};

const SERVER: Readonly<Record<string, Operation>> = {
  'GET /audit': {
    id: 'listActions',
    tag: 'Record',
    summary: 'What operators have done and were refused, newest first',
    query: ['operator', 'action', 'from', 'to', ...PAGED],
    answer: 'AuditEntry',
    shape: 'page',
    codes: PAST,
  },
  'POST /prices': {
    id: 'pushPrices',
    tag: 'Sandbox',
    summary: 'Push prices (`TOTE_FEED=push`)',
    body: 'Tick[]',
    answer: 'TakenPrices',
    codes: ['feed_not_push', 'price_refused'],
  },
  'POST /clock': {
    id: 'moveClock',
    tag: 'Sandbox',
    summary: 'Move the clock forward (`TOTE_CLOCK=manual`)',
    body: 'ClockBody',
    answer: 'ClockTime',
    codes: ['clock_not_manual'],
  },
  'GET /status': {
    id: 'getStatus',
    tag: 'Server',
    summary: "The server's state on one page",
    text: 'It does not wait for the journal. docs/operations.md says what to watch.',
    answer: null,
  },
  'GET /vitals': {
    id: 'getVitals',
    tag: 'Server',
    summary: 'Figures of the last hour, and the alarms that are raised',
    query: ['since'],
    answer: 'VitalsResource',
  },
  'GET /openapi.json': {
    id: 'getOpenApi',
    tag: 'Server',
    summary: 'This document',
    answer: null,
    shape: 'text',
  },
};

/** Below `/operator/v1`. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  ...ACCOUNTS,
  ...KEYS,
  ...TRADING,
  ...HOUSE,
  ...SERVER,
};
