/**
 * The four rate limits (specification, section 8; design, section 6): requests in any 60 s for a key's reads, a
 * key's writes, an account and an address. In memory only, exact, on the time that the caller
 * hands in, in whole milliseconds.
 *
 * A request is counted in all its windows or in none. Its address comes first, before the key is looked at:
 * `admitAddress`. Once the key is known, `admitKey` adds the key's and the account's windows, or refuses and
 * takes the address's count back; `countKey` adds them without a limit, for a request that is refused with 403
 * before its turn to be limited comes. A request without a valid key counts for its address alone. After each
 * of them the fields tell what the headers say. The calls of one request follow each other synchronously.
 */
import { assert } from '../engine/assert.js';
import type { RateLimitSettings } from './rate-limit-settings.js';
import type { SlidingWindow } from './sliding-window.js';
import { type KeyedWindow, WindowTable } from './window-table.js';

/**
 * Addresses that are remembered at a time, about 400 bytes each. Past it, while not one of them has been silent
 * for a minute, an address that is not among them is refused.
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
  /** Retry-After: whole seconds, at least 1, after which the refused request fits; 0 for an admitted one. */
  retryAfterSeconds = 0;

  readonly #addresses: WindowTable<string>;
  readonly #reads = new WindowTable<number>(Number.POSITIVE_INFINITY);
  readonly #writes = new WindowTable<number>(Number.POSITIVE_INFINITY);
  readonly #accounts = new WindowTable<number>(Number.POSITIVE_INFINITY);
  /** Where the request at hand was counted; null once its key was dealt with. */
  #counted: KeyedWindow<string> | null = null;
  #nowMs = Number.NEGATIVE_INFINITY;

  /** `settings` null: no limits, nothing is counted. */
  constructor(
    private readonly settings: RateLimitSettings | null,
    addressesMax = ADDRESSES_MAX,
  ) {
    this.#addresses = new WindowTable(addressesMax);
  }

  /** Windows that are held, of all four kinds: what memory goes by. */
  get windows(): number {
    return this.#addresses.size + this.#reads.size + this.#writes.size + this.#accounts.size;
  }

  /** Counts a request for its address (`client-address.ts`), or refuses it with 429: false. */
  admitAddress(address: string, nowMs: number): boolean {
    if (this.settings === null) return true;
    const now = this.#advance(nowMs);
    const limit = this.settings.ip;
    const window = this.#addresses.open(address, now);
    if (window === null) return this.#refuseUnknown(limit, now);
    if (window.total >= limit) {
      this.#counted = null;
      this.#tell(window, limit, now);
      this.retryAfterSeconds = seconds(window.roomMs(limit, now) - now);
      return false;
    }
    this.#addresses.count(window, now);
    this.#counted = window;
    this.#tell(window, limit, now);
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
    const keyWindow = opened(keys, key, now);
    const accountWindow = opened(this.#accounts, account, now);
    const address = this.#takeCounted();
    const isAdmitted = keyWindow.total < keyLimit && accountWindow.total < accountLimit;
    if (isAdmitted) {
      keys.count(keyWindow, now);
      this.#accounts.count(accountWindow, now);
      this.retryAfterSeconds = 0;
    } else {
      this.#addresses.uncount(address);
      const roomMs = Math.max(keyWindow.roomMs(keyLimit, now), accountWindow.roomMs(accountLimit, now));
      this.retryAfterSeconds = seconds(roomMs - now);
    }
    this.#tellNearest(keyWindow, keyLimit, accountWindow, address, now);
    return isAdmitted;
  }

  /** Counts the request just admitted for its key and account whatever their limits: it is refused for another reason. */
  countKey(key: number, account: number, isWrite: boolean, nowMs: number): void {
    if (this.settings === null) return;
    const now = this.#advance(nowMs);
    const keys = isWrite ? this.#writes : this.#reads;
    const keyWindow = opened(keys, key, now);
    const accountWindow = opened(this.#accounts, account, now);
    keys.count(keyWindow, now);
    this.#accounts.count(accountWindow, now);
    const keyLimit = isWrite ? this.settings.keyWrite : this.settings.keyRead;
    this.#tellNearest(keyWindow, keyLimit, accountWindow, this.#takeCounted(), now);
  }

  /** Windows never go back in time: a clock that does stands still here until it has caught up. */
  #advance(nowMs: number): number {
    if (nowMs > this.#nowMs) this.#nowMs = nowMs;
    return this.#nowMs;
  }

  #takeCounted(): KeyedWindow<string> {
    const window = this.#counted;
    assert(window !== null, 'an address is admitted before the key, and each key after its own address');
    this.#counted = null;
    return window;
  }

  /** All places are taken by addresses that are not idle. */
  #refuseUnknown(limit: number, nowMs: number): false {
    this.#counted = null;
    this.limit = limit;
    this.remaining = 0;
    this.resetSeconds = seconds(this.#addresses.placeMs() - nowMs);
    this.retryAfterSeconds = this.resetSeconds;
    return false;
  }

  #tellNearest(
    key: SlidingWindow,
    keyLimit: number,
    account: SlidingWindow,
    address: SlidingWindow,
    nowMs: number,
  ): void {
    assert(this.settings !== null, 'there are limits to tell');
    this.#tell(key, keyLimit, nowMs);
    this.#tellIfNearer(account, this.settings.account, nowMs);
    this.#tellIfNearer(address, this.settings.ip, nowMs);
  }

  #tellIfNearer(window: SlidingWindow, limit: number, nowMs: number): void {
    const remaining = Math.max(0, limit - window.total);
    if (remaining > this.remaining) return;
    if (remaining < this.remaining || limit < this.limit) this.#tell(window, limit, nowMs);
  }

  #tell(window: SlidingWindow, limit: number, nowMs: number): void {
    this.limit = limit;
    this.remaining = Math.max(0, limit - window.total);
    this.resetSeconds = seconds(window.resetMs(nowMs) - nowMs);
  }
}

/** Only addresses can be too many: keys and accounts are as many as the operator has made. */
function opened(table: WindowTable<number>, key: number, nowMs: number): KeyedWindow<number> {
  const window = table.open(key, nowMs);
  assert(window !== null, 'a table without a cap has room');
  return window;
}

const seconds = (ms: number): number => Math.ceil(ms / 1000);
