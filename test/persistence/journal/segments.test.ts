/**
 * The journal in segments: a full one is sealed and the next continues, whatever a crash leaves in between; and a
 * start names a missing or replaced segment.
 */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { must } from '../../../engine/base/assert.js';
import { fileBytes, rollbackPath, unfinishedPath, walPath } from '../../../persistence/data-dir/files.js';
import type { DataDir } from '../../../persistence/data-dir/layout.js';
import { commitBatch } from '../../../persistence/journal/commit.js';
import { crcHex } from '../../../persistence/journal/segment/batch-row.js';
import { findSegments, firstSeqOf, recoveredPath } from '../../../persistence/journal/segment/names.js';
import type { RollStep } from '../../../persistence/journal/segment/roll.js';
import { rowsOfSegment, Segment } from '../../../persistence/journal/segment/segment.js';
import {
  alterDatabase,
  assertServes,
  batchAt,
  batchesUpTo,
  CLOCK,
  crashImage,
  plain,
  readAll,
  recover,
  refusal,
  segmentAt,
  stopped,
  temporaryDir,
  writeSegments,
} from '../support/journal-files.js';
import { leaveHalfSeal } from '../support/operator-dir.js';

const BATCHES = 40;
const ROLL_STEPS: readonly RollStep[] = ['wal_left', 'sealed', 'closed', 'next_written', 'next_named'];
const closedJournal = (t: TestContext, count = BATCHES): DataDir =>
  stopped(writeSegments(temporaryDir(t), count));

test('a full segment is sealed and never written again, and the next one continues from it', (t) => {
  const { dir, store } = writeSegments(temporaryDir(t), BATCHES);
  const paths = findSegments(dir.journal);
  assert.ok(paths.length >= 4, `${paths.length} segments`);
  const sealed = paths.slice(0, -1);
  const contents = sealed.map((path) => readFileSync(path));
  for (const path of sealed) {
    // Not in WAL mode: such a file is read without side files, wherever it is copied to.
    assert.deepEqual([...readFileSync(path).subarray(18, 20)], [1, 1]);
    const left = [walPath(path), rollbackPath(path)].filter((side) => existsSync(side));
    assert.deepEqual(left, []);
  }
  commitBatch(store, batchAt(BATCHES));
  assert.deepEqual(readAll(dir).map(plain), batchesUpTo(BATCHES + 1));
  store.close();
  assertServes(dir, BATCHES + 1, 'after a clean stop');
  const left = sealed.map((path) => readFileSync(path));
  assert.deepEqual(left, contents);
});

function imagesOfRoll(t: TestContext): Map<RollStep, { readonly dir: DataDir; readonly count: number }> {
  const { dir, store } = writeSegments(temporaryDir(t), 15);
  const images = new Map<RollStep, { readonly dir: DataDir; readonly count: number }>();
  const scratch = temporaryDir(t);
  for (let count = 16; images.size === 0; count += 1) {
    commitBatch(store, batchAt(count - 1));
    const other = new Database(segmentAt(dir, -1), { readonly: true, timeout: 0 });
    store.rollIfDue(CLOCK.nowMs(), (step) => {
      if (step === 'wal_left') assert.throws(() => other.pragma('user_version'), /database is locked/);
      images.set(step, { dir: crashImage(dir, join(scratch, step)), count });
    });
  }
  store.close();
  return images;
}

test('a crash after any step of a roll, and after each step of the recovery that follows', (t) => {
  const images = imagesOfRoll(t);
  assert.deepEqual([...images.keys()], ROLL_STEPS);
  for (const [step, { dir, count }] of images) {
    const scratch = temporaryDir(t);
    const once = crashImage(dir, join(scratch, 'once'));
    let crashes = 0;
    recover(once, (second) => {
      crashes += 1;
      assertServes(crashImage(once, join(scratch, `${crashes} ${second}`)), count, `${step}, ${second}`);
    });
    assert.ok(crashes >= 6, `${crashes} steps of recovery after ${step}`);
    // A sealed segment stays so.
    const begun = step === 'wal_left' || step === 'next_named' ? 0 : 1;
    assert.equal(findSegments(once.journal).length, findSegments(dir.journal).length + begun, step);
    assertServes(once, count, step);
  }
});

test('remains of the next segment of an interrupted roll are removed', (t) => {
  const dir = closedJournal(t);
  const stray = unfinishedPath(join(dir.journal, 'segment-0000000000000139.db'));
  writeFileSync(stray, 'half');
  assertServes(dir, BATCHES, 'with a stray');
  assert.equal(existsSync(stray), false);
});

test('a half-written seal in a rollback journal is undone', (t) => {
  const { dir, count } = must(imagesOfRoll(t).get('wal_left'), 'an image');
  const path = segmentAt(dir, -1);
  const bytes = fileBytes(path);
  leaveHalfSeal(path);
  assert.ok(fileBytes(rollbackPath(path)) > 512);
  assert.ok(fileBytes(path) > bytes, 'the half transaction is in the file');
  assertServes(dir, count, 'half sealed');
});

test('a roll is postponed while another program has the segment open, and then done', (t) => {
  const { dir, store } = writeSegments(temporaryDir(t), 5);
  const other = new Database(segmentAt(dir, -1), { readonly: true });
  other.prepare('SELECT count(*) FROM batch').get();
  for (let index = 5; index < 300; index += 1) {
    commitBatch(store, batchAt(index));
    assert.equal(store.rollIfDue(CLOCK.nowMs()), null);
  }
  other.close();
  let count = 300;
  do commitBatch(store, batchAt(count++));
  while (count < 1_500 && store.rollIfDue(CLOCK.nowMs()) === null);
  assert.ok(count < 1_500);
  store.close();
  assertServes(dir, count, 'after a roll that was put off');
});

test('a segment that is missing is named', (t) => {
  const cases: readonly [index: number, sentence: (first: string, second: string) => RegExp][] = [
    [1, (...names) => new RegExp(`is missing: .*${names[0]} ends .* next one is .*${names[1]}.*restore|Put`)],
    [0, () => /no segment with the sequence numbers 1 to \d+/],
    [-1, () => /ends at sequence number \d+, but 155 was acknowledged/],
  ];
  for (const [index, sentence] of cases) {
    const dir = closedJournal(t);
    rmSync(segmentAt(dir, index));
    const [first = '', second = ''] = findSegments(dir.journal).map((path) => basename(path));
    assert.throws(() => recover(dir), refusal('journal_incomplete', sentence(first, second)));
  }
});

test('a segment under the name of another is refused', (t) => {
  const dir = closedJournal(t);
  rmSync(segmentAt(dir, 1));
  renameSync(segmentAt(dir, 1), join(dir.journal, 'segment-0000000000000029.db'));
  const wrongName = refusal('journal_corrupt', /not that of its name/);
  assert.throws(() => recover(dir), wrongName);
  renameSync(segmentAt(dir, 1), segmentAt(dir, 0));
  assert.throws(() => readAll(dir), wrongName);
});

for (const [index, sentence] of [
  [0, /does not begin with the chain hash of a beginning/],
  [1, /does not follow from .*sealed at sequence number/],
] as const)
  test(`an intact segment ${index} of another journal is refused`, (t) => {
    const dir = closedJournal(t);
    const path = segmentAt(closedJournal(t), index);
    const chain = 'e'.repeat(64);
    const checksum = crcHex(`1 ${CLOCK.nowMs()} ${firstSeqOf(path)} ${chain}`);
    alterDatabase(path, `UPDATE meta SET previous_chain = '${chain}', checksum = '${checksum}'`);
    copyFileSync(path, segmentAt(dir, index));
    assert.throws(() => recover(dir), refusal('journal_corrupt', sentence));
  });

const TAKE_LAST_OUT = 'DELETE FROM batch WHERE last_seq = (SELECT last_seq FROM seal)';
const ALTERATIONS: readonly [what: string, sql: string, sentence: RegExp][] = [
  ['the seal taken out', 'DELETE FROM seal', /it is not sealed/],
  ['the seal twice', 'INSERT INTO seal SELECT * FROM seal', /its seal is not one good row/],
  ['the seal moved', 'UPDATE seal SET last_seq = last_seq - 1', /checksum of its seal/],
  ['the seal of another digest', "UPDATE seal SET digest = 'd'", /checksum of its seal/],
  ['the seal of another chain', "UPDATE seal SET chain = 'c'", /checksum of its seal/],
  ['the last row taken out', TAKE_LAST_OUT, /last row is not the one/],
  [
    'a row added',
    'INSERT INTO batch SELECT last_seq + 1, last_seq + 1, time_ms, digest, checksum, chain, commands FROM batch ORDER BY last_seq DESC LIMIT 1',
    /checksum of row/,
  ],
];

for (const [what, sql, sentence] of ALTERATIONS) {
  test(`an altered sealed segment is refused: ${what}`, (t) => {
    const dir = closedJournal(t);
    alterDatabase(segmentAt(dir, 1), sql);
    assert.throws(() => recover(dir), refusal('journal_corrupt', sentence));
  });
}

test('rows that end before the seal are damage to whoever reads them', (t) => {
  const path = segmentAt(closedJournal(t), 1);
  alterDatabase(path, TAKE_LAST_OUT);
  assert.throws(() => [...rowsOfSegment(path)], refusal('journal_corrupt', /rows end at .* sealed at/));
});

test('files beside a sealed segment, which SQLite or a start would lay over it, are refused', (t) => {
  const dir = closedJournal(t);
  for (const side of [walPath, rollbackPath, recoveredPath].map((of) => of(segmentAt(dir, 0)))) {
    writeFileSync(side, 'x');
    assert.throws(() => recover(dir), refusal('journal_corrupt', new RegExp(`${side} lies beside it`)));
    rmSync(side);
  }
});

test('an empty segment is damage, and the WAL beside it stays', (t) => {
  const { dir, store } = writeSegments(temporaryDir(t), 1);
  const path = must(findSegments(crashImage(dir, join(temporaryDir(t), 'image')).journal)[0], 'a segment');
  store.close();
  writeFileSync(path, '');
  const walBytes = fileBytes(walPath(path));
  assert.ok(walBytes > 0);
  for (const mode of ['read', 'write'] as const)
    assert.throws(() => Segment.open(path, mode), { code: 'journal_corrupt' });
  assert.equal(fileBytes(walPath(path)), walBytes);
});
