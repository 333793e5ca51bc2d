/**
 * From a journal and snapshots to an engine: the newest good snapshot and the journal after it. A damaged or foreign
 * snapshot is skipped and reported; a journal that cannot be proved is refused.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newSha256 } from '../../../crypto/sha256.js';
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import { encodeCommand } from '../../../engine/model/command-codec.js';
import type { Command } from '../../../engine/model/commands.js';
import type { Batch, StoredBatch } from '../../../engine/model/ports.js';
import { defaultRules, RULES_VERSION } from '../../../engine/model/rules.js';
import { commitBatch } from '../../../persistence/journal/commit.js';
import { sealBatch } from '../../../persistence/journal/segment/batch-row.js';
import { type RecoveredEngine, recoverEngine } from '../../../persistence/recovery/engine.js';
import { plain, refusal } from '../support/journal-files.js';
import { MemorySnapshots, MemoryStore } from '../support/memory-store.js';

const BATCHES = 12;
const START_MS = 1_763_700_000_000;

function commandAt(number: number): Command {
  const timeMs = START_MS + number * 1_000;
  if (number === 1) {
    return { kind: 'configure', timeMs, rulesVersion: RULES_VERSION, rules: defaultRules('f'.repeat(64)) };
  }
  if (number % 3 === 0)
    return { kind: 'createAccount', timeMs, name: null, tier: 1, balanceCents: number * 100 };
  return { kind: 'depositHouse', timeMs, amountCents: number, reference: `r${number}` };
}

function batchOf(engine: Engine): Batch {
  const firstSeq = engine.seq + 1;
  const commands = [0, 1, 2].map((offset) => commandAt(firstSeq + offset));
  for (const command of commands) assert.equal(engine.apply(command).status, 'accepted');
  return {
    firstSeq,
    lastSeq: engine.seq,
    timeMs: engine.timeMs,
    commands: `[${commands.map(encodeCommand).join(',')}]`,
    digest: engine.rollingDigest(),
  };
}

interface Lived {
  readonly store: MemoryStore;
  readonly snapshots: MemorySnapshots;
  readonly engine: Engine;
}

function lived(...snapshotsAfter: number[]): Lived {
  const store = new MemoryStore();
  const snapshots = new MemorySnapshots();
  const engine = new Engine();
  for (let batch = 1; batch <= BATCHES; batch += 1) {
    const row = commitBatch(store, batchOf(engine));
    if (snapshotsAfter.includes(batch)) snapshots.save(engine, row.chain);
  }
  return { store, snapshots, engine };
}

const recover = ({ store, snapshots }: Lived): RecoveredEngine =>
  recoverEngine(store, snapshots, { clock: { monotonicMs: () => 0 } });

function assertSame(recovered: RecoveredEngine, { engine, store }: Lived): void {
  assert.equal(recovered.engine.stateDigest(newSha256), engine.stateDigest(newSha256));
  const { lastSeq, timeMs, checksum } = must(store.durable.at(-1), 'a row');
  const { batches, ...end } = recovered.end;
  assert.deepEqual(end, { lastSeq, lastTimeMs: timeMs, checksum });
  assert.equal(batches, (lastSeq - recovered.snapshotSeq) / 3);
}

test('the newest snapshot is loaded, then the journal after it, if any', () => {
  const life = lived(3, 7);
  const recovered = recover(life);
  assertSame(recovered, life);
  assert.deepEqual([recovered.snapshotSeq, recovered.notes], [21, []]);
  const atEnd = lived(BATCHES);
  const there = recover(atEnd);
  assertSame(there, atEnd);
  assert.equal(there.snapshotSeq, 36);
});

test('instead of a damaged snapshot the one before is used, or the whole journal, and a note says so', () => {
  const life = lived(3, 7, 9);
  life.snapshots.damaged.add(27);
  const recovered = recover(life);
  assertSame(recovered, life);
  assert.deepEqual(recovered.notes, ['The snapshot snapshot 27 was passed over: a bit is wrong']);
  assert.equal(recovered.snapshotSeq, 21);
  for (const seq of [9, 21]) life.snapshots.damaged.add(seq);
  const whole = recover(life);
  assertSame(whole, life);
  assert.deepEqual([whole.snapshotSeq, whole.notes.length], [0, 3]);
});

test('a snapshot of another journal, or from after the end of this one, is skipped', () => {
  const life = lived(3);
  const saved = must(life.snapshots.saved.get(9), 'the snapshot');
  for (const [change, sentence] of [
    [{ chain: 'a'.repeat(64) }, /its chain hash is not the journal's/],
    [{ digest: 'a'.repeat(16) }, /its rolling digest is not the journal's/],
  ] as const) {
    life.snapshots.saved.set(9, { ...saved, meta: { ...saved.meta, ...change } });
    const recovered = recover(life);
    assertSame(recovered, life);
    assert.match(recovered.notes.join(), sentence);
  }
  life.snapshots.saved.clear();
  const longer = lived();
  const row = commitBatch(longer.store, batchOf(longer.engine));
  life.snapshots.save(longer.engine, row.chain);
  assert.match(recover(life).notes.join(), /no batch of the journal ends at sequence number 39/);
});

test('a snapshot with another rolling digest than the row is skipped, whatever its chain hash', () => {
  const life = lived(3, 7);
  const seventh = must(life.store.durable[6], 'a row');
  life.store.durable[6] = { ...seventh, digest: 'feedfacefeedface' };
  // The row itself is wrong: the older snapshot leads to it, and replay says so.
  assert.throws(() => recover(life), refusal('replay_mismatch', /Batch 19 to 21/));
  life.store.durable[6] = seventh;
  const other = new Engine();
  for (let batch = 1; batch <= 6; batch += 1) batchOf(other);
  for (const amountCents of [1, 2, 3]) {
    const timeMs = START_MS + 21_000;
    other.apply({ kind: 'depositHouse', timeMs, amountCents, reference: `other ${amountCents}` });
  }
  life.snapshots.save(other, seventh.chain);
  const recovered = recover(life);
  assertSame(recovered, life);
  assert.equal(recovered.snapshotSeq, 9);
  assert.match(
    recovered.notes.join(),
    /snapshot 21 was passed over: its rolling digest is not the journal's/,
  );
});

/** As after `prune`: of the rows up to `seq` only the chain hash is known. */
function pruned({ store, ...life }: Lived, seq: number): Lived {
  const chain = must(store.chainAt(seq), 'a chain hash');
  class Pruned extends MemoryStore {
    override readBatches(afterSeq: number): Iterable<StoredBatch> {
      return store.readBatches(Math.max(afterSeq, seq));
    }
    override chainAt(at: number): string | null {
      if (at === seq) return chain;
      return at < seq ? null : store.chainAt(at);
    }
    override readMark() {
      return store.readMark();
    }
  }
  const shortened = new Pruned();
  shortened.durable.push(...store.durable);
  return { ...life, store: shortened };
}

test('without the journal’s beginning a good snapshot is required', () => {
  for (const seq of [9, 15, 21]) {
    const life = pruned(lived(3, 7), seq);
    assertSame(recover(life), life);
    life.snapshots.damaged.add(21);
    if (seq === 9) assertSame(recover(life), life);
    life.snapshots.damaged.add(9);
    assert.throws(
      () => recover(life),
      refusal('journal_incomplete', /no good snapshot holds.*snapshot 21 was passed over: a bit is wrong/),
    );
  }
  const nothingAfter = pruned(lived(BATCHES), 36);
  assertSame(recover(nothingAfter), nothingAfter);
});

test('a journal that ends below its mark is refused, with a snapshot or without one', () => {
  for (const life of [lived(), lived(7), lived(BATCHES)]) {
    life.store.durable.pop();
    assert.throws(
      () => recover(life),
      refusal('journal_incomplete', /ends at sequence number 33.*34 to 36 are missing/),
    );
  }
});

test('a mark of another batch is refused, also with a later snapshot', () => {
  for (const life of [lived(), lived(BATCHES)]) {
    life.store.writeMark({ lastSeq: 33, checksum: '0badbad0' });
    assert.throws(() => recover(life), refusal('journal_corrupt', /not the one that was acknowledged/));
  }
});

test('another outcome than the journal’s is refused, with both digests and the sequence number', () => {
  const life = lived();
  const fourth = must(life.store.durable[3], 'a row');
  life.store.durable[3] = sealBatch(
    { lastSeq: 9, chain: must(life.store.chainAt(9), 'a chain hash') },
    { ...plain(fourth), digest: 'feedfacefeedface' },
  );
  const sentence = new RegExp(
    `Batch 10 to 12: .*digest is ${fourth.digest}, the journal's is feedfacefeedface`,
  );
  assert.throws(() => recover(life), refusal('replay_mismatch', sentence));
});

test('a start is refused if a replay refuses a command, which is named', () => {
  const life = lived();
  const second = must(life.store.durable[1], 'a row');
  life.store.durable[1] = { ...second, commands: second.commands.replace('r4', 'r2') };
  assert.throws(
    () => recover(life),
    refusal('replay_mismatch', /Batch 4 to 6 .*command 4, depositHouse, is/),
  );
});
