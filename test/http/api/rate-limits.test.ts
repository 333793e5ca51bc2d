/** The rate limits of the public API: the requests they count, their headers, and the time to come again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNLIMITED } from '../../../http/limits/rate-limits.js';
import { RATE_LIMITS } from '../../support/api/spec.js';
import { codeOf, errorOf, limitsOf, MINUTE_MS, type Reply, withBettor, withRounds } from './harness.js';

const ORDER = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 10 };
const TOO_LARGE = { code: 'body_too_large', detail: '' } as const;

test('reads and writes of a key are counted apart, and told in the headers, until a minute has passed', () => {
  const { api, secret } = withBettor({ limits: { ...RATE_LIMITS, keyRead: 3, keyWrite: 2 } });
  const told = (reply: Reply): unknown[] => {
    return [reply.status, ...limitsOf(reply), reply.headers.get('retry-after')];
  };
  const read = (): unknown[] => told(api.get('/v1/markets', secret));
  const write = (): unknown[] => told(api.order(secret, ORDER));
  for (const left of [2, 1, 0]) assert.deepEqual(read(), [200, 3, left, 60, undefined]);
  api.clock.pass(10_500);
  assert.deepEqual(read(), [429, 3, 0, 50, '50']);
  for (const left of [1, 0]) assert.deepEqual(write(), [400, 2, left, 60, undefined]);
  assert.deepEqual(write(), [429, 2, 0, 60, '60']);
  api.clock.pass(MINUTE_MS - 10_501);
  assert.equal(read()[0], 429);
  api.clock.pass(1);
  assert.equal(read()[0], 200);
});

test('a cancellation of anything counts for the limit of cancellations, and for no write', () => {
  const { api, secret } = withBettor({ limits: { ...RATE_LIMITS, keyWrite: 1, keyCancel: 3 } });
  assert.deepEqual([api.order(secret, {}).status, api.order(secret, {}).status], [400, 429]);
  const left = ['/v1/orders/bet_9', '/v1/orders', '/v1/orders/nothing'].map((path) =>
    limitsOf(api.send('DELETE', path, { key: secret })),
  );
  assert.equal(left.join(' '), '3,2,60 3,1,60 3,0,60');
  assert.equal(codeOf(api.send('DELETE', '/v1/orders', { key: secret })), 'rate_limited');
});

test('a refusal names its limit, in its sentence and in RateLimit', () => {
  const named = (limits: Partial<typeof RATE_LIMITS>, name: string): void => {
    const { api, secret } = withBettor({ limits: { ...RATE_LIMITS, ...limits } });
    const requests: Readonly<Record<string, () => Reply>> = {
      key_read: () => api.send('POST', '/v1/orders/quote', { key: secret, fault: TOO_LARGE }),
      key_write: () => api.order(secret, {}),
      key_cancel: () => api.send('DELETE', '/v1/orders/bet_9', { key: secret }),
    };
    const request = requests[name] ?? (() => api.get('/v1/prices', secret));
    request();
    const over = request();
    assert.equal(codeOf(over), 'rate_limited');
    assert.ok(errorOf(over).includes(`(${name})`), errorOf(over));
    assert.match(over.headers.get('ratelimit') ?? '', new RegExp(`^"${name}";r=0;t=60$`));
    assert.match(over.headers.get('ratelimit-policy') ?? '', new RegExp(`"${name}";q=1;w=60`));
  };
  named({ keyRead: 1 }, 'key_read');
  named({ keyWrite: 1 }, 'key_write');
  named({ keyCancel: 1 }, 'key_cancel');
  named({ account: 1 }, 'account');
  named({ ip: 1 }, 'ip');
});

test('every answer counts, except 429', () => {
  const { api, account, secret } = withBettor({ limits: { ...RATE_LIMITS, ip: 8 } });
  const reader = api.addKey(account, ['positions:read']).secret;
  const left = (reply: Reply) => limitsOf(reply)[1];
  assert.deepEqual([left(api.get('/v1/markets', '')), left(api.get('/v1/markets', 'wrong'))], [7, 6]);
  assert.deepEqual([left(api.get('/v1/markets', reader)), left(api.get('/v1/nowhere', ''))], [5, 4]);
  assert.equal(left(api.send('DELETE', '/v1/markets', { key: secret })), 3);
  assert.equal(left(api.get('/v1/openapi.json', '')), 2);
  assert.equal(left(api.send('POST', '/v1/orders', { key: secret, fault: TOO_LARGE })), 1);
  assert.equal(left(api.get('/v1/markets', secret)), 0);
  for (const path of ['/v1/markets', '/v1/nowhere', '/docs', '/v1/openapi.json']) {
    const reply = api.get(path, secret);
    assert.deepEqual([reply.status, codeOf(reply), left(reply)], [429, 'rate_limited', 0]);
  }
  api.clock.pass(MINUTE_MS);
  assert.equal(left(api.get('/v1/markets', '')), 7);
});

test('a refusal with 403 and a document count for the key that was sent', () => {
  const { api, account } = withBettor({ limits: { ...RATE_LIMITS, keyRead: 3 } });
  const reader = api.addKey(account, ['positions:read']).secret;
  const results = ['/v1/markets', '/v1/nowhere', '/v1/openapi.json', '/v1/openapi.json', '/v1/positions'].map(
    (path) => api.get(path, reader).status,
  );
  assert.deepEqual(results, [403, 404, 200, 429, 429]);
  assert.equal(api.get('/v1/markets', reader).status, 403);
});

test('every answer carries the limit headers and a request id of its own, with limits off too', () => {
  const ids = new Set<string>();
  for (const limits of [RATE_LIMITS, null]) {
    const { api, secret } = withRounds({ limits });
    const replies = [
      ...['/markets', '/prices', '/positions', '/rounds/x'].flatMap((path) =>
        [secret, ''].map((key) => api.get(`/v1${path}`, key)),
      ),
      api.order(secret, ORDER),
      api.get('/nowhere', ''),
      api.get('/docs', ''),
      api.send('PUT', '/v1/orders', {}),
      api.send('OPTIONS', '/v1/orders', {}),
      api.send('POST', '/v1/orders', { fault: { code: 'body_too_large', detail: 'at most 16 KiB' } }),
    ];
    for (const { headers, status } of replies) {
      for (const name of ['limit', 'remaining', 'reset'])
        assert.match(headers.get(`x-ratelimit-${name}`) ?? '', /^\d+$/, `${status}`);
      const id = headers.get('x-request-id') ?? '';
      assert.match(id, /^test-[0-9a-z]+$/);
      ids.add(limits === null ? `off ${id}` : id);
      if (limits === null) assert.deepEqual(limitsOf({ headers }), [UNLIMITED, UNLIMITED, 0]);
    }
    assert.equal(ids.size % replies.length, 0);
  }
});
