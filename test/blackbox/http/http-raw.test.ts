/**
 * Requests that no client library sends, over plain sockets: ambiguous lengths, broken chunks, oversized heads,
 * methods in lower case, disconnects. Each gets a refusal or a closed connection, and the server continues.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { checkAnswer, refused } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { askUntil } from '../../support/ask-until.js';
import type { Answered } from '../../support/http/client.js';
import { RawClient } from '../../support/http/raw-client.js';
import { answerOn, rawRequest, sendRaw } from '../../support/http/raw-request.js';

const ORDER = JSON.stringify({ marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 });

let sandbox: Sandbox;
let trader: Trader;
let headers: readonly string[] = [];

before(async () => {
  sandbox = await Sandbox.start();
  await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
  trader = await sandbox.trader();
  headers = [`X-API-Key: ${trader.secret}`, 'Content-Type: application/json'];
});
after(() => sandbox.remove());
// Whatever was sent: the server lives, and nothing that was refused has placed a bet.
afterEach(async () => {
  // The list waits until every bet is durable, and only durable bets count in the round. An order whose client is gone may
  // be placed between the two.
  await askUntil(
    async () => ({
      placed: (await trader.api.orders('?limit=200')).length,
      counted: (await trader.api.market('BTC_ONE_DAY')).currentRound?.totalBets,
    }),
    ({ placed, counted }) => placed === counted,
  );
  await sandbox.checkConservation();
});

const send = (bytes: string | Buffer): Promise<Answered> => sendRaw(sandbox.server.publicUrl, bytes);
const open = (): Promise<RawClient> => RawClient.open(Number(new URL(sandbox.server.publicUrl).port));

test('a hand-written request is answered', async () => {
  const answered = await send(rawRequest('POST', '/v1/orders', headers, ORDER));
  assert.equal(answered.status, 201);
  checkAnswer(answered, 'raw order');
});

test('a body in several packets is one body', async () => {
  const client = await open();
  const request = rawRequest('POST', '/v1/orders', headers, ORDER);
  for (const part of [
    request.slice(0, 40),
    request.slice(40, -30),
    request.slice(-30, -1),
    request.slice(-1),
  ]) {
    client.send(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const answered = await answerOn(client);
  assert.equal(answered.status, 201);
  checkAnswer(answered, 'an order in several packets');
});

test('a chunked body is accepted like any other', async () => {
  const half = ORDER.length >> 1;
  const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
  const chunked = rawRequest('POST', '/v1/orders', [...headers, 'Transfer-Encoding: chunked']);
  const answered = await send(`${chunked}${chunk(ORDER.slice(0, half))}${chunk(ORDER.slice(half))}0\r\n\r\n`);
  assert.equal(answered.status, 201, answered.text);
});

test('ambiguous requests are refused, and never mistaken for another', async () => {
  const post = (...more: readonly string[]): string =>
    rawRequest('POST', '/v1/orders', [...headers, ...more]);
  const get = (...more: readonly string[]): string => rawRequest('GET', '/v1/markets', [...headers, ...more]);
  const chunked = `${ORDER.length.toString(16)}\r\n${ORDER}\r\n0\r\n\r\n`;
  const { length } = ORDER;
  const other = await sandbox.trader();
  const many = Array.from({ length: 500 }, (_, n) => `X-Header-${n}: x`);
  const cases: readonly (readonly [name: string, bytes: string, status: number])[] = [
    ['two lengths', `${post(`Content-Length: ${length}`, `Content-Length: ${length - 1}`)}${ORDER}`, 400],
    ['xchunked', post('Transfer-Encoding: xchunked') + chunked, 400],
    ['gzip', post('Transfer-Encoding: gzip') + chunked, 400],
    ['identity', post('Transfer-Encoding: identity') + ORDER, 400],
    ['chunked, gzip', post('Transfer-Encoding: chunked, gzip') + chunked, 400],
    ['length and encoding', post(`Content-Length: ${length}`, 'Transfer-Encoding: chunked') + chunked, 400],
    ['length -1', `${post('Content-Length: -1')}${ORDER}`, 400],
    ['length x', `${post('Content-Length: x')}${ORDER}`, 400],
    ['length 1e3', `${post('Content-Length: 1e3')}${ORDER}`, 400],
    ['length 0x10', `${post('Content-Length: 0x10')}${ORDER}`, 400],
    ['a length beyond all numbers', `${post('Content-Length: 99999999999999999999')}${ORDER}`, 400],
    ['a body announced and never sent', post('Content-Length: 1000000000'), 413],
    ['a header that is too long', get(`X-Long: ${'x'.repeat(64_000)}`), 431],
    ['too many headers', get(...many), 431],
    ['a byte behind the key', `${get().replace(trader.secret, `${trader.secret}\xe9`)}`, 401],
    ['a byte before the key', `${get().replace(trader.secret, `\xa0${trader.secret}`)}`, 401],
    ['a byte behind the type', `${post('Content-Length: 2').replace('json', 'json\xe9')}{}`, 415],
    ['two keys', get(`X-API-Key: ${other.secret}`), 401],
    [
      'two Idempotency-Keys',
      `${post('Idempotency-Key: a', 'Idempotency-Key: b', 'Content-Length: 2')}{}`,
      400,
    ],
    ['no Host', 'GET /v1/markets HTTP/1.1\r\n\r\n', 400],
    ['HTTP/1.0', 'GET /v1/markets HTTP/1.0\r\nHost: test\r\n\r\n', 505],
  ];
  for (const [name, bytes, status] of cases) {
    const answered = await send(Buffer.from(bytes, 'latin1'));
    assert.equal(answered.status, status, `${name}: ${answered.text.slice(0, 200)}`);
  }
});

test('methods are case-sensitive, and unknown ones are 405', async () => {
  for (const method of ['post', 'Post', 'BREW', 'TRACE', 'PROPFIND', 'CONNECT']) {
    refused(await send(rawRequest(method, '/v1/orders', headers)), 405, 'method_not_allowed');
  }
});

test('bodies that are not UTF-8 are refused', async () => {
  const head = rawRequest('POST', '/v1/orders', [...headers, 'Content-Length: 3']);
  refused(
    await send(Buffer.concat([Buffer.from(head), Buffer.from([0x22, 0xff, 0x22])])),
    400,
    'invalid_request',
  );
});

test('clients that disconnect at any point harm nobody', async () => {
  const request = rawRequest('POST', '/v1/orders', headers, ORDER);
  for (let cut = 1; cut <= request.length; cut += 9) {
    const client = await open();
    await client.write(request.slice(0, cut));
    await client.close();
  }
  // An order whose client left before the answer may have been placed; the books say how often.
  const sent = await trader.api.orders('?limit=200');
  assert.ok(sent.length > 0);
});

test('random bytes get only refusals', async () => {
  let state = 12_345;
  const random = (bound: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >>> 8) % bound;
  };
  const valid = rawRequest('POST', '/v1/orders', headers, ORDER);
  for (let n = 0; n < 150; n++) {
    const bytes = Buffer.from(valid, 'latin1');
    for (let k = 0; k <= random(4); k++) bytes[random(bytes.length)] = random(256);
    const client = await open();
    // Half-closed: a request that stays incomplete ends here, and does not wait for the idle limit.
    client.socket.end(bytes);
    await client.until((received) => received !== '');
    await client.close();
  }
});
