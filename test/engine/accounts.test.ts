/** Accounts, keys and money in and out, at their limits. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { AMOUNT_CENTS_MAX } from '../../engine/base/money.js';
import { TIERS, type Tier } from '../../engine/model/domain.js';
import { Exchange } from '../support/reference/exchange.js';

test('each tier has its number of active keys, and not one more', () => {
  const numbers: Record<Tier, number> = { BRONZE: 1, SILVER: 2, GOLD: 3, PLATINUM: 4, VIP: 5 };
  const exchange = new Exchange();
  let made = 0;
  for (const tier of TIERS) {
    const account = exchange.account(tier, 0);
    const makeKey = () => {
      const key = { scopesMask: 0b0011, digest: (++made).toString(16).padStart(64, '0'), expiresAtMs: null };
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
