/** Retry-After with several limits used up at once: after it, and not a second before, the request is accepted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Harness, type Reply } from './harness.js';

const LIMITS = { keyRead: 3, keyWrite: 2, account: 4, ip: 5 };
const ORDER = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 10 };

const waitOf = ({ status, headers }: Reply): number =>
  status === 429 ? Number(headers.get('retry-after')) : 0;

/** Sends it again after what it says, less a second at first. */
function checkWait(api: Harness, request: () => Reply, seconds: number): void {
  assert.equal(waitOf(request()), seconds);
  api.clock.pass(seconds * 1_000 - 1_000);
  assert.equal(waitOf(request()), 1);
  api.clock.pass(1_000);
  assert.notEqual(request().status, 429);
}

test('the address frees in 40 s, the key in 60 s: 60', () => {
  const api = new Harness({ limits: LIMITS });
  const { secret } = api.bettor();
  for (let n = 0; n < 5; n++) assert.equal(api.get('/v1/markets', '').status, 401);
  api.clock.pass(20_000);
  const elsewhere = { key: secret, address: '10.0.0.1' };
  for (let n = 0; n < 3; n++) assert.equal(api.send('GET', '/v1/markets', elsewhere).status, 200);
  const write = api.order(secret, ORDER);
  assert.equal(waitOf(write), 40, 'a write does not wait for the reads of its key');
  assert.equal(waitOf(api.get('/v1/markets', '')), 40, 'nor does a request without a key');
  assert.equal(api.get('/v1/markets', secret).headers.get('x-ratelimit-limit'), '3', 'of both the smaller');
  checkWait(api, () => api.get('/v1/markets', secret), 60);
});

test('the address frees in 60 s, the account in 40 s: 60', () => {
  const api = new Harness({ limits: LIMITS });
  const { account, secret } = api.bettor();
  const sister = api.addKey(account).secret;
  for (const key of [secret, secret, sister, sister])
    assert.equal(api.send('GET', '/v1/markets', { key, address: '10.0.0.1' }).status, 200);
  api.clock.pass(20_000);
  assert.equal(waitOf(api.get('/v1/markets', secret)), 40, 'the account alone');
  for (let n = 0; n < 5; n++) assert.equal(api.get('/v1/markets', '').status, 401);
  checkWait(api, () => api.order(sister, ORDER), 60);
});
