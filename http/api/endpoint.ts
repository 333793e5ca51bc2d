/** The declaration of an endpoint of the public API, and the operation that the router gets from it. */
import { KEY_READ, type KeyLimit } from '../../config/rate-limits.js';
import { assert } from '../../engine/base/assert.js';
import { SCOPES, scopesMask } from '../../engine/model/domain.js';
import type { Routed } from '../kit/router.js';
import { keyLimitOf } from '../limits/rate-limits.js';
import { ROUTES_MAX, type RouteName } from '../metrics/gateway-meter.js';
import type { Documented } from '../openapi/operation.js';
import type { Call } from './call.js';
import type { Services } from './services.js';

/** Canonical and legacy base address. */
export const BASES = ['/v1', '/api/v1'] as const;

/** Handles an authorised request. It answers, now or later, or throws a refusal. */
type Handle = (services: Services, call: Call) => void;

export interface Endpoint extends Documented {
  /** The limits count a POST as a read if it changes nothing. */
  readonly isReading?: boolean;
  /** The handler sees to it that an account that may no longer write gets nothing but earlier answers again. */
  readonly replays?: boolean;
  readonly handle: Handle;
}

/** By number of route, after `NO_ROUTE`. */
const STREAM_ROUTE = 1;
export const STREAM_ORDER_ROUTE = 2;
/** Endpoints follow in the order of their table. */
export const FIRST_ENDPOINT = 3;

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
  readonly replays: boolean;
  readonly handle: Handle;
}

export function operationOf(endpoint: Endpoint, route: number): Operation {
  const { method, path, usualValues = [], isReading = false, replays = false, handle } = endpoint;
  const keyLimit = isReading ? KEY_READ : keyLimitOf(method);
  return { route, method, path, usualValues, scope: scopesMask([endpoint.scope]), keyLimit, replays, handle };
}

export const streamOperation = (open: (call: Call) => void): Operation => ({
  route: STREAM_ROUTE,
  method: 'GET',
  path: '/stream',
  // Each is enough: what is asked for over a stream needs its own.
  scope: scopesMask(SCOPES),
  keyLimit: KEY_READ,
  replays: false,
  handle: (_services, call) => open(call),
});
