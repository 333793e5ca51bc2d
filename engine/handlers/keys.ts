/** Operator commands on API keys. */
import { assert } from '../base/assert.js';
import type { CreateKey, ExpireKey, RotateKey, SetDeadman, UpdateKey } from '../model/commands.js';
import { KEYS_MAX, WRITE_SCOPES_MASK, WRITE_TIER } from '../model/domain.js';
import type { ErrorCode } from '../model/errors.js';
import type { KeyChanged, Rejected } from '../model/events.js';
import { isActive } from '../state/keys.js';
import { type Effect, reject, rejectForNow, type State } from '../state/state.js';
import { noAccount } from './accounts.js';

export function createKey(state: State, command: CreateKey): Effect {
  const { account, digest, scopesMask, expiresAtMs, timeMs } = command;
  if (!state.accounts.has(account)) return noAccount();
  const unfit = checkNewKey(state, account, scopesMask) ?? checkKeyLimit(state, account, timeMs, 1);
  if (unfit !== null) return unfit;
  const key = state.keys.add({ account, digest, scopesMask, expiresAtMs, createdAtMs: timeMs });
  return [changed(state, 'keyCreated', key, timeMs)];
}

export function updateKey(state: State, command: UpdateKey): Effect {
  const { key, enabled, timeMs } = command;
  if (!state.keys.has(key)) return noKey();
  const view = state.keys.view(key);
  if (enabled && !view.enabled) {
    if (!isActive({ ...view, enabled: true }, timeMs)) {
      return reject('key_expired', 'an expired key cannot be enabled');
    }
    const full = checkKeyLimit(state, view.account, timeMs, 1);
    if (full !== null) return full;
  }
  state.keys.change(key, { enabled });
  return [changed(state, 'keyUpdated', key, timeMs)];
}

/** An expiry can only come forward: a key handed out for a time is never good for longer. */
export function expireKey(state: State, { key, expiresAtMs, timeMs }: ExpireKey): Effect {
  if (!state.keys.has(key)) return noKey();
  const view = state.keys.view(key);
  if (view.expiresAtMs !== null && view.expiresAtMs < expiresAtMs)
    return reject(
      'invalid_request',
      'the key expires earlier than that; an expiry can only be brought forward',
    );
  state.keys.change(key, { expiresAtMs });
  return [changed(state, 'keyUpdated', key, timeMs)];
}

/**
 * While the overlaps last, an account may have twice its number of active keys, so that each of them can be rotated even
 * where the tier has no key to spare.
 */
export function rotateKey(state: State, command: RotateKey): Effect {
  const { key, overlapEndsMs, digest, expiresAtMs, timeMs } = command;
  if (!state.keys.has(key)) return noKey();
  const view = state.keys.view(key);
  const { account, scopesMask } = view;
  if (!view.enabled) return reject('key_disabled', 'a disabled key cannot be rotated; make a new one');
  if (!isActive(view, timeMs))
    return reject('key_expired', 'an expired key cannot be rotated; make a new one');
  const unfit = checkNewKey(state, account, scopesMask) ?? checkKeyLimit(state, account, timeMs, 2);
  if (unfit !== null) return unfit;
  assert(overlapEndsMs >= timeMs, 'an overlap does not end before it begins');
  if (view.expiresAtMs === null || view.expiresAtMs > overlapEndsMs)
    state.keys.change(key, { expiresAtMs: overlapEndsMs });
  const rotated = state.keys.add({ account, digest, scopesMask, expiresAtMs, createdAtMs: timeMs });
  return [changed(state, 'keyUpdated', key, timeMs), changed(state, 'keyCreated', rotated, timeMs)];
}

export function setDeadman(state: State, command: SetDeadman, gate: ErrorCode | null): Effect {
  const { key, seconds, timeMs } = command;
  if (!state.keys.has(key)) return noKey();
  if (gate !== null) return rejectForNow(gate);
  state.keys.change(key, { deadmanSeconds: seconds });
  return [changed(state, 'keyUpdated', key, timeMs)];
}

function changed(state: State, type: KeyChanged['type'], key: number, timeMs: number): KeyChanged {
  const { account } = state.keys.view(key);
  state.accounts.touch(account, state.nextSeq);
  return { type, timeMs, key, account };
}

function checkNewKey(state: State, account: number, scopesMask: number): Rejected | null {
  const isAllowed = (scopesMask & WRITE_SCOPES_MASK) === 0 || state.accounts.tier(account) >= WRITE_TIER;
  if (!isAllowed) return reject('tier_too_low', 'scopes that write need tier SILVER or higher');
  if (state.keys.count < KEYS_MAX) return null;
  return reject('too_many_keys', `the exchange has made ${KEYS_MAX} keys, and has no room for another`);
}

function checkKeyLimit(state: State, account: number, timeMs: number, times: number): Rejected | null {
  const keysMax = times * (state.rulesInForce.tiers[state.accounts.tier(account)]?.activeKeysMax ?? 0);
  if (state.keys.activeCount(account, timeMs) < keysMax) return null;
  const when = times === 1 ? '' : ' while keys are rotated';
  const keys = keysMax === 1 ? 'key' : 'keys';
  return reject('too_many_keys', `an account of this tier may have ${keysMax} active ${keys}${when}`);
}

const noKey = (): Rejected => reject('key_not_found', 'no such key');
