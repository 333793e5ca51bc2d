/** The declaration of an endpoint of the public API, and the operation that the router gets from it. */
import { KEY_CANCEL, KEY_READ, KEY_WRITE, type KeyLimit } from '../../config/rate-limits.js';
import { assert } from '../../engine/base/assert.js';
import { scopesMask } from '../../engine/model/domain.js';
import { refuseQuery } from '../kit/params.js';
import type { Routed } from '../kit/router.js';
import { ROUTES_MAX } from '../metrics/gateway-meter.js';
import type { Documented } from '../openapi/operation.js';
import type { AccountReads } from './account-reads.js';
import type { Call, Verdict } from './call.js';
import type { OnReplay, OrderHandlers } from './orders.js';
import type { PastReads } from './past-reads.js';
import type { Reads } from './reads.js';
import type { SharedReads } from './shared-reads.js';

/** Canonical and legacy base address. */
export const BASES = ['/v1', '/api/v1'] as const;

export interface Services {
  readonly reads: Reads;
  readonly past: PastReads;
  readonly shared: SharedReads;
  readonly own: AccountReads;
  readonly desk: OrderHandlers;
}

export interface Endpoint extends Documented {
  /** The limits count a POST as a read if it changes nothing. */
  readonly isReading?: boolean;
  /** Handles an authorised request. A POST is known to have no query. */
  readonly handle: (services: Services, call: Call, params: readonly string[]) => Verdict;
  /**
   * For a request that the account may no longer make: finds a function that repeats the answer from when it still
   * could, or null if the request was never made. Changes nothing. A refusal means that this cannot be found out now.
   */
  readonly replay?: (services: Services, call: Call, onReplay: OnReplay) => Verdict;
}

/** Requests are counted by number of route. No route: unknown paths, documents, wrong methods. */
export const NO_ROUTE = 0;
export const STREAM_ROUTE = 1;
export const STREAM_ORDER_ROUTE = 2;
/** Endpoints follow in the order of their table. */
export const FIRST_ENDPOINT = 3;

/** `path` is the pattern, never what a client sent. */
export interface RouteName {
  readonly method: string;
  readonly path: string;
}

export function routeNames(endpoints: readonly RouteName[]): readonly RouteName[] {
  const names = [
    { method: 'any', path: 'other' },
    { method: 'GET', path: '/stream' },
    { method: 'STREAM', path: '/orders' },
    ...endpoints.map(({ method, path }) => ({ method, path })),
  ];
  assert(names.length <= ROUTES_MAX, 'every route has its counters');
  return names;
}

export interface Operation extends Routed {
  readonly route: number;
  readonly scope: number;
  readonly keyLimit: KeyLimit;
  readonly run: (call: Call, params: readonly string[]) => Verdict;
  readonly replay: (call: Call, onReplay: OnReplay) => Verdict;
}

export const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';
export function keyLimitOf(method: string): KeyLimit {
  if (isRead(method) || method === 'OPTIONS') return KEY_READ;
  return method === 'DELETE' ? KEY_CANCEL : KEY_WRITE;
}

export function operationOf(endpoint: Endpoint, services: Services, route: number): Operation {
  const { method, path, usualValues = [], isReading = false, handle, replay } = endpoint;
  const shared = { route, method, path, usualValues, scope: scopesMask([endpoint.scope]) };
  const noReplay = (_call: Call, onReplay: OnReplay): null => {
    onReplay(null);
    return null;
  };
  // A cancellation has no body, but may have a query.
  if (isRead(method) || method === 'DELETE') {
    return {
      ...shared,
      keyLimit: keyLimitOf(method),
      run: (call, params) => handle(services, call, params),
      replay: noReplay,
    };
  }
  return {
    ...shared,
    keyLimit: isReading ? KEY_READ : keyLimitOf(method),
    run: (call, params) => refuseQuery(call.request.query) ?? handle(services, call, params),
    replay: (call, onReplay) =>
      replay === undefined || refuseQuery(call.request.query) !== null
        ? noReplay(call, onReplay)
        : replay(services, call, onReplay),
  };
}
