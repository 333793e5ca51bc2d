/**
 * The body of POST /orders (specification, OrderRequest): each field with what it may and may not be, the media
 * type, and the size. Whatever is refused places nothing.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { refused } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';

const BODY_BYTES_MAX = 16_384;
const ORDER = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 2 };

let sandbox: Sandbox;
let trader: Trader;

before(async () => {
  sandbox = await Sandbox.start();
  await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
  trader = await sandbox.trader();
});
after(() => sandbox.remove());

const JSON_HEADERS = { 'Content-Type': 'application/json' };

async function places(body: string, headers: Record<string, string> = JSON_HEADERS): Promise<void> {
  const answered = await trader.api.send('POST', '/orders', { body, headers });
  assert.equal(answered.status, 201, `${body.slice(0, 100)}: ${answered.text}`);
}

async function refuses(
  body: string,
  field: RegExp,
  headers: Record<string, string> = JSON_HEADERS,
): Promise<void> {
  const balance = await sandbox.balance(trader.accountId);
  const answered = await trader.api.send('POST', '/orders', { body, headers });
  refused(answered, 400, 'invalid_request');
  assert.match(answered.error, field, `the error names what is wrong with ${body.slice(0, 100)}`);
  assert.equal(await sandbox.balance(trader.accountId), balance, 'nothing is placed');
}

const WRONG_FIELDS: readonly (readonly [field: string, values: readonly unknown[]])[] = [
  ['marketId', [undefined, null, 1, true, [], {}]],
  ['prediction', [undefined, null, 'up', 'LEFT', '', 'UP ', 1, ['UP']]],
  ['amount', [undefined, null, '2', 0, -1, -0.01, 1.001, 0.1 + 0.2, 1e-9, [2], {}, true, 1e16]],
  ['expectedPercent', [null, '50', -1, -0.001, 100.001, 101, true, [50]]],
  ['clientSeed', [null, 1, true, {}, 'x'.repeat(129), 'ä'.repeat(65), '\ud800']],
];

for (const [field, values] of WRONG_FIELDS) {
  test(`${field}: invalid values are refused and named`, async () => {
    for (const value of values)
      await refuses(JSON.stringify({ ...ORDER, [field]: value }), new RegExp(field));
  });
}

test('valid values of each field are accepted', async () => {
  const values: readonly object[] = [
    { amount: 1 },
    { amount: 1.01 },
    { amount: 4.35 },
    { amount: 1.1 },
    { prediction: 'DOWN' },
    { expectedPercent: 50.123456 },
    { clientSeed: '' },
    { clientSeed: 'x'.repeat(128) },
    { clientSeed: 'ä'.repeat(64) },
    { clientSeed: '😀 "\\\n\u0000' },
  ];
  for (const value of values) await places(JSON.stringify({ ...ORDER, ...value }));
});

test('numbers that are valid JSON but cannot be bet are refused', async () => {
  for (const amount of ['1e999', '-1e999', '-0', '0.000', '123456789012345678901234567890', '1e-400']) {
    await refuses(`{"marketId":"BTC_ONE_DAY","prediction":"UP","amount":${amount}}`, /amount/);
  }
  await refuses(
    '{"marketId":"BTC_ONE_DAY","prediction":"UP","amount":2,"expectedPercent":1e999}',
    /expectedPercent/,
  );
});

test('an unknown field is refused, not ignored', async () => {
  for (const field of ['expectedpercent', 'marketID', 'limitOdds', '__proto__', 'constructor', '']) {
    await refuses(`{"marketId":"BTC_ONE_DAY","prediction":"UP","amount":2,${JSON.stringify(field)}:1}`, /./);
  }
});

test('a query parameter is refused and named, because a guard there would be ignored', async () => {
  const balance = await sandbox.balance(trader.accountId);
  for (const [query, named] of [
    ['expectedPercent=99', /"expectedPercent"/],
    ['amount=2', /"amount"/],
    ['x', /"x"/],
    ['=', /""/],
    ['%', /percent-encoding/],
  ] as const) {
    const answered = await trader.api.send('POST', `/orders?${query}`, { body: JSON.stringify(ORDER) });
    refused(answered, 400, 'invalid_request');
    assert.match(answered.error, named);
  }
  assert.equal(await sandbox.balance(trader.accountId), balance, 'nothing is placed');
  assert.equal((await trader.api.send('POST', '/orders?', { body: JSON.stringify(ORDER) })).status, 201);
});

test('a body that is not a JSON object is refused', async () => {
  const bodies = [
    '',
    ' ',
    '{',
    '{}}',
    '[]',
    '[{}]',
    'null',
    '"text"',
    '1',
    'true',
    "{'a':1}",
    '{"a":1,}',
    '\ufeff{}',
  ];
  for (const body of bodies) await refuses(body, /./);
  await refuses('{}', /marketId/);
  await refuses(`${'['.repeat(5_000)}${']'.repeat(5_000)}`, /./);
  await refuses(`${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`, /./);
});

test('only JSON is accepted, anything else is 415', async () => {
  const body = JSON.stringify(ORDER);
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=UTF-8',
  ]) {
    await places(body, { 'Content-Type': type });
  }
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'json', '']) {
    const answered = await trader.api.send('POST', '/orders', { body, headers: { 'Content-Type': type } });
    refused(answered, 415, 'unsupported_media_type');
  }
  const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
  const answered = await trader.api.send('POST', '/orders', { body, headers });
  refused(answered, 415, 'unsupported_media_type');
  assert.match(answered.error, /Content-Encoding other than identity/);
  await places(body, { 'Content-Encoding': 'identity' });
});

test('a body of 16 KiB is accepted, one byte more is 413', async () => {
  const body = JSON.stringify(ORDER);
  await places(body.padEnd(BODY_BYTES_MAX));
  const tooLong = await trader.api.send('POST', '/orders', { body: body.padEnd(BODY_BYTES_MAX + 1) });
  refused(tooLong, 413, 'body_too_large');
  const farTooLong = await trader.api.send('POST', '/orders', { body: body.padEnd(1_000_000) });
  refused(farTooLong, 413, 'body_too_large');
  await places(body);
});

test('an unknown market is 404, whatever its name', async () => {
  for (const marketId of [
    '',
    'BTC',
    'BTC_TWO_MINUTES',
    'btc_one_day',
    'BTC_ONE_DAY_1',
    'toString',
    'ä'.repeat(500),
  ]) {
    refused(await trader.api.order({ ...ORDER, marketId }), 404, 'market_not_found');
  }
});

test('refused orders leave no trace', async () => {
  const orders = await trader.api.orders('?limit=200');
  const market = await trader.api.market('BTC_ONE_DAY');
  assert.equal(market.currentRound?.totalBets, orders.length);
  await sandbox.checkConservation();
});
