/**
 * The four rate limits (specification, section 8; design, section 6): requests in any 60 s for a key's reads, a key's
 * writes, an account and an address. They are exact, held in memory only, and use the caller's time, in whole
 * milliseconds.
 *
 * A request counts in all its windows or in none; without a valid key it counts for its address alone. The calls of
 * one request, which follow each other synchronously:
 *
 * - `admitAddress` comes first, before the key is looked up.
 * - `admitKey`, once the key is known, adds the windows of the key and the account. If it refuses, it takes the
 *   address's count back.
 * - `countKey` adds them without checking their limits, for a request that is refused with 403.
 * - `askKey` counts nothing, for a request that its address has refused: it adds what key and account require to the
 *   headers.
 *
 * After each call the fields hold the values of the headers.
 */
import { assert } from '../../engine/base/assert.js';
import { AddressWindows } from './address-windows.js';
import { NumberedWindows } from './numbered-windows.js';
import type { RateLimitSettings } from './settings.js';
import type { SlidingWindows } from './sliding-windows.js';

/**
 * Addresses remembered at a time. When the table is full and none has been idle for a minute, further addresses are
 * refused.
 */
const ADDRESSES_MAX = 65_536;

/** With limits off, the headers show the greatest limit that can be configured, all of it left. */
export const UNLIMITED = 999_999_999;

export class RateLimits {
  /** X-RateLimit-Limit: the limit with the fewest requests left among those that apply; of equals, the smaller. */
  limit = UNLIMITED;
  /** X-RateLimit-Remaining: requests left of it, after this one. */
  remaining = UNLIMITED;
  /** X-RateLimit-Reset: whole seconds until its oldest counted request leaves the window, rounded up. */
  resetSeconds = 0;
  /** Retry-After: whole seconds, at least 1, after which the refused request fits all its limits; 0 for an admitted one. */
  retryAfterSeconds = 0;

  readonly #addresses: AddressWindows;
  readonly #reads = new NumberedWindows();
  readonly #writes = new NumberedWindows();
  readonly #accounts = new NumberedWindows();
  /** The address's window in which the current request was counted; 0 once its key has been checked. */
  #counted = 0;
  #nowMs = Number.NEGATIVE_INFINITY;

  /** `settings` is null for no limits; then nothing is counted. */
  constructor(
    private readonly settings: RateLimitSettings | null,
    addressesMax = ADDRESSES_MAX,
  ) {
    this.#addresses = new AddressWindows(addressesMax);
  }

  /** Open windows of all four kinds: memory use grows with them. */
  get windows(): number {
    const tables = [this.#addresses, this.#reads, this.#writes, this.#accounts];
    return tables.reduce((sum, { windows }) => sum + windows.size, 0);
  }

  /** Counts a request for its address (`client-address.ts`). False if it is refused with 429. */
  admitAddress(address: string, nowMs: number): boolean {
    if (this.settings === null) return true;
    const now = this.#advance(nowMs);
    const limit = this.settings.ip;
    const { windows } = this.#addresses;
    const window = this.#addresses.of(address, now);
    if (window === 0) return this.#refuseUnknown(limit, now);
    if (windows.total(window) >= limit) {
      this.#counted = 0;
      this.#report(windows, window, limit, now);
      this.retryAfterSeconds = seconds(windows.roomMs(window, limit, now) - now);
      return false;
    }
    this.#addresses.count(window, now);
    this.#counted = window;
    this.#report(windows, window, limit, now);
    this.retryAfterSeconds = 0;
    return true;
  }

  /** Counts the request just admitted for its key and account too. False if it is refused with 429. */
  admitKey(key: number, account: number, isWrite: boolean, nowMs: number): boolean {
    if (this.settings === null) return true;
    const now = this.#advance(nowMs);
    const keys = isWrite ? this.#writes : this.#reads;
    const keyLimit = isWrite ? this.settings.keyWrite : this.settings.keyRead;
    const accountLimit = this.settings.account;
    const accounts = this.#accounts.windows;
    const keyWindow = keys.of(key, now);
    const accountWindow = this.#accounts.of(account, now);
    const address = this.#takeCounted();
    const isAdmitted =
      keys.windows.total(keyWindow) < keyLimit && accounts.total(accountWindow) < accountLimit;
    if (isAdmitted) {
      keys.windows.count(keyWindow, now);
      accounts.count(accountWindow, now);
      this.retryAfterSeconds = 0;
    } else {
      this.#addresses.uncount(address);
      this.retryAfterSeconds = this.#keySeconds(keys.windows, keyWindow, keyLimit, accountWindow, now);
    }
    this.#reportNearest(keys.windows, keyWindow, keyLimit, accountWindow, address, now);
    return isAdmitted;
  }

  /**
   * Counts the request just admitted for its key and account without checking their limits: it is refused for another
   * reason.
   */
  countKey(key: number, account: number, isWrite: boolean, nowMs: number): void {
    if (this.settings === null) return;
    const now = this.#advance(nowMs);
    const keys = isWrite ? this.#writes : this.#reads;
    const keyWindow = keys.of(key, now);
    const accountWindow = this.#accounts.of(account, now);
    keys.windows.count(keyWindow, now);
    this.#accounts.windows.count(accountWindow, now);
    const keyLimit = isWrite ? this.settings.keyWrite : this.settings.keyRead;
    this.#reportNearest(keys.windows, keyWindow, keyLimit, accountWindow, this.#takeCounted(), now);
  }

  /** After `admitAddress` has refused: Retry-After must cover the limits of this key and account, too. */
  askKey(key: number, account: number, isWrite: boolean, nowMs: number): void {
    if (this.settings === null) return;
    const now = this.#advance(nowMs);
    const keys = isWrite ? this.#writes : this.#reads;
    const keyLimit = isWrite ? this.settings.keyWrite : this.settings.keyRead;
    const keyWindow = keys.of(key, now);
    const accountWindow = this.#accounts.of(account, now);
    const keySeconds = this.#keySeconds(keys.windows, keyWindow, keyLimit, accountWindow, now);
    this.retryAfterSeconds = Math.max(this.retryAfterSeconds, keySeconds);
    this.#reportIfNearer(keys.windows, keyWindow, keyLimit, now);
    this.#reportIfNearer(this.#accounts.windows, accountWindow, this.settings.account, now);
  }

  /** Whole seconds until a request fits the limits of a key and an account; 0 if it does now. */
  #keySeconds(
    keys: SlidingWindows,
    keyWindow: number,
    keyLimit: number,
    accountWindow: number,
    nowMs: number,
  ): number {
    assert(this.settings !== null, 'there are limits to wait for');
    const accountRoomMs = this.#accounts.windows.roomMs(accountWindow, this.settings.account, nowMs);
    return seconds(Math.max(keys.roomMs(keyWindow, keyLimit, nowMs), accountRoomMs) - nowMs);
  }

  /** Time never goes backwards in a window: if the clock does, it stands still here until it has caught up. */
  #advance(nowMs: number): number {
    if (nowMs > this.#nowMs) this.#nowMs = nowMs;
    return this.#nowMs;
  }

  #takeCounted(): number {
    const window = this.#counted;
    assert(window !== 0, 'an address is admitted before the key, and each key after its own address');
    this.#counted = 0;
    return window;
  }

  /** The table is full, and none of its addresses is idle. */
  #refuseUnknown(limit: number, nowMs: number): false {
    this.#counted = 0;
    this.limit = limit;
    this.remaining = 0;
    this.resetSeconds = seconds(this.#addresses.placeMs() - nowMs);
    this.retryAfterSeconds = this.resetSeconds;
    return false;
  }

  #reportNearest(
    keys: SlidingWindows,
    keyWindow: number,
    keyLimit: number,
    accountWindow: number,
    addressWindow: number,
    nowMs: number,
  ): void {
    assert(this.settings !== null, 'there are limits to report');
    this.#report(keys, keyWindow, keyLimit, nowMs);
    this.#reportIfNearer(this.#accounts.windows, accountWindow, this.settings.account, nowMs);
    this.#reportIfNearer(this.#addresses.windows, addressWindow, this.settings.ip, nowMs);
  }

  #reportIfNearer(windows: SlidingWindows, window: number, limit: number, nowMs: number): void {
    const remaining = Math.max(0, limit - windows.total(window));
    if (remaining > this.remaining) return;
    if (remaining < this.remaining || limit < this.limit) this.#report(windows, window, limit, nowMs);
  }

  #report(windows: SlidingWindows, window: number, limit: number, nowMs: number): void {
    this.limit = limit;
    this.remaining = Math.max(0, limit - windows.total(window));
    this.resetSeconds = seconds(windows.resetMs(window, nowMs) - nowMs);
  }
}

const seconds = (ms: number): number => Math.ceil(ms / 1000);
