/**
 * Authentication and authorisation, in the order of the design (section 5): the address's limit, the key, its scope
 * and its account's tier, then the other limits. Nothing else of a request is read before, with one exception: an
 * order of an account that may no longer write, because it may have been placed before.
 */
import { must } from '../../engine/base/assert.js';
import { WRITE_SCOPES_MASK, WRITE_TIER } from '../../engine/model/domain.js';
import type { EngineReads } from '../../engine/model/views.js';
import { isWellFormedKey, keyDigest } from '../keys.js';
import { Refused } from '../kit/refused.js';
import type { Call, Verdict } from './call.js';
import type { Operation } from './endpoint.js';

const CHALLENGE = ['WWW-Authenticate', 'ApiKey header="X-API-Key"'];
const MISSING_KEY = new Refused('missing_api_key', 'the X-API-Key header is required', CHALLENGE);
const INVALID_KEY = new Refused('invalid_api_key', 'no such key', CHALLENGE);
const KEY_DISABLED = new Refused('key_disabled', 'this key is disabled');
const KEY_EXPIRED = new Refused('key_expired', 'this key has expired');
const NO_SCOPE = new Refused('insufficient_scope', 'this key lacks the scope of the endpoint');
const TIER_TOO_LOW = new Refused('tier_too_low', 'the scope needs an account of Silver tier or higher');
const FROZEN = new Refused('account_frozen', 'the account takes no orders');

/** Remembered secrets, which save hashing one for every request. Bounds memory. */
const SECRETS_KEPT_MAX = 10_000;

export class Authentication {
  /**
   * Keys by secret. Only valid secrets are kept, and a key's number never changes; what a key may do is looked up
   * every time.
   */
  readonly #keysBySecret = new Map<string, number>();

  constructor(private readonly engine: EngineReads) {}

  /**
   * Finds the request's key and stores it in the call. A disabled or expired key is refused and not stored: its
   * requests do not count for the account.
   */
  identify(call: Call): Verdict {
    const secret = call.request.apiKey;
    if (secret === '') return MISSING_KEY;
    const key = this.#keysBySecret.get(secret) ?? this.#lookUp(secret);
    if (key === 0) return INVALID_KEY;
    const { account, enabled, expiresAtMs } = this.engine.key(key);
    if (!enabled) return KEY_DISABLED;
    if (expiresAtMs !== null && call.nowMs >= expiresAtMs) return KEY_EXPIRED;
    call.key = key;
    call.account = account;
    return null;
  }

  #lookUp(secret: string): number {
    const key = isWellFormedKey(secret) ? this.engine.findKey(keyDigest(secret)) : 0;
    if (key === 0) return 0;
    if (this.#keysBySecret.size >= SECRETS_KEPT_MAX) this.#keysBySecret.clear();
    this.#keysBySecret.set(secret, key);
    return key;
  }

  /** Whether the call's key and account may perform the operation. */
  authorise(call: Call, operation: Operation): Verdict {
    if ((this.engine.key(call.key).scopesMask & operation.scope) === 0) return NO_SCOPE;
    // Every account may read.
    if ((operation.scope & WRITE_SCOPES_MASK) === 0) return null;
    const { tier, frozen } = must(this.engine.account(call.account), 'account of a key');
    if (tier < WRITE_TIER) return TIER_TOO_LOW;
    return operation.isWrite && frozen ? FROZEN : null;
  }
}

/** Whether the account, not the key, may no longer write. Its earlier orders can still be replayed. */
export const isAccountRefusal = (refused: Refused): boolean => refused === TIER_TOO_LOW || refused === FROZEN;
