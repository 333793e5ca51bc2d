/**
 * The record of the journal's begin tells pruned segments from lost ones, across power losses at any moment of a
 * deletion.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type DataDir, dataDirLayout } from '../../../persistence/data-dir/layout.js';
import { absentPath, readAbsent, writeAbsent } from '../../../persistence/journal/segment/absent.js';
import { findSegments, firstSeqOf } from '../../../persistence/journal/segment/names.js';
import { openStore, type Recovered } from '../../../persistence/recovery/open-store.js';
import { backup } from '../../../persistence/upkeep/backup/backup.js';
import { executePlan, planPrune } from '../../../persistence/upkeep/retention/retention.js';
import { verify } from '../../../persistence/upkeep/verify/verify.js';
import { CLOCK, refusal, segmentAt } from '../support/journal-files.js';
import { flipBit, makeFor } from '../support/operator-dir.js';
import { newestOnly } from '../support/shadow-files.js';

const LATER_MS = 4_000_000_000_000;
const make = (t: TestContext): DataDir => makeFor(t).dir;
const faultsOf = (dir: DataDir): string =>
  verify(dir)
    .faults.map(({ file, what }) => `${file}: ${what}`)
    .join();
const firstSeqs = (dir: DataDir): number[] => findSegments(dir.journal).map(firstSeqOf);

function start(dir: DataDir): Recovered {
  const { recovered, lock } = openStore(dir.root, CLOCK, () => {});
  lock.release();
  return recovered;
}

test('the file is readable, survives a round trip, and every flipped bit is detected', (t) => {
  const dir = make(t);
  writeAbsent(dir, 66_409);
  assert.match(readFileSync(absentPath(dir), 'latin1'), /^tote-absent v1 66409 crc=[0-9a-f]{8}\n$/);
  assert.equal(readAbsent(dir), 66_409);
  const { length } = readFileSync(absentPath(dir));
  for (let offset = 0; offset < length; offset += 1) {
    flipBit(absentPath(dir), offset);
    assert.throws(() => readAbsent(dir), refusal('absent_unreadable'), `byte ${offset}`);
    flipBit(absentPath(dir), offset);
  }
});

test('retention records segments before it deletes them, so a lost first segment differs from a pruned one', (t) => {
  const { dir } = makeFor(t, { snapshotsAfter: [10, 45, 100] });
  start(dir);
  assert.equal(readAbsent(dir), 0);
  const second = firstSeqOf(segmentAt(dir, 1));
  const plan = planPrune(dir, { segmentsMs: 1, snapshots: newestOnly(2) }, LATER_MS);
  assert.equal(plan.segments.length, 1);
  // A power loss after the note and before the deletion: all is there and good.
  const contents = readFileSync(segmentAt(dir, 0));
  executePlan(dir, plan);
  assert.deepEqual([readAbsent(dir), verify(dir).faults], [second - 1, []]);
  assert.deepEqual(start(dir).notes, []);
  const firstPath = join(dir.journal, 'segment-0000000000000001.db');
  writeFileSync(firstPath, contents);
  const whole = verify(dir);
  assert.deepEqual([whole.faults, whole.replayed?.fromSeq], [[], 0]);
  rmSync(firstPath);

  const third = firstSeqOf(segmentAt(dir, 1));
  rmSync(segmentAt(dir, 0));
  const sentence = new RegExp(`${second} to ${third - 1} are missing and were not pruned`);
  assert.match(faultsOf(dir), sentence);
  assert.match(start(dir).notes.join(), /are missing from the journal.*lost.*restore/);
  assert.match(faultsOf(dir), sentence, 'a start does not hide it');
});

test('a directory without the file is good, and the next start writes it', (t) => {
  const { dir, engine } = makeFor(t, { firstBatch: 11 });
  const [firstSeq = 0] = firstSeqs(dir);
  const before = verify(dir);
  assert.deepEqual(before.faults, []);
  assert.match(before.notes.join(), /nothing says whether what came before was pruned or lost/);
  const { notes, lastSeq } = start(dir);
  assert.equal(lastSeq, engine.seq);
  assert.match(notes.join(), /are recorded as pruned now/);
  assert.equal(readAbsent(dir), firstSeq - 1);
  const { faults, notes: after } = verify(dir);
  assert.deepEqual([faults, after.filter((note) => note.includes('pruned'))], [[], []]);
  assert.deepEqual(start(dir).notes, []);
});

test('a damaged file is a fault of its own, which a backup names; a start rebuilds it and says so', (t) => {
  const dir = make(t);
  start(dir);
  flipBit(absentPath(dir), 3);
  assert.match(faultsOf(dir), /^[^:]*absent: /);
  const copy = join(dir.root, '..', 'copy');
  assert.match(
    backup(dir, copy).faults.join(),
    /absent, which says where the journal begins, cannot be read/,
  );
  assert.deepEqual(verify(dataDirLayout(copy)).faults, []);
  assert.match(start(dir).notes.join(), /cannot be read: its checksum does not match.*made anew/);
  assert.deepEqual(verify(dir).faults, []);
});
