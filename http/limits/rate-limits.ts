/**
 * The five rate limits: requests in any 60 s for a key's reads, its writes and its cancellations, an account and an
 * address. They are exact, held in memory only, and use the caller's time, in whole milliseconds.
 *
 * Several threads count together: each has its own `RateLimits` over shared memory. One call, `take`, counts a request
 * in all its windows or in none, and no other thread's request comes in between. So nothing is counted first and taken
 * back later, which could refuse another request meanwhile.
 */
import {
  ACCOUNT,
  IP,
  KEY_CANCEL,
  KEY_READ,
  KEY_WRITE,
  type KeyLimit,
  RATE_LIMIT_NAMES,
} from '../../config/rate-limits.js';
import { isRead } from '../kit/router.js';
import type { RatePolicy } from '../wire/head-texts.js';
import type { RateLimit, RateLimitsNow } from '../wire/service-types.js';
import { Kind, Owner } from './owner.js';
import { LimitTables, type SharedLimits } from './shared-limits.js';
import { WINDOW_MS } from './sliding-windows.js';
import type { WindowTable } from './window-table.js';

/** With limits off, the headers show the greatest limit that can be configured, all of it left. */
export const UNLIMITED = 999_999_999;

const ALL = { limit: UNLIMITED, remaining: UNLIMITED, resetSeconds: 0 };
const ALL_LEFT: RateLimitsNow = { keyRead: ALL, keyWrite: ALL, keyCancel: ALL, account: ALL, ip: ALL };

/** The counted address (`client-address.ts`), and the numbers of a key and of its account. */
export interface LimitsOwner {
  readonly address: string;
  readonly key: number;
  readonly account: number;
}

/** For a request that its operation does not make a read. */
export function keyLimitOf(method: string): KeyLimit {
  if (isRead(method) || method === 'OPTIONS') return KEY_READ;
  return method === 'DELETE' ? KEY_CANCEL : KEY_WRITE;
}

/** A request counts for these; key and account are 0 without a valid key. */
export interface Counted extends LimitsOwner {
  readonly keyLimit: KeyLimit;
}

/**
 * The kind of a request. `unknown` has no valid key and counts for its address alone. `known` is processed unless a
 * limit refuses it. `forbidden` is refused with 403 before the limits of its key and account are checked, and counts
 * for them in any case.
 */
export type KeyState = 'unknown' | 'known' | 'forbidden';

export class RateLimits {
  /** The kind of the limit with the fewest requests left among those that apply; of equals, of the smaller. */
  kind = IP;
  /** X-RateLimit-Remaining: requests left of it, after this one. */
  remaining = UNLIMITED;
  /** X-RateLimit-Reset: whole seconds until its oldest counted request leaves the window, rounded up. */
  resetSeconds = 0;
  /**
   * Retry-After: whole seconds, at least 1, after which the refused request fits all its limits; 0 for an admitted one.
   */
  retryAfterSeconds = 0;

  readonly #tables: LimitTables | null;
  /** By kind. */
  readonly #limits: readonly number[];
  readonly #addressOwner = new Owner();
  /** `#addressOwner` was read from it: within a client's burst always the same string. */
  #addressRead = '';
  readonly #keyOwner = new Owner();
  readonly #accountOwner = new Owner();
  /** The windows of the request at hand, 0 if not open, and the kind of its key's limit. */
  #address = 0;
  #key = 0;
  #account = 0;
  #keyKind: KeyLimit = KEY_READ;
  #shown = 0;

  constructor(shared: SharedLimits) {
    this.#tables = shared === null ? null : new LimitTables(shared);
    this.#limits = RATE_LIMIT_NAMES.map(([, field]) => shared?.settings[field] ?? UNLIMITED);
  }

  get limit(): number {
    return this.#limits[this.kind] as number;
  }

  get policies(): readonly RatePolicy[] {
    return RATE_LIMIT_NAMES.map(([name], kind) => ({ name, limit: this.#limits[kind] as number }));
  }

  /**
   * Counts a request in all its windows, or refuses it and counts it in none: returns whether it is counted. The fields
   * then have the values of the headers, until the next call.
   */
  take(request: Counted, keyState: KeyState, nowMs: number): boolean {
    const tables = this.#tables;
    if (tables === null) return true;
    const { address } = request;
    if (address !== this.#addressRead || this.#addressOwner.kind === Kind.ipv6Site) {
      this.#addressOwner.read(address);
      this.#addressRead = address;
    }
    tables.lock.lock();
    try {
      return this.#decide(tables, request, keyState, tables.advance(nowMs));
    } finally {
      tables.lock.unlock();
    }
  }

  /** Counts nothing. */
  left(owner: LimitsOwner, nowMs: number): RateLimitsNow {
    const tables = this.#tables;
    if (tables === null) return ALL_LEFT;
    tables.lock.lock();
    try {
      return this.#allLeft(tables, owner, tables.advance(nowMs));
    } finally {
      tables.lock.unlock();
    }
  }

  #allLeft(tables: LimitTables, { address, key, account }: LimitsOwner, nowMs: number): RateLimitsNow {
    const { windows } = tables;
    const left = (table: WindowTable, owner: Owner, kind: number): RateLimit => {
      const window = table.find(owner, nowMs);
      const limit = this.#limit(kind);
      return {
        limit,
        remaining: limit - windows.total(window),
        resetSeconds: seconds(windows.resetMs(window, nowMs) - nowMs),
      };
    };
    const owner = new Owner();
    const keyRead = left(tables.keys, owner.number(Kind.keyReads, key), KEY_READ);
    const keyWrite = left(tables.keys, owner.number(Kind.keyWrites, key), KEY_WRITE);
    const keyCancel = left(tables.keys, owner.number(Kind.keyCancels, key), KEY_CANCEL);
    const ofAccount = left(tables.accounts, owner.number(Kind.account, account), ACCOUNT);
    owner.read(address);
    return { keyRead, keyWrite, keyCancel, account: ofAccount, ip: left(tables.addresses, owner, IP) };
  }

  #decide(tables: LimitTables, request: Counted, keyState: KeyState, nowMs: number): boolean {
    this.#address = tables.addresses.find(this.#addressOwner, nowMs);
    const hasKey = keyState !== 'unknown';
    if (hasKey) this.#findKey(tables, request, nowMs);
    if (this.#isAddressFull(tables)) return this.#refuseAddress(tables, hasKey, nowMs);
    if (hasKey && !this.#hasPlaces(tables)) return this.#refusePlace(this.#keyKind);
    if (!tables.windows.hasRoom) return this.#refusePlace(IP);
    if (keyState === 'known' && this.#isKeyFull(tables)) return this.#refuseKey(tables, nowMs);
    if (hasKey) this.#countKey(tables, nowMs);
    this.#countAddress(tables, nowMs);
    this.retryAfterSeconds = 0;
    if (hasKey) this.#showNearest(tables);
    else this.#show(tables, this.#address, IP);
    this.resetSeconds = this.#resetSeconds(tables, nowMs);
    return true;
  }

  #findKey(tables: LimitTables, { key, account, keyLimit }: Counted, nowMs: number): void {
    this.#key = tables.keys.find(this.#keyOwner.number(Kind.keyReads + keyLimit, key), nowMs);
    this.#account = tables.accounts.find(this.#accountOwner.number(Kind.account, account), nowMs);
    this.#keyKind = keyLimit;
  }

  #isAddressFull({ addresses, windows }: LimitTables): boolean {
    const address = this.#address;
    return address === 0 ? !addresses.hasPlace : windows.total(address) >= this.#limit(IP);
  }

  #isKeyFull({ windows }: LimitTables): boolean {
    return (
      windows.total(this.#key) >= this.#limit(this.#keyKind) ||
      windows.total(this.#account) >= this.#limit(ACCOUNT)
    );
  }

  #hasPlaces({ keys, accounts }: LimitTables): boolean {
    return (this.#key !== 0 || keys.hasPlace) && (this.#account !== 0 || accounts.hasPlace);
  }

  #countAddress({ addresses }: LimitTables, nowMs: number): void {
    if (this.#address === 0) this.#address = addresses.open(this.#addressOwner);
    addresses.count(this.#address, this.#limit(IP), nowMs);
  }

  #countKey({ keys, accounts }: LimitTables, nowMs: number): void {
    if (this.#key === 0) this.#key = keys.open(this.#keyOwner);
    if (this.#account === 0) this.#account = accounts.open(this.#accountOwner);
    keys.count(this.#key, this.#limit(this.#keyKind), nowMs);
    accounts.count(this.#account, this.#limit(ACCOUNT), nowMs);
  }

  /** A retry must fit the limits of key and account, too. */
  #refuseAddress(tables: LimitTables, hasKey: boolean, nowMs: number): boolean {
    const { addresses, windows } = tables;
    const address = this.#address;
    // Without a window the table is full, and none of its addresses is idle.
    const roomMs = address === 0 ? addresses.placeMs() : windows.roomMs(address, this.#limit(IP), nowMs);
    this.#show(tables, address, IP);
    this.remaining = 0;
    this.resetSeconds = address === 0 ? seconds(roomMs - nowMs) : this.#resetSeconds(tables, nowMs);
    this.retryAfterSeconds = seconds(roomMs - nowMs);
    if (!hasKey) return false;
    this.retryAfterSeconds = Math.max(this.retryAfterSeconds, this.#keySeconds(tables, nowMs));
    this.#showIfNearer(tables, this.#key, this.#keyKind);
    this.#showIfNearer(tables, this.#account, ACCOUNT);
    if (this.#shown !== address) this.resetSeconds = this.#resetSeconds(tables, nowMs);
    return false;
  }

  #refuseKey(tables: LimitTables, nowMs: number): boolean {
    this.retryAfterSeconds = this.#keySeconds(tables, nowMs);
    this.#showNearest(tables);
    this.resetSeconds = this.#resetSeconds(tables, nowMs);
    return false;
  }

  /** So many owners are active that there is no place for another one or its request. After a minute some are not. */
  #refusePlace(kind: number): boolean {
    this.kind = kind;
    this.remaining = 0;
    this.resetSeconds = seconds(WINDOW_MS);
    this.retryAfterSeconds = this.resetSeconds;
    return false;
  }

  /** Whole seconds until a request fits the limits of the key and the account; 0 if it does now. */
  #keySeconds({ windows }: LimitTables, nowMs: number): number {
    const keyRoomMs = windows.roomMs(this.#key, this.#limit(this.#keyKind), nowMs);
    const accountRoomMs = windows.roomMs(this.#account, this.#limit(ACCOUNT), nowMs);
    return seconds(Math.max(keyRoomMs, accountRoomMs) - nowMs);
  }

  #showNearest(tables: LimitTables): void {
    this.#show(tables, this.#key, this.#keyKind);
    this.#showIfNearer(tables, this.#account, ACCOUNT);
    this.#showIfNearer(tables, this.#address, IP);
  }

  #showIfNearer(tables: LimitTables, window: number, kind: number): void {
    const limit = this.#limit(kind);
    const remaining = limit - tables.windows.total(window);
    if (remaining < this.remaining || (remaining === this.remaining && limit < this.limit))
      this.#show(tables, window, kind);
  }

  #show({ windows }: LimitTables, window: number, kind: number): void {
    this.kind = kind;
    this.remaining = this.#limit(kind) - windows.total(window);
    this.#shown = window;
  }

  #limit(kind: number): number {
    return this.#limits[kind] as number;
  }

  #resetSeconds({ windows }: LimitTables, nowMs: number): number {
    return seconds(windows.resetMs(this.#shown, nowMs) - nowMs);
  }
}

const seconds = (ms: number): number => Math.ceil(ms / 1000);
