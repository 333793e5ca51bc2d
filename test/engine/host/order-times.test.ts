/** The figures of order times: close to the real ones, and counted anew each time they are taken. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { must } from '../../../engine/base/assert.js';
import { OrderTimes } from '../../../engine/host/order-times.js';
import { forAll } from '../../support/for-all.js';
import { codeOf, liveHost } from '../../support/host/host.js';

test('99 of 100 orders took at most the reported time, which is less than a tenth too high', () => {
  const commit = fc.record({
    orders: fc.integer({ min: 1, max: 500 }),
    tookMs: fc.double({ min: 0.07, max: 30_000, noNaN: true }),
  });
  forAll(fc.array(commit, { minLength: 1, maxLength: 60, size: 'max' }), (commits) => {
    const times = new OrderTimes();
    for (const { orders, tookMs } of commits) times.add(orders, tookMs);
    const sorted = commits
      .flatMap(({ orders, tookMs }) => Array<number>(orders).fill(tookMs))
      .sort((a, b) => a - b);
    const exact = must(sorted[Math.ceil(sorted.length * 0.99) - 1], 'an order');
    const { orders, p99Ms } = times.take();
    assert.equal(orders, sorted.length);
    const isNear = p99Ms !== null && p99Ms >= exact * (1 - 1e-12) && p99Ms < exact * 1.1;
    assert.ok(isNear, `${p99Ms} for ${exact}`);
  });
});

test('without orders there is no time, and very short and long times are counted', () => {
  const times = new OrderTimes();
  assert.deepEqual(times.take(), { orders: 0, p99Ms: null });
  times.add(1, 0);
  assert.deepEqual(times.take(), { orders: 1, p99Ms: 1 / 16 });
  times.add(1, 1e9);
  assert.deepEqual(times.take(), { orders: 1, p99Ms: 65_536 });
  assert.deepEqual(times.take(), { orders: 0, p99Ms: null });
});

test('the sequencer reports commits with orders, once their answers are sent, and no others', () => {
  const told: [number, number][] = [];
  const host = liveHost({ onOrdersAnswered: (orders, tookMs) => told.push([orders, tookMs]) });
  told.length = 0;
  for (const _ of [1, 2]) assert.equal(codeOf(host.order()), 'accepted');
  host.endTurn();
  host.clock.pass(7);
  assert.deepEqual(told, []);
  host.journal.ack();
  assert.deepEqual(told, [[2, 7]]);
  host.deposit();
  host.settle();
  assert.deepEqual(told, [[2, 7]]);
});
