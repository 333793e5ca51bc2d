/** The engine's fast arithmetic against the formulas of docs/bots/concepts.md in BigInt, over the whole range of amounts. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  AMOUNT_CENTS_MAX,
  centsOfDollars,
  centsOfText,
  dollarsOfCents,
  oddsE4,
  payoutCents,
  percentUpE2,
} from '../../../engine/base/money.js';
import { forMany } from '../../support/for-all.js';
import {
  referenceOddsE4,
  referencePayoutCents,
  referencePercentUpE2,
} from '../../support/reference/arithmetic.js';

const options = { numRuns: 20_000, seed: 20_261_121 };

/** Every size: uniform amounts would nearly all be huge. */
const amount = (maxCents: number) =>
  fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean()).map(([share, isEven]) => {
    const cents = Math.floor(Math.exp(share * Math.log(maxCents)));
    return isEven ? Math.max(1, Math.floor(cents / 100) * 100) : cents;
  });

test('odds are capped at 900 billion to one, within the exact range', () => {
  equal(oddsE4(900_000_000_000 - 1, 1), (900_000_000_000 - 1) * 10_000);
  equal(oddsE4(900_000_000_000, 1), 9_000_000_000_000_000);
  equal(oddsE4(AMOUNT_CENTS_MAX, 1), 9_000_000_000_000_000);
});

test('odds and percent are exact for all pools', () => {
  forMany(options, amount(AMOUNT_CENTS_MAX / 2), amount(AMOUNT_CENTS_MAX / 2), (up, down) => {
    // Odds of more than 9e11 do not fit a number; no pool of a cent stands against ten billion dollars.
    fc.pre((up + down) / down < 1e11);
    equal(oddsE4(up + down, down), referenceOddsE4(up + down, down));
    equal(percentUpE2(up, up + down), referencePercentUpE2(up, down));
  });
});

test('payouts are exact for all stakes, odds and fees', () => {
  const [stake, odds, fee] = [amount(10_000_000_00), amount(10_000_000_000), fc.nat(9_999)];
  forMany(options, stake, odds, fee, (stakeCents, publishedOddsE4, feeBps) => {
    const expected = referencePayoutCents(stakeCents, publishedOddsE4, feeBps);
    equal(payoutCents(stakeCents, publishedOddsE4, feeBps), expected);
  });
});

test('percents round half up', () => {
  // 1 of 20,000 is half a hundredth of a percent.
  deepEqual([percentUpE2(1, 20_000), percentUpE2(1, 20_001), percentUpE2(1, 80_000)], [1, 0, 0]);
  equal(percentUpE2(10_001, 20_000), 50_01);
  equal(percentUpE2(199_980_000_004_999, 400_000_000_009_999), 49_99, 'just below a half');
});

test('dollars convert to cents and back, and more than two decimals are refused', () => {
  forMany(options, amount(AMOUNT_CENTS_MAX), (cents) => {
    equal(centsOfDollars(dollarsOfCents(cents)), cents);
    equal(centsOfDollars(-dollarsOfCents(cents)), -cents);
  });
  for (const dollars of [0.001, 1.005, 10.999, Number.NaN, Number.POSITIVE_INFINITY, 1e14, 5e-324])
    equal(centsOfDollars(dollars), null, String(dollars));
  deepEqual([0.07, 1.1, 4.35, 1e13].map(centsOfDollars), [7, 110, 435, 1e15]);
  ok(Object.is(centsOfDollars(-0), 0));
});

test('an amount as people write it has commas between thousands, and nowhere else', () => {
  deepEqual(['0.5', '1,000.50', '12,345,678'].map(centsOfText), [50, 100_050, 1_234_567_800]);
  for (const text of ' 10,50 1,5 1,,000 ,100 1e3 -5 +5 .5 5. 0x10 0.001'.split(' '))
    equal(centsOfText(text), null, text);
});
