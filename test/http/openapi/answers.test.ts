/** Every operation answers as the API document says, for each status that it has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { ApiDocument } from '../../support/api/api-document.js';
import { codeOf, Harness, MINUTE_MS, type Reply, type SendOptions, withBettor } from '../api/harness.js';

const MARKET = 'BTC_ONE_MINUTE';
const ORDER = { marketId: MARKET, prediction: 'UP', amount: 10 };

const document = new ApiDocument();

function conforms(method: string, path: string, reply: Reply): void {
  assert.equal(document.fault(method, `/v1${path}`, reply.status, reply.headers.keys(), reply.text), null);
}

function idOf(method: string, path: string): string {
  if (path.startsWith('/markets')) return MARKET;
  if (path.startsWith('/rounds')) return `${MARKET}_${Date.UTC(2026, 5, 10, 12) / MINUTE_MS}`;
  return method === 'DELETE' ? 'bet_2' : 'bet_1';
}
function optionsOf(method: string, path: string): SendOptions {
  if (path === '/positions') return { query: 'status=all&limit=200' };
  return method === 'POST' ? { body: ORDER } : {};
}
const isLast = (method: string, path: string): number => (method === 'DELETE' && path === '/orders' ? 1 : 0);

/** Last comes what cancels all orders. */
const OPERATIONS = document
  .operations()
  .map(([name]) => name.split(' ') as [method: string, path: string])
  .sort((one, other) => isLast(...one) - isLast(...other))
  .map(([method, path]) => {
    const actual = path.replace(/\{\w+\}/, idOf(method, path));
    return { method, path, actual, options: optionsOf(method, path) };
  });

const PUBLIC_PATH = '/openapi.json';
const TAGGED = ['/markets', `/markets/${MARKET}`, '/prices'];
/** A gateway answers without the engine's thread. */
const FROM_SHARED_MEMORY = [...TAGGED, '/time', '/limits', '/keys', PUBLIC_PATH];

/** Answers the status. */
function send(api: Harness, operation: (typeof OPERATIONS)[number], options: SendOptions): number {
  const { method, actual } = operation;
  const reply = api.send(method, `/v1${actual}`, { ...operation.options, ...options });
  conforms(method, actual, reply);
  return reply.status;
}

test('every operation answers as documented, for every status it can have', () => {
  const { api, account, secret } = withBettor({
    limits: { keyRead: 1_000, keyWrite: 1_000, keyCancel: 1_000, account: 1_000, ip: 1_000 },
  });
  const disabled = api.addKey(account);
  api.submit({ kind: 'updateKey', key: disabled.key, enabled: false });
  for (const asset of [0, 1, 5]) api.open(asset);
  // One round is settled, with a root on record.
  api.order(secret, ORDER);
  api.clock.pass(55_000 - (api.clock.wallMs % MINUTE_MS));
  api.advance();
  api.publishRoots();
  api.closeMinute(100);
  api.ticks[0] = 100.5;
  const read = (path: string): void => conforms('GET', path, api.get(`/v1${path}`, secret));
  api.settle();
  conforms('POST', '/orders', api.order(secret, { ...ORDER, limitOdds: 50 }));
  for (const limitOdds of [50, 1.01])
    conforms('POST', '/orders', api.order(secret, { ...ORDER, limitOdds, receipt: true }));
  for (const operation of OPERATIONS) {
    const { path, method } = operation;
    assert.equal(send(api, operation, { key: secret }), method === 'POST' && path === '/orders' ? 201 : 200);
    if (path === PUBLIC_PATH) continue;
    assert.equal(send(api, operation, { key: '' }), 401);
    assert.equal(send(api, operation, { key: disabled.secret }), 403);
    if (/^\/(positions|orders)$/.test(path) && method === 'GET')
      assert.equal(send(api, operation, { key: secret, query: 'limit=0' }), 400);
  }
  for (const id of ['%', 'X', 'bet_2'])
    for (const { method, path } of OPERATIONS)
      if (method === 'GET' && path.includes('{id}')) read(path.replace('{id}', id));
  read('/orders/by-idempotency-key/%');
  conforms('DELETE', '/orders/X', api.send('DELETE', '/v1/orders/X', { key: secret }));
  conforms('GET', '/account', api.get('/v1/account', secret, 'x=1'));
  conforms('GET', '/rounds', api.get('/v1/rounds', secret, 'marketId=X'));
  conforms('PUT', '/orders', api.send('PUT', '/v1/orders'));
  for (const operation of OPERATIONS)
    for (const code of ['invalid_request', 'request_timeout', 'body_too_large'] as const)
      send(api, operation, { fault: { code, detail: 'what the transport found' } });
  for (const path of [...TAGGED, PUBLIC_PATH]) {
    const ifNoneMatch = api.get(`/v1${path}`, secret).headers.get('etag') ?? '';
    conforms('GET', path, api.send('GET', `/v1${path}`, { key: secret, ifNoneMatch }));
  }
  overloaded();
  refusedOrders(api, secret);
  settledAndVoided(api, secret);
  limited(api);
  for (const [name, { responses }] of document.operations())
    for (const status of Object.keys(responses))
      assert.ok(document.seen.has(`${name} ${status}`), `${name} ${status}`);
});

test('an undocumented answer is detected', () => {
  const { headers } = new Harness().get('/v1/nowhere', '');
  const fault = (method: string, path: string, status: number, error: string, extra: string[] = []) => {
    const names = [...headers.keys(), ...extra];
    return document.fault(method, path, status, names, JSON.stringify({ success: false, error })) ?? '';
  };
  assert.equal(fault('GET', '/v1/markets/X', 404, 'market_not_found: none'), '');
  assert.match(fault('GET', '/v1/markets/X', 404, 'round_not_found'), /pattern/);
  assert.match(fault('GET', '/v1/markets', 404, 'market_not_found'), /not documented/);
  assert.match(fault('POST', '/api/v1/orders', 409, 'rate_limited'), /pattern/);
  assert.match(fault('GET', '/v1/prices', 429, 'rate_limited'), /has no retry-after/);
  assert.match(fault('GET', '/v1/markets/X', 404, 'market_not_found', ['retry-after']), /has retry-after/);
});

function overloaded(): void {
  const { api, secret } = withBettor({ backlogCommandsMax: 1 });
  api.overload('/v1/account', { key: secret }, () => {
    for (const { method, actual, options } of OPERATIONS) {
      if (FROM_SHARED_MEMORY.includes(actual)) continue;
      const { reply } = api.begin(method, `/v1${actual}`, { key: secret, ...options });
      conforms(method, actual, must(reply, `${method} ${actual} is refused at once`));
    }
  });
  api.open();
  api.begin('POST', '/v1/orders', { key: secret, body: ORDER });
  for (const { method, actual, options } of OPERATIONS) {
    const { reply } = api.begin(method, `/v1${actual}`, { key: secret, ...options });
    if (reply !== null) conforms(method, actual, reply);
  }
  api.host.journal.lose();
  for (const operation of OPERATIONS) send(api, operation, { key: secret });
}

function refusedOrders(api: Harness, secret: string): void {
  const sent = (path: string) => (options: SendOptions, status: number) => {
    const reply = api.send('POST', `/v1${path}`, { key: secret, body: ORDER, ...options });
    assert.equal(reply.status, status, reply.text);
    conforms('POST', path, reply);
  };
  const [order, quote] = [sent('/orders'), sent('/orders/quote')];
  quote({ body: {} }, 400);
  quote({ body: { ...ORDER, marketId: 'X' } }, 200);
  quote({ contentType: 'text/plain' }, 415);
  order({ body: {} }, 400);
  order({ body: { ...ORDER, marketId: 'X' } }, 404);
  order({ body: { ...ORDER, expectedPercent: 99 } }, 409);
  order({ contentType: 'text/plain' }, 415);
  order({ fault: { code: 'body_too_large', detail: '' } }, 413);
  api.submit({ kind: 'suspendMarket', market: 0, suspended: true });
  order({}, 503);
  api.submit({ kind: 'suspendMarket', market: 0, suspended: false });
  order({ idempotencyKey: 'k' }, 201);
  order({ idempotencyKey: 'k' }, 201);
}

function settledAndVoided(api: Harness, secret: string): void {
  const readAll = (): void => {
    for (const operation of OPERATIONS) if (operation.method === 'GET') send(api, operation, { key: secret });
  };
  api.closeMinute(101);
  readAll();
  api.order(secret, ORDER);
  api.clock.pass(MINUTE_MS);
  api.advance();
  readAll();
  api.closeMinute(null);
  readAll();
}

function limited(api: Harness): void {
  const { secret } = api.bettor();
  const handler = api.newApi({ keyRead: 1, keyWrite: 1, keyCancel: 1, account: 1_000, ip: 1_000 });
  for (const { method, actual, options } of OPERATIONS) {
    for (let i = 0; i < 2; i++) {
      const reply = api.send(method, `/v1${actual}`, { key: secret, ...options }, handler);
      conforms(method, actual, reply);
      if (i === 1) assert.equal(codeOf(reply), 'rate_limited');
    }
  }
}
