/** Query parameters, path ids and the Idempotency-Key header: accepted forms, and the refusals of others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdempotencyDigests, parseIdempotencyKey } from '../../../http/kit/idempotency.js';
import { parseLimit, parsePathId, parseQuery, refuseQuery } from '../../../http/kit/params.js';
import { Refused } from '../../../http/kit/refused.js';
import { orRefused } from '../../support/http/refused.js';

function refuses(work: () => unknown, expected: RegExp): void {
  const result = orRefused(work);
  assert.ok(result instanceof Refused, `${JSON.stringify(result)} should be a refusal`);
  assert.deepEqual([result.code, result.status], ['invalid_request', 400]);
  assert.match(result.detail, expected);
}

test('limit is a whole number from 1 to 200, or to what the endpoint says, in plain digits', () => {
  assert.equal(parseLimit('1000', 100, 1_000), 1_000);
  refuses(() => parseLimit('1001', 100, 1_000), /^limit must be a whole number from 1 to 1000$/);
  assert.equal(parseLimit(undefined, 50), 50);
  for (const limit of [1, 2, 99, 199, 200]) assert.equal(parseLimit(String(limit), 50), limit);
  const others = ['0', '201', '1000', '-1', '+5', '05', '5.0', '1e2', ' 5', '5 ', '', 'NaN', '٣', '0x10'];
  for (const text of others) refuses(() => parseLimit(text, 50), /^limit must be/);
});

test('a query has known names, each at most once, in percent-encoding', () => {
  const known = ['status', 'limit'];
  for (const [query, expected] of [
    ['', {}],
    ['&&', {}],
    ['limit=5&status=%61ll', { limit: '5', status: 'all' }],
    ['limit=5=6', { limit: '5=6' }],
    ['status=a+b', { status: 'a b' }],
  ] as const)
    assert.deepEqual(parseQuery(query, known), new Map(Object.entries(expected)));
  for (const [query, expected] of [
    ['limit=5&limit=5', /limit is given twice/],
    ['cursor=x', /known here: status, limit/],
    ['limit=%zz', /percent-encoding/],
    ['%ff=1', /percent-encoding/],
    ['x'.repeat(10_000), /^.{1,199}$/],
  ] as const)
    refuses(() => parseQuery(query, known), expected);
  refuses(() => parseQuery('amount=1', []), /"amount"; none is known here$/);
  refuses(() => refuseQuery('amount=1'), /"amount"; none is known here: a write's fields stand in the body$/);
});

test('a path id is decoded once', () => {
  assert.equal(parsePathId('BTC_ONE_MINUTE'), 'BTC_ONE_MINUTE');
  assert.equal(parsePathId('BTC%5FONE%5fMINUTE'), 'BTC_ONE_MINUTE');
  assert.deepEqual([parsePathId('a%2525'), parsePathId('a+b')], ['a%25', 'a+b']);
  for (const id of ['%', '%C3%28']) refuses(() => parsePathId(id), /percent-encoding/);
});

test('an Idempotency-Key is 1 to 255 visible ASCII characters, quoted or bare', () => {
  for (const key of ['abc', 'a"c', '!', 'x'.repeat(255)]) assert.equal(parseIdempotencyKey(key), key);
  for (const key of ['abc', 'x'.repeat(255)]) assert.equal(parseIdempotencyKey(`"${key}"`), key);
  for (const header of ['', '""', 'x'.repeat(256), 'a b', 'ä', '\u007f', 'a\tb', '"a b"']) {
    refuses(() => parseIdempotencyKey(header), /^Idempotency-Key must be 1 to 255/);
    refuses(() => parseIdempotencyKey(header, 'path parameter key'), /^path parameter key must be/);
  }
  for (const header of ['"', '"abc', 'abc"']) refuses(() => parseIdempotencyKey(header), /quote at one end/);
});

const NO_GUARDS = { roundNumber: -1, validUntilMs: Number.POSITIVE_INFINITY, minOddsE4: 0 };

const ORDER = {
  market: 0,
  marketId: 'BTC_ONE_MINUTE',
  side: 0,
  stakeCents: 1_000,
  expectedPercentE6: -1,
  limitOddsE4: 0,
  clientSeed: null,
  clientOrderId: null,
  guards: null,
};
const DIGESTS = new IdempotencyDigests(Buffer.alloc(32, 1));

test('digests differ by account, key, every field and secret, and by nothing else', () => {
  const first = DIGESTS.digest(1, 'k', ORDER);
  assert.deepEqual(DIGESTS.digest(1, 'k', { ...ORDER }), first);
  for (const part of [first.keyHigh, first.keyLow, first.body])
    assert.ok(Number.isSafeInteger(part) && part >= 0 && part < 2 ** 48);
  const changes = [
    { market: 5, marketId: 'ETH_ONE_MINUTE' },
    { side: 1 },
    { stakeCents: 1_001 },
    { expectedPercentE6: 0 },
    { limitOddsE4: 10_100 },
    { clientSeed: '' },
    { clientSeed: '|expectedPercent=0' },
    { clientOrderId: 'a' },
    { market: -1, marketId: 'BTC_ONE_MINUTE|0|1000' },
    { guards: { ...NO_GUARDS, roundNumber: 0 } },
    { guards: { ...NO_GUARDS, validUntilMs: 0 } },
    { guards: { ...NO_GUARDS, minOddsE4: 10_000 } },
  ];
  const bodies = changes.map((change) => DIGESTS.digest(1, 'k', { ...ORDER, ...change }).body);
  assert.equal(new Set([first.body, ...bodies]).size, 13);
  const keys = new Set([
    first.keyHigh,
    DIGESTS.digest(2, 'k', ORDER).keyHigh,
    DIGESTS.digest(1, 'K', ORDER).keyHigh,
    DIGESTS.digest(12, 'k', ORDER).keyHigh,
    DIGESTS.digest(1, '2:k', ORDER).keyHigh,
    new IdempotencyDigests(Buffer.alloc(32, 2)).digest(1, 'k', ORDER).keyHigh,
  ]);
  assert.deepEqual([keys.size, DIGESTS.digest(7, 'k', ORDER).body], [6, first.body]);
});

test('digests have not changed: journals and snapshots contain them', () => {
  assert.deepEqual(DIGESTS.digest(1, 'k', ORDER), {
    keyHigh: 214_563_106_938_976,
    keyLow: 67_254_020_214_599,
    body: 71_671_240_978_634,
  });
  const other = { ...ORDER, market: -1, marketId: 'X', side: 1, expectedPercentE6: 50, clientSeed: 's' };
  assert.deepEqual(DIGESTS.digest(12, 'key-2', other), {
    keyHigh: 124_562_924_641_367,
    keyLow: 66_491_146_780_190,
    body: 7_885_564_269_342,
  });
});
