/** The operator API for accounts, money and keys, in process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountResource } from '../../../http/operator/accounts.js';
import type { KeyResource } from '../../../http/operator/keys.js';
import { operatorApi } from '../../support/host/operator-api.js';

test('unknown paths are 404, other methods 405 with Allow, OPTIONS tells the methods', async () => {
  const { send } = operatorApi();
  assert.equal((await send('GET', '/nothing')).status, 404);
  const refused = await send('DELETE', '/accounts');
  assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'POST, GET, HEAD, OPTIONS']);
  assert.equal((await send('OPTIONS', '/accounts')).status, 204);
});

test('an account is created, read, changed and listed', async () => {
  const { send } = operatorApi();
  const ada = { name: 'Ada', tier: 'GOLD', balance: 1234.56 };
  const { data: account } = await send<AccountResource>('POST', '/accounts', ada);
  assert.deepEqual(account, { id: 'acc_2', ...ada, frozen: false });
  assert.deepEqual((await send('GET', '/accounts/acc_2')).data, account);
  const changed = { ...account, tier: 'VIP', frozen: true };
  assert.deepEqual((await send('PATCH', '/accounts/acc_2', { tier: 'VIP', frozen: true })).data, changed);
  const plain = await send<AccountResource>('POST', '/accounts', { tier: 'BRONZE' });
  assert.deepEqual(plain.data, { id: 'acc_3', name: null, tier: 'BRONZE', balance: 0, frozen: false });
  assert.deepEqual((await send<AccountResource[]>('GET', '/accounts?limit=3')).data.slice(1), [
    changed,
    plain.data,
  ]);
});

for (const query of ['limit=0', 'limit=1001', 'limit=x', 'cursor=bob', 'page=2', 'limit=1&limit=2'])
  test(`a list with ${query} is refused`, async () => {
    assert.equal((await operatorApi().send('GET', `/accounts?${query}`)).status, 400);
  });

const KEYS = '/accounts/acc_1/keys';
const BAD_BODIES: readonly (readonly [path: string, body: string, expected: RegExp])[] = [
  ['/accounts', '{', /not valid JSON/],
  ['/accounts', '[]', /tier is missing/],
  ['/accounts', '{}', /tier is missing/],
  ['/accounts', '{"tier":"IRON"}', /tier must be/],
  ['/accounts', '{"tier":"GOLD","balance":-1}', /balance must be/],
  ['/accounts', '{"tier":"GOLD","balance":1.001}', /balance must be .*two decimals/],
  ['/accounts', '{"tier":"GOLD","balance":"5"}', /balance must be a number/],
  ['/accounts', '{"tier":"GOLD","name":""}', /name must be/],
  ['/accounts', '{"tier":"GOLD","name":"a\\ud800"}', /name must be valid Unicode/],
  ['/accounts', '{"tier":"GOLD","reference":"r"}', /reference .* balance is 0 or absent/],
  ['/accounts', '{"tier":"GOLD","balance":1,"reference":""}', /reference must be/],
  ['/accounts', '{"tier":"GOLD","ballance":5}', /ballance is not a known field/],
  ['/accounts?tier=VIP', '{"tier":"SILVER"}', /unknown query parameter "tier"/],
  ['/accounts/acc_1/deposits', '{"amount":0,"reference":"r"}', /amount must be/],
  ['/accounts/acc_1/deposits', '{"amount":0.001,"reference":"r"}', /amount must be/],
  ['/accounts/acc_1/withdrawals', '{"amount":1,"reference":"x\\ud800"}', /reference must be valid Unicode/],
  [KEYS, '{}', /scopes/],
  [KEYS, '{"scopes":[]}', /scopes/],
  [KEYS, '{"scopes":["all"]}', /scopes/],
  [KEYS, '{"scopes":["markets:read"],"expiresAt":"soon"}', /expiresAt/],
  [KEYS, '{"scopes":["markets:read"],"expiresAt":"2127-02-28"}', /expiresAt/],
  [KEYS, '{"scopes":["markets:read"],"expiresAt":"2020-01-01T00:00:00Z"}', /expiresAt is past/],
  [KEYS, '{"scopes":["markets:read"],"expiresAt":"2127-02-30T00:00:00Z"}', /expiresAt .* calendar/],
  ['/keys/key_1/rotate', '{"expiresAt":"2020-01-01T00:00:00Z"}', /expiresAt must be after the overlap/],
];

for (const [path, body, expected] of BAD_BODIES)
  test(`${path} ${body} is refused, the error names the field, and nothing is done`, async () => {
    const { send, engine } = operatorApi();
    const before = engine.seq;
    const refused = await send('POST', path, body);
    assert.equal(refused.status, 400);
    assert.match(refused.error, /^invalid_request: /);
    assert.match(refused.error, expected);
    assert.equal(engine.seq, before);
  });

test('an account or a key that does not exist is 404', async () => {
  const { send } = operatorApi();
  for (const id of ['acc_999999', 'acc_0', 'bob', 'acc_1x']) {
    for (const path of ['', '/keys', '/ledger'])
      assert.match((await send('GET', `/accounts/${id}${path}`)).error, /^account_not_found/);
    for (const [path, body] of [
      ['', { frozen: true }],
      ['/deposits', { amount: 1, reference: 'r' }],
      ['/keys', { scopes: ['markets:read'] }],
    ] as const) {
      const { error } = await send(path === '' ? 'PATCH' : 'POST', `/accounts/${id}${path}`, body);
      assert.match(error, /^account_not_found/);
    }
  }
  for (const body of [{ enabled: true }, { expiresAt: '2099-01-01T00:00:00Z' }])
    assert.match((await send('PATCH', '/keys/key_999999', body)).error, /^key_not_found/);
});

test('a reference replays the same transfer and refuses another', async () => {
  const { send } = operatorApi();
  const path = '/accounts/acc_1/deposits';
  const body = { amount: 5.25, reference: 'wire-1' };
  const first = await send<{ balance: number }>('POST', path, body);
  assert.deepEqual([first.status, first.headers.has('x-idempotent-replay')], [201, false]);
  const replay = await send('POST', path, body);
  assert.deepEqual([replay.status, replay.text], [201, first.text]);
  assert.equal(replay.headers.get('x-idempotent-replay'), 'true');
  assert.match((await send('POST', path, { ...body, amount: 6 })).error, /^reference_conflict/);
  const tooMuch = { amount: 1_000_000, reference: 'out' };
  assert.match((await send('POST', '/accounts/acc_1/withdrawals', tooMuch)).error, /^insufficient_balance/);
});

test('an account whose answer was lost is asked for again, and is answered as it was opened', async () => {
  const { send, engine } = operatorApi();
  const body = { name: 'Ada', tier: 'GOLD', balance: 5.25, reference: 'wire-1' };
  const first = await send('POST', '/accounts', body);
  await send('PATCH', '/accounts/acc_2', { tier: 'VIP', frozen: true });
  await send('POST', '/accounts/acc_2/withdrawals', { amount: 5, reference: 'out' });
  const before = engine.seq;
  const replay = await send('POST', '/accounts', { ...body, reason: 'no answer came' });
  assert.deepEqual([replay.status, replay.text], [201, first.text]);
  assert.equal(replay.headers.get('x-idempotent-replay'), 'true');
  for (const changed of [{ name: 'Bob' }, { tier: 'VIP' }, { balance: 5.26 }])
    assert.match((await send('POST', '/accounts', { ...body, ...changed })).error, /^reference_conflict/);
  assert.equal(engine.seq, before);
});

test('a key is shown with its secret once, and changed one step at a time', async () => {
  const { send } = operatorApi();
  const made = await send<KeyResource & { secret: string }>('POST', '/accounts/acc_1/keys', {
    scopes: ['markets:read', 'orders:write'],
  });
  const { secret = '', ...shown } = made.data;
  assert.match(secret, /^tote_[\w-]{43}$/);
  const listed = await send<readonly KeyResource[]>('GET', '/accounts/acc_1/keys');
  assert.deepEqual(listed.data.at(-1), shown);
  assert.ok(!listed.text.includes(secret));
  const disabled = await send('PATCH', `/keys/${shown.id}`, { enabled: false });
  assert.deepEqual(disabled.data, { ...shown, enabled: false });
  const both = { enabled: true, expiresAt: '2099-01-01T00:00:00Z' };
  assert.match((await send('PATCH', `/keys/${shown.id}`, both)).error, /one of enabled and expiresAt/);
});

test('a rotated key stays good for a day, or for the seconds given, and the new one for longer', async () => {
  const { send, host } = operatorApi();
  const rotate = (body: object) => send<{ replaces: KeyResource }>('POST', '/keys/key_1/rotate', body);
  for (const [body, seconds] of [
    [{}, 86_400],
    [{ overlapSeconds: 60 }, 60],
  ] as const) {
    const expiresAt = new Date(host.clock.nowMs() + seconds * 1_000).toISOString();
    assert.match((await rotate({ ...body, expiresAt })).error, /expiresAt must be after the overlap/);
    assert.equal((await rotate(body)).data.replaces.expiresAt, expiresAt);
  }
});

test('the second of two who change what both have seen is told, and nothing is done', async () => {
  const { send, engine, host } = operatorApi();
  const expiresAt = new Date(host.clock.nowMs() + 3_600_000).toISOString();
  await send('POST', KEYS, { scopes: ['markets:read'], expiresAt });
  for (const [method, path, body] of [
    ['PATCH', '/accounts/acc_1', { tier: 'GOLD', seen: { tier: 'SILVER' } }],
    ['POST', '/keys/key_1/rotate', { seen: { expiresAt: null } }],
    ['POST', '/keys/key_2/rotate', { seen: { expiresAt } }],
    ['PUT', '/trading', { enabled: false, reason: 'r', seen: { enabled: true, reason: '' } }],
    ['PATCH', '/markets/BTC_ONE_MINUTE', { suspended: true, seen: { suspendedSequence: 0 } }],
  ] as const) {
    const before = engine.seq;
    const both = await Promise.all([send(method, path, body), send(method, path, body)]);
    assert.deepEqual([both[0].error, both[1].error.split(':')[0]], ['', 'preview_outdated']);
    assert.equal(engine.seq, before + 1);
  }
});

test('an expiry is a moment, whatever zone it is written in', async () => {
  const { send } = operatorApi();
  const { data } = await send<AccountResource>('POST', '/accounts', { tier: 'VIP' });
  const body = { scopes: ['markets:read'], expiresAt: '2127-03-01T00:30:00+01:00' };
  const made = await send<KeyResource>('POST', `/accounts/${data.id}/keys`, body);
  assert.equal(made.data.expiresAt, '2127-02-28T23:30:00.000Z');
});
