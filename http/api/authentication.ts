/**
 * Who may do what, in the order of the design (section 5): the address's limit, the key, its scope and its
 * account's tier, then the other limits. Nothing of a request is read before it has come through here.
 */
import { must } from '../../engine/base/assert.js';
import { WRITE_SCOPES_MASK, WRITE_TIER } from '../../engine/model/domain.js';
import type { EngineReads, KeyView } from '../../engine/model/views.js';
import { isWellFormedKey, keyDigest } from '../keys.js';
import { Refused } from '../kit/refused.js';
import type { Call, Verdict } from './call.js';
import type { Operation } from './endpoints.js';

const MISSING_KEY = new Refused('missing_api_key', 'the X-API-Key header is required');
const INVALID_KEY = new Refused('invalid_api_key', 'no such key');
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

  /** Finds the request's key and notes it in the call; whether it may do anything is another question. */
  identify(call: Call): Verdict {
    const secret = call.request.apiKey;
    if (secret === '') return MISSING_KEY;
    const key = this.#keysBySecret.get(secret) ?? this.#look(secret);
    if (key === 0) return INVALID_KEY;
    call.key = key;
    call.account = this.engine.key(key).account;
    return null;
  }

  #look(secret: string): number {
    const key = isWellFormedKey(secret) ? this.engine.findKey(keyDigest(secret)) : 0;
    if (key === 0) return 0;
    if (this.#keysBySecret.size >= SECRETS_KEPT_MAX) this.#keysBySecret.clear();
    this.#keysBySecret.set(secret, key);
    return key;
  }

  /** Whether the key and its account may carry out the operation. */
  authorise(call: Call, operation: Operation): Verdict {
    const key = this.engine.key(call.key);
    const refused = checkKey(key, operation, call.nowMs);
    // Every account may read.
    if (refused !== null || (operation.scope & WRITE_SCOPES_MASK) === 0) return refused;
    const { tier, frozen } = must(this.engine.account(key.account), 'account of a key');
    if (tier < WRITE_TIER) return TIER_TOO_LOW;
    return operation.isWrite && frozen ? FROZEN : null;
  }
}

function checkKey(key: KeyView, operation: Operation, nowMs: number): Verdict {
  if (!key.enabled) return KEY_DISABLED;
  if (key.expiresAtMs !== null && nowMs >= key.expiresAtMs) return KEY_EXPIRED;
  return (key.scopesMask & operation.scope) === 0 ? NO_SCOPE : null;
}
