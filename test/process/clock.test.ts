/** The clocks of the process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssertionError } from '../../engine/base/assert.js';
import { ManualClock, systemClock } from '../../process/clock.js';

test('the manual clock starts at the last journaled time and moves only when it is set', () => {
  const clock = new ManualClock(1_700_000_000_000, 5);
  assert.equal(clock.nowMs(), 1_700_000_000_000);
  clock.set(1_700_000_000_000);
  clock.set(1_700_000_060_000);
  assert.equal(clock.nowMs(), 1_700_000_060_000);
});

test('on an empty journal it starts at the given time, else at the system time, and stands still', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_700_000_000_000 });
  const clocks = [null, 1_600_000_000_000].map((startMs) => new ManualClock(0, startMs));
  t.mock.timers.tick(1);
  assert.deepEqual(
    clocks.map((clock) => clock.nowMs()),
    [1_700_000_000_000, 1_600_000_000_000],
  );
});

test('it moves neither back nor by fractions of a millisecond', () => {
  const clock = new ManualClock(1_000, null);
  assert.throws(() => clock.set(999), AssertionError);
  assert.throws(() => clock.set(1_000.5), AssertionError);
  assert.equal(clock.nowMs(), 1_000);
});

test('the system clock has whole milliseconds, and its monotonic time never goes back', () => {
  assert.ok(Number.isInteger(systemClock.nowMs()));
  const first = systemClock.monotonicMs();
  assert.ok(systemClock.monotonicMs() >= first);
  const manual = new ManualClock(1_000, null);
  assert.ok(manual.monotonicMs() >= first, 'disks are timed by the real clock in a sandbox too');
});
