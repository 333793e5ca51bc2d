/**
 * The commit protocol and replay over any store. The order is row, sync, mark: so a fault in one of them may leave
 * what came before it and never what comes after.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Batch, JournalStore, Mark, StoredBatch } from '../../engine/ports.js';
import { CHAIN_START, sealBatch } from '../../persistence/batch-row.js';
import { commitBatch } from '../../persistence/commit.js';
import { ProgressMeter, type RecoveryProgress, replayJournal } from '../../persistence/replay.js';
import { batchAt, batchesUpTo, plain, refusal } from './journal-files.js';

type Step = 'append' | 'sync' | 'mark';

/** A store in memory that fails at a step of a chosen commit. */
class MemoryStore implements JournalStore {
  readonly steps: Step[] = [];
  readonly durable: StoredBatch[] = [];
  #appended: StoredBatch[] = [];
  #mark: Mark | null = null;

  constructor(readonly failAt: Step | null = null) {}

  readBatches(afterSeq: number): Iterable<StoredBatch> {
    return this.durable.filter((row) => row.lastSeq > afterSeq);
  }
  chainAt(seq: number): string | null {
    return seq === 0 ? CHAIN_START : (this.durable.find((row) => row.lastSeq === seq)?.chain ?? null);
  }
  readMark(): Mark | null {
    return this.#mark;
  }
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
  close(): void {}

  #step(step: Step): void {
    this.steps.push(step);
    if (step === this.failAt && this.durable.length >= 2) throw new Error(`EIO in ${step}`);
  }
}

function replay(store: JournalStore, digestOf = (batch: StoredBatch): string => batch.digest) {
  const given: Batch[] = [];
  const meter = new ProgressMeter('replay', 0, { monotonicMs: () => 0 }, () => {});
  const apply = (batch: StoredBatch): string => {
    given.push(plain(batch));
    return digestOf(batch);
  };
  return { ...replayJournal(store, apply, meter), given };
}

/** Commits `count` batches; returns those whose commit returned. */
function commitAll(store: JournalStore, count: number): Batch[] {
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
  test(`a fault in ${failAt}: not acknowledged, and all that was comes back`, () => {
    const store = new MemoryStore(failAt);
    const acknowledged = commitAll(store, 10);
    assert.equal(store.steps.at(-1), failAt);
    const { given } = replay(store);
    assert.deepEqual(given.slice(0, acknowledged.length), acknowledged);
    assert.ok(given.length <= acknowledged.length + 1);
  });
}

test('replay ends where the journal does', () => {
  const store = new MemoryStore();
  assert.deepEqual(replay(store), { lastSeq: 0, lastTimeMs: 0, checksum: '', batches: 0, given: [] });
  const last = commitAll(store, 10).at(-1);
  const { given, ...end } = replay(store);
  const { lastSeq, checksum } = store.durable.at(-1) ?? {};
  assert.deepEqual(end, { lastSeq, lastTimeMs: last?.timeMs, checksum, batches: 10 });
  assert.deepEqual(given, batchesUpTo(10));
});

test('a store that lost its tail is refused', () => {
  const store = new MemoryStore();
  commitAll(store, 10);
  store.durable.pop();
  assert.throws(() => replay(store), refusal('journal_incomplete', /32 to 34 are missing/));
});

test('another digest is refused, with both digests and the sequence number', () => {
  const store = new MemoryStore();
  commitAll(store, 4);
  const digestOf = (batch: StoredBatch): string => (batch.lastSeq === 6 ? 'feedfacefeedface' : batch.digest);
  assert.throws(
    () => replay(store, digestOf),
    refusal('replay_mismatch', /sequence number 6 .*feedfacefeedface.*0000000000000002/),
  );
});

test('a command that is refused in replay is a refusal to start, and says which', () => {
  const store = new MemoryStore();
  commitAll(store, 4);
  const digestOf = (): string => {
    throw new Error('insufficient_balance');
  };
  assert.throws(() => replay(store, digestOf), refusal('replay_mismatch', /1 to 1 .*insufficient_balance/));
});

test('progress is told about twice a second, with the rate', () => {
  let nowMs = 1_000;
  const told: RecoveryProgress[] = [];
  const meter = new ProgressMeter('replay', 9_000, { monotonicMs: () => nowMs }, (progress) =>
    told.push(progress),
  );
  for (let seq = 1; seq <= 9_000; seq += 1) {
    nowMs = 1_000 + seq / 8;
    meter.count(seq);
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
  });
});
