/** GET /account, and one order by its id or its Idempotency-Key. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account, SeenOrder } from '../../../http/wire/account-types.js';
import type { OrderResult, Position } from '../../../http/wire/types.js';
import { codeOf, dataOf, type Harness, withRounds } from './harness.js';

const DAY = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 10 };
const MINUTE = { marketId: 'BTC_ONE_MINUTE', prediction: 'DOWN', amount: 5.5 };
const MEMORY_MS = 600_000;

const accountOf = (api: Harness, key: string): Account => dataOf(api.get('/v1/account', key));
const place = (api: Harness, key: string, order: object, idempotencyKey: string | null = null) =>
  dataOf<OrderResult>(api.order(key, order, idempotencyKey)).bet;
const seen = (api: Harness, key: string, name: string): SeenOrder =>
  dataOf(api.get(`/v1/orders/by-idempotency-key/${encodeURIComponent(name)}`, key));

const opened = () => withRounds({}, { balanceCents: 1_000_00 });

test('balance, stakes and possible payouts are those of the bets', () => {
  const { api, secret } = opened();
  const fresh = accountOf(api, secret);
  const shown = [fresh.balance, fresh.openBets, fresh.openStakes, fresh.possiblePayout];
  assert.deepEqual(shown, [1_000, 0, 0, { up: 0, down: 0 }]);
  const day = place(api, secret, DAY);
  const minute = place(api, secret, MINUTE);
  const open = accountOf(api, secret);
  assert.deepEqual([open.balance, open.openBets, open.openStakes], [984.5, 2, 15.5]);
  assert.deepEqual(open.possiblePayout, { up: day.potentialPayout, down: minute.potentialPayout });
  api.closeMinute(99);
  const paid = accountOf(api, secret);
  assert.equal(paid.balance, Math.round((984.5 + minute.potentialPayout) * 100) / 100);
  assert.deepEqual([paid.openBets, paid.openStakes, paid.possiblePayout.down], [1, 10, 0]);
});

test('tier and keys are those of the account and of the key that asks', () => {
  const { api, account, key: number, secret } = opened();
  const disabled = api.addKey(account, undefined, api.clock.wallMs + 1).key + 1;
  api.addKey(account);
  api.submit({ kind: 'updateKey', key: disabled, enabled: false });
  api.clock.pass(1);
  const { id, tier, frozen, bets, keys, key } = accountOf(api, secret);
  const shown = [id, tier, frozen, bets.tier, bets.maxStake, keys];
  assert.deepEqual(shown, [`acc_${account}`, 'GOLD', false, 'GOLD', 5_000, { active: 1, max: 3 }]);
  assert.deepEqual([key.id, key.expiresAt], [`key_${number}`, null]);
  assert.ok(key.scopes.includes('positions:read'));
  const expiresAtMs = api.clock.wallMs + 1_000;
  const expiring = accountOf(api, api.bettor({ expiresAtMs }).secret).key;
  assert.equal(expiring.expiresAt, new Date(expiresAtMs).toISOString());
});

test("an order is found by its id, as long as it is the account's", () => {
  const { api, secret } = opened();
  const { id } = place(api, secret, DAY);
  for (let n = 0; n < 250; n++) place(api, secret, { ...DAY, amount: 1 });
  const [listed] = dataOf<Position[]>(api.get('/v1/orders', secret, 'before=bet_2'));
  assert.deepEqual(dataOf<Position>(api.get(`/v1/orders/${id}`, secret)), listed);
  assert.equal(codeOf(api.get(`/v1/orders/${id}`, api.bettor().secret)), 'order_not_found');
  for (const other of ['bet_0', 'bet_999999999', '7', 'bet_', 'BET_1'])
    assert.equal(codeOf(api.get(`/v1/orders/${other}`, secret)), 'order_not_found', other);
});

test('after a lost answer the key tells whether the order was placed', () => {
  const { api, secret } = opened();
  const key = 'strategy/7"a"%?';
  assert.deepEqual([seen(api, secret, key).seen, seen(api, secret, key).order], [false, null]);
  const bet = place(api, secret, DAY, key);
  const after = seen(api, secret, key);
  assert.deepEqual([after.seen, after.order?.id, after.order?.betHash], [true, bet.id, bet.betHash]);
  assert.equal(seen(api, api.bettor().secret, key).seen, false, "another account's key");
  assert.equal(codeOf(api.order(secret, { ...DAY, amount: 0.5 }, 'refused')), 'stake_out_of_range');
  assert.equal(seen(api, secret, 'refused').seen, false, 'only placed orders are remembered');
  assert.equal(codeOf(api.get('/v1/orders/by-idempotency-key/%20', secret)), 'invalid_request');
});

test('never seen is certain as far back as forgottenBefore, and no further', () => {
  const { api, secret } = opened();
  place(api, secret, DAY, 'old');
  const placedMs = api.clock.wallMs;
  api.clock.pass(MEMORY_MS - 1);
  const last = seen(api, secret, 'old');
  assert.equal(last.seen, true);
  assert.ok(Date.parse(last.forgottenBefore) <= placedMs);
  api.clock.pass(1);
  const gone = seen(api, secret, 'old');
  assert.deepEqual([gone.seen, gone.order], [false, null]);
  assert.equal(Date.parse(gone.forgottenBefore), placedMs + 1, 'so this answer says nothing of that order');
});
