/** The lateness of live prices, and the markets that bear it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marketOf, TIME_FRAMES } from '../../../engine/model/domain.js';
import { bears, Lateness } from '../../../feeds/live/lateness.js';

const MARKETS = TIME_FRAMES.map((frame) => marketOf(`BTC_${frame}`));

test('it is that of nine of the last thirty prices of ten, and known from the first', () => {
  const lateness = new Lateness();
  assert.equal(lateness.ms, null);
  for (const ms of [90_000, 100, 100, 100, 100, 100, 100, 100, 100]) {
    lateness.add(ms);
    assert.equal(lateness.ms, 90_000, 'of few prices each counts');
  }
  lateness.add(100);
  assert.equal(lateness.ms, 100, 'one of the past among ten does not count');
  for (let n = 0; n < 27; n++) lateness.add(2_000);
  assert.equal(lateness.ms, 2_000);
  for (let n = 0; n < 30; n++) lateness.add(-20);
  assert.equal(lateness.ms, 0, 'a clock that is behind is no lateness');
});

test('short time frames bear less, each at its bound, and any where it is not judged', () => {
  for (const [at, borneMs] of [75, 150, 300, 1_500, 6_000].entries()) {
    const market = MARKETS[at] ?? -1;
    assert.deepEqual([bears(market, borneMs), bears(market, borneMs + 1)], [true, false]);
    assert.equal(bears(market, null), true);
  }
});
