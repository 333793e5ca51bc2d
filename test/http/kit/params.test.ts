/** Query parameters, path ids and the Idempotency-Key header: accepted forms, and the refusals of others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdempotencyDigests, parseIdempotencyKey } from '../../../http/kit/idempotency.js';
import { parseLimit, parsePathId, parseQuery } from '../../../http/kit/params.js';
import { Refused } from '../../../http/kit/refused.js';
import { orRefused } from '../../support/http/refused.js';

function detailOf(work: () => unknown): string {
  const result = orRefused(work);
  assert.ok(result instanceof Refused, `${JSON.stringify(result)} should be a refusal`);
  assert.equal(result.code, 'invalid_request');
  assert.equal(result.status, 400);
  return result.detail;
}

test('limit is a whole number from 1 to 200, or to what the endpoint says, in plain digits', () => {
  assert.equal(parseLimit('1000', 100, 1_000), 1_000);
  assert.equal(
    detailOf(() => parseLimit('1001', 100, 1_000)),
    'limit must be a whole number from 1 to 1000',
  );
  assert.equal(parseLimit(undefined, 50), 50);
  for (const limit of [1, 2, 99, 199, 200]) assert.equal(parseLimit(String(limit), 50), limit);
  for (const text of [
    ...['0', '201', '1000', '-1', '+5', '05', '5.0', '1e2', ' 5', '5 ', '', 'NaN', '٣', '0x10'],
  ]) {
    assert.match(
      detailOf(() => parseLimit(text, 50)),
      /^limit must be/,
      text,
    );
  }
});

test('a query has known names, each at most once, in percent-encoding', () => {
  const known = ['status', 'limit'];
  assert.deepEqual(parseQuery('', known), new Map());
  assert.deepEqual(parseQuery('&&', known), new Map());
  assert.deepEqual(
    parseQuery('limit=5&status=%61ll', known),
    new Map([
      ['limit', '5'],
      ['status', 'all'],
    ]),
  );
  assert.deepEqual(parseQuery('limit=5=6', known), new Map([['limit', '5=6']]));
  assert.deepEqual(parseQuery('status=a+b', known), new Map([['status', 'a b']]));
  assert.match(
    detailOf(() => parseQuery('limit=5&limit=5', known)),
    /limit is given twice/,
  );
  assert.match(
    detailOf(() => parseQuery('cursor=x', known)),
    /known here: status, limit/,
  );
  assert.match(
    detailOf(() => parseQuery('amount=1', [])),
    /"amount"; a write takes none/,
  );
  assert.match(
    detailOf(() => parseQuery('limit=%zz', known)),
    /percent-encoding/,
  );
  assert.match(
    detailOf(() => parseQuery('%ff=1', known)),
    /percent-encoding/,
  );
  assert.ok(detailOf(() => parseQuery('x'.repeat(10_000), known)).length < 200);
});

test('a path id is decoded once', () => {
  assert.equal(parsePathId('BTC_ONE_MINUTE'), 'BTC_ONE_MINUTE');
  assert.equal(parsePathId('BTC%5FONE%5fMINUTE'), 'BTC_ONE_MINUTE');
  assert.equal(parsePathId('a%2525'), 'a%25');
  assert.equal(parsePathId('a+b'), 'a+b');
  assert.match(
    detailOf(() => parsePathId('%')),
    /percent-encoding/,
  );
  assert.match(
    detailOf(() => parsePathId('%C3%28')),
    /percent-encoding/,
  );
});

test('an Idempotency-Key is 1 to 255 visible ASCII characters, quoted or bare', () => {
  assert.equal(parseIdempotencyKey('abc'), 'abc');
  assert.equal(parseIdempotencyKey('"abc"'), 'abc');
  assert.equal(parseIdempotencyKey('a"c'), 'a"c');
  assert.equal(parseIdempotencyKey('!'), '!');
  assert.equal(parseIdempotencyKey('x'.repeat(255)), 'x'.repeat(255));
  assert.equal(parseIdempotencyKey(`"${'x'.repeat(255)}"`), 'x'.repeat(255));
  for (const header of ['', '""', 'x'.repeat(256), 'a b', 'ä', '\u007f', 'a\tb', '"a b"']) {
    assert.match(
      detailOf(() => parseIdempotencyKey(header)),
      /^Idempotency-Key must be 1 to 255/,
      header,
    );
    assert.match(
      detailOf(() => parseIdempotencyKey(header, 'path parameter key')),
      /^path parameter key must be/,
    );
  }
  for (const header of ['"', '"abc', 'abc"']) {
    assert.match(
      detailOf(() => parseIdempotencyKey(header)),
      /quote at one end/,
      header,
    );
  }
});

const NO_GUARDS = { roundNumber: -1, validUntilMs: Number.POSITIVE_INFINITY, minOddsE4: 0 };

test('digests differ by account, key, every field and secret, and by nothing else', () => {
  const digests = new IdempotencyDigests(Buffer.alloc(32, 1));
  const order = {
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
  const first = digests.digest(1, 'k', order);
  assert.deepEqual(digests.digest(1, 'k', { ...order }), first);
  for (const part of [first.keyHigh, first.keyLow, first.body]) {
    assert.ok(Number.isSafeInteger(part) && part >= 0 && part < 2 ** 48);
  }
  const bodies = new Set([
    first.body,
    digests.digest(1, 'k', { ...order, market: 5, marketId: 'ETH_ONE_MINUTE' }).body,
    digests.digest(1, 'k', { ...order, side: 1 }).body,
    digests.digest(1, 'k', { ...order, stakeCents: 1_001 }).body,
    digests.digest(1, 'k', { ...order, expectedPercentE6: 0 }).body,
    digests.digest(1, 'k', { ...order, limitOddsE4: 10_100 }).body,
    digests.digest(1, 'k', { ...order, clientSeed: '' }).body,
    digests.digest(1, 'k', { ...order, clientSeed: '|expectedPercent=0' }).body,
    digests.digest(1, 'k', { ...order, clientOrderId: 'a' }).body,
    digests.digest(1, 'k', { ...order, market: -1, marketId: 'BTC_ONE_MINUTE|0|1000' }).body,
    digests.digest(1, 'k', { ...order, guards: { ...NO_GUARDS, roundNumber: 0 } }).body,
    digests.digest(1, 'k', { ...order, guards: { ...NO_GUARDS, validUntilMs: 0 } }).body,
    digests.digest(1, 'k', { ...order, guards: { ...NO_GUARDS, minOddsE4: 10_000 } }).body,
  ]);
  assert.equal(bodies.size, 13);
  const keys = new Set([
    first.keyHigh,
    digests.digest(2, 'k', order).keyHigh,
    digests.digest(1, 'K', order).keyHigh,
    digests.digest(12, 'k', order).keyHigh,
    digests.digest(1, '2:k', order).keyHigh,
    new IdempotencyDigests(Buffer.alloc(32, 2)).digest(1, 'k', order).keyHigh,
  ]);
  assert.equal(keys.size, 6);
  assert.equal(digests.digest(7, 'k', order).body, first.body);
});

test('digests have not changed: journals and snapshots contain them', () => {
  const digests = new IdempotencyDigests(Buffer.alloc(32, 1));
  const order = {
    market: 0,
    marketId: 'BTC_ONE_MINUTE',
    side: 0,
    stakeCents: 1_000,
    clientOrderId: null,
    guards: null,
  };
  assert.deepEqual(
    digests.digest(1, 'k', { ...order, expectedPercentE6: -1, limitOddsE4: 0, clientSeed: null }),
    {
      keyHigh: 214_563_106_938_976,
      keyLow: 67_254_020_214_599,
      body: 71_671_240_978_634,
    },
  );
  const other = { market: -1, marketId: 'X', side: 1, stakeCents: 1_000, clientOrderId: null, guards: null };
  assert.deepEqual(
    digests.digest(12, 'key-2', { ...other, expectedPercentE6: 50, limitOddsE4: 0, clientSeed: 's' }),
    {
      keyHigh: 124_562_924_641_367,
      keyLow: 66_491_146_780_190,
      body: 7_885_564_269_342,
    },
  );
});
