/**
 * The commit protocol over any store, and the progress of a replay. A fault may leave earlier steps done, never later
 * ones.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Batch, JournalStore, Mark, StoredBatch } from '../../../engine/model/ports.js';
import { commitBatch } from '../../../persistence/journal/commit.js';
import { CHAIN_START, sealBatch } from '../../../persistence/journal/segment/batch-row.js';
import { ProgressMeter, type RecoveryProgress } from '../../../persistence/replay/replay.js';
import { batchAt, batchesUpTo, plain } from '../support/journal-files.js';

type Step = 'append' | 'sync' | 'mark';

class MemoryStore implements JournalStore {
  readonly steps: Step[] = [];
  readonly durable: StoredBatch[] = [];
  #appended: StoredBatch[] = [];
  #mark: Mark | null = null;

  constructor(readonly failAt: Step | null = null) {}

  append(batch: Batch): StoredBatch {
    this.#step('append');
    const row = sealBatch(this.durable.at(-1) ?? { lastSeq: 0, chain: CHAIN_START }, batch);
    this.#appended.push(row);
    return row;
  }
  sync(): void {
    this.#step('sync');
    this.durable.push(...this.#appended);
    this.#appended = [];
  }
  writeMark(mark: Mark): void {
    this.#step('mark');
    this.#mark = mark;
  }
  readMark(): Mark | null {
    return this.#mark;
  }
  readBatches(): StoredBatch[] {
    return this.durable;
  }
  chainAt(): null {
    return null;
  }
  close(): void {}

  #step(step: Step): void {
    this.steps.push(step);
    if (step === this.failAt && this.durable.length >= 2) throw new Error(`EIO in ${step}`);
  }
}

function commitAll(store: MemoryStore, count: number): Batch[] {
  const acknowledged: Batch[] = [];
  try {
    for (const batch of batchesUpTo(count)) {
      commitBatch(store, batch);
      acknowledged.push(batch);
    }
  } catch (thrown) {
    assert.match(String(thrown), /EIO/);
  }
  return acknowledged;
}

test('a commit is row, sync, mark', () => {
  const store = new MemoryStore();
  commitBatch(store, batchAt(0));
  assert.deepEqual(store.steps, ['append', 'sync', 'mark']);
});

for (const failAt of ['append', 'sync', 'mark'] as const) {
  test(`a fault in ${failAt}: the batch is not acknowledged, and everything before is recovered`, () => {
    const store = new MemoryStore(failAt);
    const acknowledged = commitAll(store, 10);
    assert.equal(store.steps.at(-1), failAt);
    const given = store.durable.map(plain);
    assert.deepEqual(given.slice(0, acknowledged.length), acknowledged);
    assert.ok(given.length <= acknowledged.length + 1);
    const markedSeq = store.readMark()?.lastSeq ?? 0;
    assert.equal(markedSeq, acknowledged.at(-1)?.lastSeq, 'the mark is not ahead of what is durable');
  });
}

test('progress is reported about twice a second, with the rate', () => {
  let nowMs = 1_000;
  const told: RecoveryProgress[] = [];
  const clock = { monotonicMs: () => nowMs };
  const meter = new ProgressMeter('replay', 500, 9_500, clock, (progress) => told.push(progress));
  for (let seq = 1; seq <= 9_000; seq += 1) {
    nowMs = 1_000 + seq / 8;
    meter.count(500 + seq);
  }
  assert.deepEqual(
    told.map(({ commandsDone }) => commandsDone),
    [4_032, 8_064],
  );
  assert.deepEqual(told[0], {
    phase: 'replay',
    commandsDone: 4_032,
    commandsTotal: 9_000,
    commandsPerSecond: 8_000,
    secondsLeft: 1,
  });
});
