/**
 * Who may do what, in the order of the design (section 5): the address's limit, the key, its scope and its
 * account's tier, then the other limits. Nothing of a request is read before it has come through here, but for
 * an order of an account that may not write any more: it may have been placed before.
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

/** Secrets that are remembered, so that not every request has to be hashed; a bound on memory. */
const SECRETS_KEPT_MAX = 10_000;

export class Authentication {
  /**
   * Keys by secret, those that were found only: a key's number never changes. What a key may do is looked up
   * every time. In memory alone, where every request's secret is, too.
   */
  readonly #keysBySecret = new Map<string, number>();

  constructor(private readonly engine: EngineReads) {}

  /**
   * Finds the request's key and notes it in the call if it is a valid one; what it may do is another question. One
   * that is disabled or expired is nobody's: what whoever still has it sends is not held against the account.
   */
  identify(call: Call): Verdict {
    const secret = call.request.apiKey;
    if (secret === '') return MISSING_KEY;
    const key = this.#keysBySecret.get(secret) ?? this.#look(secret);
    if (key === 0) return INVALID_KEY;
    const { account, enabled, expiresAtMs } = this.engine.key(key);
    if (!enabled) return KEY_DISABLED;
    if (expiresAtMs !== null && call.nowMs >= expiresAtMs) return KEY_EXPIRED;
    call.key = key;
    call.account = account;
    return null;
  }

  #look(secret: string): number {
    const key = isWellFormedKey(secret) ? this.engine.findKey(keyDigest(secret)) : 0;
    if (key === 0) return 0;
    if (this.#keysBySecret.size >= SECRETS_KEPT_MAX) this.#keysBySecret.clear();
    this.#keysBySecret.set(secret, key);
    return key;
  }

  /** Whether the call's key and its account may carry out the operation. */
  authorise(call: Call, operation: Operation): Verdict {
    if ((this.engine.key(call.key).scopesMask & operation.scope) === 0) return NO_SCOPE;
    // Every account may read.
    if ((operation.scope & WRITE_SCOPES_MASK) === 0) return null;
    const { tier, frozen } = must(this.engine.account(call.account), 'account of a key');
    if (tier < WRITE_TIER) return TIER_TOO_LOW;
    return operation.isWrite && frozen ? FROZEN : null;
  }
}

/** Whether it is the account that may not write any more. What it did before, it may still be told. */
export const isOfAccount = (refused: Refused): boolean => refused === TIER_TOO_LOW || refused === FROZEN;
