/**
 * Only old data is deleted that the oldest kept snapshot and the archive cover. After a prune a start gives the same
 * state, and the archive continues.
 */
import assert from 'node:assert/strict';
import { existsSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { checkArchive } from '../../../persistence/archive/check.js';
import { connectArchive } from '../../../persistence/archive/file.js';
import type { DataDir } from '../../../persistence/data-dir/layout.js';
import { readMarkFile } from '../../../persistence/journal/mark.js';
import { JournalReader } from '../../../persistence/journal/reader.js';
import { absentPath } from '../../../persistence/journal/segment/absent.js';
import { findSegments } from '../../../persistence/journal/segment/names.js';
import { recoverEngine } from '../../../persistence/recovery/engine.js';
import { SnapshotFiles } from '../../../persistence/snapshot/files.js';
import type { RetentionPolicy } from '../../../persistence/upkeep/retention/choice.js';
import { executePlan, type PrunePlan, planPrune } from '../../../persistence/upkeep/retention/retention.js';
import { newHasher } from '../../support/reference/pair.js';
import { randomCommands } from '../../support/reference/random/stream.js';
import { CLOCK, temporaryDir } from '../support/journal-files.js';
import { flipBit } from '../support/operator-dir.js';
import { catchUp, followed, HotSide, newestOnly, openShadow } from '../support/shadow-files.js';

const COMMANDS = randomCommands(31, 900);
/** So small that a stream has many. */
const SEGMENT_BYTES_MAX = 25_000;
/** Far after every command: nothing is too young. */
const LATER_MS = 4_000_000_000_000;
const NOTHING_YOUNG: RetentionPolicy = { segmentsMs: 1, snapshots: newestOnly(2) };

function livedIn(root: string): HotSide {
  const hot = new HotSide(root, COMMANDS, SEGMENT_BYTES_MAX);
  const opened = openShadow(hot.dir, { snapshotCommands: 1, snapshotsKept: newestOnly(100) });
  while (hot.left > 0) {
    hot.write(50, 5);
    catchUp(opened);
  }
  opened.shadow.close();
  hot.close();
  return hot;
}

const seqsOf = (plan: PrunePlan): number[] => plan.segments.map(({ lastSeq }) => lastSeq);
const whys = ({ kept }: PrunePlan): Set<string> => new Set(kept.map(({ why }) => why));
const snapshotsOf = (dir: DataDir) => new SnapshotFiles(dir.snapshots).list();

test('old and covered segments are deleted, oldest first, and a start gives the same state', (t) => {
  const hot = livedIn(temporaryDir(t));
  const { dir } = hot;
  const before = findSegments(dir.journal).length;
  assert.ok(before > 2, `${before} segments`);
  const plan = planPrune(dir, NOTHING_YOUNG, LATER_MS);
  const oldestKept = must(snapshotsOf(dir)[1], 'the second newest').seq;
  assert.ok(plan.segments.length > 0 && plan.segments.length < before);
  assert.ok(seqsOf(plan).every((lastSeq) => lastSeq <= oldestKept));
  assert.equal(plan.snapshots.length, snapshotsOf(dir).length - 2);
  // A busy server is nearly always between a row and its commit.
  const writer = connectArchive(dir.archiveFile);
  writer.exec('BEGIN IMMEDIATE');
  executePlan(dir, plan);
  writer.close();
  assert.equal(findSegments(dir.journal).length, before - plan.segments.length);
  assert.equal(snapshotsOf(dir).length, 2);

  const reader = new JournalReader(dir);
  const { engine, snapshotSeq } = recoverEngine(
    reader,
    new SnapshotFiles(dir.snapshots),
    readMarkFile(dir.markFile),
    CLOCK,
  );
  reader.close();
  assert.ok(snapshotSeq > 0);
  assert.equal(engine.stateDigest(newHasher), hot.engine.stateDigest(newHasher));
  assert.deepEqual(followed(dir).notes, []);
  const { faults, progress } = checkArchive(dir.archiveFile);
  assert.deepEqual([faults, progress?.fromSeq, progress?.seq], [[], 0, hot.engine.seq]);
  assert.deepEqual(planPrune(dir, NOTHING_YOUNG, LATER_MS).segments, []);
  rmSync(dir.archiveFile);
  const [, note = ''] = followed(dir).notes;
  assert.ok(note.startsWith(`A new archive begins after sequence number ${oldestKept}, `), note);
  const anew = checkArchive(dir.archiveFile);
  const reach = [anew.progress?.fromSeq, anew.progress?.seq];
  assert.deepEqual([anew.faults, ...reach], [[], oldestKept, hot.engine.seq]);
});

test('everything is kept by default; so is what is young, or not in a snapshot or the archive', (t) => {
  const { dir } = livedIn(temporaryDir(t));
  const all = planPrune(dir, { segmentsMs: null, snapshots: newestOnly(2) }, LATER_MS);
  assert.deepEqual([all.segments, whys(all).has('all are kept')], [[], true]);
  const [first] = planPrune(dir, NOTHING_YOUNG, LATER_MS).segments;
  const young = planPrune(dir, { ...NOTHING_YOUNG, segmentsMs: 60_000 }, must(first, 'segment').lastTimeMs);
  assert.deepEqual(young.segments, []);
  assert.ok(whys(young).has('it is not old enough'));
  const many = planPrune(dir, { ...NOTHING_YOUNG, snapshots: newestOnly(1_000) }, LATER_MS);
  assert.ok(whys(many).has('no snapshot is in or before it, so its age is not known'));
  assert.deepEqual(many.snapshots, []);
  rmSync(dir.archiveFile);
  const unarchived = planPrune(dir, NOTHING_YOUNG, LATER_MS);
  assert.deepEqual(unarchived.segments, []);
  assert.ok(whys(unarchived).has('the archive does not hold it'));
});

test('nothing is deleted because of a damaged snapshot, and an unreadable one is kept and skipped', (t) => {
  const { dir } = livedIn(temporaryDir(t));
  const [, second, third] = snapshotsOf(dir);
  const floor = must(second, 'the second newest').name;
  flipBit(floor, Math.floor(statSync(floor).size / 2));
  const plan = planPrune(dir, NOTHING_YOUNG, LATER_MS);
  assert.deepEqual(plan.segments, []);
  assert.ok(whys(plan).has('the snapshot in its place is damaged'));
  // Cut within its first page.
  truncateSync(floor, 1_000);
  const passed = planPrune(dir, NOTHING_YOUNG, LATER_MS);
  assert.ok(seqsOf(passed).every((lastSeq) => lastSeq <= must(third, 'the third newest').seq));
  assert.ok(passed.snapshots.every(({ name }) => name !== floor && name !== third?.name));
});

test('the shadow deletes what its snapshots cover, and says so', (t) => {
  const hot = new HotSide(temporaryDir(t), COMMANDS, SEGMENT_BYTES_MAX);
  const kept = { snapshotsKept: newestOnly(2), segmentsKeptMs: 1 };
  const opened = openShadow(hot.dir, { snapshotCommands: 50, ...kept });
  const first = must(findSegments(hot.dir.journal)[0], 'segment');
  while (hot.left > 0) {
    if (!existsSync(first)) writeFileSync(absentPath(hot.dir), 'damaged');
    hot.write(50, 5);
    catchUp(opened);
    assert.equal(opened.shadow.appliedSeq, hot.engine.seq);
  }
  assert.ok(!existsSync(first));
  assert.match(opened.notes.join(), /^The file .*absent, .* cannot be read/);
  assert.equal(opened.shadow.complaint, 'nothing old can be deleted (absent_unreadable)');
  const pruned = opened.news.flatMap((told) => (told.kind === 'pruned' ? [told] : []));
  assert.ok(pruned[0]?.firstSeq === 1 && pruned.every(({ bytes }) => bytes > 0), JSON.stringify(pruned));
  assert.equal(opened.news.at(-1)?.kind, 'snapshot', 'it was written');
  opened.shadow.close();
  hot.close();
  const { faults, progress } = checkArchive(hot.dir.archiveFile);
  assert.deepEqual([faults, progress?.seq], [[], hot.engine.seq]);
});

function addForeignSnapshot(dir: DataDir, root: string, atSeq: number): string {
  const other = new HotSide(root, randomCommands(32, 1_500), SEGMENT_BYTES_MAX);
  other.write(atSeq, 100);
  assert.equal(other.engine.seq, atSeq);
  const { name } = new SnapshotFiles(dir.snapshots).save(other.engine, 'f'.repeat(64));
  other.close();
  return name;
}

test('a snapshot of another journal covers nothing', (t) => {
  const root = temporaryDir(t);
  const { dir, engine } = livedIn(join(root, 'own'));
  const newest = must(snapshotsOf(dir)[0], 'a snapshot');
  const beyond = addForeignSnapshot(dir, join(root, 'other'), engine.seq + 20);
  const one: RetentionPolicy = { segmentsMs: 1, snapshots: newestOnly(1) };
  const plan = planPrune(dir, one, LATER_MS);
  assert.ok(plan.snapshots.every(({ name }) => name !== newest.name && name !== beyond));
  assert.ok(seqsOf(plan).every((lastSeq) => lastSeq <= newest.seq));
  rmSync(beyond);
  for (const { name } of snapshotsOf(dir)) rmSync(name);
  addForeignSnapshot(dir, join(root, 'third'), newest.seq);
  const doubtful = planPrune(dir, one, LATER_MS);
  assert.deepEqual(doubtful.segments, []);
  assert.ok(whys(doubtful).has('the snapshot in its place is not of this journal'));
});
