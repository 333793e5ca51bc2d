/** The five rate limits as configured: requests in any 60 seconds. */
export interface RateLimitSettings {
  readonly keyRead: number;
  readonly keyWrite: number;
  /** Cancellations, which count for no other limit of the key. */
  readonly keyCancel: number;
  readonly account: number;
  readonly ip: number;
}

/** Cancellations for each write, where nothing else is configured: a bettor who withdraws a quote must not wait. */
export const CANCELS_PER_WRITE = 4;
export const DEFAULT_RATE_LIMITS: RateLimitSettings = {
  keyRead: 120,
  keyWrite: 30,
  keyCancel: 30 * CANCELS_PER_WRITE,
  account: 240,
  ip: 300,
};

/** Names in `TOTE_RATE_LIMITS` and in RateLimit headers: a kind of limit is an index into this list. */
export const RATE_LIMIT_NAMES: readonly (readonly [name: string, field: keyof RateLimitSettings])[] = [
  ['key_read', 'keyRead'],
  ['key_write', 'keyWrite'],
  ['key_cancel', 'keyCancel'],
  ['account', 'account'],
  ['ip', 'ip'],
];

export const KEY_READ = 0;
export const KEY_WRITE = 1;
export const KEY_CANCEL = 2;
export const ACCOUNT = 3;
export const IP = 4;

/** The limit of its key that counts a request. */
export type KeyLimit = typeof KEY_READ | typeof KEY_WRITE | typeof KEY_CANCEL;
