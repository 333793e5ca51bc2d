/** The clock guard: steps of the wall clock that stop orders, and the time when they are taken again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  AGREEMENT_MS,
  BACKWARD_STEP_MS_MAX,
  ClockGuard,
  FORWARD_STEP_MS_MAX,
} from '../../../engine/host/clock-guard.js';
import { forMany } from '../../support/for-all.js';

const WALL = 1_700_000_000_000;

test('an accurate clock is sound, even while it is being slewed', () => {
  const guard = new ClockGuard();
  for (let s = 0; s < 3_600; s++) {
    assert.equal(guard.sample(WALL + s * 1_000.5, s * 1_000, WALL + (s - 1) * 1_000.5), true, `second ${s}`);
  }
});

test('a step back of exactly 1 s is sound; a larger one is not, until the last stamp is reached again', () => {
  const guard = new ClockGuard();
  assert.equal(guard.sample(WALL, 0, WALL), true);
  assert.equal(guard.sample(WALL - BACKWARD_STEP_MS_MAX, 1, WALL), true);
  assert.equal(guard.sample(WALL - BACKWARD_STEP_MS_MAX - 1, 2, WALL), false);
  assert.deepEqual([guard.condition, guard.sample(WALL - 500, 503, WALL)], ['behind', false]);
  assert.equal(guard.sample(WALL - 1, 1_002, WALL), false);
  assert.deepEqual([guard.sample(WALL, 1_003, WALL), guard.condition], [true, 'sound']);
});

test('a restart compares with the last journaled time', () => {
  const guard = new ClockGuard();
  assert.equal(guard.sample(WALL - 60_000, 0, WALL), false);
  assert.equal(guard.sample(WALL + 1, 60_001, WALL), true);
  assert.equal(new ClockGuard().sample(WALL + 3_600_000, 0, WALL), true, 'downtime is no step');
});

test('a step forward of exactly 5 s is sound; a larger one is not, until both clocks have agreed for 10 s', () => {
  const guard = new ClockGuard();
  guard.sample(WALL, 0, WALL);
  assert.equal(guard.sample(WALL + FORWARD_STEP_MS_MAX + 100, 100, WALL), true);
  const stepped = new ClockGuard();
  stepped.sample(WALL, 0, WALL);
  const jumpMs = FORWARD_STEP_MS_MAX + 1;
  assert.deepEqual([stepped.sample(WALL + 100 + jumpMs, 100, WALL), stepped.condition], [false, 'stepped']);
  assert.equal(stepped.sample(WALL + 99 + AGREEMENT_MS + jumpMs, 99 + AGREEMENT_MS, WALL), false);
  assert.equal(stepped.sample(WALL + 100 + AGREEMENT_MS + jumpMs, 100 + AGREEMENT_MS, WALL), true);
});

test('small steps that add up to more than 5 s within a minute are detected', () => {
  const guard = new ClockGuard();
  guard.sample(WALL, 0, WALL);
  assert.equal(guard.sample(WALL + 4_000, 1_000, WALL), true);
  assert.equal(guard.sample(WALL + 8_000, 2_000, WALL + 4_000), false);
});

test('property: whatever the clock did, 11 s of accurate time past the last stamp make it sound', () => {
  forMany(
    { numRuns: 300 },
    fc.array(fc.record({ wall: fc.integer({ min: -20_000, max: 20_000 }), mono: fc.nat(5_000) }), {
      maxLength: 40,
      size: 'max',
    }),
    (steps) => {
      const guard = new ClockGuard();
      let [wall, mono, stamp] = [WALL, 0, WALL];
      const sample = (): void => {
        const sound = guard.sample(wall, mono, stamp);
        assert.equal(sound, guard.condition === 'sound');
        if (sound) assert.ok(wall >= stamp - BACKWARD_STEP_MS_MAX, 'never sound while far behind');
        if (sound) stamp = Math.max(stamp, wall);
      };
      sample();
      for (const step of steps) {
        mono += step.mono;
        wall += step.mono + step.wall;
        sample();
      }
      wall = Math.max(wall, stamp);
      for (let i = 0; i <= 11; i++, wall += 1_000, mono += 1_000) sample();
      assert.equal(guard.condition, 'sound');
    },
  );
});
