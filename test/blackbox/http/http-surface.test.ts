/**
 * Methods, paths, HEAD and OPTIONS (specification, sections 4 and 9; design, section 5): every path answers every
 * method, at both base paths, and unknown ones are refused in the envelope.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ApiClient, answeredByArchive, BASES, refused } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';

const PATHS: Readonly<Record<string, readonly string[]>> = {
  '/markets': ['GET', 'HEAD', 'OPTIONS'],
  '/markets/BTC_ONE_DAY': ['GET', 'HEAD', 'OPTIONS'],
  '/prices': ['GET', 'HEAD', 'OPTIONS'],
  '/positions': ['GET', 'HEAD', 'OPTIONS'],
  '/orders': ['GET', 'HEAD', 'OPTIONS', 'POST'],
  '/rounds/ROUND': ['GET', 'HEAD', 'OPTIONS'],
  '/rounds': ['GET', 'HEAD', 'OPTIONS'],
  '/rounds/SETTLED/proof': ['GET', 'HEAD', 'OPTIONS'],
  '/orders/PROVEN/proof': ['GET', 'HEAD', 'OPTIONS'],
  '/keys': ['GET', 'HEAD', 'OPTIONS'],
  '/markets/BTC_ONE_DAY/rounds': ['GET', 'HEAD', 'OPTIONS'],
  '/account/ledger': ['GET', 'HEAD', 'OPTIONS'],
  '/time': ['GET', 'HEAD', 'OPTIONS'],
  '/limits': ['GET', 'HEAD', 'OPTIONS'],
  '/account': ['GET', 'HEAD', 'OPTIONS'],
  '/orders/ORDER': ['DELETE', 'GET', 'HEAD', 'OPTIONS'],
  '/orders/by-idempotency-key/any': ['GET', 'HEAD', 'OPTIONS'],
  '/orders/quote': ['OPTIONS', 'POST'],
};
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'PURGE', 'get', 'X'];

let sandbox: Sandbox;
let trader: Trader;
let roundId = '';
let orderId = '';
let settledId = '';
let provenId = '';

before(async () => {
  sandbox = await Sandbox.start();
  trader = await sandbox.trader();
  await sandbox.openRounds({ BTC: 67_000 });
  settledId = (await trader.api.market('BTC_ONE_MINUTE')).currentRound?.id ?? '';
  provenId = (await trader.api.place({ marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 1 })).bet.id;
  await sandbox.closeMinute({ BTC: 67_001 });
  await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
  await answeredByArchive(trader.api, '/rounds');
  const order = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 };
  orderId = (await trader.api.place(order)).bet.id;
  roundId = (await trader.api.market('BTC_ONE_DAY')).currentRound?.id ?? '';
});
after(() => sandbox.remove());

const allowed = (headers: Headers): string[] => (headers.get('Allow') ?? '').split(/, */).sort();

for (const base of BASES) {
  test(`${base}: every method on every path`, async () => {
    const api = trader.api.at(base);
    for (const [path, methods] of Object.entries(PATHS)) {
      const at = path
        .replace('SETTLED', settledId)
        .replace('PROVEN', provenId)
        .replace('ROUND', roundId)
        .replace('ORDER', orderId);
      for (const method of METHODS) {
        // fetch sends `get` as `GET`.
        const sent = method === 'get' ? 'GET' : method;
        const answered = await api.send(sent, at);
        const what = `${method} ${base}${path}: ${answered.text}`;
        if (!methods.includes(sent)) {
          // The answer to HEAD has no body to name the code.
          if (sent === 'HEAD') assert.equal(answered.status, 405, what);
          else refused(answered, 405, 'method_not_allowed');
          assert.deepEqual(allowed(answered.headers), methods, what);
        } else if (sent === 'OPTIONS') {
          assert.equal(answered.status, 204, what);
          assert.deepEqual(allowed(answered.headers), methods, what);
        } else {
          // An order without a body has no media type, and a bet cannot be cancelled.
          const status = sent === 'POST' ? 415 : sent === 'DELETE' ? 400 : 200;
          assert.equal(answered.status, status, what);
        }
      }
    }
  });
}

test('HEAD answers like GET, without the body', async () => {
  for (const path of ['/markets', '/prices', '/markets/NO_SUCH', '/positions?limit=0', '/no-such-path']) {
    const headers = { 'Accept-Encoding': 'identity' };
    const [got, head] = [
      await trader.api.get(path, headers),
      await trader.api.send('HEAD', path, { headers }),
    ];
    assert.equal(head.status, got.status, path);
    assert.equal(head.headers.get('Content-Length'), `${Buffer.byteLength(got.text)}`, path);
    assert.equal(head.headers.get('Content-Type'), got.headers.get('Content-Type'), path);
  }
  const withoutKey = await sandbox.api(null).send('HEAD', '/markets');
  assert.equal(withoutKey.status, 401);
});

test('who asks for gzip gets fewer bytes of the same, and who names their tag gets none', async () => {
  const url = `${sandbox.server.publicUrl}/v1/markets`;
  const ask = async (method: string, headers: Record<string, string>) => {
    const answered = await fetch(url, { method, headers: { 'X-API-Key': trader.secret, ...headers } });
    return { answered, text: await answered.text() };
  };
  const fields = ['Content-Encoding', 'Content-Length', 'Vary', 'ETag', 'Cache-Control'] as const;
  const fieldsOf = ({ headers }: Response) => fields.map((name) => headers.get(name));
  const plain = await ask('GET', { 'Accept-Encoding': 'identity' });
  const zipped = await ask('GET', { 'Accept-Encoding': 'gzip' });
  assert.equal(zipped.text, plain.text, 'the clock stands still');
  assert.equal(plain.answered.headers.get('Content-Length'), `${Buffer.byteLength(plain.text)}`);
  assert.equal(zipped.answered.headers.get('Content-Encoding'), 'gzip');
  assert.ok(Number(zipped.answered.headers.get('Content-Length')) < plain.text.length / 4);
  const head = await ask('HEAD', { 'Accept-Encoding': 'gzip' });
  assert.deepEqual([head.text, fieldsOf(head.answered)], ['', fieldsOf(zipped.answered)]);
  for (const method of ['GET', 'HEAD']) {
    const etag = zipped.answered.headers.get('ETag') ?? '';
    const known = await ask(method, { 'Accept-Encoding': 'gzip', 'If-None-Match': etag });
    assert.deepEqual([known.answered.status, known.text], [304, '']);
    assert.equal(known.answered.headers.get('ETag'), etag);
  }
});

test('unknown paths are 404', async () => {
  const paths = [
    '/',
    '',
    '/market',
    '/markets/',
    '/markets/BTC_ONE_DAY/',
    '/markets/BTC_ONE_DAY/round',
    '/Markets',
    '/orders/',
    '//markets',
    '/operator/v1/status',
    '/prices/BTC',
    '/%6Darkets',
    '/favicon.ico',
  ];
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      refused(await trader.api.send(method, path), 404, 'not_found');
    }
  }
});

test('an unknown market is 404, a path that cannot be decoded 400', async () => {
  for (const id of [
    'BTC',
    'BTC_',
    'btc_one_day',
    'BTC_ONE_DAY_',
    'BTC_ONE_DAY%20',
    'toString',
    '..',
    '%2e%2e',
    '_',
  ]) {
    const answered = await trader.api.get(`/markets/${id}`);
    assert.equal(answered.status, 404, id);
  }
  assert.equal((await trader.api.get('/markets/%42TC_ONE_DAY')).status, 200, 'an encoded letter is a letter');
  for (const id of ['%', '%4', '%zz', '%ff', 'BTC%']) {
    refused(await trader.api.get(`/markets/${id}`), 400, 'invalid_request');
  }
});

test('the operator API is not on the public port, and the public API not on the operator port', async () => {
  const operatorAt = (url: string): Promise<Response> =>
    fetch(`${url}/operator/v1/status`, { headers: { Authorization: `Bearer ${sandbox.server.token}` } });
  assert.equal((await operatorAt(sandbox.server.operatorUrl)).status, 200);
  assert.equal((await operatorAt(sandbox.server.publicUrl)).status, 404);
  for (const path of ['/healthz', '/readyz']) {
    assert.equal((await fetch(sandbox.server.operatorUrl + path)).status, 200);
    assert.equal((await fetch(sandbox.server.publicUrl + path)).status, 404);
  }
  const publicPath = await fetch(`${sandbox.server.operatorUrl}/v1/markets`, {
    headers: { 'X-API-Key': trader.secret },
  });
  assert.equal(publicPath.status, 404);
});

test('the operator API refuses everybody without its token', async () => {
  const url = `${sandbox.server.operatorUrl}/operator/v1/status`;
  const { token } = sandbox.server;
  for (const authorization of [
    '',
    'Bearer',
    'Bearer x',
    `Basic ${token}`,
    token,
    `Bearer ${token}x`,
    `Bearer ${token} x`,
  ]) {
    const answered = await fetch(url, { headers: { Authorization: authorization } });
    assert.equal(answered.status, 401, authorization);
    assert.deepEqual(Object.keys((await answered.json()) as object), ['success', 'error']);
  }
  assert.equal((await fetch(url)).status, 401);
});

test('the document of the API is open to all, at both base paths', async () => {
  for (const base of BASES) {
    const answered = await fetch(`${sandbox.server.publicUrl}${base}/openapi.json`);
    assert.equal(answered.status, 200);
    const document = (await answered.json()) as { openapi: string; info: { version: string }; paths: object };
    assert.match(document.openapi, /^3\.1\./);
    assert.equal(document.info.version, '1.0.0');
    const paths = Object.keys(document.paths).sort();
    assert.deepEqual(paths, [
      '/account',
      '/account/ledger',
      '/keys',
      '/limits',
      '/markets',
      '/markets/{id}',
      '/markets/{id}/rounds',
      '/openapi.json',
      '/orders',
      '/orders/by-idempotency-key/{key}',
      '/orders/quote',
      '/orders/{id}',
      '/orders/{id}/proof',
      '/positions',
      '/prices',
      '/rounds',
      '/rounds/{id}',
      '/rounds/{id}/proof',
      '/time',
    ]);
  }
  const page = await fetch(`${sandbox.server.publicUrl}/docs`);
  assert.equal(page.status, 200);
  assert.match(page.headers.get('Content-Type') ?? '', /^text\/html/);
});

test('every answer has an id of its own', async () => {
  const api: ApiClient = trader.api;
  const ids = new Set<string>();
  for (let n = 0; n < 20; n++) ids.add((await api.get('/prices')).headers.get('X-Request-Id') ?? '');
  assert.equal(ids.size, 20);
});
