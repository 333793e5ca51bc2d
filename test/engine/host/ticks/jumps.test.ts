/** Prices that are believed after others: the ratio, and the agreement of later ticks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Engine, type EngineReads } from '../../../../engine/engine.js';
import { PriceTracker } from '../../../../engine/host/price-tracker.js';
import { Jumps } from '../../../../engine/host/ticks/jumps.js';
import { Volatility } from '../../../../engine/host/ticks/volatility.js';
import { tickAt } from '../../../support/host/host.js';
import { Exchange } from '../../../support/reference/exchange.js';

const START_MS = Date.UTC(2026, 5, 10, 12);

const started = (engine: EngineReads = new Engine(), startMs = START_MS): PriceTracker => {
  const tracker = new PriceTracker(engine);
  tracker.start(startMs);
  return tracker;
};

/** The last price is `price`; `atMs` is after the start. */
function after(price: number): { readonly takes: (next: number, atMs: number) => boolean } {
  const tracker = started();
  const takes = (next: number, atMs: number): boolean =>
    tracker.offer(tickAt(START_MS + atMs, next), START_MS + atMs).taken;
  assert.ok(takes(price, 0));
  return { takes };
}

test('up to exactly 1.5 times the last price is accepted, either way', () => {
  for (const [price, taken] of [
    [225, true],
    [225.000001, false],
    [100, true],
    [99.999999, false],
    [1e300, false],
    [Number.MIN_VALUE, false],
  ] as const)
    assert.equal(after(150).takes(price, 1), taken, String(price));
});

test('property: a price may follow another exactly if the other may follow it', () => {
  const price = fc.double({ min: 0.01, max: 100, noNaN: true });
  fc.assert(fc.property(price, price, (a, b) => assert.equal(after(a).takes(b, 1), after(b).takes(a, 1))));
});

test('a price is believed when three later ones have agreed with it for 30 s, not a millisecond before', () => {
  const early = after(100);
  for (let atMs = 1; atMs <= 30_000; atMs += 1_000) assert.equal(early.takes(40, atMs), false);
  assert.deepEqual([early.takes(40, 30_000), early.takes(40, 30_001)], [false, true]);
  assert.equal(early.takes(41, 30_002), true, 'and is the last price from then on');
  assert.equal(early.takes(100, 30_003), false);
});

test('a tick that agrees with the last price, or with neither, restarts the wait', () => {
  for (const between of [101, 400]) {
    const { takes } = after(100);
    for (const atMs of [1, 10_000, 20_000]) assert.equal(takes(40, atMs), false);
    assert.equal(takes(between, 25_000), between === 101);
    for (const atMs of [30_001, 40_000, 50_000, 60_000]) assert.equal(takes(40, atMs), false, String(atMs));
    assert.equal(takes(40, 60_001), true);
  }
});

test('ticks of the same time count once, and a late one does not reset the agreement', () => {
  const jumps = new Jumps(1.5);
  const believed = (timeMs: number, price: number, nowMs = 10_000): boolean =>
    jumps.isBelieved(tickAt(timeMs, price), { price: 100 }, nowMs);
  for (let i = 0; i < 10; i++) assert.equal(believed(2_000, 40), false);
  assert.equal(believed(3_000, 40), false);
  assert.equal(believed(1_500, 100), true, 'from before the first of them');
  assert.deepEqual([believed(4_000, 40, 40_000), believed(5_000, 40, 40_000)], [false, true]);
});

test('agreement counts by arrival: timestamps cannot stretch it', () => {
  const tracker = started();
  const nowMs = START_MS + 60_000;
  tracker.offer(tickAt(nowMs, 100), nowMs);
  for (let i = 0; i < 20; i++)
    assert.equal(tracker.offer(tickAt(nowMs + i * 50, 40), nowMs).taken, false, String(i));
});

test('after a silence of a week the last price still counts', () => {
  assert.deepEqual(
    [after(100).takes(40, 7 * 86_400_000), after(100).takes(67, 7 * 86_400_000)],
    [false, true],
  );
});

test('after a restart the last price is the one at which the youngest round opened', () => {
  const { reads, nowMs } = Exchange.opened();
  const takes = (price: number, atMs: number): boolean =>
    started(reads, nowMs + atMs).offer(tickAt(nowMs + atMs, price), nowMs + atMs).taken;
  assert.deepEqual([takes(151, 1), takes(150, 1), takes(151, 86_400_000)], [false, true, false]);
});

test('the ratio can be set, and a refusal tells it', () => {
  const tracker = new PriceTracker(new Engine(), 2_000, 1.1);
  tracker.start(START_MS);
  tracker.offer(tickAt(START_MS, 100), START_MS);
  assert.deepEqual(tracker.offer(tickAt(START_MS + 1, 111), START_MS + 1), {
    taken: false,
    detail:
      'the price is further from the last one, 100, than by a factor of 1.1; it is believed once later ones have agreed with it for 30 s',
  });
});

test('a price that is held back is told of once, and believed as soon as somebody vouches for it', () => {
  const tracker = started();
  const heard: number[] = [];
  const followed: number[] = [];
  tracker.onHeld(({ price }, latest) => heard.push(price, latest.price));
  tracker.teach({ take: ({ price }) => followed.push(price), estimate: () => new Volatility(1).estimate });
  const offer = (price: number, atMs: number): boolean =>
    tracker.offer(tickAt(START_MS + atMs, price), START_MS + atMs).taken;
  assert.deepEqual([offer(100, 0), tracker.held(0)], [true, null]);
  for (const atMs of [1_000, 2_000]) assert.equal(offer(40 + atMs / 1_000, atMs), false);
  assert.deepEqual(heard, [41, 100]);
  const held = tracker.held(0);
  assert.deepEqual([held?.last.price, held?.sinceMs, held?.agreeing], [42, START_MS + 1_000, 1]);
  tracker.confirmHeld(0, START_MS + 2_500);
  assert.deepEqual([tracker.latest(0)?.price, tracker.held(0), followed], [42, null, [100, 42]]);
  assert.equal(tracker.renewedMs(0), START_MS + 2_000, 'nobody has heard it since');
  assert.deepEqual([offer(43, 3_000), offer(100, 4_000)], [true, false], 'now the old one is absurd');
  assert.deepEqual(heard, [41, 100, 100, 43]);
  assert.throws(() => tracker.confirmHeld(1, START_MS), /held back/);
});
