/**
 * A kill or a power loss, and the recovery. A commit is row, sync, mark, acknowledgement: a crash may leave batches
 * above the mark, whole or torn, and none missing below it. The steps of the copy stand in `recovery/copy.ts`: a
 * crash after any of them leads to the same batches, and never to the new database beside the old WAL.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { must } from '../../../engine/base/assert.js';
import { shmPath, unfinishedPath, walPath } from '../../../persistence/data-dir/files.js';
import type { DataDir } from '../../../persistence/data-dir/layout.js';
import { commitBatch } from '../../../persistence/journal/commit.js';
import { recoveredPath } from '../../../persistence/journal/segment/names.js';
import { SqliteStore } from '../../../persistence/journal/store.js';
import type { CopyStep } from '../../../persistence/recovery/copy.js';
import {
  batchAt,
  batchesUpTo,
  crashImage,
  onlySegment,
  recover,
  refusal,
  temporaryDir,
  writeJournal,
} from '../support/journal-files.js';

const BATCHES = 24;
const ALL_STEPS: readonly CopyStep[] = [
  'half_copied',
  'copied',
  'copy_named',
  'copy_checked',
  'wal_removed',
  'replaced',
  'in_use_removed',
];

/**
 * Half in the database, half in the WAL. Pages are smaller than a copy's: the old WAL over a new database cannot go
 * unnoticed.
 */
function killedJournal(t: TestContext): DataDir {
  const { dir, store } = writeJournal(temporaryDir(t), BATCHES / 2);
  store.close();
  const db = new Database(onlySegment(dir));
  for (const pragma of ['journal_mode = DELETE', 'page_size = 1024']) db.pragma(pragma);
  db.exec('VACUUM');
  db.pragma('journal_mode = WAL');
  db.close();
  const second = SqliteStore.open(dir, 'fsync');
  for (let index = BATCHES / 2; index < BATCHES; index += 1) commitBatch(second, batchAt(index));
  const image = crashImage(dir, join(temporaryDir(t), 'killed'));
  second.close();
  return image;
}

function assertServes(dir: DataDir, what: string): void {
  const { given, lastSeq } = recover(dir);
  assert.deepEqual(given, batchesUpTo(BATCHES), what);
  const store = SqliteStore.open(dir, 'fsync');
  assert.deepEqual(store.mark.lastSeq, lastSeq, what);
  commitBatch(store, batchAt(BATCHES));
  store.close();
  const again = recover(dir);
  assert.equal(again.wasUnclean, false, what);
  assert.deepEqual(again.given, batchesUpTo(BATCHES + 1), what);
}

test('a kill loses nothing, and leaves a clean directory after recovery', (t) => {
  const dir = killedJournal(t);
  const recovered = recover(dir);
  assert.equal(recovered.wasUnclean, true);
  assert.deepEqual(recovered.given, batchesUpTo(BATCHES));
  const segment = onlySegment(dir);
  const leftovers = [walPath, shmPath, unfinishedPath, recoveredPath].map((side) => side(segment));
  const left = [...leftovers, dir.inUseFile].filter((path) => existsSync(path));
  assert.deepEqual(left, []);
  assert.equal(recover(dir).wasUnclean, false);
});

test('recovery changes neither database nor WAL until the copy is complete', (t) => {
  const dir = killedJournal(t);
  const files = [onlySegment(dir), walPath(onlySegment(dir)), dir.markFile];
  const before = files.map((file) => readFileSync(file));
  const seen: string[] = [];
  recover(dir, (step) => {
    seen.push(step);
    if (step !== 'copy_checked') return;
    const now = files.map((file) => readFileSync(file));
    assert.deepEqual(now, before);
  });
  assert.deepEqual(seen, ALL_STEPS);
});

function imagesOfRecovery(t: TestContext, dir: DataDir): Map<string, DataDir> {
  const scratch = temporaryDir(t);
  const images = new Map<string, DataDir>();
  recover(dir, (step) => images.set(step, crashImage(dir, join(scratch, step))));
  return images;
}

for (const step of ALL_STEPS) {
  test(`a crash after '${step}', and after each step of the recovery that follows`, (t) => {
    const image = must(imagesOfRecovery(t, killedJournal(t)).get(step), 'the image');
    for (const [second, twice] of imagesOfRecovery(t, image)) assertServes(twice, `${step}, ${second}`);
    assertServes(image, step);
  });
}

test('a crash in the first start leaves a new directory', (t) => {
  const { dir, store } = writeJournal(temporaryDir(t), 0);
  store.close();
  rmSync(dir.markFile);
  assert.equal(recover(dir).lastSeq, 0);
  rmSync(dir.markFile);
  const segment = onlySegment(dir);
  writeFileSync(unfinishedPath(segment), readFileSync(segment).subarray(0, 5_000));
  rmSync(segment);
  assert.equal(recover(dir).lastSeq, 0);
  assert.equal(existsSync(unfinishedPath(segment)), false);
});

test('a refused start changes nothing: with the right files put back it starts', (t) => {
  const dir = killedJournal(t);
  const wal = walPath(onlySegment(dir));
  const whole = readFileSync(wal);
  truncateSync(wal, Math.floor(whole.length / 2));
  const before = readFileSync(onlySegment(dir));
  assert.throws(() => recover(dir), refusal('journal_incomplete'));
  assert.throws(() => recover(dir), refusal('journal_incomplete'));
  assert.deepEqual(readFileSync(onlySegment(dir)), before);
  writeFileSync(wal, whole);
  assertServes(dir, 'put back');
});
