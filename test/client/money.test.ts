/** Cents are exact, and a payout is the server's to the cent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addDollars,
  payoutDollars,
  shareOfDollars,
  subtractDollars,
  toCents,
  toDollars,
} from '../../client/base/money.js';
import { payoutCents } from '../../engine/base/money.js';
import { forAll } from '../support/for-all.js';

const anyCents = fc.integer({ min: -10_000_000_000, max: 10_000_000_000 });

test('every number of cents survives the way to dollars and back', () => {
  fc.assert(fc.property(anyCents, (cents) => toCents(toDollars(cents)) === cents));
  assert.deepEqual([1.1, 4.35, 2 ** 50 / 100].map(toCents), [110, 435, 2 ** 50]);
  assert.equal(toDollars(2 ** 50), 2 ** 50 / 100);
});

test('fractions of a cent, and what is no number, are refused', () => {
  for (const dollars of [0.001, 1.005, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60, (2 ** 50 + 1) / 100])
    assert.throws(() => toCents(dollars), RangeError, String(dollars));
  for (const cents of [0.5, Number.NaN, 2 ** 60, 2 ** 50 + 1])
    assert.throws(() => toDollars(cents), RangeError, String(cents));
});

test('sums and differences are those of the cents', () => {
  assert.deepEqual([addDollars(0.1, 0.2), subtractDollars(0.3, 0.1)], [0.3, 0.2]);
  forAll(fc.array(anyCents, { maxLength: 20 }), (all) => {
    const sum = all.reduce((total, cents) => total + cents, 0);
    const dollars = all.map(toDollars);
    return toCents(addDollars(...dollars)) === sum && toCents(subtractDollars(0, ...dollars)) === 0 - sum;
  });
});

test('a share of an amount is rounded down to the cent', () => {
  const shareE4 = fc.integer({ min: 0, max: 10_000 });
  forAll(fc.integer({ min: 0, max: 10_000_000_000 }), shareE4, (cents, share) => {
    const expected = Number((BigInt(cents) * BigInt(share)) / 10_000n);
    assert.equal(toCents(shareOfDollars(toDollars(cents), share / 10_000)), expected);
  });
  for (const share of [0.29, 0.57]) assert.equal(shareOfDollars(1, share), share);
  assert.equal(shareOfDollars(999_999_999_999.99, 0.5), 499_999_999_999.99);
});

test('a payout is the one that the engine computes', () => {
  assert.equal(payoutDollars(100, 2), 194);
  const stake = fc.integer({ min: 1, max: 5_000_000 });
  const odds = fc.integer({ min: 10_000, max: 1_000_000_000 });
  forAll(stake, odds, fc.integer({ min: 0, max: 1_000 }), (stakeCents, oddsE4, feeBps) => {
    const expected = payoutCents(stakeCents, oddsE4, feeBps);
    assert.equal(toCents(payoutDollars(toDollars(stakeCents), oddsE4 / 10_000, feeBps / 10_000)), expected);
  });
});
