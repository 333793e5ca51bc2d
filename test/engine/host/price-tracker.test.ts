/** The boundary-price rule against a naive reference, and refused ticks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Engine } from '../../../engine/engine.js';
import { PriceTracker, TICK_EVIDENCE_LENGTH_MAX } from '../../../engine/host/price-tracker.js';
import { BoundaryWindow, CLOSED_MAX, GRACE_MS } from '../../../engine/host/ticks/boundary-window.js';
import { marketOf } from '../../../engine/model/domain.js';
import type { PriceTick } from '../../../engine/model/ports.js';
import { defaultRules, RULES_VERSION } from '../../../engine/model/rules.js';
import { forMany } from '../../support/for-all.js';
import { tickAt } from '../../support/host/host.js';
import { boundaryTick } from '../../support/reference/boundary-price.js';
import { BTC_1M, BTC_5M, Exchange } from '../../support/reference/exchange.js';

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 5, 10, 12);

interface Arrival {
  readonly nowMs: number;
  readonly tick: PriceTick;
}

function referencePrice(
  arrivals: readonly Arrival[],
  boundaryMs: number,
  startMs: number,
  nowMs: number,
): PriceTick | null | undefined {
  const ticks = arrivals.map(({ nowMs: arrivedMs, tick }) => ({ arrivedMs, timeMs: tick.timeMs, tick }));
  const found = boundaryTick(ticks, boundaryMs, startMs, nowMs);
  return found ? found.tick : found;
}

/** Around a few boundaries: times cluster there, ticks come late, early, twice and not at all. */
const arrivals = fc
  .array(
    fc.record({
      waitMs: fc.oneof(fc.constantFrom(0, 1, GRACE_MS - 1, GRACE_MS, 250), fc.nat(70_000)),
      lagMs: fc.oneof(fc.constantFrom(-1_000, -1, 0, 1, GRACE_MS), fc.integer({ min: -1_000, max: 150_000 })),
      onBoundary: fc.boolean(),
    }),
    { maxLength: 30, size: 'max' },
  )
  .map((steps) => {
    let nowMs = START_MS + 30_000;
    return steps.map(({ waitMs, lagMs, onBoundary }, i): Arrival => {
      nowMs += waitMs;
      const timeMs = nowMs - lagMs;
      const price = 100 + i;
      return { nowMs, tick: tickAt(onBoundary ? Math.floor(timeMs / MINUTE_MS) * MINUTE_MS : timeMs, price) };
    });
  });

test('property: boundary prices always equal those of the naive reference', () => {
  forMany({ numRuns: 1_000 }, arrivals, fc.boolean(), (events, forgets) => {
    const startMs = START_MS + 30_000;
    const window = new BoundaryWindow(startMs);
    const past = [START_MS, START_MS - 5 * MINUTE_MS];
    for (const boundaryMs of past) window.expectPast(boundaryMs, startMs);
    const future = Array.from({ length: 40 }, (_, i) => START_MS + (i + 1) * MINUTE_MS);
    events.forEach(({ tick, nowMs }, i) => {
      window.take(tick, nowMs);
      const waiting = [...past, ...future.filter((boundaryMs) => boundaryMs <= nowMs)];
      if (forgets) window.forgetBut(waiting, nowMs);
      for (const boundaryMs of [...past, ...future.filter((ms) => ms <= nowMs + MINUTE_MS)]) {
        const expected = referencePrice(events.slice(0, i + 1), boundaryMs, startMs, nowMs);
        const where = `boundary ${boundaryMs - START_MS} at ${nowMs - START_MS}`;
        assert.equal(window.finalPrice(boundaryMs, nowMs), expected, where);
      }
    });
  });
});

test('a longer grace applies to boundaries before the start only', () => {
  const window = new BoundaryWindow(START_MS + 1, 600_000);
  window.expectPast(START_MS, START_MS + 1);
  const T = START_MS + MINUTE_MS;
  window.take(tickAt(T - 5, 2), T + GRACE_MS - 1);
  assert.equal(window.finalPrice(T, T + GRACE_MS)?.price, 2);
  assert.equal(window.finalPrice(START_MS, T + GRACE_MS), undefined);
  window.take(tickAt(START_MS - 5, 1), START_MS + 600_000);
  assert.equal(window.finalPrice(START_MS, START_MS + 600_000), undefined);
  assert.equal(window.finalPrice(START_MS, START_MS + 600_001)?.price, 1);
});

test('an unread window stays bounded, and answers null for what it has dropped', () => {
  const window = new BoundaryWindow(START_MS);
  for (let i = 1; i <= 10_000; i++)
    window.take(tickAt(START_MS + i * MINUTE_MS + 1, i), START_MS + i * MINUTE_MS + 1);
  const nowMs = START_MS + 10_000 * MINUTE_MS + 1;
  assert.equal(window.finalPrice(START_MS + 5 * MINUTE_MS, nowMs), null);
  const kept = Array.from({ length: 10_000 }, (_, i) =>
    window.finalPrice(START_MS + (i + 1) * MINUTE_MS, nowMs),
  );
  assert.equal(kept.filter((tick) => tick !== null).length, CLOSED_MAX);
  window.forgetBut([], nowMs);
  assert.equal(window.finalPrice(nowMs - 1, nowMs), null);
});

function tracker(): PriceTracker {
  const started = new PriceTracker(new Engine());
  started.start(START_MS);
  return started;
}

test('ticks from the future, not positive, not finite or without a time are refused', () => {
  // With a price before it, one of 0 would be refused as a jump.
  const verdict = (timeMs: number, price: number) => tracker().offer(tickAt(timeMs, price), START_MS).taken;
  assert.equal(verdict(START_MS + 1_000, 100), true, 'exactly 1 s ahead');
  assert.equal(verdict(START_MS + 1_001, 100), false);
  for (const price of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
    assert.equal(verdict(START_MS, price), false, String(price));
  for (const timeMs of [Number.NaN, -1, 1.5, Number.NEGATIVE_INFINITY])
    assert.equal(verdict(timeMs, 100), false, String(timeMs));
  assert.equal(tracker().offer({ ...tickAt(START_MS, 1), asset: 14 }, START_MS).taken, false);
  const origin = 'x'.repeat(TICK_EVIDENCE_LENGTH_MAX);
  assert.equal(tracker().offer({ ...tickAt(START_MS, 100), origin }, START_MS).taken, false);
});

/** BTC's default rules: prices count for 10 s. */
function trackerWithRules(startMs = START_MS): PriceTracker {
  const engine = new Engine();
  const rules = defaultRules('f'.repeat(64));
  engine.apply({ kind: 'configure', timeMs: START_MS, rulesVersion: RULES_VERSION, rules });
  const prices = new PriceTracker(engine);
  prices.start(startMs);
  return prices;
}

test('a tick too old for any round is refused; one that is merely late is not', () => {
  const nowMs = START_MS + 30_000;
  const taken = (timeMs: number): boolean => trackerWithRules().offer(tickAt(timeMs, 100), nowMs).taken;
  assert.equal(taken(nowMs - GRACE_MS - 10_000), true, 'its boundary may still be open');
  assert.deepEqual([taken(nowMs - GRACE_MS - 10_001), taken(0)], [false, false]);
  const prices = trackerWithRules();
  const verdict = prices.offer(tickAt(nowMs - 60_000, 100), nowMs);
  assert.match(verdict.taken ? '' : verdict.detail, /too old to matter.*10 s/);
  assert.equal(prices.latest(0), null, 'and it is no current price');
  prices.offer(tickAt(nowMs, 100), nowMs);
  assert.equal(prices.offer(tickAt(nowMs - 5_000, 100), nowMs).taken, true, 'overtaken by a later one');
});

test('after a stall ticks may be as old as the boundaries that were missed', () => {
  const prices = trackerWithRules();
  const nowMs = START_MS + 5 * MINUTE_MS + 30_000;
  prices.resume(nowMs);
  assert.equal(prices.offer(tickAt(START_MS + MINUTE_MS - 10_000, 100), nowMs).taken, true);
  assert.equal(prices.offer(tickAt(START_MS + MINUTE_MS - 10_001, 100), nowMs).taken, false);
  const over = nowMs + GRACE_MS;
  assert.equal(prices.offer(tickAt(START_MS + 2 * MINUTE_MS, 100), over).taken, false);
});

test('a tick from before the start matters to a boundary that a round is waiting for, until the grace is over', () => {
  const [startMs, pastMs] = [START_MS + 30_000, START_MS - 5 * MINUTE_MS];
  const window = new BoundaryWindow(startMs);
  assert.deepEqual(
    [window.expectPast(pastMs, startMs), window.expectPast(pastMs, startMs), window.isEmpty],
    [true, false, false],
  );
  const matters = (timeMs: number, nowMs = startMs) => window.canMatter(timeMs, nowMs, 10_000);
  const seen = [pastMs - 10_001, pastMs - 10_000, pastMs, pastMs + 1].map((timeMs) => matters(timeMs));
  assert.deepEqual(seen, [false, true, true, false]);
  assert.equal(matters(pastMs, startMs + GRACE_MS - 1), true);
  assert.equal(matters(pastMs, startMs + GRACE_MS), false);
  window.forgetBut([], startMs);
  assert.equal(window.isEmpty, true);
});

test('the first grace that ends decides when a price is due: it runs from the boundary, or from a later stall', () => {
  const ETH_1M = marketOf('ETH_ONE_MINUTE');
  const exchange = new Exchange({ markets: [ETH_1M, BTC_1M, BTC_5M] });
  const [prices, startMs] = [new PriceTracker(exchange.reads), exchange.nowMs];
  prices.start(startMs);
  assert.equal(prices.nextDueMs(), Infinity);
  for (const market of [ETH_1M, BTC_1M]) exchange.openLate(market, 100);
  exchange.passTo(5 * MINUTE_MS);
  prices.refresh(exchange.nowMs);
  const awaited = prices.awaited.map(({ asset, boundaryMs }) => [asset, (boundaryMs - startMs) / MINUTE_MS]);
  assert.deepEqual(awaited, [
    [0, 1],
    [1, 1],
    [0, 5],
  ]);
  assert.equal(prices.nextDueMs(), startMs + MINUTE_MS + GRACE_MS);
  prices.resume(startMs + 3 * MINUTE_MS);
  assert.equal(prices.nextDueMs(), startMs + 3 * MINUTE_MS + GRACE_MS);
});

test('before the start no tick is accepted', () => {
  assert.equal(new PriceTracker(new Engine()).offer(tickAt(START_MS, 1), START_MS).taken, false);
});
