/** The estimate of an asset's volatility from its ticks, and the fair share that follows from it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { usualMs } from '../../../../engine/host/ticks/calendar.js';
import { fairShareE6, normalBelow } from '../../../../engine/host/ticks/fair-share.js';
import { INCREMENT_CHANGES, Volatility } from '../../../../engine/host/ticks/volatility.js';
import { forAll } from '../../../support/for-all.js';
import { Rng } from '../../../support/reference/random/rng.js';

const START_MS = Date.UTC(2026, 5, 10, 12);
const YEAR_MS = 365.25 * 86_400_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

const normal = (rng: Rng): number =>
  Math.sqrt(-2 * Math.log(1 - rng.next())) * Math.cos(2 * Math.PI * rng.next());

/** With the volatility `yearlyAt`, seen by an estimate, in ticks of `everyMs`. */
class Walk {
  logPrice = Math.log(100);
  nowMs = START_MS;

  constructor(
    private readonly rng: Rng,
    configured: number,
    private readonly everyMs = 250,
    private readonly round = (price: number): number => price,
    readonly seen = new Volatility(configured),
  ) {}

  run(forMs: number, yearly: number): void {
    const deviation = yearly * Math.sqrt(this.everyMs / YEAR_MS);
    for (const untilMs = this.nowMs + forMs; this.nowMs < untilMs; this.nowMs += this.everyMs) {
      this.logPrice += deviation * normal(this.rng);
      this.seen.take(this.round(Math.exp(this.logPrice)), this.nowMs);
    }
  }

  /** For the next `leftMs`, as the standard deviation of a year. */
  yearly(leftMs = MINUTE_MS): number {
    return Math.sqrt((this.seen.varianceOver(leftMs) / leftMs) * YEAR_MS);
  }
}

const near = (actual: number, expected: number, share: number): void =>
  assert.ok(Math.abs(actual / expected - 1) < share, `${actual} is within ${share} of ${expected}`);

test('it begins with what is configured', () => {
  near(new Walk(new Rng(1), 0.5).yearly(), 0.5, 1e-9);
  near(new Walk(new Rng(1), 0.5).yearly(24 * HOUR_MS), 0.5, 1e-9);
});

test('it finds the volatility of the ticks, whatever was configured and however often they come', () => {
  for (const everyMs of [250, 1_000, 10_000]) {
    const walk = new Walk(new Rng(2), 0.5, everyMs);
    walk.run(30 * MINUTE_MS, 0.8);
    near(walk.yearly(), 0.8, everyMs < 10_000 ? 0.12 : 0.35);
  }
});

test('for minutes it follows at once, for a day it keeps to the mean of hours', () => {
  const walk = new Walk(new Rng(3), 0.5);
  walk.run(2 * HOUR_MS, 0.5);
  walk.run(5 * MINUTE_MS, 1);
  near(walk.yearly(MINUTE_MS), 1, 0.12);
  near(walk.yearly(24 * HOUR_MS), 0.6, 0.15);
});

test('rounding of prices does not count as volatility', () => {
  const yearly = 0.1;
  const unit = 0.002;
  assert.ok(unit > 100 * yearly * Math.sqrt(250 / YEAR_MS), 'a tick moves less than a unit');
  const walk = new Walk(new Rng(4), yearly, 250, (price) => Math.round(price / unit) * unit);
  walk.run(8 * HOUR_MS, yearly);
  near(walk.yearly(), yearly, 0.15);
});

test('a source that changes each 12 s and is asked 4 times a second is known as well as one that always changes', () => {
  let [shown, next] = [100, 0];
  const walk = new Walk(new Rng(7), 0.5, 250, (price) => {
    if (next++ % 48 === 0) shown = price;
    return shown;
  });
  walk.run(8 * HOUR_MS, 0.8);
  near(walk.yearly(), 0.8, 0.2);
  walk.run(12_000 - 250, 0.8);
  // It changes next a quarter of a second from now: until 25 s after that it changes three times, and so it does
  // until 35 s.
  const until = (ms: number): number => walk.seen.varianceUntil(walk.nowMs + ms, walk.nowMs - 250);
  near(until(25_000), walk.seen.varianceOver(36_000), 0.001);
  near(until(35_000), walk.seen.varianceOver(36_000), 0.001);
});

test('time that is known to be more restless counts for more, to learn from it and to look ahead', () => {
  const noon = START_MS;
  const known = {
    news: { cpi: { at: '', atMs: noon + 90_000, minutes: 1, assets: ['BTC' as const], factor: 8 } },
    // 10 June 2026 is a Wednesday.
    profiles: { BTC: { hours: Array(24).fill(1).fill(3, 13, 14), weekdays: [1, 1, 2, 1, 1, 1, 1] }, ETH: {} },
  };
  assert.equal(usualMs(known, 0, noon, noon + MINUTE_MS), 4 * MINUTE_MS);
  assert.equal(usualMs(known, 0, noon + MINUTE_MS, noon + 3 * MINUTE_MS), 4 * (60_000 + 64 * 60_000));
  assert.equal(usualMs(known, 0, noon + HOUR_MS - 1, noon + HOUR_MS + 1), 4 + 36);
  assert.equal(usualMs(known, 0, noon + 12 * HOUR_MS - 1, noon + 12 * HOUR_MS + 1), 4 + 1);
  for (const other of [1, 5])
    assert.equal(usualMs(known, other, noon, noon + HOUR_MS), HOUR_MS, 'of another asset nothing is known');
  const seen = new Volatility(0.5, null, (from, until) => usualMs(known, 0, from, until));
  near(seen.varianceBetween(noon, noon + MINUTE_MS), 4 * seen.varianceOver(MINUTE_MS), 1e-9);
  const walk = new Walk(new Rng(9), 0.5, 250, undefined, seen);
  walk.run(90_000, 1);
  walk.run(MINUTE_MS, 8);
  near(walk.yearly(), 0.5, 0.2);
});

test('a smoothed price is known for what it is on its way to', () => {
  let smooth = 100;
  const walk = new Walk(new Rng(8), 0.5, 250, (price) => {
    smooth += (price - smooth) * -Math.expm1(-0.25);
    return smooth;
  });
  walk.run(8 * HOUR_MS, 0.5);
  near(walk.yearly(), 0.5, 0.15);
  near(walk.seen.repeated, Math.exp(-0.25), 0.05);
  let [behind, ahead] = [0, 0];
  for (let i = 0; i < 1_000; i++) {
    walk.run(250, 0.5);
    behind += (Math.log(smooth) - walk.logPrice) ** 2;
    ahead += (Math.log(walk.seen.ahead(smooth)) - walk.logPrice) ** 2;
  }
  assert.ok(ahead < behind / 50, `${ahead} and ${behind}`);
});

test('the step of a price is the least of its last changes', () => {
  const seen = new Volatility(0.5);
  const take = (count: number, step: number): void => {
    for (let i = 0; i < count; i++, nowMs += 1_000) seen.take(100 + (i % 2) * step, nowMs);
  };
  let nowMs = START_MS;
  take(INCREMENT_CHANGES, 0.05);
  assert.equal(seen.increment, 0, 'not known yet');
  take(INCREMENT_CHANGES + 1, 0.05);
  near(seen.increment, 0.05, 1e-9);
  take(2 * INCREMENT_CHANGES + 1, 0.2);
  near(seen.increment, 0.2, 1e-9);
});

test('a jump counts for little more than the largest usual change, however few changes there are', () => {
  for (const [everyMs, usualMs, jump] of [
    [250, 30 * MINUTE_MS, 0.02],
    [12_000, 8 * HOUR_MS, 0.05],
  ] as const) {
    const walk = new Walk(new Rng(5), 0.5, everyMs);
    walk.run(usualMs, 0.5);
    const before = walk.yearly();
    walk.logPrice += jump;
    walk.run(Math.max(1_000, everyMs), 0.5);
    assert.ok(walk.yearly() < before * 1.1, `${before}, then ${walk.yearly()}`);
  }
});

test('7 times what is configured is found', () => {
  const restless = new Walk(new Rng(6), 0.5);
  restless.run(HOUR_MS, 3.5);
  near(restless.yearly(), 3.5, 0.15);
});

test('in a silence volatility comes back to its slow mean; its change, ticks of one time or of an earlier one say nothing', () => {
  const walk = new Walk(new Rng(6), 0.5);
  walk.run(10 * MINUTE_MS, 0.2);
  const before = walk.seen.estimate;
  walk.seen.take(1, walk.nowMs - 5_000);
  walk.seen.take(1, walk.nowMs - 250 + 199);
  assert.deepEqual(walk.seen.estimate, before);
  walk.logPrice += 0.1;
  walk.seen.take(Math.exp(walk.logPrice), walk.nowMs - 250 + 4 * HOUR_MS);
  near(walk.seen.estimate.fast, before.slow + (before.fast - before.slow) / Math.E, 1e-9);
});

test('property: whatever the prices are, the estimate stays within 8 times what is configured, either way', () => {
  const tick = fc.record({ price: fc.double({ min: 1e-9, max: 1e12, noNaN: true }), waitMs: fc.nat(90_000) });
  forAll(fc.array(tick, { maxLength: 200, size: 'max' }), fc.nat(86_400_000), (ticks, leftMs) => {
    const seen = new Volatility(0.5);
    let nowMs = START_MS;
    for (const { price, waitMs } of ticks) {
      nowMs += waitMs;
      seen.take(price, nowMs);
    }
    const perYear = (seen.varianceOver(leftMs + 1) / (leftMs + 1)) * YEAR_MS;
    assert.ok(perYear >= 0.0625 ** 2 * (1 - 1e-9) && perYear <= 4 ** 2 * (1 + 1e-9), String(perYear));
  });
});

test('the normal distribution is that of the tables', () => {
  for (const [x, expected] of [
    [0, 0.5],
    [0.5, 0.6914624612740131],
    [1, 0.8413447460685429],
    [1.959963984540054, 0.975],
    [3, 0.9986501019683699],
    [6, 1 - 9.865876450376981e-10],
  ] as const) {
    assert.ok(Math.abs(normalBelow(x) - expected) < 1e-7, `${x}`);
    assert.ok(Math.abs(normalBelow(-x) - (1 - expected)) < 1e-7, `${-x}`);
  }
});

test('a draw is refunded: the fair share is the probability where there is none', () => {
  const variance = 0.001 ** 2;
  // Half a step is half a deviation: 69.15 % end above what is one deviation up, 6.68 % below, and the rest are
  // draws.
  const share = fairShareE6(100, 100 * Math.exp(0.001), variance, 0.1);
  assert.equal(share, Math.round(691_462 / (0.691462 + 0.066807)));
  assert.equal(fairShareE6(100, 100, variance, 0.1), 500_000);
  assert.equal(fairShareE6(100, 100.1, 1e-9 ** 2, 0.1), 1_000_000);
  assert.equal(fairShareE6(100, 100.01, 1e-9 ** 2, 0.1), 500_000, 'a draw is all but certain');
});

test('the fair share: even at the open price, a standard deviation above it 84.13 %, and both sides together are 1', () => {
  const variance = 0.01 ** 2;
  assert.equal(fairShareE6(100, 100, variance), 500_000);
  assert.equal(fairShareE6(100, 100 * Math.exp(0.01), variance), 841_345);
  assert.equal(fairShareE6(100, 100 * Math.exp(1), variance), 1_000_000);
  assert.equal(fairShareE6(100, 100 * Math.exp(-1), variance), 0);
  const price = fc.double({ min: 50, max: 200, noNaN: true });
  forAll(price, price, fc.double({ min: 1e-9, max: 1, noNaN: true }), (open, now, left) => {
    const up = fairShareE6(open, now, left);
    assert.ok(up >= 0 && up <= 1_000_000);
    assert.ok(Math.abs(up + fairShareE6(now, open, left) - 1_000_000) <= 1);
  });
});
