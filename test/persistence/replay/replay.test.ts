/**
 * The commit protocol over any store, and the progress of a replay. A fault may leave earlier steps done, never later
 * ones.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import type { JournalStore } from '../../../engine/model/ports.js';
import { commitBatch } from '../../../persistence/journal/commit.js';
import { CHAIN_START, sealBatch } from '../../../persistence/journal/segment/batch-row.js';
import { ProgressMeter, type RecoveryProgress } from '../../../persistence/replay/replay.js';
import { batchAt } from '../support/journal-files.js';

const STEPS = ['write', 'mark 1'];

/** A store that does nothing but fail in a step. */
function recorder(failAt: string | null) {
  const steps: string[] = [];
  const step = (name: string): void => {
    steps.push(name);
    if (name === failAt) throw new Error('EIO');
  };
  const store: JournalStore = {
    write: ([batch]) => {
      step('write');
      return sealBatch({ lastSeq: 0, chain: CHAIN_START }, must(batch, 'a batch'));
    },
    writeMark: ({ lastSeq }) => step(`mark ${lastSeq}`),
    close: () => undefined,
  };
  return { steps, store };
}

test('a commit is the write and the mark, and a fault in one of them leaves out the rest and the acknowledgement', () => {
  const { steps, store } = recorder(null);
  assert.deepEqual([commitBatch(store, batchAt(0)).lastSeq, steps], [1, STEPS]);
  for (const [index, failAt] of STEPS.entries()) {
    const failing = recorder(failAt);
    assert.throws(() => commitBatch(failing.store, batchAt(0)), /EIO/);
    assert.deepEqual(failing.steps, STEPS.slice(0, index + 1));
  }
});

test('progress is reported about twice a second, with the rate', () => {
  let nowMs = 1_000;
  const told: RecoveryProgress[] = [];
  const clock = { monotonicMs: () => nowMs };
  const meter = new ProgressMeter('replay', 500, 9_500, clock, (progress) => told.push(progress));
  for (let seq = 1; seq <= 9_000; seq += 1) {
    nowMs = 1_000 + seq / 8;
    meter.count(500 + seq);
  }
  const done = told.map(({ commandsDone }) => commandsDone);
  assert.deepEqual(done, [4_032, 8_064]);
  const counts = { commandsDone: 4_032, commandsTotal: 9_000, commandsPerSecond: 8_000 };
  assert.deepEqual(told[0], { phase: 'replay', ...counts, secondsLeft: 1 });
});
