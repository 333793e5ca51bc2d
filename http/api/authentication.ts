/**
 * Authentication and authorisation, in the order of docs/bots/api.md: the address's limit, the key, its scope
 * and its account's tier, then the other limits. Nothing else of a request is read before, with one exception: an
 * order of an account that may no longer write, because it may have been placed before.
 */

import { KEY_READ } from '../../config/rate-limits.js';
import { isWellFormedKey, keyDigest } from '../../crypto/api-keys.js';
import { WRITE_SCOPES_MASK, WRITE_TIER } from '../../engine/model/domain.js';
import { digestWords, type Rights } from '../board/rights.js';
import type { Refused } from '../kit/refused.js';
import type { Call, Verdict } from './call.js';
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
   * Stores the request's key in the call. A disabled or expired key is refused and not stored: its requests do not
   * count for the account.
   */
  identify(call: Call): Verdict {
    const secret = call.request.apiKey;
    if (secret === '') return MISSING_KEY;
    const key = this.#keysBySecret.get(secret) ?? this.#lookUp(secret);
    if (key === 0) return INVALID_KEY;
    const { rights } = this;
    if (!rights.isEnabled(key)) return KEY_DISABLED;
    if (call.nowMs >= rights.expiresAtMs(key)) return KEY_EXPIRED;
    call.key = key;
    call.account = rights.account(key);
    return null;
  }

  #lookUp(secret: string): number {
    const key = isWellFormedKey(secret) ? this.rights.find(digestWords(keyDigest(secret))) : 0;
    if (key === 0) return 0;
    if (this.#keysBySecret.size >= SECRETS_KEPT_MAX) this.#keysBySecret.clear();
    this.#keysBySecret.set(secret, key);
    return key;
  }

  authorise(call: Call, operation: Operation): Verdict {
    const { rights } = this;
    if ((rights.scopesMask(call.key) & operation.scope) === 0) return NO_SCOPE;
    // Every account may read, and any one of several scopes that include a reading one is enough.
    if ((operation.scope & ~WRITE_SCOPES_MASK) !== 0) return null;
    if (rights.tier(call.account) < WRITE_TIER) return TIER_TOO_LOW;
    return operation.keyLimit !== KEY_READ && rights.isFrozen(call.account) ? FROZEN : null;
  }
}

/** The account, not the key, may no longer write. Its earlier orders can still be replayed. */
export const isAccountRefusal = (refused: Refused): boolean => refused === TIER_TOO_LOW || refused === FROZEN;
