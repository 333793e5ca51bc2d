/** Accounts, keys and money in and out, at their limits; keys that expire earlier or take over from others. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { AMOUNT_CENTS_MAX } from '../../engine/base/money.js';
import { createKey, rotateKey } from '../../engine/handlers/keys.js';
import { KEYS_MAX, TIERS, type Tier } from '../../engine/model/domain.js';
import { State } from '../../engine/state/state.js';
import { Exchange } from '../support/reference/exchange.js';

const SCOPES = 0b1111;
let digests = 0;
const newDigest = (): string => (++digests).toString(16).padStart(64, '0');

test('each tier has its number of active keys, and not one more', () => {
  const numbers: Record<Tier, number> = { BRONZE: 1, SILVER: 2, GOLD: 3, PLATINUM: 4, VIP: 5 };
  const exchange = new Exchange();
  for (const tier of TIERS) {
    const account = exchange.account(tier, 0);
    const makeKey = () => {
      const key = { scopesMask: 0b0011, digest: newDigest(), expiresAtMs: null };
      return exchange.apply({ kind: 'createKey', timeMs: exchange.nowMs, account, ...key });
    };
    for (let count = 0; count < numbers[tier]; count++) equal(makeKey().status, 'accepted', tier);
    match(JSON.stringify(makeKey()), /"too_many_keys".* have (1 active key|[2-5] active keys)"/);
  }
});

test('the last cent can be withdrawn, a cent more cannot; seeds in rounds are not to be had', () => {
  const exchange = Exchange.opened({ houseCents: 2 * 1_000_00 + 100_00 });
  const account = exchange.account('SILVER', 100_00);
  for (const whose of [{ kind: 'withdraw', account }, { kind: 'withdrawHouse' }] as const) {
    const withdraw = (amountCents: number, reference: string) =>
      exchange.outcomeOf({ ...whose, timeMs: exchange.nowMs, amountCents, reference });
    equal(withdraw(100_01, 'w1'), 'insufficient_balance');
    equal(withdraw(100_00, 'w1'), 'accepted', 'a refused reference is free');
    equal(withdraw(1, 'w2'), 'insufficient_balance');
  }
  deepEqual([exchange.balanceCents(account), exchange.reads.totals().withdrawalsCents], [0, 2 * 100_00]);
});

test('all deposits together are bounded, and one that would exceed the bound is refused', () => {
  const exchange = new Exchange({ houseCents: 1 });
  const account = exchange.account('SILVER', 1);
  const timeMs = exchange.nowMs;
  const deposit = (amountCents: number, reference: string) => ({ timeMs, account, amountCents, reference });
  const create = (balanceCents: number) =>
    exchange.outcomeOf({ kind: 'createAccount', timeMs, name: null, tier: 0, balanceCents });
  const max = AMOUNT_CENTS_MAX;
  equal(exchange.outcomeOf({ kind: 'deposit', ...deposit(max - 1, 'r1') }), 'invalid_request');
  equal(exchange.outcomeOf({ kind: 'deposit', ...deposit(max - 4, 'r1') }), 'accepted');
  equal(exchange.outcomeOf({ kind: 'depositHouse', ...deposit(3, 'r1') }), 'invalid_request');
  equal(exchange.outcomeOf({ kind: 'depositHouse', ...deposit(1, 'r1') }), 'accepted');
  deepEqual([create(2), create(1)], ['invalid_request', 'accepted']);
  equal(exchange.reads.totals().depositsCents, max);
  // Money that has left still counts: the sum of all deposits must stay exact, too.
  equal(exchange.outcomeOf({ kind: 'withdraw', ...deposit(5, 'r2') }), 'accepted');
  equal(exchange.outcomeOf({ kind: 'deposit', ...deposit(1, 'r3') }), 'invalid_request');
  equal(create(0), 'accepted');
});

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
