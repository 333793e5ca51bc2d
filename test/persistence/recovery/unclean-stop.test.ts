/**
 * A kill or a power loss, and the recovery. A commit is row, sync, mark, acknowledgement: a crash may leave batches
 * above the mark, whole or torn, and none missing below it. The steps of the copy stand in `recovery/copy.ts`: a
 * crash after any of them leads to the same batches, and never to the new database beside the old WAL.
 */
import assert from 'node:assert/strict';
import fs, { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { shmPath, unfinishedPath, walPath } from '../../../persistence/data-dir/files.js';
import { type DataDir, openDataDir } from '../../../persistence/data-dir/layout.js';
import { commitBatch } from '../../../persistence/journal/commit.js';
import { recoveredPath } from '../../../persistence/journal/segment/names.js';
import { SqliteStore } from '../../../persistence/journal/store.js';
import type { CopyStep } from '../../../persistence/recovery/copy.js';
import {
  alterDatabase,
  assertServes,
  batchAt,
  batchesUpTo,
  CLOCK,
  crashImage,
  onlySegment,
  recover,
  refusal,
  stopped,
  temporaryDir,
  writeJournal,
} from '../support/journal-files.js';
import { filesOf } from '../support/judge.js';

const BATCHES = 24;
const COPIED: readonly CopyStep[] = ['half_copied', 'copied', 'copy_named', 'copy_checked'];
const ALL_STEPS: readonly CopyStep[] = [...COPIED, 'wal_removed', 'replaced', 'in_use_removed'];

/**
 * Half in the database, half in the WAL, the last batch above the mark. Pages are smaller than a copy's: the old WAL over a new database cannot go
 * unnoticed.
 */
function killedJournal(t: TestContext): DataDir {
  const dir = stopped(writeJournal(temporaryDir(t), BATCHES / 2));
  const smaller = 'PRAGMA journal_mode = DELETE; PRAGMA page_size = 1024; VACUUM; PRAGMA journal_mode = WAL';
  alterDatabase(onlySegment(dir), smaller);
  const second = SqliteStore.open(dir, 'fsync');
  for (let index = BATCHES / 2; index < BATCHES - 1; index += 1) commitBatch(second, batchAt(index));
  second.write([batchAt(BATCHES - 1)]);
  const image = crashImage(dir, join(temporaryDir(t), 'killed'));
  second.close();
  return image;
}

for (const isMarked of [true, false])
  test(`a kill loses nothing, and leaves a clean directory, ${isMarked ? 'with' : 'without'} the in-use file`, (t) => {
    const dir = killedJournal(t);
    if (!isMarked) rmSync(dir.inUseFile);
    const recovered = recover(dir);
    assert.deepEqual([recovered.wasUnclean, recovered.given], [true, batchesUpTo(BATCHES)]);
    const segment = onlySegment(dir);
    const leftovers = [walPath, shmPath, unfinishedPath, recoveredPath].map((side) => side(segment));
    const left = [...leftovers, dir.inUseFile].filter((path) => existsSync(path));
    assert.deepEqual([left, recover(dir).wasUnclean], [[], false]);
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
    for (const [second, twice] of imagesOfRecovery(t, image))
      assertServes(twice, BATCHES, `${step}, ${second}`);
    assertServes(image, BATCHES, step);
  });
}

test('the copy counts without the `in-use` file, too, and a damaged one is refused before the WAL goes', (t) => {
  const images = imagesOfRecovery(t, killedJournal(t));
  for (const step of ['copy_named', 'copy_checked', 'wal_removed']) {
    const image = must(images.get(step), 'the image');
    rmSync(image.inUseFile);
    const copy = recoveredPath(onlySegment(image));
    const whole = readFileSync(copy);
    alterDatabase(copy, 'UPDATE batch SET time_ms = 0 WHERE last_seq = 6');
    const before = filesOf(image);
    assert.throws(() => recover(image), refusal('journal_corrupt', /checksum does not match its content/));
    assert.deepEqual(filesOf(image), before, step);
    writeFileSync(copy, whole);
    assertServes(image, BATCHES, step);
  }
});

test('a crash in the first start leaves a new directory', (t) => {
  const dir = stopped(writeJournal(temporaryDir(t), 0));
  rmSync(dir.markFile);
  assert.equal(recover(dir).lastSeq, 0);
  rmSync(dir.markFile);
  writeFileSync(`${dir.markFile}.new`, 'half');
  const segment = onlySegment(dir);
  writeFileSync(unfinishedPath(segment), readFileSync(segment).subarray(0, 5_000));
  rmSync(segment);
  assert.deepEqual([recover(dir).lastSeq, existsSync(unfinishedPath(segment))], [0, false]);
});

test('a refused start changes nothing: with the right files put back it starts', (t) => {
  const dir = killedJournal(t);
  const wal = walPath(onlySegment(dir));
  const whole = readFileSync(wal);
  truncateSync(wal, Math.floor(whole.length / 2));
  const before = readFileSync(onlySegment(dir));
  assert.throws(() => recover(dir), refusal('journal_incomplete'));
  assert.deepEqual(readFileSync(onlySegment(dir)), before);
  writeFileSync(wal, whole);
  assert.throws(() => recover(dir, assert.fail), /half_copied/);
  assert.ok(!existsSync(unfinishedPath(onlySegment(dir))), 'no half copy fills the disk');
  assertServes(dir, BATCHES, 'put back');
});

/** Gives what the program itself, not SQLite, has synced, named and removed since it was called last. */
function traceFiles(t: TestContext): () => string[] {
  const { fsyncSync, renameSync, rmSync } = fs;
  const real = { fsyncSync, renameSync, rmSync };
  const steps: string[] = [];
  const nameOf = (path: unknown): string => basename(String(path)).replace(/segment-0+/, '#');
  fs.fsyncSync = (fd) => {
    steps.push(`sync ${nameOf(fs.readlinkSync(`/proc/self/fd/${fd}`))}`);
    real.fsyncSync(fd);
  };
  fs.renameSync = (from, to) => {
    steps.push(`name ${nameOf(to)}`);
    real.renameSync(from, to);
  };
  fs.rmSync = (path, options) => {
    if (existsSync(path)) steps.push(`remove ${nameOf(path)}`);
    real.rmSync(path, options);
  };
  syncBuiltinESMExports();
  t.after(() => {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  });
  return () => steps.splice(0);
}

test('content is synced before it gets its name, and the folder after each change of a name', (t) => {
  if (!existsSync('/proc/self/fd')) return t.skip('the names of open files are unknown');
  const root = temporaryDir(t);
  const steps = traceFiles(t);
  const folder = 'sync journal';
  const named = (name: string, aside: string): string[] => [`sync ${aside}`, `name ${name}`, folder];
  const begun = (name: string): string[] => [folder, ...named(name, `${name}.unfinished`)];
  const dir = openDataDir(join(root, 'data'));
  assert.deepEqual(steps(), [`sync ${basename(root)}`, 'sync data', 'sync data', 'sync data']);
  recover(dir);
  const files = [...named('absent', 'absent.new'), ...named('mark', 'mark.new')];
  assert.deepEqual(steps(), [...begun('#1.db'), ...files]);
  const store = SqliteStore.open(dir, 'fsync', 1);
  assert.deepEqual(steps(), named('in-use', 'in-use.new'));
  commitBatch(store, batchAt(0));
  store.rollIfDue(CLOCK.nowMs());
  assert.deepEqual(steps(), ['sync #1.db', folder, ...begun('#2.db')]);
  assert.equal(store.rollIfDue(CLOCK.nowMs()), null, 'a segment without rows stays');
  assert.equal(store.synchronous, 2, 'in the next segment, too');
  store.write([batchAt(1)]);
  const image = crashImage(dir, join(root, 'image'));
  steps();
  recover(image);
  const copied = [folder, ...named('#2.db.recovered', '#2.db.unfinished')];
  const replaced = ['remove #2.db-wal', 'remove #2.db-shm', folder, 'name #2.db', folder];
  assert.deepEqual(steps(), [...copied, ...replaced, 'remove in-use', folder, 'sync mark']);
  store.close();
  assert.deepEqual(steps(), ['sync mark', 'remove in-use', folder]);
});
