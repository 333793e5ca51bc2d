/** A column of wide integers, compared with an array. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { WideColumn } from '../../engine/state/wide-column.js';
import { forAll } from '../support/for-all.js';

const ROWS = 8;
const WORD = 2 ** 32;
const nearWords = fc.tuple(fc.nat(3), fc.integer({ min: -1, max: 1 })).map(([n, off]) => n * WORD + off);
const value = fc.oneof(
  fc.maxSafeNat(),
  nearWords.filter((near) => near >= 0),
);

test('a column has the last value of every row, whatever rows share', () => {
  const writes = fc.array(fc.tuple(fc.nat(ROWS - 1), value), { maxLength: 40, size: 'max' });
  forAll(writes, (written) => {
    const column = new WideColumn(ROWS);
    const expected = new Map<number, number>();
    for (const [row, number] of written) {
      column.set(row, number);
      expected.set(row, number);
      for (const [at, last] of expected) assert.equal(column.at(at), last);
    }
  });
});
