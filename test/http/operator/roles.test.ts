/** Roles at the operator port: every route has one, and a running server keeps to it. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { mayDo, OPERATOR_ROLES, type OperatorRole } from '../../../engine/model/operators.js';
import { Denials } from '../../../http/operator/access/callers.js';
import type { AccountResource } from '../../../http/operator/accounts.js';
import { ENDPOINTS } from '../../../http/operator/endpoints.js';
import { addOperatorToken, removeOperatorToken } from '../../../persistence/data-dir/operator-tokens.js';
import { askUntil } from '../../support/ask-until.js';
import { TestClock } from '../../support/host/host.js';
import { operatorApi } from '../../support/host/operator-api.js';
import type { Client } from '../../support/http/client.js';
import { RawClient } from '../../support/http/raw-client.js';
import { linesOf } from '../../support/processes/log-lines.js';
import { newDataDir, Server } from '../../support/processes/server.js';

const AT = '2026-11-22T12:00:00.000Z';

/** Any other route that changes something is for admin alone. */
const OF_SUPPORT = [
  'POST /accounts',
  'PATCH /accounts/{id}',
  'POST /accounts/{id}/keys',
  'PATCH /keys/{id}',
  'POST /keys/{id}/rotate',
];

const dataDir = newDataDir();
const tokensFile = join(dataDir, 'operator-tokens');
const secrets = new Map(OPERATOR_ROLES.map((role) => [role, addOperatorToken(tokensFile, role, role, AT)]));
let server: Server;
before(async () => {
  server = await Server.start({ dataDir, env: { TOTE_LOG_LEVEL: 'info' } });
});
after(() => server.remove());

const clientOf = (role: OperatorRole): Client => server.operatorWith(secrets.get(role) ?? '');

/** A thread learns of new tokens a moment after the log says so. */
const untilStatus = (client: Client, wanted: number) =>
  askUntil(
    () => client.get('/house'),
    ({ status }) => status === wanted,
  );

test('reading needs the role read, accounts and keys support, and all else admin', () => {
  for (const { method, path, role } of ENDPOINTS) {
    const changing: OperatorRole = OF_SUPPORT.includes(`${method} ${path}`) ? 'support' : 'admin';
    assert.equal(role, method === 'GET' ? 'read' : changing, `${method} ${path}`);
  }
});

test('each role gets as far as its routes, and no further', async () => {
  const { send } = operatorApi();
  for (const { method, path, role: needed } of ENDPOINTS) {
    if (path === '/status') continue;
    const target = path.replace('{id}', '0').replace('{crypto}', 'BTC');
    for (const role of OPERATOR_ROLES) {
      const { status, error } = await send(method, target, method === 'GET' ? undefined : {}, { role });
      const what = `${role}: ${method} ${path}`;
      if (mayDo(role, needed)) assert.notEqual(status, 403, what);
      else {
        assert.equal(status, 403, what);
        assert.ok(error.endsWith(`: this needs the role ${needed}, and ${role} has the role ${role}`), error);
      }
    }
  }
});

test('without a token every route answers 401 and nothing else', async () => {
  const { send } = operatorApi();
  const others = ['OPTIONS', 'DELETE', 'HEAD'].map((method) => ({ method, path: '/status' }));
  for (const { method, path } of [...ENDPOINTS, ...others, { method: 'GET', path: '/no-such-path' }]) {
    const body = method === 'GET' ? undefined : {};
    const { status, text } = await send(method, path, body, { role: null });
    assert.equal(status, 401, `${method} ${path}`);
    assert.match(text, /^\{"success":false,"error":"invalid_operator_token: [^"]*"\}$/);
  }
});

test('an account is opened by support, and with money in it by admin only; what is denied is noted', async () => {
  const { send, denials } = operatorApi();
  const refused = await send('POST', '/accounts', { tier: 'GOLD', balance: 1 }, { role: 'support' });
  assert.match(refused.error, /^insufficient_role: this needs the role admin/);
  const empty = await send('POST', '/accounts', { tier: 'GOLD', balance: 0 }, { role: 'support' });
  assert.equal(empty.status, 201);
  assert.equal((await send('POST', '/accounts', { tier: 'GOLD', balance: 1 })).status, 201);
  await send('POST', '/accounts/acc_1/deposits', {}, { role: 'read' });
  assert.deepEqual(denials.take()?.denials, [
    { operator: 'support', role: 'support', route: 'POST /accounts', times: 1 },
    { operator: 'read', role: 'read', route: 'POST /accounts/{id}/deposits', times: 1 },
  ]);
});

test('a key that writes for an account with money or a bet is made, rotated and enabled again by admin only', async () => {
  const { send } = operatorApi();
  const support = { role: 'support' } as const;
  const { data: bettor } = await send<AccountResource>('PATCH', '/accounts/acc_1', { tier: 'GOLD' });
  await send('POST', '/accounts/acc_1/withdrawals', { amount: bettor.balance, reference: 'all' });
  for (const balance of [0, 1]) await send('POST', '/accounts', { tier: 'GOLD', balance });
  for (const [account, status] of [
    ['acc_1', 403],
    ['acc_2', 201],
    ['acc_3', 403],
  ] as const) {
    const path = `/accounts/${account}/keys`;
    const reading = await send('POST', path, { scopes: ['positions:read'] }, support);
    assert.equal(reading.status, 201);
    const made = await send('POST', path, { scopes: ['orders:write'] }, support);
    assert.equal(made.status, status);
    const { data: key } = status === 201 ? made : await send('POST', path, { scopes: ['orders:cancel'] });
    const rotated = await send('POST', `/keys/${(key as { id: string }).id}/rotate`, {}, support);
    assert.equal(rotated.status, status);
    for (const [id, enabledStatus] of [
      [(key as { id: string }).id, status === 201 ? 200 : 403],
      [(reading.data as { id: string }).id, 200],
    ] as const) {
      const enable = (enabled: boolean) => send('PATCH', `/keys/${id}`, { enabled }, support);
      assert.equal((await enable(true)).status, 200, 'it is enabled already');
      assert.equal((await enable(false)).status, 200);
      assert.equal((await enable(true)).status, enabledStatus);
    }
  }
});

test('SIGHUP puts the file in force without dropping a connection; one with a mistake changes nothing', async () => {
  const kept = await RawClient.open(Number(new URL(server.operatorUrl).port));
  const ask = (token: string): void =>
    kept.send('GET /operator/v1/house HTTP/1.1', 'Host: x', `Authorization: Bearer ${token}`, '', '');
  ask(server.token);
  await kept.sees(/HTTP\/1\.1 200 [\s\S]*\}\}/);

  const good = readFileSync(tokensFile, 'utf8');
  writeFileSync(tokensFile, `${good}{"name":"eve"}\n`);
  server.run.signal('SIGHUP');
  const told = await server.run.findInErrors((stderr) => linesOf(stderr, 'reload_failed')[0]);
  assert.match(`${told.msg}`, /operator-tokens: line 4: must be .*"role": read, support, admin/);
  assert.equal((await clientOf('read').get('/house')).status, 200, 'the old ones stay in force');

  writeFileSync(tokensFile, good);
  removeOperatorToken(tokensFile, 'support');
  const later = addOperatorToken(tokensFile, 'zoe', 'read', AT);
  server.run.signal('SIGHUP');
  await server.run.findInErrors((stderr) =>
    linesOf(stderr, 'reloaded').find(({ msg }) => msg === 'operator tokens: 3 with names are in force'),
  );
  await untilStatus(server.operatorWith(later), 200);
  assert.equal((await clientOf('support').get('/house')).status, 401, 'it was revoked');
  assert.equal((await clientOf('admin').get('/house')).status, 200);
  ask(later);
  await kept.sees(/HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 200 [\s\S]*\}\}/);
  kept.socket.destroy();
});

test('denials are reported at once, and then at most once a minute, equal ones together', () => {
  const ann = { name: 'ann', role: 'read' } as const;
  const clock = new TestClock();
  const denials = new Denials(clock);
  assert.equal(denials.take(), null);
  denials.note(ann, 'PUT /trading');
  const first = { operator: 'ann', role: 'read', route: 'PUT /trading' };
  assert.deepEqual(denials.take(), { denials: [{ ...first, times: 1 }] });
  for (let n = 0; n < 1_000; n++) denials.note(ann, 'PUT /trading');
  denials.note(ann, 'POST /clock');
  clock.pass(59_999);
  assert.equal(denials.take(), null);
  clock.pass(1);
  assert.deepEqual(denials.take()?.denials, [
    { ...first, times: 1_000 },
    { ...first, route: 'POST /clock', times: 1 },
  ]);
  clock.pass(60_000);
  assert.equal(denials.take(), null, 'nothing new');
});
