/**
 * The operator API's own OpenAPI document: every route and no other, a clean lint, and a real server's answers.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { ERROR_STATUS } from '../../../engine/model/errors.js';
import { ENDPOINTS } from '../../../http/operator/endpoints.js';
import { Sandbox } from '../../support/api/api-client-sandbox.js';
import { ApiDocument } from '../../support/api/api-document.js';
import { lintsClean } from '../../support/api/lint-openapi.js';
import { type Answered, Client } from '../../support/http/client.js';
import type { Server } from '../../support/processes/server.js';

const BASE = '/operator/v1';
let server: Server;
let client: Client;
let api: ApiDocument;
let documentText = '';
before(async () => {
  ({ server } = await Sandbox.shared());
  client = new Client(server.operatorUrl, { Authorization: `Bearer ${server.token}` });
  documentText = (await client.get(`${BASE}/openapi.json`)).text;
  api = new ApiDocument(JSON.parse(documentText) as object, ['']);
});

const operations = (): string[] => api.operations().map(([name]) => name);

async function send<T = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  from = client,
): Promise<Answered<T>> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const answered = await from.send<T>(method, path, text, headers);
  const [plain = ''] = path.split('?');
  assert.equal(api.fault(method, plain, answered.status, answered.headers.keys(), answered.text), null);
  return answered;
}

test('it has every route with its role, and none that is not there', async () => {
  assert.match(documentText, /"openapi":"3\.1\.0"/);
  assert.doesNotMatch(documentText, /"readOnly"/, 'a page or generator leaves such fields out of a body');
  const listed = api.operations().map(([name, it]) => `${name.replace(BASE, '')} ${it['x-role']}`);
  const routes = ENDPOINTS.map(({ method, path, role }) => `${method} ${path} ${role}`);
  assert.deepEqual(listed.sort(), routes.sort());
  for (const name of operations()) {
    const [method = '', path = ''] = name.split(' ');
    const filled = path.replace('{id}', 'x').replace('{crypto}', 'x');
    const { text } = await client.send(method, filled, undefined, { Authorization: 'Bearer wrong' });
    assert.doesNotMatch(text, /no such path|method_not_allowed/, name);
  }
});

test('it lints clean under the strict rules of a public linter', () => lintsClean(api.document));

test('each status has codes of that status', () => {
  for (const [name, { responses }] of api.operations()) {
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      const { description } = response as { description?: string };
      for (const [, code = ''] of (description ?? '').matchAll(/`(\w+)`/g))
        assert.equal(`${(ERROR_STATUS as Record<string, number>)[code]}`, status, `${name} ${code}`);
    }
  }
});

test('only what has a reference is answered again', () => {
  const replayed = Object.entries(api.document.paths).filter(([, item]) =>
    JSON.stringify(item).includes('"X-Idempotent-Replay"'),
  );
  assert.equal(replayed.length, 5);
  for (const [path] of replayed) assert.match(path, /\/(accounts|deposits|withdrawals)$/);
});

async function accountsAndKeys(): Promise<{ account: string; secret: string }> {
  const person = { tier: 'GOLD', name: 'Ada', balance: 500, reference: 'first' };
  const made = await send<{ id: string }>('POST', `${BASE}/accounts`, person);
  assert.equal((await send('POST', `${BASE}/accounts`, { ...person, tier: 'VIP' })).status, 409);
  const account = made.data.id;
  const at = `${BASE}/accounts/${account}`;
  await send('GET', `${BASE}/accounts?tier=GOLD&limit=1`);
  await send('GET', at);
  await send('PATCH', at, { frozen: false, reason: 'checked' });
  for (const kind of ['deposits', 'withdrawals']) {
    const transfer = { amount: 5, reference: kind };
    assert.equal((await send('POST', `${at}/${kind}`, transfer)).status, 201);
    assert.equal((await send('POST', `${at}/${kind}`, transfer)).headers.get('x-idempotent-replay'), 'true');
    assert.equal((await send('POST', `${at}/${kind}`, { ...transfer, amount: 6 })).status, 409);
    assert.equal((await send('POST', `${BASE}/house/${kind}`, { amount: 5, reference: kind })).status, 201);
  }
  await send('POST', `${at}/withdrawals`, { amount: 1_000_000, reference: 'much' });
  const { nextCursor } = JSON.parse((await send('GET', `${at}/ledger?limit=2`)).text) as {
    nextCursor: string;
  };
  assert.equal((await send('GET', `${at}0/ledger?cursor=${nextCursor}`)).status, 400, 'of another account');
  await send('GET', `${BASE}/transfers?reference=deposits`);
  const scopes = ['markets:read', 'positions:read', 'orders:write', 'orders:cancel'];
  const key = await send<{ id: string; secret: string }>('POST', `${at}/keys`, { scopes });
  const wanted = { scopes, expiresAt: '2099-01-01T00:00:00Z' };
  const spare = await send<{ id: string }>('POST', `${at}/keys`, wanted);
  await send('GET', `${at}/keys`);
  await send('GET', `${BASE}/keys?enabled=true`);
  await send('GET', `${BASE}/keys/${spare.data.id}`);
  await send('PATCH', `${BASE}/keys/${spare.data.id}`, { expiresAt: '2098-01-01T00:00:00Z' });
  assert.equal((await send('POST', `${BASE}/keys/${spare.data.id}/rotate`, {})).status, 201);
  return { account, secret: key.data.secret };
}

async function tradingAndHouse(account: string, secret: string): Promise<void> {
  await server.toNextDay();
  assert.equal((await send('POST', `${BASE}/prices`, [{ crypto: 'BTC', price: 100 }])).status, 200);
  const order = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 10 };
  assert.equal((await server.api(secret).post('/orders', { ...order, limitOdds: 50 })).status, 201);
  assert.equal((await server.api(secret).post('/orders', order)).status, 201);
  const rounds = await send<{ id: string; marketId: string }[]>(
    'GET',
    `${BASE}/rounds?marketId=BTC_ONE_MINUTE`,
  );
  const round = must(rounds.data[0], 'a round').id;
  await send('GET', `${BASE}/house/exposure`);
  assert.equal((await send('POST', `${BASE}/clock`, { advanceMs: 120_000 })).status, 200);
  assert.equal((await send('POST', `${BASE}/prices`, [{ crypto: 'BTC', price: 300 }])).status, 400);
  await send('POST', `${BASE}/prices/BTC/confirm`, { price: 300, reason: 'seen elsewhere' });
  await send('GET', `${BASE}/prices/BTC/history`);
  await send('POST', `${BASE}/rounds/${round}/void`, { reason: 'too late' });
  const open = await send<{ id: string }[]>('GET', `${BASE}/rounds?marketId=BTC_FIVE_MINUTES&status=LIVE`);
  await send('POST', `${BASE}/rounds/${must(open.data[0], 'an open round').id}/void`, { reason: 'a test' });
  for (const query of ['', `?accountId=${account}`]) await send('GET', `${BASE}/bets${query}`);
  await send('GET', `${BASE}/bets/bet_1`);
  assert.equal((await send('GET', `${BASE}/orders/trace?id=bet_1`)).status, 200);
  await send('PATCH', `${BASE}/markets/ETH_ONE_MINUTE`, { suspended: true });
  await send('PUT', `${BASE}/trading`, { enabled: true, reason: 'all is well' });
  for (const path of [
    ...['/house', '/house/profit?by=day', '/rules', '/audit', '/status', '/vitals', '/openapi.json'],
  ])
    assert.equal((await send('GET', BASE + path)).status, 200, path);
  const overrides = { feeBps: 250, limits: { BTC: { minStakeCents: 200 } } };
  const preview = await send('PUT', `${BASE}/rules`, { overrides, dryRun: true });
  const ifMatch = { 'If-Match': preview.headers.get('etag') ?? '' };
  assert.equal((await send('PUT', `${BASE}/rules`, { overrides }, ifMatch)).status, 200);
  await send('GET', `${BASE}/rules`);
  await send('GET', `${BASE}/audit?action=configure`);
}

test('every operation answers as it says, on success and when it refuses', async () => {
  const { account, secret } = await accountsAndKeys();
  await tradingAndHouse(account, secret);
  const silent = operations().filter(
    (name) => ![200, 201].some((status) => api.seen.has(`${name} ${status}`)),
  );
  // That needs a clock which is far ahead (test/blackbox/faults/clock-gap.test.ts).
  assert.deepEqual(silent, [`POST ${BASE}/clock/confirm`], 'each other has succeeded once');
  const nobody = new Client(server.operatorUrl, {});
  for (const name of operations()) {
    const [method = '', template = ''] = name.split(' ');
    const path = template.replace('{id}', 'x').replace('{crypto}', 'x');
    assert.equal((await send(method, path, undefined, {}, nobody)).status, 401, name);
    if (template.includes('{')) await send(method, path, method === 'GET' ? undefined : { reason: 'x' });
    if (method !== 'GET') await send(method, path, { reason: 7 });
  }
});

test('its page comes without a token, with nothing in it that is secret, and asks for the document itself', async () => {
  const nobody = new Client(server.operatorUrl, {});
  const page = await nobody.get('/docs');
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self';/);
  const script = await nobody.get('/docs/start.js');
  assert.match(script.text, /'\/operator\/v1\/openapi\.json'/);
  for (const { text } of [page, script, await client.get(`${BASE}/openapi.json`)])
    assert.ok(!text.includes(server.token));
});
