/** The endpoints of the caller's account: see `endpoints.ts`. */
import { okResponse } from '../openapi/common.js';
import { EXAMPLES } from '../openapi/examples.js';
import { quoteExamples } from '../openapi/order.js';
import {
  cancelMarketParameter,
  cancelSideParameter,
  orderIdParameter,
  seenKeyParameter,
} from '../openapi/parameters.js';
import * as account from './account.js';
import type { Endpoint } from './endpoint.js';
import * as orders from './orders.js';

export const ACCOUNT_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/account',
    scope: 'positions:read',
    handle: account.account,
    operationId: 'getAccount',
    tag: 'Orders',
    summary: 'Your account: balance, open bets, keys and limits',
    success: okResponse('Your account.', 'Account', { account: EXAMPLES.account }),
    failures: ['BadParameter', 'Overloaded'],
  },
  {
    method: 'GET',
    path: '/orders/{id}',
    scope: 'positions:read',
    handle: account.order,
    operationId: 'getOrder',
    tag: 'Orders',
    summary: 'One of your orders',
    parameters: [orderIdParameter],
    success: okResponse('The order.', 'Position', { settled: EXAMPLES.oneOrder }),
    failures: ['BadParameter', 'OrderNotFound', 'PastNotRead'],
  },
  {
    method: 'DELETE',
    path: '/orders/{id}',
    scope: 'orders:cancel',
    handle: orders.cancel,
    operationId: 'cancelOrder',
    tag: 'Orders',
    summary: 'Cancel a limit order that rests',
    text:
      'Only an order that is PENDING can be cancelled; its stake goes back at once. The answer is sent when that is on ' +
      'disk. Works while trading is off and in a suspended market, too.',
    parameters: [orderIdParameter],
    success: okResponse('The order, which is CANCELLED now.', 'Position', {
      cancelled: EXAMPLES.cancelledOrder,
    }),
    failures: ['BadCancel', 'OrderNotFound', 'CancelsNotTaken'],
  },
  {
    method: 'DELETE',
    path: '/orders',
    scope: 'orders:cancel',
    handle: orders.cancelAll,
    operationId: 'cancelOrders',
    tag: 'Orders',
    summary: 'Cancel all your limit orders that rest, or those of a market or a side',
    text:
      'Cancels until none is left, 1,000 at a time, and answers how many there were once that is on disk. None is no ' +
      'error. After a failure some may be cancelled: send it again.',
    parameters: [cancelMarketParameter, cancelSideParameter],
    success: okResponse('How many orders were cancelled.', 'CancelledOrders', {
      cancelled: EXAMPLES.cancelledOrders,
    }),
    failures: ['BadParameter', 'CancelsNotTaken'],
  },
  {
    method: 'GET',
    path: '/orders/by-idempotency-key/{key}',
    scope: 'positions:read',
    handle: account.orderByKey,
    operationId: 'getOrderByIdempotencyKey',
    tag: 'Orders',
    summary: 'Whether an order was placed under an Idempotency-Key',
    text: 'Places nothing, and refuses nothing: that the key was never seen is an answer, too.',
    parameters: [seenKeyParameter],
    success: okResponse('Whether an order was placed under the key.', 'SeenOrder', {
      seen: EXAMPLES.seenOrder,
      neverSeen: EXAMPLES.unseenOrder,
    }),
    failures: ['BadParameter', 'PastNotRead'],
  },
  {
    method: 'POST',
    path: '/orders/quote',
    scope: 'positions:read',
    isReading: true,
    handle: orders.quote,
    operationId: 'quoteOrder',
    tag: 'Orders',
    summary: 'The answer that an order would get now',
    text:
      'Takes the body of an order and places nothing. That the order would be refused is an answer, too. With `parts`, the ' +
      'answer also says what so many equal orders would get. Counts as a read; an Idempotency-Key is ignored.',
    body: { schema: 'QuoteRequest', examples: quoteExamples },
    success: okResponse('The quote.', 'OrderQuote', {
      placeable: EXAMPLES.quote,
      inParts: EXAMPLES.quoteInParts,
      refused: EXAMPLES.refusedQuote,
      withoutOdds: EXAMPLES.earlyRefusedQuote,
    }),
    failures: ['BadQuote', 'UnsupportedMediaType', 'Overloaded'],
  },
];
