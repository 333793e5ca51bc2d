/** Histograms: the bucket of a value, and quantiles of many. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Histogram, Layout, observe, observeMs, quantile } from '../../../http/metrics/cells.js';
import { COMMANDS, MICROSECONDS, type Scale } from '../../../http/metrics/scale.js';
import { forAll } from '../../support/for-all.js';

const SCALES = { microseconds: MICROSECONDS, commands: COMMANDS };

for (const [name, scale] of Object.entries(SCALES)) {
  test(`a bucket of ${name} holds what is above the bound before it and not above its own`, () => {
    const { bounds } = scale;
    const ascending = [...bounds].sort((a, b) => a - b);
    assert.deepEqual(bounds, ascending);
    const values = fc.oneof(
      fc.integer({ min: 0, max: 2 ** 26 }),
      fc.constantFrom(...bounds, ...bounds.map((bound) => bound + 1)),
      fc.double({ min: 0, max: 2 ** 40, noNaN: true }),
    );
    forAll(values, (value) => {
      const expected = bounds.findIndex((bound) => value <= bound);
      assert.equal(scale.bucketOf(value), expected < 0 ? bounds.length : expected);
    });
  });
}

test('steps of times are a quarter at most', () => {
  const { bounds } = MICROSECONDS;
  for (const [at, bound] of bounds.entries()) assert.ok(bound <= (bounds[at - 1] ?? bound) * 1.25);
  assert.ok((bounds.at(-1) ?? 0) > 10_000_000, 'ten seconds can be told');
});

function histogramOf(scale: Scale, values: readonly number[]): Histogram {
  const layout = new Layout();
  layout.cells(3);
  const at = layout.histogram(scale);
  const sheet = layout.sheet(layout.memory());
  for (const value of values) observe(sheet, at, scale, value);
  return new Histogram(sheet, at, scale);
}

test('a histogram has the count and the sum of what it was told, and quantiles within a step', () => {
  const times = fc.array(fc.integer({ min: 16, max: 1e7 }), { minLength: 1, maxLength: 200, size: 'max' });
  forAll(times, fc.double({ min: 0.01, max: 1, noNaN: true }), (values, share) => {
    const histogram = histogramOf(MICROSECONDS, values);
    assert.equal(histogram.count, values.length);
    const expected = values.reduce((sum, value) => sum + value, 0);
    assert.equal(histogram.sum, expected);
    const exact = [...values].sort((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0;
    const told = quantile(histogram.buckets, MICROSECONDS, share);
    assert.ok(told >= exact && told <= exact * 1.25 + 1, `${told} for ${exact}`);
  });
  assert.equal(quantile(histogramOf(MICROSECONDS, []).buckets, MICROSECONDS, 0.5), Number.NaN);
});

test('a time below zero, which two clocks may make, counts as none', () => {
  const layout = new Layout();
  const at = layout.histogram(MICROSECONDS);
  const sheet = layout.sheet(layout.memory());
  observeMs(sheet, at, -0.004);
  const { sum, buckets } = new Histogram(sheet, at, MICROSECONDS);
  assert.deepEqual([sum, buckets[0]], [0, 1]);
});
