/** Authentication: who is let in, the order of the checks, which limits a request counts for, and the headers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateKeySecret, isWellFormedKey, keyDigest } from '../../../crypto/api-keys.js';
import { SCOPES, type Scope, TIERS } from '../../../engine/model/domain.js';
import { UNLIMITED } from '../../../http/limits/rate-limits.js';
import { codeOf, Harness, MINUTE_MS, type Reply } from './harness.js';

const ORDER = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 10 };
const LIMITS = { keyRead: 120, keyWrite: 30, account: 240, ip: 300 };

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly scope: Scope;
  readonly status: number;
  readonly body?: object;
}

const ENDPOINTS: readonly Endpoint[] = [
  { method: 'GET', path: '/markets', scope: 'markets:read', status: 200 },
  { method: 'HEAD', path: '/markets', scope: 'markets:read', status: 200 },
  { method: 'GET', path: '/markets/BTC_ONE_MINUTE', scope: 'markets:read', status: 200 },
  { method: 'GET', path: '/prices', scope: 'markets:read', status: 200 },
  { method: 'GET', path: '/positions', scope: 'positions:read', status: 200 },
  { method: 'GET', path: '/orders', scope: 'positions:read', status: 200 },
  { method: 'GET', path: '/rounds/BTC_ONE_MINUTE_29684880', scope: 'markets:read', status: 200 },
  { method: 'POST', path: '/orders', scope: 'orders:write', status: 201, body: ORDER },
];

const send = (api: Harness, { method, path, body }: Endpoint, key: string, base = '/v1'): Reply =>
  api.send(method, base + path, { key, ...(body !== undefined && { body }) });

const limitsOf = ({ headers }: Reply): number[] =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));

test('keys are 256 random bits in a form of their own', () => {
  const secrets = new Set(Array.from({ length: 100 }, generateKeySecret));
  assert.equal(secrets.size, 100);
  for (const secret of secrets) assert.ok(isWellFormedKey(secret), secret);
  for (const text of [
    '',
    'tote_',
    `tote_${'a'.repeat(42)}`,
    `tote_${'a'.repeat(44)}`,
    `tote-${'a'.repeat(43)}`,
  ]) {
    assert.ok(!isWellFormedKey(text), text);
  }
  assert.match(keyDigest('x'), /^[0-9a-f]{64}$/);
});

test('every endpoint refuses a missing, malformed and unknown key with 401', () => {
  const api = new Harness();
  for (const endpoint of ENDPOINTS) {
    const missing = send(api, endpoint, '');
    assert.deepEqual([missing.status, codeOf(missing)], [401, 'missing_api_key'], endpoint.path);
    assert.equal(missing.headers.get('www-authenticate'), 'ApiKey header="X-API-Key"');
    for (const key of ['x', 'tote_short', generateKeySecret(), `${generateKeySecret()} `, 'é'.repeat(48)]) {
      const reply = send(api, endpoint, key);
      assert.deepEqual([reply.status, codeOf(reply)], [401, 'invalid_api_key'], `${endpoint.path} ${key}`);
    }
  }
});

test('every endpoint accepts only the scope that it needs, under both base paths', () => {
  const api = new Harness();
  api.open();
  const bettor = api.bettor({ tier: 'VIP' });
  for (const scope of SCOPES) {
    const { secret } = api.addKey(bettor.account, [scope]);
    for (const endpoint of ENDPOINTS) {
      for (const base of ['/v1', '/api/v1']) {
        const reply = send(api, endpoint, secret, base);
        const isAllowed = endpoint.scope === scope;
        assert.equal(reply.status, isAllowed ? endpoint.status : 403, `${endpoint.path} with ${scope}`);
        if (!isAllowed) assert.equal(codeOf(reply), 'insufficient_scope');
      }
    }
  }
});

test('writing needs Silver; reading does not', () => {
  const api = new Harness();
  api.open();
  const { account, secret } = api.bettor();
  for (const [tier, name] of TIERS.entries()) {
    api.submit({ kind: 'updateAccount', account, tier, frozen: null });
    for (const endpoint of ENDPOINTS) {
      const isAllowed = tier >= 1 || endpoint.method !== 'POST';
      const reply = send(api, endpoint, secret);
      assert.equal(reply.status, isAllowed ? endpoint.status : 403, `${endpoint.path} for ${name}`);
      if (!isAllowed) assert.equal(codeOf(reply), 'tier_too_low');
    }
  }
});

test('a frozen account reads and takes no orders', () => {
  const api = new Harness();
  api.open();
  const { account, secret } = api.bettor();
  api.submit({ kind: 'updateAccount', account, tier: null, frozen: true });
  for (const endpoint of ENDPOINTS) {
    const reply = send(api, endpoint, secret);
    if (endpoint.method !== 'POST') assert.equal(reply.status, endpoint.status);
    else assert.deepEqual([reply.status, codeOf(reply)], [403, 'account_frozen']);
  }
});

test('checks come in the order of the design', () => {
  const api = new Harness({ limits: { ...LIMITS, keyWrite: 1 } });
  const { account, key, secret } = api.bettor({ tier: 'GOLD', expiresAtMs: api.clock.wallMs + 1_000 });
  const order = (): string => {
    const reply = api.send('POST', '/v1/orders', { key: secret, body: '{' });
    return codeOf(reply);
  };
  assert.equal(order(), 'invalid_request');
  assert.equal(order(), 'rate_limited');
  api.submit({ kind: 'updateAccount', account, tier: 0, frozen: true });
  api.settle();
  assert.equal(order(), 'tier_too_low');
  api.submit({ kind: 'updateAccount', account, tier: 2, frozen: true });
  api.settle();
  assert.equal(order(), 'account_frozen');
  const reader = api.addKey(account, ['positions:read'], api.clock.wallMs + 1_000);
  assert.equal(codeOf(api.send('POST', '/v1/orders', { key: reader.secret })), 'insufficient_scope');
  api.clock.pass(999);
  assert.equal(order(), 'account_frozen');
  api.clock.pass(1);
  assert.equal(order(), 'key_expired');
  assert.equal(codeOf(api.send('POST', '/v1/orders', { key: reader.secret })), 'key_expired');
  api.submit({ kind: 'updateKey', key, enabled: false });
  api.settle();
  assert.equal(order(), 'key_disabled');
});

test('a disabled key is refused everywhere, at once, and can be enabled again', () => {
  const api = new Harness();
  const { key, secret } = api.bettor();
  assert.equal(api.get('/v1/markets', secret).status, 200);
  api.submit({ kind: 'updateKey', key, enabled: false });
  api.settle();
  for (const endpoint of ENDPOINTS) {
    const reply = send(api, endpoint, secret);
    assert.deepEqual([reply.status, codeOf(reply)], [403, 'key_disabled']);
  }
  api.submit({ kind: 'updateKey', key, enabled: true });
  api.settle();
  assert.equal(api.get('/v1/markets', secret).status, 200);
});

test('the windows of the limits advance while the wall clock is set back', () => {
  const api = new Harness({ limits: { ...LIMITS, keyRead: 1 } });
  const { secret } = api.bettor();
  assert.equal(api.get('/v1/markets', secret).status, 200);
  api.clock.wallMs -= 60 * MINUTE_MS;
  assert.equal(api.get('/v1/markets', secret).status, 429);
  api.clock.pass(MINUTE_MS);
  assert.equal(api.get('/v1/markets', secret).status, 200);
});

test('a key reads 120 times and writes 30 times in any 60 seconds', () => {
  const api = new Harness({ limits: LIMITS });
  const { secret } = api.bettor();
  for (let i = 1; i <= 120; i++) {
    const reply = api.get('/v1/markets', secret);
    assert.equal(reply.status, 200);
    assert.deepEqual(limitsOf(reply), [120, 120 - i, 60]);
  }
  api.clock.pass(10_500);
  const read = api.get('/v1/prices', secret);
  assert.deepEqual([read.status, codeOf(read), read.headers.get('retry-after')], [429, 'rate_limited', '50']);
  assert.deepEqual(limitsOf(read), [120, 0, 50]);
  for (let i = 1; i <= 30; i++) {
    const reply = api.send('POST', '/v1/orders', { key: secret, body: ORDER });
    assert.deepEqual([reply.status, ...limitsOf(reply)], [400, 30, 30 - i, 60]);
  }
  const write = api.send('POST', '/v1/orders', { key: secret, body: ORDER });
  assert.deepEqual([write.status, write.headers.get('retry-after')], [429, '60']);
  api.clock.pass(MINUTE_MS - 10_501);
  assert.equal(api.get('/v1/markets', secret).status, 429);
  api.clock.pass(1);
  assert.equal(api.get('/v1/markets', secret).status, 200);
});

test('keys of an account share its limit, and addresses have theirs', () => {
  const api = new Harness({ limits: { keyRead: 4, keyWrite: 4, account: 6, ip: 9 } });
  const { account, secret } = api.bettor();
  const sister = api.addKey(account).secret;
  const statusOf = (key: string) => api.get('/v1/markets', key).status;
  assert.deepEqual(
    [1, 2, 3].map(() => statusOf(secret)),
    [200, 200, 200],
  );
  assert.deepEqual(
    [1, 2, 3].map(() => statusOf(sister)),
    [200, 200, 200],
  );
  assert.deepEqual([statusOf(sister), statusOf(secret)], [429, 429]);
  const stranger = api.bettor().secret;
  assert.deepEqual(
    [1, 2, 3].map(() => statusOf(stranger)),
    [200, 200, 200],
  );
  const flooded = api.get('/v1/markets', stranger);
  assert.deepEqual([flooded.status, ...limitsOf(flooded)], [429, 9, 0, 60]);
  assert.equal(api.send('GET', '/v1/markets', { key: stranger, address: '10.0.0.1' }).status, 200);
});

test('every answer counts, except 429', () => {
  const api = new Harness({ limits: { ...LIMITS, ip: 8 } });
  const { account, secret } = api.bettor();
  const reader = api.addKey(account, ['positions:read']).secret;
  const left = (reply: Reply) => limitsOf(reply)[1];
  assert.equal(left(api.get('/v1/markets', '')), 7);
  assert.equal(left(api.get('/v1/markets', 'wrong')), 6);
  assert.equal(left(api.get('/v1/markets', reader)), 5);
  assert.equal(left(api.get('/v1/nowhere', '')), 4);
  assert.equal(left(api.send('DELETE', '/v1/markets', { key: secret })), 3);
  assert.equal(left(api.get('/v1/openapi.json', '')), 2);
  const fault = { code: 'body_too_large', detail: '' } as const;
  assert.equal(left(api.send('POST', '/v1/orders', { key: secret, fault })), 1);
  assert.equal(left(api.get('/v1/markets', secret)), 0);
  for (const path of ['/v1/markets', '/v1/nowhere', '/docs', '/v1/openapi.json']) {
    const reply = api.get(path, secret);
    assert.deepEqual([reply.status, codeOf(reply), left(reply)], [429, 'rate_limited', 0]);
  }
  api.clock.pass(MINUTE_MS);
  assert.equal(left(api.get('/v1/markets', '')), 7);
});

test('a refusal with 403 and a document count for the key that was sent', () => {
  const api = new Harness({ limits: { ...LIMITS, keyRead: 3 } });
  const { account } = api.bettor();
  const reader = api.addKey(account, ['positions:read']).secret;
  const results = ['/v1/markets', '/v1/nowhere', '/v1/openapi.json', '/v1/openapi.json', '/v1/positions'].map(
    (path) => api.get(path, reader).status,
  );
  assert.deepEqual(results, [403, 404, 200, 429, 429]);
  assert.equal(api.get('/v1/markets', reader).status, 403);
});

test('every answer carries the limit headers and a request id of its own, with limits off too', () => {
  const ids = new Set<string>();
  for (const limits of [LIMITS, null]) {
    const api = new Harness({ limits });
    api.open();
    const { secret } = api.bettor();
    const replies = [
      ...ENDPOINTS.map((endpoint) => send(api, endpoint, secret)),
      ...ENDPOINTS.map((endpoint) => send(api, endpoint, '')),
      api.get('/nowhere', ''),
      api.get('/docs', ''),
      api.send('PUT', '/v1/orders', {}),
      api.send('OPTIONS', '/v1/orders', {}),
      api.send('POST', '/v1/orders', { fault: { code: 'body_too_large', detail: 'at most 16 KiB' } }),
    ];
    for (const { headers, status } of replies) {
      for (const name of ['limit', 'remaining', 'reset']) {
        assert.match(headers.get(`x-ratelimit-${name}`) ?? '', /^\d+$/, `${status}`);
      }
      const id = headers.get('x-request-id') ?? '';
      assert.match(id, /^test-[0-9a-z]+$/);
      ids.add(limits === null ? `off ${id}` : id);
      if (limits === null) assert.equal(headers.get('x-ratelimit-limit'), String(UNLIMITED));
    }
    assert.equal(ids.size % replies.length, 0);
  }
});
