/** Levels of free space: each is entered at its mark, and left a tenth above it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpaceWatch } from '../../../persistence/data-dir/space.js';

const THRESHOLDS = { softBytes: 1_000, reserveBytes: 500, hardBytes: 100 };

function levelsOf(freeBytes: readonly number[]): string[] {
  let now = 0;
  const watch = new SpaceWatch(THRESHOLDS, () => freeBytes[now] ?? 0);
  return freeBytes.map((_, index) => {
    now = index;
    const before = watch.level;
    assert.equal(watch.check(), watch.level !== before);
    return watch.level;
  });
}

test('levels are entered just below their marks', () => {
  assert.deepEqual(levelsOf([1_000, 999]), ['ok', 'soft']);
  assert.deepEqual(levelsOf([500, 499]), ['soft', 'reserve']);
  assert.deepEqual(levelsOf([100, 99]), ['reserve', 'hard']);
});

test('levels are left a tenth above their marks', () => {
  assert.deepEqual(levelsOf([999, 1_099, 1_100]), ['soft', 'soft', 'ok']);
  assert.deepEqual(levelsOf([499, 549, 550, 1_050]), ['reserve', 'reserve', 'soft', 'soft']);
  assert.deepEqual(levelsOf([0, 109, 110]), ['hard', 'hard', 'reserve']);
});

test('a disk may fill or empty in one step', () => {
  assert.deepEqual(levelsOf([10_000, 0, 10_000]), ['ok', 'hard', 'ok']);
});

test('thresholds that rise are a programming error', () => {
  assert.throws(() => new SpaceWatch({ ...THRESHOLDS, hardBytes: 501 }, () => 0), /must not rise/);
});
