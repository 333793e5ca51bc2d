/**
 * Keys and accounts that lost their rights: requests with a revoked key do not count for its account, and an account
 * that may no longer bet can still learn of its placed orders.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TIERS } from '../../../engine/model/domain.js';
import { RATE_LIMITS } from '../../support/api/spec.js';
import { type Bettor, codeOf, Harness, limitsOf, MINUTE_MS, type Reply, withRounds } from './harness.js';

const ORDER = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 10 };
const TEN_MINUTES_MS = 10 * MINUTE_MS;

function disable(api: Harness, { key }: Bettor): void {
  api.submit({ kind: 'updateKey', key, enabled: false });
  api.settle();
}

for (const why of ['key_disabled', 'key_expired']) {
  test(`requests refused with ${why} count for the address, up to its limit, and for nothing else`, () => {
    const api = new Harness({ limits: RATE_LIMITS });
    const owner = api.bettor();
    const lost = api.addKey(owner.account, undefined, api.clock.wallMs + 1);
    if (why === 'key_disabled') disable(api, lost);
    api.clock.pass(1);
    const requests = [() => api.get('/v1/markets', lost.secret), () => api.order(lost.secret, ORDER)];
    for (let n = 1; n <= RATE_LIMITS.ip; n++) {
      const reply = requests[n % 2]?.();
      assert.ok(reply !== undefined);
      assert.deepEqual([reply.status, codeOf(reply)], [403, why]);
      assert.deepEqual(limitsOf(reply), [RATE_LIMITS.ip, RATE_LIMITS.ip - n, 60]);
    }
    for (const request of requests) assert.equal(codeOf(request()), 'rate_limited');
    const elsewhere = api.send('GET', '/v1/markets', { key: owner.secret, address: '10.0.0.1' });
    assert.deepEqual([elsewhere.status, ...limitsOf(elsewhere)], [200, RATE_LIMITS.keyRead, 119, 60]);
  });
}

test('requests that need no key do not count for a disabled one', () => {
  const api = new Harness({ limits: { ...RATE_LIMITS, keyRead: 2 } });
  const owner = api.bettor();
  disable(api, owner);
  for (let n = 0; n < 3; n++) {
    assert.equal(api.get('/v1/nowhere', owner.secret).status, 404);
    assert.equal(api.get('/v1/openapi.json', owner.secret).status, 200);
  }
  api.submit({ kind: 'updateKey', key: owner.key, enabled: true });
  api.settle();
  assert.deepEqual(limitsOf(api.get('/v1/markets', owner.secret)), [2, 1, 60]);
});

const LOSSES = [
  { code: 'account_frozen', tier: null, frozen: true },
  { code: 'tier_too_low', tier: TIERS.indexOf('BRONZE'), frozen: null },
] as const;

for (const { code, ...change } of LOSSES) {
  test(`${code}: an order that was placed before is answered again, and no other is accepted`, () => {
    const { api, account, secret } = withRounds();
    const second = api.addKey(account);
    const first = api.order(secret, ORDER, 'k');
    api.submit({ kind: 'updateAccount', account, ...change });
    api.settle();
    const isReplay = (reply: Reply): void => {
      assert.deepEqual([reply.status, reply.text], [201, first.text]);
      assert.equal(reply.headers.get('x-idempotent-replay'), 'true');
    };
    isReplay(api.order(secret, ORDER, 'k'));
    isReplay(api.order(secret, { amount: 10, prediction: 'UP', marketId: ORDER.marketId }, '"k"'));
    isReplay(api.order(second.secret, ORDER, 'k'));
    const refused = (reply: Reply): void => assert.deepEqual([reply.status, codeOf(reply)], [403, code]);
    refused(api.order(secret, ORDER));
    refused(api.order(secret, ORDER, 'other'));
    assert.equal(codeOf(api.order(secret, { ...ORDER, amount: 11 }, 'k')), 'idempotency_key_reused');
    refused(api.order(secret, '{', 'k'));
    const options = { key: secret, body: ORDER, idempotencyKey: 'k' };
    refused(api.send('POST', '/v1/orders', { ...options, contentType: 'text/plain' }));
    refused(api.send('POST', '/v1/orders', { ...options, query: 'amount=10' }));
    refused(api.send('POST', '/v1/orders', { ...options, idempotencyKey: '"k' }));
    // The memory lasts as long as ever, and ends in a refusal, never in a bet.
    api.clock.pass(TEN_MINUTES_MS - 1);
    isReplay(api.order(secret, ORDER, 'k'));
    api.clock.pass(1);
    refused(api.order(secret, ORDER, 'k'));
    assert.equal(api.host.engine.betsPlaced, 1);
  });

  test(`${code}: while the order is not durable, its retry is answered as in progress`, () => {
    const { api, account, secret } = withRounds();
    const options = { key: secret, body: ORDER, idempotencyKey: 'k' };
    const first = api.begin('POST', '/v1/orders', options);
    api.submit({ kind: 'updateAccount', account, ...change });
    const retry = api.begin('POST', '/v1/orders', options).reply;
    assert.ok(retry !== null);
    assert.deepEqual([retry.status, codeOf(retry)], [409, 'idempotency_in_progress']);
    api.settle();
    assert.equal(api.order(secret, ORDER, 'k').text, (first.reply as Reply | null)?.text);
  });
}

test('an invalid key, or one without the scope, learns nothing', () => {
  const api = new Harness();
  const owner = api.bettor();
  api.open();
  const first = api.order(owner.secret, ORDER, 'k');
  const reader = api.addKey(owner.account, ['markets:read', 'positions:read']);
  api.submit({ kind: 'updateAccount', account: owner.account, tier: null, frozen: true });
  assert.equal(codeOf(api.order(reader.secret, ORDER, 'k')), 'insufficient_scope');
  const second = api.addKey(owner.account);
  api.submit({ kind: 'updateKey', key: owner.key, enabled: false });
  const early = api.begin('GET', '/v1/account', { key: owner.secret }).reply;
  assert.ok(early !== null, 'gateways do not know yet');
  for (const reply of [early, api.order(owner.secret, ORDER, 'k'), api.order(owner.secret, ORDER, 'k')])
    assert.equal(codeOf(reply), 'key_disabled');
  assert.equal(codeOf(api.order(`tote_${'x'.repeat(43)}`, ORDER, 'k')), 'invalid_api_key');
  assert.equal(api.order(second.secret, ORDER, 'k').text, first.text);
});

test('a replay comes after the limits, also for a frozen account, and counts like any answer', () => {
  for (const limit of ['keyWrite', 'ip']) {
    const { api, account, secret } = withRounds({ limits: { ...RATE_LIMITS, [limit]: 5 } });
    const first = api.order(secret, ORDER, 'k');
    api.submit({ kind: 'updateAccount', account, tier: null, frozen: true });
    for (const left of [3, 2]) {
      const retry = api.order(secret, ORDER, 'k');
      assert.deepEqual([retry.text, ...limitsOf(retry)], [first.text, 5, left, 60]);
    }
    for (const left of [1, 0]) {
      const refused = api.order(secret, ORDER, `${left}`);
      const said = [codeOf(refused), ...limitsOf(refused)];
      assert.deepEqual(said, ['account_frozen', 5, left, 60], 'counted once');
    }
    for (const key of ['k', 'other']) {
      const over = api.order(secret, ORDER, key);
      assert.deepEqual([codeOf(over), over.headers.get('retry-after')], ['rate_limited', '60']);
    }
  }
});
