/** The digits of integers, compared with `String`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AssertionError } from '../../../engine/base/assert.js';
import { integerText } from '../../../engine/base/integer-text.js';

test('every integer prints as `String` prints it', () => {
  const near = [0, 1, 4, 8, 12, 15].flatMap((exponent) =>
    [-1, 0, 1].map((off) => Math.max(0, 10 ** exponent + off)),
  );
  for (const value of [...near, 2 ** 31, 2 ** 48 - 1, Number.MAX_SAFE_INTEGER])
    assert.equal(integerText(value), `${value}`);
  fc.assert(fc.property(fc.maxSafeNat(), (value) => assert.equal(integerText(value), `${value}`)));
  fc.assert(fc.property(fc.nat(99_999_999), (value) => assert.equal(integerText(value), `${value}`)));
});

test('anything else is a programming error', () => {
  for (const value of [-1, 0.5, 12_345.5, Number.NaN, Number.POSITIVE_INFINITY])
    assert.throws(() => integerText(value), AssertionError, `${value}`);
});
