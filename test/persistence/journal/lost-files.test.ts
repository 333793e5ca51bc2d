/**
 * Files of the journal that are deleted or replaced while it is being written: nothing is marked, and they stay open.
 */
import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type TestContext, test } from 'node:test';
import { shmPath, walPath } from '../../../persistence/data-dir/files.js';
import { commitBatch } from '../../../persistence/journal/commit.js';
import { JournalLost } from '../../../persistence/journal/journal-lost.js';
import { findSegments } from '../../../persistence/journal/segment/names.js';
import {
  batchAt,
  CLOCK,
  onlySegment,
  recover,
  temporaryDir,
  type Written,
  writeJournal,
  writeSegments,
} from '../support/journal-files.js';

const COUNT = 3;

function written(t: TestContext): Written & { readonly paths: Readonly<Record<string, string>> } {
  const { dir, store } = writeJournal(temporaryDir(t), COUNT);
  const segment = onlySegment(dir);
  // The next change of the folder bears another time.
  do chmodSync(dir.root, 0o700);
  while (statSync(dir.root).ctimeMs <= statSync(dir.journal).ctimeMs);
  const paths = { segment, wal: walPath(segment), mark: dir.markFile, folder: dirname(segment) };
  return { dir, store, paths };
}

const remove = (path: string): void => rmSync(path, { recursive: true });

function replace(path: string): void {
  cpSync(path, `${path}.copy`, { recursive: true });
  remove(path);
  renameSync(`${path}.copy`, path);
}

for (const file of ['segment', 'wal', 'mark', 'folder']) {
  for (const [harm, hours] of [remove, replace].flatMap((of) => [0, 1].map((age) => [of, age] as const))) {
    test(`${file}: ${harm.name} before a batch is written, after it, and before a close, ${hours} hours later`, (t) => {
      // A folder that has not changed for long is not looked into.
      const nowMs = Date.now() + hours * 3_600_000;
      t.mock.method(Date, 'now', () => nowMs);
      const before = written(t);
      const { mark } = before.store;
      harm(before.paths[file] ?? '');
      assert.throws(() => commitBatch(before.store, batchAt(COUNT)), JournalLost);
      assert.equal(before.store.lastSeq, mark.lastSeq, 'none of the batch was written');

      const after = written(t);
      const { lastSeq } = after.store.write([batchAt(COUNT)]);
      harm(after.paths[file] ?? '');
      assert.throws(() => after.store.writeMark({ lastSeq, checksum: '00000000' }), JournalLost);
      assert.deepEqual(after.store.mark, mark);
      assert.equal(after.store.lastSeq, lastSeq, 'the batch is in the files');

      const closing = written(t);
      harm(closing.paths[file] ?? '');
      assert.throws(() => closing.store.close(), JournalLost);
    });
  }
}

test('a -shm file that is deleted holds nothing that a start needs', (t) => {
  const { dir, store } = writeJournal(temporaryDir(t), COUNT);
  remove(shmPath(onlySegment(dir)));
  commitBatch(store, batchAt(COUNT));
  store.close();
  assert.equal(recover(dir).batches, COUNT + 1);
});

test('the files of the next segment take the place of a sealed one, which may go', (t) => {
  const { dir, store } = writeSegments(temporaryDir(t), 15);
  const [first = ''] = findSegments(dir.journal);
  assert.ok(findSegments(dir.journal).length > 1);
  remove(first);
  store.requireFiles();
  commitBatch(store, batchAt(15));
  remove(findSegments(dir.journal).at(-1) ?? '');
  assert.throws(() => store.requireFiles(), JournalLost);
});

test('a segment that is deleted while it is sealed is not closed', (t) => {
  const { dir, store } = writeSegments(temporaryDir(t), 15);
  const steps: string[] = [];
  assert.throws(() => {
    for (let count = 15; ; count += 1) {
      commitBatch(store, batchAt(count));
      store.rollIfDue(CLOCK.nowMs(), (step) => {
        steps.push(step);
        if (step === 'wal_left') remove(findSegments(dir.journal).at(-1) ?? '');
      });
    }
  }, JournalLost);
  assert.deepEqual(steps, ['wal_left']);
  assert.ok(existsSync(dir.markFile));
});
