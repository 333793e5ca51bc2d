/** The switch for all trading (specification, section 7: 503): orders stop, everything else continues. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { refused } from '../../support/api/api-client.js';
import { Sandbox } from '../../support/api/api-client-sandbox.js';

const ORDER = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 10 };

let sandbox: Sandbox;

before(async () => {
  sandbox = await Sandbox.shared();
});

test('off, orders are 503 with the reason while reads and settlement continue, also after a restart', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const { api, accountId, secret } = await sandbox.trader();
  const { newBalance, bet } = await api.place(ORDER);
  const off = await sandbox.operator.put('/trading', { enabled: false, reason: 'Back at noon' });
  assert.equal(off.status, 200);
  const answered = await api.order(ORDER);
  refused(answered, 503, 'trading_disabled');
  assert.equal(answered.error, 'trading_disabled: Back at noon');
  refused(await api.at('/api/v1').order(ORDER), 503, 'trading_disabled');
  assert.equal((await api.market('BTC_ONE_MINUTE')).currentRound?.status, 'LIVE');
  assert.equal((await api.positions()).length, 1);
  await sandbox.closeMinute({ BTC: 67_001 });
  assert.equal((await api.orders())[0]?.result, 'WIN');
  assert.equal(await sandbox.balance(accountId), Math.round((newBalance + bet.potentialPayout) * 100) / 100);
  assert.equal((await api.market('BTC_ONE_MINUTE')).currentRound?.status, 'LIVE', 'rounds go on');

  sandbox = await sandbox.restart('kill');
  refused(await sandbox.api(secret).order(ORDER), 503, 'trading_disabled');
  await sandbox.operator.put('/trading', { enabled: true });
  assert.equal((await sandbox.api(secret).order(ORDER)).status, 201);
  await sandbox.checkConservation();
});

test('off without a reason, the error is the code alone', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const { api } = await sandbox.trader();
  await sandbox.operator.put('/trading', { enabled: false });
  assert.equal((await api.order(ORDER)).error, 'trading_disabled');
  await sandbox.operator.put('/trading', { enabled: true });
});
