/** A revoked key cannot harm its account, and a frozen account still learns of its orders, on a running server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { limitsOf, refused } from '../../support/api/api-client.js';
import { Sandbox } from '../../support/api/api-client-sandbox.js';
import { RATE_LIMITS, WINDOW_MS } from '../../support/api/spec.js';

const ORDER = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 10 };
const KEY = { 'Idempotency-Key': 'mine' };

let sandbox: Sandbox;

before(async () => {
  const limits = 'key_read=120,key_write=30,account=240,ip=300';
  sandbox = await Sandbox.start({ env: { TOTE_RATE_LIMITS: limits, TOTE_TRUSTED_PROXIES: '127.0.0.1' } });
  await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
});
after(() => sandbox.remove());

test('a revoked key cannot lock its account out, and is limited by its address', async () => {
  const { accountId, keyId, api: lost } = await sandbox.trader();
  const owner = sandbox.api((await sandbox.key(accountId, { scopes: ['markets:read'] })).secret);
  await sandbox.operator.patch(`/keys/${keyId}`, { enabled: false });
  const from = { 'X-Forwarded-For': '203.0.113.7' };
  for (let n = 0; n < RATE_LIMITS.ip; n++) refused(await lost.get('/markets', from), 403, 'key_disabled');
  const over = await lost.get('/markets', from);
  refused(over, 429, 'rate_limited');
  assert.deepEqual(limitsOf(over.headers), { limit: RATE_LIMITS.ip, remaining: 0, resetSeconds: 60 });
  const answered = await owner.get('/markets', { 'X-Forwarded-For': '203.0.113.8' });
  assert.equal(answered.status, 200);
  assert.equal(limitsOf(answered.headers).remaining, RATE_LIMITS.keyRead - 1);
});

test('a frozen or downgraded account learns that its bet stands, also by another key and after a restart', async () => {
  await sandbox.advance(WINDOW_MS);
  const { accountId, keyId, secret } = await sandbox.trader();
  const second = await sandbox.key(accountId, { scopes: ['orders:write', 'positions:read'] });
  const first = await sandbox.api(secret).order(ORDER, KEY);
  assert.equal(first.status, 201);
  const retry = async (key: string): Promise<void> => {
    const again = await sandbox.api(key).order(ORDER, KEY);
    assert.deepEqual([again.status, again.text], [201, first.text]);
    assert.equal(again.headers.get('X-Idempotent-Replay'), 'true');
  };
  await sandbox.operator.patch(`/accounts/${accountId}`, { frozen: true });
  await retry(secret);
  refused(await sandbox.api(secret).order(ORDER, { 'Idempotency-Key': 'new' }), 403, 'account_frozen');
  await sandbox.operator.patch(`/accounts/${accountId}`, { tier: 'BRONZE' });
  await sandbox.operator.patch(`/keys/${keyId}`, { enabled: false });
  refused(await sandbox.api(secret).order(ORDER, KEY), 403, 'key_disabled');
  await retry(second.secret);
  sandbox = await sandbox.restart('kill');
  await retry(second.secret);
  refused(await sandbox.api(second.secret).order(ORDER), 403, 'tier_too_low');
  assert.equal((await sandbox.api(second.secret).orders()).length, 1);
  await sandbox.checkConservation();
});
