/**
 * The rate limits (specification, section 8): exactly the last request that is allowed and the first that is not, on
 * a manual clock.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type ApiClient, limitsOf, refused, structuredLimits } from '../../support/api/api-client.js';
import { Sandbox } from '../../support/api/api-client-sandbox.js';
import { RATE_LIMITS, WINDOW_MS } from '../../support/api/spec.js';
import type { Answered } from '../../support/http/client.js';

const DEFAULTS = 'key_read=120,key_write=30,account=240,ip=300';
const ORDER = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 };

let sandbox: Sandbox;

before(async () => {
  sandbox = await Sandbox.start({ env: { TOTE_RATE_LIMITS: DEFAULTS, TOTE_TRUSTED_PROXIES: '127.0.0.1' } });
  await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
});
after(() => sandbox.remove());
// The address is the same for all: every test begins with empty windows.
beforeEach(() => sandbox.advance(WINDOW_MS));

/** The same request so many times, one after the other; each must have this status. */
async function repeat(
  times: number,
  status: number,
  request: () => Promise<Answered>,
): Promise<readonly Answered[]> {
  const answers: Answered[] = [];
  for (let n = 1; n <= times; n++) {
    const answered = await request();
    assert.equal(answered.status, status, `request ${n} of ${times}: ${answered.text}`);
    answers.push(answered);
  }
  return answers;
}

const reading = (api: ApiClient) => (): Promise<Answered> => api.get('/prices');
const writing = (api: ApiClient) => (): Promise<Answered> => api.order(ORDER);

const retryAfterMs = (answered: Answered): number => Number(answered.headers.get('Retry-After')) * 1_000;

interface Single {
  readonly name: string;
  /** As the answers name it. */
  readonly id: string;
  readonly limit: number;
  readonly status: number;
  readonly request: (api: ApiClient) => () => Promise<Answered>;
}
const SINGLES: readonly Single[] = [
  { name: "a key's reads", id: 'key_read', limit: RATE_LIMITS.keyRead, status: 200, request: reading },
  { name: "a key's writes", id: 'key_write', limit: RATE_LIMITS.keyWrite, status: 201, request: writing },
  {
    name: 'an address',
    id: 'ip',
    limit: RATE_LIMITS.ip,
    status: 401,
    request: () => () => sandbox.api(null).get('/prices'),
  },
];

/** The header and the sentence of a 429 name the limit. */
function namesLimit({ headers, error }: Answered, id: string): void {
  assert.equal(structuredLimits(headers).name, id);
  assert.ok(error.includes(`(${id})`), error);
}

for (const { name, id, limit, status, request } of SINGLES) {
  test(`${name}: ${limit} in 60 s, and not one more`, async () => {
    const { api } = await sandbox.trader();
    const send = request(api);
    const answers = await repeat(limit, status, send);
    answers.forEach(({ headers }, index) => {
      assert.deepEqual(limitsOf(headers), { limit, remaining: limit - 1 - index, resetSeconds: 60 });
    });
    const over = await send();
    refused(over, 429, 'rate_limited');
    assert.deepEqual(limitsOf(over.headers), { limit, remaining: 0, resetSeconds: 60 });
    namesLimit(over, id);
    assert.equal(retryAfterMs(over), WINDOW_MS);
    // The requests leave the window exactly 60,000 ms after they came.
    await sandbox.advance(WINDOW_MS - 1);
    const almost = await send();
    refused(almost, 429, 'rate_limited');
    assert.equal(retryAfterMs(almost), 1_000);
    await sandbox.advance(1);
    // Those that were refused did not count: there is room for all of them again.
    await repeat(limit, status, send);
    refused(await send(), 429, 'rate_limited');
  });
}

test('an account has 240 over all its keys, reads and writes together', async () => {
  const { accountId, api } = await sandbox.trader({ tier: 'GOLD' });
  const scopes = ['markets:read', 'positions:read', 'orders:write'];
  const second = sandbox.api((await sandbox.key(accountId, { scopes })).secret);
  const third = sandbox.api((await sandbox.key(accountId, { scopes })).secret);
  await repeat(110, 200, reading(api));
  await repeat(110, 200, reading(second));
  const [first] = await repeat(20, 201, writing(third));
  // Of the third key's writes 29 were left after the first; of the account 19.
  assert.deepEqual(limitsOf(first?.headers ?? new Headers()), {
    limit: 240,
    remaining: 19,
    resetSeconds: 60,
  });
  for (const send of [reading(api), reading(second), reading(third), writing(third), writing(api)]) {
    const over = await send();
    refused(over, 429, 'rate_limited');
    assert.deepEqual(limitsOf(over.headers), { limit: 240, remaining: 0, resetSeconds: 60 });
    namesLimit(over, 'account');
  }
  // Another account at the same address is not concerned.
  const other = await sandbox.trader();
  assert.equal((await other.api.get('/prices')).status, 200);
});

test("a key's reads and writes are counted apart", async () => {
  const { api } = await sandbox.trader();
  await repeat(RATE_LIMITS.keyWrite, 201, writing(api));
  refused(await api.order(ORDER), 429, 'rate_limited');
  assert.equal((await api.get('/orders')).status, 200);
  await repeat(RATE_LIMITS.keyRead - 1, 200, reading(api));
  refused(await api.get('/orders'), 429, 'rate_limited');
});

test('the window slides: requests at 0 s and 30 s leave at 60 s and 90 s', async () => {
  const { api } = await sandbox.trader();
  await repeat(70, 200, reading(api));
  await sandbox.advance(30_000);
  const answers = await repeat(50, 200, reading(api));
  const last = limitsOf(answers.at(-1)?.headers ?? new Headers());
  assert.deepEqual(last, { limit: 120, remaining: 0, resetSeconds: 30 });
  const over = await api.get('/prices');
  refused(over, 429, 'rate_limited');
  assert.equal(retryAfterMs(over), 30_000);
  await sandbox.advance(29_999);
  refused(await api.get('/prices'), 429, 'rate_limited');
  await sandbox.advance(1);
  await repeat(70, 200, reading(api));
  refused(await api.get('/prices'), 429, 'rate_limited');
  await sandbox.advance(30_000);
  await repeat(50, 200, reading(api));
  refused(await api.get('/prices'), 429, 'rate_limited');
});

test('Retry-After is enough, at any moment of the window', async () => {
  const { api } = await sandbox.trader();
  for (const gapMs of [1, 999, 1_000, 17_345]) {
    await repeat(30, 200, reading(api));
    await sandbox.advance(gapMs);
  }
  for (let n = 0; n < 6; n++) {
    const over = await api.get('/prices');
    refused(over, 429, 'rate_limited');
    await sandbox.advance(retryAfterMs(over));
    let taken = 0;
    while ((await api.get('/prices')).status === 200) taken++;
    assert.ok(taken > 0, 'after the delay at least one request is taken');
  }
});

test('every answer counts, whatever its status', async () => {
  const { api } = await sandbox.trader({ scopes: ['markets:read', 'orders:write'] });
  const reads: readonly (readonly [path: string, status: number])[] = [
    ['/markets', 200],
    ['/markets/NO_SUCH', 404],
    ['/rounds/NO_SUCH', 404],
    ['/positions', 403],
    ['/no-such-path', 404],
  ];
  let remaining = RATE_LIMITS.keyRead;
  for (const [path, status] of reads) {
    const answered = await api.get(path);
    assert.equal(answered.status, status, path);
    assert.deepEqual(limitsOf(answered.headers).remaining, --remaining, path);
  }
  const head = await api.send('HEAD', '/markets');
  assert.deepEqual([head.status, limitsOf(head.headers).remaining], [200, --remaining]);
  const options = await api.send('OPTIONS', '/orders');
  assert.deepEqual([options.status, limitsOf(options.headers).remaining], [204, --remaining]);

  const writes: readonly (readonly [body: string, type: string, status: number])[] = [
    ['{', 'application/json', 400],
    ['{}', 'application/json', 400],
    ['{}', 'text/plain', 415],
    [JSON.stringify({ ...ORDER, marketId: 'NO_SUCH' }), 'application/json', 404],
    [JSON.stringify({ ...ORDER, expectedPercent: 99 }), 'application/json', 409],
    [' '.repeat(20_000), 'application/json', 413],
    [JSON.stringify(ORDER), 'application/json', 201],
  ];
  remaining = RATE_LIMITS.keyWrite;
  for (const [body, type, status] of writes) {
    const answered = await api.send('POST', '/orders', { body, headers: { 'Content-Type': type } });
    assert.equal(answered.status, status, answered.text);
    assert.deepEqual(limitsOf(answered.headers).remaining, --remaining, body.slice(0, 40));
  }
  const wrongMethod = await api.send('DELETE', '/orders');
  assert.deepEqual([wrongMethod.status, limitsOf(wrongMethod.headers).remaining], [405, --remaining]);
});

test('the address is checked before the key: once it is used up, no key helps or counts', async () => {
  const { api } = await sandbox.trader();
  await repeat(RATE_LIMITS.ip, 401, () => sandbox.api('nonsense').get('/markets'));
  const over = await api.get('/prices');
  refused(over, 429, 'rate_limited');
  assert.equal(limitsOf(over.headers).limit, RATE_LIMITS.ip);
  await sandbox.advance(WINDOW_MS);
  const answered = await api.get('/prices');
  assert.deepEqual(limitsOf(answered.headers), { limit: 120, remaining: 119, resetSeconds: 60 });
});

test("a trusted proxy's clients are counted separately, and cannot forge their address", async () => {
  const from = (forwarded: string) => () =>
    sandbox.api(null).get('/prices', { 'X-Forwarded-For': forwarded });
  await repeat(RATE_LIMITS.ip, 401, from('203.0.113.7'));
  refused(await from('203.0.113.7')(), 429, 'rate_limited');
  assert.equal((await from('203.0.113.8')()).status, 401);
  // What stands before the last untrusted address was written by the client.
  refused(await from('198.51.100.1, 203.0.113.7')(), 429, 'rate_limited');
  // IPv6 counts by /64.
  await repeat(RATE_LIMITS.ip, 401, from('2001:db8:1:2::1'));
  refused(await from('2001:db8:1:2:ffff::9')(), 429, 'rate_limited');
  assert.equal((await from('2001:db8:1:3::1')()).status, 401);
});

test('X-Forwarded-For of an untrusted client is ignored', async () => {
  const plain = await Sandbox.start({ env: { TOTE_RATE_LIMITS: 'ip=3' } });
  try {
    for (let n = 1; n <= 4; n++) {
      const answered = await plain.api(null).get('/prices', { 'X-Forwarded-For': `203.0.113.${n}` });
      assert.equal(answered.status, n <= 3 ? 401 : 429);
    }
  } finally {
    await plain.remove();
  }
});

test('with limits off there are still headers', async () => {
  const off = await Sandbox.start({ env: { TOTE_RATE_LIMITS: 'off' } });
  try {
    const { api } = await off.trader();
    const answers = await repeat(RATE_LIMITS.keyRead + 1, 200, () => api.get('/prices'));
    for (const { headers } of answers) assert.ok(limitsOf(headers).remaining > 0);
    limitsOf((await off.api(null).get('/prices')).headers);
  } finally {
    await off.remove();
  }
});
