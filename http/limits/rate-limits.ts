/**
 * The four rate limits (specification, section 8; design, section 6): requests in any 60 s for a key's reads, a
 * key's writes, an account and an address. In memory only, exact, on the time that the caller
 * hands in, in whole milliseconds.
 *
 * A request is counted in all its windows or in none. Its address comes first, before the key is looked at:
 * `admitAddress`. Once the key is known, `admitKey` adds the key's and the account's windows, or refuses and
 * takes the address's count back; `countKey` adds them without a limit, for a request that is refused with 403
 * before its turn to be limited comes; `askKey` counts nothing, for a request that its address has refused already:
 * it tells what key and account need on top. A request without a valid key counts for its address alone. After each
 * of them the fields tell what the headers say. The calls of one request follow each other synchronously.
 */
import { assert } from '../../engine/base/assert.js';
import { AddressWindows } from './address-windows.js';
import { NumberedWindows } from './numbered-windows.js';
import type { RateLimitSettings } from './settings.js';
import type { SlidingWindows } from './sliding-windows.js';

/**
 * Addresses that are remembered at a time, about 230 bytes each, and 340 with a few requests in the minute. Past it,
 * while not one of them has been silent for a minute, an address that is not among them is refused.
 */
const ADDRESSES_MAX = 65_536;

/** With limits off, the headers tell the greatest limit that can be configured, and that all of it is left. */
export const UNLIMITED = 999_999_999;

export class RateLimits {
  /** X-RateLimit-Limit: of the limit with the fewest requests left among those that apply; of equals the smaller. */
  limit = UNLIMITED;
  /** X-RateLimit-Remaining: requests left of it, this one counted. */
  remaining = UNLIMITED;
  /** X-RateLimit-Reset: whole seconds until its oldest counted request leaves the window, rounded up. */
  resetSeconds = 0;
  /** Retry-After: whole seconds, at least 1, after which the refused request fits all its limits; 0 for an admitted one. */
  retryAfterSeconds = 0;

  readonly #addresses: AddressWindows;
  readonly #reads = new NumberedWindows();
  readonly #writes = new NumberedWindows();
  readonly #accounts = new NumberedWindows();
  /** The address's window where the request at hand was counted; 0 once its key was dealt with. */
  #counted = 0;
  #nowMs = Number.NEGATIVE_INFINITY;

  /** `settings` null: no limits, nothing is counted. */
  constructor(
    private readonly settings: RateLimitSettings | null,
    addressesMax = ADDRESSES_MAX,
  ) {
    this.#addresses = new AddressWindows(addressesMax);
  }

  /** Windows that are held, of all four kinds: what memory goes by. */
  get windows(): number {
    const tables = [this.#addresses, this.#reads, this.#writes, this.#accounts];
    return tables.reduce((sum, { windows }) => sum + windows.size, 0);
  }

  /** Counts a request for its address (`client-address.ts`), or refuses it with 429: false. */
  admitAddress(address: string, nowMs: number): boolean {
    if (this.settings === null) return true;
    const now = this.#advance(nowMs);
    const limit = this.settings.ip;
    const { windows } = this.#addresses;
    const window = this.#addresses.of(address, now);
    if (window === 0) return this.#refuseUnknown(limit, now);
    if (windows.total(window) >= limit) {
      this.#counted = 0;
      this.#tell(windows, window, limit, now);
      this.retryAfterSeconds = seconds(windows.roomMs(window, limit, now) - now);
      return false;
    }
    this.#addresses.count(window, now);
    this.#counted = window;
    this.#tell(windows, window, limit, now);
    this.retryAfterSeconds = 0;
    return true;
  }

  /** Counts the request just admitted for its key and account too, or refuses it with 429: false. */
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
    this.#tellNearest(keys.windows, keyWindow, keyLimit, accountWindow, address, now);
    return isAdmitted;
  }

  /** Counts the request just admitted for its key and account whatever their limits: it is refused for another reason. */
  countKey(key: number, account: number, isWrite: boolean, nowMs: number): void {
    if (this.settings === null) return;
    const now = this.#advance(nowMs);
    const keys = isWrite ? this.#writes : this.#reads;
    const keyWindow = keys.of(key, now);
    const accountWindow = this.#accounts.of(account, now);
    keys.windows.count(keyWindow, now);
    this.#accounts.windows.count(accountWindow, now);
    const keyLimit = isWrite ? this.settings.keyWrite : this.settings.keyRead;
    this.#tellNearest(keys.windows, keyWindow, keyLimit, accountWindow, this.#takeCounted(), now);
  }

  /** After `admitAddress` has refused: a retry must fit the limits of this key and account, too. */
  askKey(key: number, account: number, isWrite: boolean, nowMs: number): void {
    if (this.settings === null) return;
    const now = this.#advance(nowMs);
    const keys = isWrite ? this.#writes : this.#reads;
    const keyLimit = isWrite ? this.settings.keyWrite : this.settings.keyRead;
    const keyWindow = keys.of(key, now);
    const accountWindow = this.#accounts.of(account, now);
    const keySeconds = this.#keySeconds(keys.windows, keyWindow, keyLimit, accountWindow, now);
    this.retryAfterSeconds = Math.max(this.retryAfterSeconds, keySeconds);
    this.#tellIfNearer(keys.windows, keyWindow, keyLimit, now);
    this.#tellIfNearer(this.#accounts.windows, accountWindow, this.settings.account, now);
  }

  /** Whole seconds until a request fits the limits of a key and an account; 0 where it does now. */
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

  /** Windows never go back in time: a clock that does stands still here until it has caught up. */
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

  /** All places are taken by addresses that are not idle. */
  #refuseUnknown(limit: number, nowMs: number): false {
    this.#counted = 0;
    this.limit = limit;
    this.remaining = 0;
    this.resetSeconds = seconds(this.#addresses.placeMs() - nowMs);
    this.retryAfterSeconds = this.resetSeconds;
    return false;
  }

  #tellNearest(
    keys: SlidingWindows,
    keyWindow: number,
    keyLimit: number,
    accountWindow: number,
    addressWindow: number,
    nowMs: number,
  ): void {
    assert(this.settings !== null, 'there are limits to tell');
    this.#tell(keys, keyWindow, keyLimit, nowMs);
    this.#tellIfNearer(this.#accounts.windows, accountWindow, this.settings.account, nowMs);
    this.#tellIfNearer(this.#addresses.windows, addressWindow, this.settings.ip, nowMs);
  }

  #tellIfNearer(windows: SlidingWindows, window: number, limit: number, nowMs: number): void {
    const remaining = Math.max(0, limit - windows.total(window));
    if (remaining > this.remaining) return;
    if (remaining < this.remaining || limit < this.limit) this.#tell(windows, window, limit, nowMs);
  }

  #tell(windows: SlidingWindows, window: number, limit: number, nowMs: number): void {
    this.limit = limit;
    this.remaining = Math.max(0, limit - windows.total(window));
    this.resetSeconds = seconds(windows.resetMs(window, nowMs) - nowMs);
  }
}

const seconds = (ms: number): number => Math.ceil(ms / 1000);
