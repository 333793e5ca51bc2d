/** The nginx configuration of docs/ops/tls-and-proxy.md, unchanged, in front of a server. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { checkAnswer, refused } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { StreamClient } from '../../support/api/stream-client.js';
import { codeBlocks, readDocument, sectionOf } from '../../support/document.js';
import { Nginx } from '../../support/processes/nginx.js';
import { isAvailable } from '../../support/programs.js';

const missing = ['nginx', 'openssl'].filter((program) => !isAvailable(program));
const options = { skip: missing.length > 0 && `${missing.join(' and ')} cannot be found in PATH` };

const JSON_TYPE = { 'Content-Type': 'application/json' };
const ORDER = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 5 };
const BODY = JSON.stringify(ORDER);
const REQUESTS_MAX = 40;

let sandbox: Sandbox;
let trader: Trader;
let nginx: Nginx;
let key: Readonly<Record<string, string>> = {};
let order: Readonly<Record<string, string>> = {};

before(async () => {
  if (missing.length > 0) return;
  const env = { TOTE_TRUSTED_PROXIES: '127.0.0.1', TOTE_RATE_LIMITS: `ip=${REQUESTS_MAX}` };
  sandbox = await Sandbox.start({ env });
  await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
  trader = await sandbox.trader();
  key = { 'X-API-Key': trader.secret };
  order = { ...key, ...JSON_TYPE };
  const [configuration = ''] = codeBlocks(
    sectionOf(readDocument('docs/ops/tls-and-proxy.md'), '### nginx'),
    'nginx',
  );
  nginx = await Nginx.start(configuration, new URL(sandbox.server.publicUrl).host);
});
after(async () => {
  await nginx?.stop();
  await sandbox?.remove();
});

test('an order is placed, and replayed byte for byte', options, async () => {
  const parts = { from: '127.0.0.2', headers: { ...order, 'Idempotency-Key': 'once' }, body: BODY };
  const placed = await nginx.send('POST', '/v1/orders', parts);
  checkAnswer(placed, 'order');
  assert.equal(placed.status, 201, placed.text);
  const again = await nginx.send('POST', '/v1/orders', parts);
  assert.deepEqual([again.headers.get('X-Idempotent-Replay'), again.text], ['true', placed.text]);
  const bets = await nginx.send('GET', '/api/v1/orders', { from: '127.0.0.2', headers: key });
  assert.equal((bets.data as unknown[]).length, 1);
});

test('a stream passes, and stays open while orders come', options, async () => {
  const stream = await StreamClient.open(`https://127.0.0.1:${nginx.port}`, trader.secret, {
    ca: nginx.certificate,
  });
  await stream.subscribe('account');
  const placed = await nginx.send('POST', '/v1/orders', { headers: order, body: BODY });
  assert.equal(placed.status, 201, placed.text);
  await stream.subscribe('markets');
  stream.socket.close();
});

test("the server's errors pass unchanged", options, async () => {
  const from = '127.0.0.3';
  const post = (body: string, headers = order) => nginx.send('POST', '/v1/orders', { from, headers, body });
  const get = (path: string, headers = key) => nginx.send('GET', path, { from, headers });
  const answers = [
    [await post('{}'), 400, 'invalid_request'],
    [await get('/v1/markets', {}), 401, 'missing_api_key'],
    [await get('/v1/markets', { 'X-API-Key': 'tote_no' }), 401, 'invalid_api_key'],
    [await get('/v1/markets/BTC_ONE_YEAR'), 404, 'market_not_found'],
    [await get('/operator/v1/status'), 404, 'not_found'],
    [await nginx.send('PUT', '/v1/orders', { from, headers: key }), 405, 'method_not_allowed'],
    [await post(JSON.stringify({ ...ORDER, expectedPercent: 80 })), 409, 'odds_changed'],
    [await post('x'.repeat(16_385)), 413, 'body_too_large'],
    [await post('x'.repeat(65_536)), 413, 'body_too_large'],
    [await post(BODY, { ...key, 'Content-Type': 'text/plain' }), 415, 'unsupported_media_type'],
  ] as const;
  for (const [answered, status, code] of answers) {
    refused(answered, status, code);
    checkAnswer(answered, code);
  }
  assert.equal(answers[5][0].headers.get('Allow'), 'GET, HEAD, POST, DELETE, OPTIONS');
});

test("limits count the client's real address, whatever it claims", options, async () => {
  const get = (from: string, headers = {}) => nginx.send('GET', '/v1/markets', { from, headers });
  for (let n = 0; n < REQUESTS_MAX; n++) {
    assert.equal((await get('127.0.0.4', { 'X-Forwarded-For': `9.9.9.${n}` })).status, 401);
  }
  const limited = await get('127.0.0.4', { 'X-Forwarded-For': '9.9.9.100' });
  refused(limited, 429, 'rate_limited');
  checkAnswer(limited, '429');
  assert.equal(limited.headers.get('Retry-After'), '60');
  const other = await get('127.0.0.5', key);
  assert.equal(other.status, 200, other.text);
  assert.equal(other.headers.get('X-RateLimit-Remaining'), `${REQUESTS_MAX - 1}`);
});

test('chunked bodies and HTTP/2, which the server does not speak, place bets', options, async () => {
  const from = '127.0.0.6';
  const chunked = await nginx.send('POST', '/v1/orders', {
    from,
    headers: { ...order, 'Transfer-Encoding': 'chunked' },
    body: BODY,
  });
  assert.equal(chunked.status, 201, chunked.text);

  const session = connect(`https://127.0.0.1:${nginx.port}`, {
    ca: nginx.certificate,
    servername: 'tote.example.com',
  });
  const placed = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const stream = session.request({ ':method': 'POST', ':path': '/v1/orders', ...order });
      stream.end(BODY);
      const [headers] = await once(stream, 'response');
      return `${headers[':status']} ${await text(stream)}`;
    }),
  );
  session.close();
  for (const answer of placed) assert.match(answer, /^201 .*"status":"ACTIVE"/);
});
