/** The short way to read an order of a stream reads as the long one does, and leaves everything else to it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MARKET_IDS } from '../../../engine/model/domain.js';
import { orderOf } from '../../../http/api/order-request.js';
import { readRequest } from '../../../http/stream/requests.js';
import { readUsualOrder } from '../../../http/stream/usual-order.js';
import { forMany } from '../../support/for-all.js';

const message = fc.record(
  {
    op: fc.constant('order'),
    id: fc.oneof(fc.nat(999_999_999), fc.nat(12), fc.constantFrom(1_000_000_000, 2 ** 32 - 1, 2 ** 32)),
    idempotencyKey: fc.string({ unit: 'binary-ascii', maxLength: 12 }),
    order: fc.record(
      {
        marketId: fc.constantFrom(...MARKET_IDS),
        prediction: fc.constantFrom('UP', 'DOWN'),
        amount: fc.integer({ min: 1, max: 1_000_000 }).map((cents) => cents / 100),
        clientSeed: fc.uuid(),
      },
      { requiredKeys: ['marketId', 'prediction', 'amount'] },
    ),
  },
  { requiredKeys: ['op', 'id', 'order'] },
);
const textOf = (value: object, gap: string): string =>
  gap === ''
    ? JSON.stringify(value)
    : JSON.stringify(value, null, 1)
        .replace(/\n */g, ' ')
        .replace(/([{]) | (?=})/g, '$1');

function readsAlike(text: string): boolean {
  const bytes = new TextEncoder().encode(text);
  const usual = readUsualOrder(bytes);
  if (usual === null) return false;
  const read = readRequest(bytes, false);
  assert.ok('op' in read && read.op === 'order', text);
  assert.deepEqual([usual.id, usual.idempotencyKey], [read.id, read.idempotencyKey]);
  assert.deepEqual(usual.content, orderOf(read.order));
  return true;
}

test('a usual order is read alike, with and without spaces', () => {
  let usual = 0;
  forMany({ numRuns: 400 }, message, fc.constantFrom('', ' '), (value, gap) => {
    if (readsAlike(textOf(value, gap))) usual += 1;
  });
  assert.ok(usual > 20, `${usual} of 400 went the short way`);
});

test('a message that is nearly one is never read otherwise', () => {
  const change = fc.tuple(
    fc.nat(200),
    fc.constantFrom('', '"', '0', '1', '-', ' ', '}', '{', ',', 'e', '\\', '\u00e9', '"x":1,'),
    fc.nat(2),
  );
  forMany({ numRuns: 3_000 }, message, fc.constantFrom('', ' '), change, (value, gap, [at, piece, cut]) => {
    const text = textOf(value, gap);
    readsAlike(text.slice(0, at) + piece + text.slice(at + cut));
  });
});

test('an id with a leading zero, more than the order, or less of it goes the long way', () => {
  const order = '{"marketId":"BTC_FIVE_MINUTES","prediction":"UP","amount":1}';
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  assert.equal(readUsualOrder(bytes(`{"op":"order","id":7,"order":${order}}`))?.id, 7);
  for (const text of [
    `{"op":"order","id":07,"order":${order}}`,
    `{"op":"order","id":,"order":${order}}`,
    `{"op":"order","id":1234567890,"order":${order}}`,
    `{"op":"order","id":7,"order":${order},"x":1}`,
    `{"op":"order","id":7,"order":${order}`,
    `{"op":"order","id":7,"idempotencyKey":"a\\n","order":${order}}`,
    `{"op":"order","id":7,"idempotencyKey":"a","order":${order.slice(0, -2)}}}`,
    `{"op":"order","id":7,"idempotencyKey":"a`,
    '{"op":"order","id":7',
    '',
  ])
    assert.equal(readUsualOrder(bytes(text)), null, text);
});
