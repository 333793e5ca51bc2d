/**
 * Authentication and authorisation, in the order of docs/bots/api.md: the address's limit, the key, its scope
 * and its account's tier, then the other limits. Nothing else of a request is read before, with one exception: an
 * order of an account that may no longer write, because it may have been placed before.
 */
import { isWellFormedKey, keyDigest } from '../../crypto/api-keys.js';
import { WRITE_SCOPES_MASK, WRITE_TIER } from '../../engine/model/domain.js';
import { digestWords, type Rights } from '../board/rights.js';
import type { Refused } from '../kit/refused.js';
import type { Call } from './call.js';
import type { Operation } from './endpoint.js';
import {
  FROZEN,
  INVALID_KEY,
  KEY_DISABLED,
  KEY_EXPIRED,
  MISSING_KEY,
  NO_SCOPE,
  TIER_TOO_LOW,
} from './refusals.js';

/** A remembered secret saves hashing it for every request. Bounds memory. */
const SECRETS_KEPT_MAX = 10_000;

export class Authentication {
  /** Keeps only valid secrets. A key's number never changes; its rights are looked up every time. */
  readonly #keysBySecret = new Map<string, number>();

  constructor(private readonly rights: Rights) {}

  /**
   * Stores the request's key in the call; that of a stream is there already. A disabled or expired key is refused, and
   * its requests do not count for the account.
   */
  identify(call: Call): Refused | null {
    let { key } = call;
    if (key === 0) {
      const secret = call.request.apiKey;
      if (secret === '') return MISSING_KEY;
      key = this.#keysBySecret.get(secret) ?? this.#lookUp(secret);
      if (key === 0) return INVALID_KEY;
    }
    const refused = refuseKey(this.rights, key, call.nowMs);
    if (refused !== null) return refused;
    call.key = key;
    call.account = this.rights.account(key);
    return null;
  }

  #lookUp(secret: string): number {
    const key = isWellFormedKey(secret) ? this.rights.find(digestWords(keyDigest(secret))) : 0;
    if (key === 0) return 0;
    if (this.#keysBySecret.size >= SECRETS_KEPT_MAX) this.#keysBySecret.clear();
    this.#keysBySecret.set(secret, key);
    return key;
  }

  authorise({ key, account }: Call, { scope, replays }: Operation): Refused | null {
    if ((this.rights.scopesMask(key) & scope) === 0) return NO_SCOPE;
    // Every account may read, and any one of several scopes that include a reading one is enough.
    const isRead = (scope & ~WRITE_SCOPES_MASK) !== 0;
    return isRead || replays ? null : refuseAccount(this.rights, account);
  }
}

export function refuseKey(rights: Rights, key: number, nowMs: number): Refused | null {
  if (!rights.isEnabled(key)) return KEY_DISABLED;
  return nowMs >= rights.expiresAtMs(key) ? KEY_EXPIRED : null;
}

/** null if the account may write. */
export function refuseAccount(rights: Rights, account: number): Refused | null {
  if (rights.tier(account) < WRITE_TIER) return TIER_TOO_LOW;
  return rights.isFrozen(account) ? FROZEN : null;
}
