/** The hand-written JSON parts print exactly what JSON.stringify and Date print. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AMOUNT_CENTS_MAX } from '../../../engine/base/money.js';
import { hundredthsText, oddsText } from '../../../http/wire/wire.js';

test('hundredths print as JSON numbers', () => {
  const some = [0, 1, 9, 10, 99, 100, 101, 110, 1_000, AMOUNT_CENTS_MAX - 1, AMOUNT_CENTS_MAX];
  fc.assert(
    fc.property(fc.integer({ min: -AMOUNT_CENTS_MAX, max: AMOUNT_CENTS_MAX }), (cents) => {
      assert.equal(hundredthsText(cents), JSON.stringify(cents / 100));
    }),
    { examples: [...some, ...some.map((cents) => 0 - cents)].map((cents): [number] => [cents]) },
  );
});

test('odds print with at most four decimals and no trailing zero', () => {
  const some = [10_000, 10_001, 10_010, 10_100, 11_000, 19_800, 20_000, 123_456_789];
  fc.assert(
    fc.property(fc.integer({ min: 10_000, max: 1_000_000_000_000 }), (odds) => {
      assert.equal(oddsText(odds), JSON.stringify(odds / 10_000));
    }),
    { examples: some.map((odds): [number] => [odds]) },
  );
});
