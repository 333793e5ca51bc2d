/** The endpoints of the caller's account: see `endpoints.ts`. */

import { ACCOUNT_EXAMPLES } from '../openapi/account-examples.js';
import { okResponse } from '../openapi/common.js';
import { orderIdParameter, seenKeyParameter } from '../openapi/parameters.js';
import { schemaRef } from '../openapi/schemas.js';
import type { Endpoint } from './endpoint.js';

export const ACCOUNT_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/account',
    scope: 'positions:read',
    handle: ({ own }, call) => own.account(call),
    describe: () => ({
      operationId: 'getAccount',
      tag: 'Orders',
      summary: 'Your account: balance, open bets, keys and limits',
      isExtension: true,
      success: okResponse('Your account.', schemaRef('Account'), { account: ACCOUNT_EXAMPLES.account }),
      failures: ['BadParameter', 'Overloaded'],
    }),
  },
  {
    method: 'GET',
    path: '/orders/{id}',
    scope: 'positions:read',
    handle: ({ own }, call, params) => own.order(call, params[0] ?? ''),
    describe: () => ({
      operationId: 'getOrder',
      tag: 'Orders',
      summary: 'One of your orders',
      isExtension: true,
      parameters: [orderIdParameter],
      success: okResponse('The order.', schemaRef('Position'), { settled: ACCOUNT_EXAMPLES.oneOrder }),
      failures: ['BadParameter', 'OrderNotFound', 'PastNotRead'],
    }),
  },
  {
    method: 'GET',
    path: '/orders/by-idempotency-key/{key}',
    scope: 'positions:read',
    handle: ({ own }, call, params) => own.orderByKey(call, params[0] ?? ''),
    describe: () => ({
      operationId: 'getOrderByIdempotencyKey',
      tag: 'Orders',
      summary: 'Whether an order was placed under an Idempotency-Key',
      text: 'Places nothing, and refuses nothing: that the key was never seen is an answer, too.',
      isExtension: true,
      parameters: [seenKeyParameter],
      success: okResponse('What is known of the key.', schemaRef('SeenOrder'), {
        seen: ACCOUNT_EXAMPLES.seenOrder,
        neverSeen: ACCOUNT_EXAMPLES.unseenOrder,
      }),
      failures: ['BadParameter', 'PastNotRead'],
    }),
  },
];
