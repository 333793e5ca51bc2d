/** What an endpoint of the public API says of itself, and what is made of it for the way of a request. */
import { scopesMask } from '../../engine/model/domain.js';
import { refuseQuery } from '../kit/params.js';
import type { Routed } from '../kit/router.js';
import type { Documented } from '../openapi/operation.js';
import type { Call, Verdict } from './call.js';
import type { OrderDesk } from './orders.js';
import type { Reads } from './reads.js';

/** Canonical and legacy base address (specification, section 9). */
export const BASES = ['/v1', '/api/v1'] as const;

/** What the handlers work with. */
export interface Services {
  readonly reads: Reads;
  readonly desk: OrderDesk;
}

export interface Endpoint extends Documented {
  /** Carries out a request that is allowed to. A write has been found to have no query. */
  readonly handle: (services: Services, call: Call, params: readonly string[]) => Verdict;
  /**
   * What answers a request again that was carried out when the account still might, or null where it never was.
   * Changes nothing.
   */
  readonly replay?: (services: Services, call: Call) => (() => Verdict) | null;
}

/** An endpoint with its services. */
export interface Operation extends Routed {
  /** Bit mask of the scope. */
  readonly scope: number;
  readonly isWrite: boolean;
  readonly run: (call: Call, params: readonly string[]) => Verdict;
  readonly replay: (call: Call) => (() => Verdict) | null;
}

export const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';
export const isWrite = (method: string): boolean => !isRead(method) && method !== 'OPTIONS';

export function operationOf(endpoint: Endpoint, services: Services): Operation {
  const { method, path, usualValues = [], handle, replay } = endpoint;
  const shared = { method, path, usualValues, scope: scopesMask([endpoint.scope]) };
  if (isRead(method)) {
    return {
      ...shared,
      isWrite: false,
      run: (call, params) => handle(services, call, params),
      replay: () => null,
    };
  }
  return {
    ...shared,
    isWrite: true,
    run: (call, params) => refuseQuery(call.request.query) ?? handle(services, call, params),
    replay: (call) => (refuseQuery(call.request.query) === null ? (replay?.(services, call) ?? null) : null),
  };
}
