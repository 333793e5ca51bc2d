/** A lease has lapsed only for a watcher of all of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeaseWatch } from '../../../persistence/replication/log/follower.js';

const LEASE_MS = 3_000;
const entry = (revision: number, isReleased = false, successor = ''): Parameters<LeaseWatch['saw']>[0] => ({
  revision,
  holder: 'a',
  epoch: 1,
  isReleased,
  successor,
  lastSeq: 0,
});

test('a lease that is renewed is held, and lapses when it is not', () => {
  const watch = new LeaseWatch(LEASE_MS, 'b');
  for (let nowMs = 0; nowMs < 10_000; nowMs += 500)
    assert.equal(watch.saw(entry(Math.floor(nowMs / 1_000)), nowMs), 'held');
  assert.equal(watch.saw(entry(10), 10_000), 'held');
  for (let nowMs = 10_500; nowMs < 13_000; nowMs += 500) assert.equal(watch.saw(entry(10), nowMs), 'held');
  assert.equal(watch.saw(entry(10), 13_000), 'lapsed');
  assert.equal(watch.renewedMs, 10_000);
});

test('who was stopped, or saw nothing, has not watched: the lease begins anew', () => {
  const watch = new LeaseWatch(LEASE_MS, 'b');
  assert.equal(watch.saw(entry(1), 0), 'held');
  assert.equal(watch.saw(entry(1), 60_000), 'held');
  for (let nowMs = 60_500; nowMs < 63_000; nowMs += 500) assert.equal(watch.saw(entry(1), nowMs), 'held');
  assert.equal(watch.saw(entry(1), 63_000), 'lapsed');
  assert.equal(watch.renewedMs, 0, 'nobody has renewed it since');
});

test('a lease that was given back, or never taken, needs no waiting', () => {
  const watch = new LeaseWatch(LEASE_MS, 'b');
  assert.equal(watch.saw(null, 0), 'none');
  assert.equal(watch.saw(entry(1, true), 10), 'released');
  assert.equal(watch.saw(entry(1, true, 'b'), 11), 'released');
  assert.equal(watch.saw(entry(1, true, 'c'), 12), 'held');
  assert.equal(watch.saw(entry(2), 20), 'held');
});

test('after a takeover the lease of an earlier leader says nothing, until the new one would have lapsed', () => {
  for (const old of [null, entry(1, true), entry(1)]) {
    const watch = new LeaseWatch(LEASE_MS, 'b');
    for (let nowMs = 0; nowMs <= 3_000; nowMs += 500) watch.saw(old, nowMs);
    watch.tookOver(2, 3_000);
    for (let nowMs = 3_500; nowMs < 6_000; nowMs += 500) assert.equal(watch.saw(old, nowMs), 'held');
    assert.equal(watch.saw(old, 6_000), 'lapsed');
  }
});

test('answers of a server that lags behind are no renewal', () => {
  const watch = new LeaseWatch(LEASE_MS, 'b');
  for (let nowMs = 0; nowMs < 3_000; nowMs += 250)
    assert.equal(watch.saw(entry(nowMs % 500 === 0 ? 2 : 1), nowMs), 'held');
  assert.equal(watch.saw(entry(1), 3_000), 'lapsed');
});
