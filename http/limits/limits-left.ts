/** What is left of each of a caller's limits, for answers that show all of them. Counts nothing. */

import { ACCOUNT, IP, KEY_READ, KEY_WRITE, type RateLimitSettings } from '../../config/rate-limits.js';
import { AddressId } from './address-id.js';
import { ownerOf } from './numbered-windows.js';
import type { LimitTables } from './shared-limits.js';

/** What is left of one limit. */
export interface LimitLeft {
  /** Requests in any 60 seconds. */
  readonly limit: number;
  /** Requests left of them. */
  readonly remaining: number;
  /** Whole seconds until the oldest counted request leaves the window, rounded up; 0 if none is counted. */
  readonly resetSeconds: number;
}

/** By the limit, under the names of the configuration. */
export type LimitsLeft = Readonly<Record<keyof RateLimitSettings, LimitLeft>>;

/** Whose limits are read: the counted address, and the numbers of a key and of its account. */
export interface LimitsOwner {
  readonly address: string;
  readonly key: number;
  readonly account: number;
}

/** As of `nowMs`; `limits` by kind. The caller holds the tables' lock. */
export function limitsLeft(
  { addresses, keys, accounts, windows }: LimitTables,
  limits: readonly number[],
  { address, key, account }: LimitsOwner,
  nowMs: number,
): LimitsLeft {
  const addressId = new AddressId();
  addressId.read(address);
  const left = (window: number, kind: number): LimitLeft => {
    const limit = limits[kind] as number;
    const remaining = Math.max(0, limit - windows.total(window));
    return { limit, remaining, resetSeconds: Math.ceil((windows.resetMs(window, nowMs) - nowMs) / 1000) };
  };
  return {
    keyRead: left(keys.find(ownerOf(key, false), nowMs), KEY_READ),
    keyWrite: left(keys.find(ownerOf(key, true), nowMs), KEY_WRITE),
    account: left(accounts.find(account, nowMs), ACCOUNT),
    ip: left(addresses.find(addressId, nowMs), IP),
  };
}
