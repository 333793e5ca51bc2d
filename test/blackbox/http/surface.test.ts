/** HTTP through a real server: paths, methods, framing and forms of an answer, as a client meets them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { refused } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { RawClient } from '../../support/http/raw-client.js';

const ORDER = JSON.stringify({ marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 });

let sandbox: Sandbox;
let trader: Trader;

before(async () => {
  sandbox = await Sandbox.start();
  await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
  trader = await sandbox.trader();
});
after(() => sandbox.remove());

const connect = (): Promise<RawClient> => RawClient.open(Number(new URL(sandbox.server.publicUrl).port));

/** The status of the answer to these bytes, which no client library would send. */
async function statusOf(bytes: string): Promise<number> {
  const client = await connect();
  const [answer] = await Promise.all([client.sees(/\r\n\r\n/), client.write(bytes)]);
  await client.close();
  return Number(answer.split(' ')[1]);
}

test('unknown paths and methods are refused in the envelope, and each port has its own', async () => {
  const { api } = trader;
  refused(await api.get('/no-such-path'), 404, 'not_found');
  refused(await api.get('/markets/%zz'), 400, 'invalid_request');
  const put = await api.send('PUT', '/orders');
  refused(put, 405, 'method_not_allowed');
  assert.equal(put.headers.get('Allow'), 'GET, HEAD, POST, DELETE, OPTIONS');
  assert.equal((await api.send('OPTIONS', '/orders')).status, 204);
  const { operatorUrl, publicUrl, token } = sandbox.server;
  const headers = { Authorization: `Bearer ${token}`, 'X-API-Key': trader.secret };
  for (const path of ['/operator/v1/status', '/healthz', '/readyz']) {
    assert.equal((await fetch(operatorUrl + path, { headers })).status, 200);
    assert.equal((await fetch(publicUrl + path, { headers })).status, 404);
  }
  assert.equal((await fetch(`${operatorUrl}/v1/markets`, { headers })).status, 404);
  assert.equal((await fetch(`${publicUrl}/api/v1/openapi.json`)).status, 200);
});

test('who asks for gzip gets fewer bytes of the same, who names their tag none, and HEAD the length alone', async () => {
  const url = `${sandbox.server.publicUrl}/v1/markets`;
  const ask = async (method: string, headers: Record<string, string>) => {
    const answered = await fetch(url, { method, headers: { 'X-API-Key': trader.secret, ...headers } });
    return { answered, text: await answered.text() };
  };
  const plain = await ask('GET', { 'Accept-Encoding': 'identity' });
  const zipped = await ask('GET', { 'Accept-Encoding': 'gzip' });
  assert.equal(zipped.text, plain.text, 'the clock stands still');
  const lengthOf = ({ headers }: Response): number => Number(headers.get('Content-Length'));
  assert.equal(lengthOf(plain.answered), Buffer.byteLength(plain.text));
  assert.ok(lengthOf(zipped.answered) < plain.text.length / 4);
  const head = await ask('HEAD', { 'Accept-Encoding': 'gzip' });
  assert.deepEqual([head.text, lengthOf(head.answered)], ['', lengthOf(zipped.answered)]);
  const etag = zipped.answered.headers.get('ETag') ?? '';
  const known = await ask('GET', { 'Accept-Encoding': 'gzip', 'If-None-Match': etag });
  assert.deepEqual([known.answered.status, known.text], [304, '']);
});

test('a chunked order is an order, an ambiguous one is none, and clients that leave harm nobody', async () => {
  const { api, secret } = await sandbox.trader();
  const chunked = `${ORDER.length.toString(16)}\r\n${ORDER}\r\n0\r\n\r\n`;
  const head = ['POST /v1/orders HTTP/1.1', 'Host: test', `X-API-Key: ${secret}`];
  const post = (...more: readonly string[]): string =>
    [...head, 'Content-Type: application/json', ...more, '', ''].join('\r\n');
  assert.equal(await statusOf(post('Transfer-Encoding: chunked') + chunked), 201);
  const doubtful = [
    post('Transfer-Encoding: xchunked') + chunked,
    post(`Content-Length: ${ORDER.length}`, 'Transfer-Encoding: chunked') + chunked,
    `${post(`Content-Length: ${ORDER.length}`, `Content-Length: ${ORDER.length - 1}`)}${ORDER}`,
  ];
  for (const bytes of doubtful) assert.equal(await statusOf(bytes), 400);
  const request = post(`Content-Length: ${ORDER.length}`) + ORDER;
  for (let cut = 1; cut < request.length; cut += 9) {
    const client = await connect();
    await client.write(request.slice(0, cut));
    await client.close();
  }
  assert.equal((await api.orders()).length, 1);
  await sandbox.checkConservation();
});
