/** The operator API for accounts, money and keys, through the real server (design, sections 3 and 8). */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Sandbox } from '../../support/api/api-client-sandbox.js';
import { Client } from '../../support/http/client.js';
import type { Server } from '../../support/processes/server.js';

interface Account {
  id: string;
  name: string | null;
  tier: string;
  balance: number;
  frozen: boolean;
}
interface Key {
  id: string;
  secret?: string;
  scopes: string[];
  enabled: boolean;
  expiresAt: string | null;
}

let server: Server;
before(async () => {
  ({ server } = await Sandbox.shared());
});

async function createAccount(body: object): Promise<Account> {
  const created = await server.operator.post<Account>('/accounts', body);
  assert.equal(created.status, 201, created.text);
  return created.data;
}

test('a missing or wrong token is 401, and unknown paths reveal nothing without one', async () => {
  const wrong = [{}, { Authorization: 'Bearer wrong' }, { Authorization: `Basic ${server.token}` }];
  for (const headers of wrong) {
    const client = new Client(`${server.operatorUrl}/operator/v1`, headers);
    for (const path of ['/status', '/accounts', '/no-such-path']) {
      const refused = await client.get(path);
      assert.equal(refused.status, 401);
      assert.match(refused.error, /^invalid_operator_token/);
      assert.ok(refused.headers.get('x-request-id'));
    }
  }
});

test('/healthz and /readyz need no token, and the public port knows no operator path', async () => {
  const anyone = new Client(server.operatorUrl, {});
  for (const path of ['/healthz', '/readyz']) {
    const answered = await anyone.get(path);
    assert.equal(answered.status, 200);
    assert.deepEqual(JSON.parse(answered.text), { success: true, data: { status: 'ok' } });
  }
  const publicly = new Client(server.publicUrl, { Authorization: `Bearer ${server.token}` });
  for (const path of ['/operator/v1/status', '/v1/operator/v1/status', '/healthz', '/readyz']) {
    assert.equal((await publicly.get(path)).status, 404, path);
  }
});

test('unknown paths are 404, other methods 405 with Allow, HEAD is GET without a body', async () => {
  assert.equal((await server.operator.get('/nothing')).status, 404);
  const refused = await server.operator.send('DELETE', '/accounts');
  assert.equal(refused.status, 405);
  assert.equal(refused.headers.get('allow'), 'POST, GET, HEAD, OPTIONS');
  const options = await server.operator.send('OPTIONS', '/accounts');
  assert.equal(options.status, 204);
  const head = await server.operator.send('HEAD', '/house');
  assert.equal(head.status, 200);
  assert.equal(head.text, '');
});

test('an account is created, read, changed and listed', async () => {
  const account = await createAccount({ name: 'Ada', tier: 'GOLD', balance: 1234.56 });
  assert.match(account.id, /^acc_\d+$/);
  assert.deepEqual(account, { id: account.id, name: 'Ada', tier: 'GOLD', balance: 1234.56, frozen: false });
  const read = await server.operator.get<Account>(`/accounts/${account.id}`);
  assert.deepEqual(read.data, account);
  const changed = await server.operator.patch<Account>(`/accounts/${account.id}`, {
    tier: 'VIP',
    frozen: true,
  });
  assert.equal(changed.status, 200);
  assert.deepEqual(changed.data, { ...account, tier: 'VIP', frozen: true });
  const plain = await createAccount({ tier: 'BRONZE' });
  assert.deepEqual(plain, { id: plain.id, name: null, tier: 'BRONZE', balance: 0, frozen: false });
});

test('accounts are listed in pages', async () => {
  for (let n = 0; n < 3; n++) await createAccount({ tier: 'BRONZE' });
  const ids: string[] = [];
  for (let query = '?limit=2'; ; query = `?limit=2&after=${ids.at(-1)}`) {
    const page = await server.operator.get<Account[]>(`/accounts${query}`);
    assert.equal(page.status, 200);
    assert.ok(page.data.length <= 2);
    if (page.data.length === 0) break;
    ids.push(...page.data.map(({ id }) => id));
  }
  const all = await server.operator.get<Account[]>('/accounts');
  assert.deepEqual(
    ids,
    all.data.map(({ id }) => id),
  );
  for (const query of ['?limit=0', '?limit=1001', '?limit=x', '?after=bob', '?page=2', '?limit=1&limit=2']) {
    assert.equal((await server.operator.get(`/accounts${query}`)).status, 400, query);
  }
});

test('a page longer than a slice has every account once, as it is alone', async () => {
  const names = Array.from({ length: 230 }, (_, n) => `number ${n}`);
  const created = await Promise.all(
    names.map((name, n) => createAccount({ tier: n % 2 === 0 ? 'GOLD' : 'SILVER', name, balance: n / 100 })),
  );
  const page = await server.operator.get<Account[]>('/accounts?limit=1000');
  const listed = page.data.filter(({ name }) => name?.startsWith('number '));
  const byId = (a: Account, b: Account): number => Number(a.id.slice(4)) - Number(b.id.slice(4));
  assert.deepEqual(listed, created.toSorted(byId));
  assert.deepEqual(page.data, page.data.toSorted(byId));
});

const BAD_ACCOUNTS: readonly (readonly [body: string, expected: RegExp])[] = [
  ['{', /not valid JSON/],
  ['[]', /tier is missing/],
  ['{}', /tier is missing/],
  ['{"tier":"IRON"}', /tier must be/],
  ['{"tier":"GOLD","balance":-1}', /balance must be/],
  ['{"tier":"GOLD","balance":1.001}', /balance must be .*two decimals/],
  ['{"tier":"GOLD","balance":1e999}', /balance must be/],
  ['{"tier":"GOLD","balance":"5"}', /balance must be a number/],
  ['{"tier":"GOLD","name":""}', /name must be/],
  ['{"tier":"GOLD","name":"a\\ud800"}', /name must be valid Unicode/],
  ['{"tier":"GOLD","ballance":5}', /ballance is not a known field/],
];

for (const [body, expected] of BAD_ACCOUNTS) {
  test(`the account ${body} is refused and the error names the field`, async () => {
    const refused = await server.operator.send('POST', '/accounts', body);
    assert.equal(refused.status, 400);
    assert.match(refused.error, /^invalid_request: /);
    assert.match(refused.error, expected);
  });
}

test('a write takes no query: a field in it is refused, and nothing is done', async () => {
  const before = (await server.operator.get<unknown[]>('/accounts')).data.length;
  for (const request of [
    () => server.operator.post('/accounts?tier=VIP', { tier: 'SILVER' }),
    () => server.operator.put('/trading?enabled=false', { enabled: true }),
  ]) {
    const refused = await request();
    assert.equal(refused.status, 400);
    assert.match(refused.error, /^invalid_request: unknown query parameter "(tier|enabled)"/);
  }
  assert.equal((await server.operator.get<unknown[]>('/accounts')).data.length, before);
});

test('another content type is 415', async () => {
  const refused = await server.operator.send('POST', '/accounts', '{"tier":"GOLD"}', {
    'Content-Type': 'text/plain',
  });
  assert.equal(refused.status, 415);
});

test('an account that does not exist is 404 in every path', async () => {
  for (const id of ['acc_999999', 'acc_0', 'bob', 'acc_1x']) {
    for (const path of ['', '/keys']) {
      const missing = await server.operator.get(`/accounts/${id}${path}`);
      assert.equal(missing.status, 404);
      assert.match(missing.error, /^account_not_found/);
    }
    const paid = await server.operator.post(`/accounts/${id}/deposits`, { amount: 1, reference: 'r' });
    assert.equal(paid.status, 404);
  }
  assert.equal((await server.operator.patch('/keys/key_999999', { enabled: true })).status, 404);
});

test('a reference replays the same transfer and refuses another', async () => {
  const { id } = await createAccount({ tier: 'SILVER', balance: 10 });
  const body = { amount: 5.25, reference: 'wire-1' };
  const first = await server.operator.post<{ balance: number }>(`/accounts/${id}/deposits`, body);
  assert.equal(first.status, 201);
  assert.equal(first.data.balance, 15.25);
  const replay = await server.operator.post(`/accounts/${id}/deposits`, body);
  assert.equal(replay.status, 201);
  assert.equal(replay.text, first.text);
  assert.equal(replay.headers.get('x-idempotent-replay'), 'true');
  const other = await server.operator.post(`/accounts/${id}/deposits`, { ...body, amount: 6 });
  assert.equal(other.status, 409);
  assert.match(other.error, /^reference_conflict/);
  const opposite = await server.operator.post(`/accounts/${id}/withdrawals`, body);
  assert.equal(opposite.status, 409);
  const drawn = await server.operator.post<{ balance: number }>(`/accounts/${id}/withdrawals`, {
    amount: 15.25,
    reference: 'out-1',
  });
  assert.equal(drawn.status, 201);
  assert.equal(drawn.data.balance, 0);
  const tooMuch = await server.operator.post(`/accounts/${id}/withdrawals`, {
    amount: 0.01,
    reference: 'out-2',
  });
  assert.equal(tooMuch.status, 400);
  assert.match(tooMuch.error, /^insufficient_balance/);
  for (const amount of [0, -1, 0.001]) {
    const refused = await server.operator.post(`/accounts/${id}/deposits`, {
      amount,
      reference: `r${amount}`,
    });
    assert.equal(refused.status, 400);
    assert.match(refused.error, /amount must be/);
  }
  assert.equal((await server.operator.get<Account>(`/accounts/${id}`)).data.balance, 0);
});

test('a key is shown once, works, and stops working when it is disabled', async () => {
  const { id } = await createAccount({ tier: 'SILVER' });
  const scopes = ['markets:read', 'orders:write'];
  const created = await server.operator.post<Key>(`/accounts/${id}/keys`, { scopes });
  assert.equal(created.status, 201);
  const { secret = '', ...shown } = created.data;
  assert.match(secret, /^tote_[\w-]{43}$/);
  assert.deepEqual(shown.scopes, scopes);
  assert.equal(shown.expiresAt, null);
  const listed = await server.operator.get<Key[]>(`/accounts/${id}/keys`);
  assert.deepEqual(listed.data, [shown]);
  assert.equal((await server.api(secret).get('/markets')).status, 200);
  assert.equal((await server.api(secret).get('/positions')).status, 403);
  const disabled = await server.operator.patch<Key>(`/keys/${shown.id}`, { enabled: false });
  assert.deepEqual(disabled.data, { ...shown, enabled: false });
  const refused = await server.api(secret).get('/markets');
  assert.equal(refused.status, 403);
  assert.match(refused.error, /^key_disabled/);
});

test('keys are limited by tier, and a key can expire', async () => {
  const { id } = await createAccount({ tier: 'BRONZE' });
  const path = `/accounts/${id}/keys`;
  const tooLow = await server.operator.post(path, { scopes: ['orders:write'] });
  assert.equal(tooLow.status, 403);
  assert.match(tooLow.error, /^tier_too_low/);
  const expiresAt = new Date((await server.nowMs()) + 60_000).toISOString();
  const created = await server.operator.post<Key>(path, { scopes: ['markets:read'], expiresAt });
  assert.equal(created.data.expiresAt, expiresAt);
  const second = await server.operator.post(path, { scopes: ['markets:read'] });
  assert.equal(second.status, 409);
  assert.match(second.error, /^too_many_keys/);
  await server.advance(60_000);
  const expired = await server.api(created.data.secret ?? '').get('/markets');
  assert.equal(expired.status, 403);
  assert.match(expired.error, /^key_expired/);
  assert.equal((await server.operator.post(path, { scopes: ['markets:read'] })).status, 201);
  for (const body of [
    {},
    { scopes: [] },
    { scopes: ['all'] },
    { scopes: ['markets:read'], expiresAt: 'soon' },
    { scopes: ['markets:read'], expiresAt: '2127-02-28' },
    { scopes: ['markets:read'], expiresAt: '2127-02-29T00:00:00Z' },
    { scopes: ['markets:read'], expiresAt: '2127-02-30T00:00:00Z' },
    { scopes: ['markets:read'], expiresAt: '2127-04-31T23:59:59.999+02:00' },
    { scopes: ['markets:read'], expiresAt },
  ]) {
    assert.equal((await server.operator.post(path, body)).status, 400, JSON.stringify(body));
  }
});

test('the day of an expiry must exist', async () => {
  const { data } = await server.operator.post<Account>('/accounts', { tier: 'VIP' });
  const path = `/accounts/${data.id}/keys`;
  const create = (expiresAt: string) =>
    server.operator.post<Key>(path, { scopes: ['markets:read'], expiresAt });
  const refused = await create('2127-02-30T00:00:00Z');
  assert.match(refused.error, /expiresAt names a day that the calendar does not have: 2127-02-30/);
  for (const [sent, taken] of [
    ['2128-02-29T00:00:00Z', '2128-02-29T00:00:00.000Z'],
    ['2127-12-31T23:30:00-01:00', '2128-01-01T00:30:00.000Z'],
    ['2127-03-01T00:30:00+01:00', '2127-02-28T23:30:00.000Z'],
  ] as const) {
    assert.equal((await create(sent)).data.expiresAt, taken);
  }
});
