/**
 * From a journal and snapshots to an engine: the newest good snapshot and the journal after it. A damaged or foreign
 * snapshot is skipped and reported; a journal that cannot be proved is refused.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { newSha256 } from '../../../crypto/hashes.js';
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import type { Command } from '../../../engine/model/commands.js';
import { defaultRules, RULES_VERSION } from '../../../engine/model/rules.js';
import { closing } from '../../../persistence/data-dir/closing.js';
import { createMarkFile, readMarkFile } from '../../../persistence/journal/mark.js';
import { JournalReader } from '../../../persistence/journal/reader.js';
import { segmentPath, writeSegment } from '../../../persistence/journal/segment/names.js';
import { type RecoveredEngine, recoverEngine } from '../../../persistence/recovery/engine.js';
import { SnapshotFiles } from '../../../persistence/snapshot/files.js';
import { flipSnapshot } from '../support/damages.js';
import { alterDatabase, CLOCK, refusal, segmentAt, temporaryDir } from '../support/journal-files.js';
import { type MadeDir, makeDataDir } from '../support/made-dir.js';
import { alterDigest } from '../support/shadow-files.js';

const START_MS = 1_763_700_000_000;

/** Three of them are a batch. */
const commandsUpTo = (count: number, word = 'r'): Command[] =>
  Array.from({ length: count }, (_, index) => {
    const timeMs = START_MS + index * 1_000;
    if (index === 0)
      return { kind: 'configure', timeMs, rulesVersion: RULES_VERSION, rules: defaultRules('f'.repeat(64)) };
    return { kind: 'depositHouse', timeMs, amountCents: index, reference: `${word}${index}` };
  });

/** With snapshots after these of its twelve batches. */
function lived(t: TestContext, snapshotsAfter: readonly number[], firstBatch = 0): MadeDir {
  return makeDataDir(join(temporaryDir(t), 'data'), commandsUpTo(36), {
    batchSize: () => 3,
    snapshotsAfter: snapshotsAfter.map((batch) => batch - 1),
    firstBatch,
  });
}

function recover({ dir }: MadeDir): RecoveredEngine {
  using reader = closing(new JournalReader(dir));
  return recoverEngine(reader, new SnapshotFiles(dir.snapshots), readMarkFile(dir.markFile), CLOCK);
}

function assertSame(recovered: RecoveredEngine, { engine, batches }: MadeDir, snapshotSeq: number): void {
  assert.equal(recovered.engine.stateDigest(newSha256), engine.stateDigest(newSha256));
  const { lastSeq, timeMs: lastTimeMs, checksum } = must(batches.at(-1), 'a row');
  assert.deepEqual(recovered.end, { lastSeq, lastTimeMs, checksum });
  assert.equal(recovered.snapshotSeq, snapshotSeq);
}

test('the newest snapshot is loaded, then the journal after it, if any', (t) => {
  for (const newest of [7, 12]) {
    const made = lived(t, [3, newest]);
    const recovered = recover(made);
    assertSame(recovered, made, newest * 3);
    assert.deepEqual(recovered.notes, []);
  }
});

test('instead of a damaged snapshot the one before is used, or the whole journal, and a note says so', (t) => {
  const made = lived(t, [3, 7, 9]);
  for (const [index, before] of [21, 9, 0].entries()) {
    flipSnapshot(index)(made);
    const recovered = recover(made);
    assertSame(recovered, made, before);
    assert.equal(recovered.notes.length, index + 1);
    for (const note of recovered.notes)
      assert.match(note, /^The snapshot .* was passed over: .*content is not that of its name/);
  }
});

test('a snapshot of another journal, or from after the end of this one, is skipped', (t) => {
  const third = must(lived(t, []).batches[2], 'a row').chain;
  for (const [commands, chain, sentence] of [
    [commandsUpTo(9), 'a'.repeat(64), /its chain hash is not the journal's/],
    [commandsUpTo(9, 'other'), third, /its rolling digest is not the journal's/],
    [commandsUpTo(8), third, /no batch of the journal ends at sequence number 8/],
    [commandsUpTo(39), third, /no batch of the journal ends at sequence number 39/],
  ] as const) {
    const made = lived(t, [2]);
    const engine = new Engine();
    for (const command of commands) assert.equal(engine.apply(command).status, 'accepted');
    new SnapshotFiles(made.dir.snapshots).save(engine, chain);
    const recovered = recover(made);
    assertSame(recovered, made, 6);
    assert.equal(recovered.notes.length, 1);
    assert.match(recovered.notes.join(), sentence);
  }
});

test('another outcome than the journal’s is refused, with both digests, though a snapshot stands behind it', (t) => {
  const made = lived(t, [7, 8]);
  const { digest, altered } = alterDigest(made.dir, 24);
  const sentence = new RegExp(`Batch 22 to 24: .*digest is ${digest}, the journal's is ${altered}`);
  assert.throws(() => recover(made), refusal('replay_mismatch', sentence));
});

test('without the journal’s beginning a good snapshot is required', (t) => {
  for (const firstBatch of [3, 5, 7]) {
    const made = lived(t, [3, 7], firstBatch);
    assertSame(recover(made), made, 21);
    flipSnapshot(0)(made);
    if (firstBatch === 3) assertSame(recover(made), made, 9);
    flipSnapshot(1)(made);
    const sentence = /no good snapshot holds.*was passed over: .*content is not that/;
    assert.throws(() => recover(made), refusal('journal_incomplete', sentence));
  }
  const nothingAfter = lived(t, [12], 12);
  const { chain: previousChain } = must(nothingAfter.batches.at(-1), 'a row');
  writeSegment(segmentPath(nothingAfter.dir.journal, 37), { createdMs: 1, firstSeq: 37, previousChain }, []);
  assertSame(recover(nothingAfter), nothingAfter, 36);
});

test('a journal that ends below its mark is refused, and so is a mark of another batch, whatever the snapshot', (t) => {
  for (const snapshotsAfter of [[], [7], [12]]) {
    const short = lived(t, snapshotsAfter);
    alterDatabase(segmentAt(short.dir, -1), 'DELETE FROM batch WHERE last_seq = 36');
    const sentence = /ends at sequence number 33.*34 to 36 are missing/;
    assert.throws(() => recover(short), refusal('journal_incomplete', sentence));
    const other = lived(t, snapshotsAfter);
    for (const lastSeq of [33, 32]) {
      createMarkFile(other.dir.markFile, { lastSeq, checksum: '0badbad0' });
      assert.throws(() => recover(other), refusal('journal_corrupt', /not the one that was acknowledged/));
    }
  }
});
