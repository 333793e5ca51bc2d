/**
 * Readers beside retention finish the segment they are reading, report one deleted earlier as gone, and never report
 * damage.
 */
import assert from 'node:assert/strict';
import fs, { rmSync, symlinkSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { type TestContext, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import type { Batch } from '../../../engine/model/ports.js';
import type { DataDir } from '../../../persistence/data-dir/layout.js';
import { JournalReader } from '../../../persistence/journal/reader.js';
import { writeAbsent } from '../../../persistence/journal/segment/absent.js';
import { findSegments, firstSeqOf } from '../../../persistence/journal/segment/names.js';
import { Segment } from '../../../persistence/journal/segment/segment.js';
import { OldRowsCheck } from '../../../persistence/shadow/old-rows.js';
import { inspect } from '../../../persistence/upkeep/inspect.js';
import { Findings } from '../../../persistence/upkeep/verify/findings.js';
import { JournalRows } from '../../../persistence/upkeep/verify/journal-rows.js';
import {
  batchesUpTo,
  plain,
  readAll,
  refusal,
  stopped,
  temporaryDir,
  writeSegments,
} from '../support/journal-files.js';

const BATCHES = 60;
/** Every row is a chunk of its own. */
const CHUNK_CHARS = 1;

function journalOf(t: TestContext): { readonly dir: DataDir; readonly paths: readonly string[] } {
  const dir = stopped(writeSegments(temporaryDir(t), BATCHES));
  const paths = findSegments(dir.journal);
  assert.ok(paths.length >= 4, `${paths.length} segments`);
  return { dir, paths };
}

function deleteOldest(paths: readonly string[], count: number): void {
  for (const path of paths.slice(0, count)) rmSync(path, { force: true });
}

/** Right after the journal's folder has been listed for the `listing`th time from now. */
function deleteAfterListing(t: TestContext, { journal }: DataDir, { listing = 1 } = {}): void {
  const { readdirSync } = fs;
  const restore = (): void => {
    fs.readdirSync = readdirSync;
    syncBuiltinESMExports();
  };
  let listings = 0;
  const deleting = (...args: Parameters<typeof readdirSync>): unknown => {
    const names = readdirSync(...args);
    if (args[0] === journal) listings += 1;
    if (listings === listing) {
      restore();
      deleteOldest(findSegments(journal), 1);
    }
    return names;
  };
  fs.readdirSync = deleting as typeof readdirSync;
  syncBuiltinESMExports();
  t.after(restore);
}

test('a segment that has been deleted is reported as gone', (t) => {
  const { dir, paths } = journalOf(t);
  const first = must(paths[0], 'a segment');
  rmSync(first);
  assert.throws(() => Segment.open(first, 'read'), refusal('segment_gone', /not there any more.*Try again/));
  symlinkSync('nowhere', first);
  assert.throws(() => Segment.open(first, 'read'), refusal('data_dir_invalid', /link to a file that is not/));
  assert.throws(() => readAll(dir), refusal('data_dir_invalid'));
});

test('a reader finishes a segment that is deleted meanwhile, and continues with the next', (t) => {
  const { dir, paths } = journalOf(t);
  const reader = new JournalReader(dir, CHUNK_CHARS);
  const read: Batch[] = [];
  for (const row of reader.readBatches(0)) {
    read.push(plain(row));
    if (read.length === 2) deleteOldest(paths, 1);
  }
  assert.deepEqual(read, batchesUpTo(BATCHES));
  reader.close();
});

test('a reader that is too late for the next segment, or misses it, gets an error that says so', (t) => {
  for (const from of [0, 1]) {
    const { dir, paths } = journalOf(t);
    const firstSeq = firstSeqOf(must(paths[1], 'a segment'));
    const sentence = new RegExp(`no segment with the sequence numbers ${firstSeq} to .*try again`);
    const reader = new JournalReader(dir, CHUNK_CHARS);
    let lastSeq = 0;
    const read = (): void => {
      for (const row of reader.readBatches(0)) {
        if (lastSeq === 0) for (const path of paths.slice(from, 2)) rmSync(path);
        lastSeq = row.lastSeq;
      }
    };
    // Where the one before it is still there, every time.
    for (let times = 0; times <= from; times += 1)
      assert.throws(read, refusal('journal_incomplete', sentence));
    assert.equal(lastSeq, firstSeq - 1, 'what was left of the one that was open');
    reader.close();
  }
});

for (const listing of [1, 2]) {
  test(`a journal whose beginning goes after listing ${listing} is listed again`, (t) => {
    const { dir, paths } = journalOf(t);
    deleteAfterListing(t, dir, { listing });
    assert.throws(() => readAll(dir), refusal('journal_incomplete', /sequence numbers 1 to/));
    assert.deepEqual(findSegments(dir.journal), paths.slice(1));
  });
}

test('an overview leaves out deleted segments, and names unreadable ones', (t) => {
  const { dir, paths } = journalOf(t);
  deleteAfterListing(t, dir);
  const { segments, faults } = inspect(dir);
  const shown = segments.map(({ path }) => path);
  assert.deepEqual([shown, faults], [paths.slice(1), []]);
  symlinkSync('nowhere', must(paths[0], 'a segment'));
  assert.equal(inspect(dir).faults.length, 1);
});

test('a deleted segment is damage neither to verify nor to the check of old rows', (t) => {
  const { dir, paths } = journalOf(t);
  const findings = new Findings();
  const rows = new JournalRows(paths, null, findings);
  const pass = (): undefined => undefined;
  const unbroken = rows.unbroken(pass, pass);
  unbroken.next();
  deleteOldest(paths, 2);
  assert.throws(() => [...unbroken], refusal('segment_gone'));
  assert.equal(findings.count, 0);
  writeAbsent(dir, firstSeqOf(must(paths[2], 'a segment')) - 1);
  const faults: string[] = [];
  const check = new OldRowsCheck(
    dir,
    Number.MAX_SAFE_INTEGER,
    (fault) => faults.push(fault),
    () => deleteOldest(paths, 4),
  );
  assert.deepEqual([check.step(), faults], [false, []]);
});
