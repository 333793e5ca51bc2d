/** Keys whose expiry is brought forward, and keys that take over from others (`engine/handlers/keys.ts`). */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { createKey, rotateKey } from '../../engine/handlers/keys.js';
import { KEYS_MAX } from '../../engine/model/domain.js';
import { State } from '../../engine/state/state.js';
import { Exchange } from '../support/reference/exchange.js';

const SCOPES = 0b1111;
let digests = 0;
const newDigest = (): string => (++digests).toString(16).padStart(64, '0');

const make = (exchange: Exchange, account: number): string => {
  const rights = { digest: newDigest(), scopesMask: SCOPES, expiresAtMs: null };
  return exchange.outcomeOf({ kind: 'createKey', timeMs: exchange.nowMs, account, ...rights });
};
const expire = (exchange: Exchange, key: number, expiresAtMs: number): string =>
  exchange.outcomeOf({ kind: 'expireKey', timeMs: exchange.nowMs, key, expiresAtMs });
const rotate = (exchange: Exchange, key: number, overlapMs: number, expiresAtMs: number | null = null) => {
  const { nowMs: timeMs } = exchange;
  const rights = { overlapEndsMs: timeMs + overlapMs, digest: newDigest(), expiresAtMs };
  return exchange.outcomeOf({ kind: 'rotateKey', timeMs, key, ...rights });
};
const expiryOf = ({ pair }: Exchange, key: number): number | null => pair.engine.key(key).expiresAtMs;

test('an expiry is set or brought forward, never put off', () => {
  const exchange = new Exchange();
  equal(make(exchange, exchange.account('SILVER', 0)), 'accepted');
  const { nowMs } = exchange;
  for (const _ of ['first', 'again']) equal(expire(exchange, 1, nowMs + 5_000), 'accepted');
  equal(expire(exchange, 1, nowMs + 5_001), 'invalid_request');
  deepEqual([expire(exchange, 1, nowMs + 4_000), expiryOf(exchange, 1)], ['accepted', nowMs + 4_000]);
  equal(expire(exchange, 2, nowMs + 1), 'key_not_found');
});

test('a new key has the account and the scopes of the old one, which is good until the overlap ends', () => {
  const exchange = new Exchange();
  const account = exchange.account('SILVER', 0);
  equal(make(exchange, account), 'accepted');
  equal(rotate(exchange, 1, 60_000, exchange.nowMs + 90_000), 'accepted');
  const [old, made] = exchange.pair.engine.keysOf(account);
  deepEqual([old?.scopesMask, old?.expiresAtMs], [SCOPES, exchange.nowMs + 60_000]);
  deepEqual([made?.scopesMask, made?.expiresAtMs], [SCOPES, exchange.nowMs + 90_000]);
  equal(rotate(exchange, 2, 5_000_000), 'accepted');
  equal(expiryOf(exchange, 2), exchange.nowMs + 90_000, 'a key is never good for longer than it was');
  deepEqual([rotate(exchange, 2, 30_000), expiryOf(exchange, 2)], ['accepted', exchange.nowMs + 30_000]);
});

test('no key is made or rotated where all gateways know as many as they have room for', () => {
  const state = new State();
  const rights = { account: state.accounts.add(null, 1), scopesMask: SCOPES, expiresAtMs: null };
  const key = state.keys.add({ ...rights, digest: newDigest(), createdAtMs: 0 });
  Object.defineProperty(state.keys, 'count', { value: KEYS_MAX });
  const made = createKey(state, { kind: 'createKey', timeMs: 0, digest: newDigest(), ...rights });
  const rotation = { timeMs: 0, key, overlapEndsMs: 0, digest: newDigest(), expiresAtMs: null } as const;
  const refused = [made, rotateKey(state, { kind: 'rotateKey', ...rotation })];
  for (const effect of refused) equal('code' in effect && effect.code, 'too_many_keys');
});
