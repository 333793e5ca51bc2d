/** GET /account, and one order by its id or its Idempotency-Key, on a real server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Account, SeenOrder } from '../../../http/wire/account-types.js';
import { refused } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import type { Position } from '../../support/api/spec.js';

const DAY = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 10 };
const MINUTE = { marketId: 'BTC_ONE_MINUTE', prediction: 'DOWN', amount: 5.5 };
const MEMORY_MS = 600_000;

let sandbox: Sandbox;

before(async () => {
  sandbox = await Sandbox.start();
  await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
});
after(() => sandbox.remove());

async function accountOf({ api }: Trader): Promise<Account> {
  const answered = await api.get<Account>('/account');
  assert.equal(answered.status, 200, answered.text);
  return answered.data;
}

async function seen({ api }: Trader, key: string): Promise<SeenOrder> {
  const answered = await api.get<SeenOrder>(`/orders/by-idempotency-key/${encodeURIComponent(key)}`);
  assert.equal(answered.status, 200, answered.text);
  return answered.data;
}

test('balance, stakes and possible payouts are those of the bets', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const trader = await sandbox.trader({ tier: 'GOLD', balance: 1_000 });
  const fresh = await accountOf(trader);
  assert.deepEqual(
    [fresh.balance, fresh.openBets, fresh.openStakes, fresh.possiblePayout],
    [1_000, 0, 0, { up: 0, down: 0 }],
  );
  const day = await trader.api.place(DAY);
  const minute = await trader.api.place(MINUTE);
  const open = await accountOf(trader);
  assert.equal(open.balance, 984.5);
  assert.deepEqual([open.openBets, open.openStakes], [2, 15.5]);
  assert.deepEqual(open.possiblePayout, { up: day.bet.potentialPayout, down: minute.bet.potentialPayout });
  await sandbox.closeMinute({ BTC: 66_999 });
  const paid = await accountOf(trader);
  assert.equal(paid.balance, Math.round((984.5 + minute.bet.potentialPayout) * 100) / 100);
  assert.deepEqual([paid.openBets, paid.openStakes, paid.possiblePayout.down], [1, 10, 0]);
});

test('tier, keys and limits are those of the account and of the key that asks', async () => {
  const trader = await sandbox.trader({ tier: 'GOLD', balance: 10 });
  const account = await accountOf(trader);
  assert.match(account.id, /^acc_\d+$/);
  assert.deepEqual(
    [account.tier, account.frozen, account.bets.tier, account.bets.maxStake],
    ['GOLD', false, 'GOLD', 5_000],
  );
  assert.deepEqual(account.keys, { active: 1, max: 3 });
  assert.match(account.key.id, /^key_\d+$/);
  assert.ok(account.key.scopes.includes('positions:read'));
  assert.equal(account.key.expiresAt, null);
  const { keyRead } = account.rateLimits;
  const again = await accountOf(trader);
  assert.equal(again.rateLimits.keyRead.remaining, keyRead.remaining - (keyRead.limit < 1e6 ? 1 : 0));
});

test('the sums take in every open bet, over several pages', async () => {
  const trader = await sandbox.trader({ tier: 'VIP', balance: 1_000 });
  let payoutCents = 0;
  for (let n = 0; n < 450; n++) {
    const { bet } = await trader.api.place({ ...DAY, amount: 1 });
    payoutCents += Math.round(bet.potentialPayout * 100);
  }
  const account = await accountOf(trader);
  assert.deepEqual([account.balance, account.openBets, account.openStakes], [550, 450, 450]);
  assert.equal(Math.round(account.possiblePayout.up * 100), payoutCents);
});

test("an order is found by its id, as long as it is the account's and in memory", async () => {
  const trader = await sandbox.trader({ tier: 'VIP', balance: 10_000 });
  const { bet } = await trader.api.place(DAY);
  for (let n = 0; n < 250; n++) await trader.api.place({ ...DAY, amount: 1 });
  const answered = await trader.api.get<Position>(`/orders/${bet.id}`);
  assert.equal(answered.status, 200, answered.text);
  assert.deepEqual(
    answered.data,
    (await trader.api.orders(`?before=bet_${Number(bet.id.slice(4)) + 1}&limit=1`))[0],
  );
  assert.equal(answered.data.betHash, bet.betHash);
  const stranger = await sandbox.trader();
  refused(await stranger.api.get(`/orders/${bet.id}`), 404, 'order_not_found');
  for (const id of ['bet_0', 'bet_999999999', '7', 'bet_', 'BET_1']) {
    refused(await trader.api.get(`/orders/${id}`), 404, 'order_not_found');
  }
  refused(await trader.api.get('/orders/%zz'), 400, 'invalid_request');
  refused(await trader.api.get(`/orders/${bet.id}?x=1`), 400, 'invalid_request');
});

test('after a lost answer the key tells whether the order was placed', async () => {
  const trader = await sandbox.trader();
  const key = 'strategy/7"a"%?';
  const before = await seen(trader, key);
  assert.deepEqual([before.seen, before.order], [false, null]);
  const { bet } = await trader.api.place(DAY, { 'Idempotency-Key': key });
  const after = await seen(trader, key);
  assert.equal(after.seen, true);
  assert.deepEqual([after.order?.id, after.order?.betHash], [bet.id, bet.betHash]);
  assert.equal((await seen(await sandbox.trader(), key)).seen, false, "another account's key");
  refused(
    await trader.api.order({ ...DAY, amount: 0.5 }, { 'Idempotency-Key': 'refused' }),
    400,
    'stake_out_of_range',
  );
  assert.equal((await seen(trader, 'refused')).seen, false, 'only placed orders are remembered');
  refused(await trader.api.get('/orders/by-idempotency-key/%20'), 400, 'invalid_request');
});

test('never seen is certain as far back as forgottenBefore, and no further', async () => {
  const trader = await sandbox.trader();
  await trader.api.place(DAY, { 'Idempotency-Key': 'old' });
  const placedMs = sandbox.nowMs;
  await sandbox.advance(MEMORY_MS - 1);
  const last = await seen(trader, 'old');
  assert.equal(last.seen, true);
  assert.ok(Date.parse(last.forgottenBefore) <= placedMs);
  await sandbox.advance(1);
  const gone = await seen(trader, 'old');
  assert.deepEqual([gone.seen, gone.order], [false, null]);
  assert.equal(Date.parse(gone.forgottenBefore), placedMs + 1, 'so this answer says nothing of that order');
});
