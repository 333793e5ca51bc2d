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

test('levels are entered just below their marks, left a tenth above them, and passed over in one step', () => {
  const cases: [freeBytes: number[], ...levels: string[]][] = [
    [[1_000, 999, 1_099, 1_100], 'ok', 'soft', 'soft', 'ok'],
    [[500, 499, 549, 550, 1_050], 'soft', 'reserve', 'reserve', 'soft', 'soft'],
    [[100, 99, 109, 110], 'reserve', 'hard', 'hard', 'reserve'],
    [[10_000, 0, 10_000], 'ok', 'hard', 'ok'],
  ];
  for (const [freeBytes, ...levels] of cases) assert.deepEqual(levelsOf(freeBytes), levels);
});
