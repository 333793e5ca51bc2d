/** The four rate limits as they are configured: requests in any 60 seconds. */
export interface RateLimitSettings {
  readonly keyRead: number;
  readonly keyWrite: number;
  readonly account: number;
  readonly ip: number;
}

export const DEFAULT_RATE_LIMITS: RateLimitSettings = { keyRead: 120, keyWrite: 30, account: 240, ip: 300 };

/** The names in `TOTE_RATE_LIMITS` and in RateLimit headers, and their fields: a kind of limit is an index into this list. */
export const RATE_LIMIT_NAMES: readonly (readonly [name: string, field: keyof RateLimitSettings])[] = [
  ['key_read', 'keyRead'],
  ['key_write', 'keyWrite'],
  ['account', 'account'],
  ['ip', 'ip'],
];

export const KEY_READ = 0;
export const KEY_WRITE = 1;
export const ACCOUNT = 2;
export const IP = 3;
