/** The mark's two slots: a torn or damaged one leaves the other, and without either nothing starts. */
import assert from 'node:assert/strict';
import fs, { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readableFolders } from '../../../persistence/data-dir/layout.js';
import { createMarkFile, EMPTY_MARK, MarkFile, readMarkFile } from '../../../persistence/journal/mark.js';
import { findSegments } from '../../../persistence/journal/segment/names.js';
import {
  batchesUpTo,
  onlySegment,
  recover,
  refusal,
  stopped,
  temporaryDir,
  writeJournal,
} from '../support/journal-files.js';

const SLOT_BYTES = 4_096;
const markOf = (lastSeq: number) => ({ lastSeq, checksum: lastSeq.toString(16).padStart(8, '0') });

function writtenMark(t: TestContext, count: number): string {
  const path = join(temporaryDir(t), 'mark');
  createMarkFile(path, EMPTY_MARK);
  const file = new MarkFile(path);
  for (let lastSeq = 1; lastSeq <= count; lastSeq += 1) file.write(markOf(lastSeq));
  file.close();
  return path;
}

const tear = (content: Buffer, offset: number): Buffer => content.fill(0, offset, SLOT_BYTES);
/** A digit becomes another one. */
const flip = (content: Buffer, offset: number): unknown => (content[offset] = content.readUInt8(offset) ^ 1);

test('a write torn at any byte, or a flipped bit, leaves the previous mark', (t) => {
  const whole = readFileSync(writtenMark(t, 2));
  const path = writtenMark(t, 2);
  for (let offset = 0; offset <= whole.indexOf('\n'); offset += 1)
    for (const harm of [tear, flip]) {
      const content = Buffer.from(whole);
      harm(content, offset); // creation wrote slot 0, the first write slot 1, the second slot 0
      writeFileSync(path, content);
      assert.deepEqual(readMarkFile(path), markOf(1), `${harm.name} at ${offset}`);
      const file = new MarkFile(path);
      file.write(markOf(3));
      assert.throws(() => file.write(markOf(2)), /must not go back/);
      file.close();
      assert.deepEqual(readMarkFile(path), markOf(3), `written over the slot: ${harm.name} at ${offset}`);
    }
});

test('a mark of which only a part is written is an error, and a new file is written part by part', (t) => {
  const path = writtenMark(t, 2);
  const file = new MarkFile(path);
  const { writeSync } = fs;
  const part = (fd: number, bytes: Uint8Array, from: number, count?: number, at?: number): number =>
    writeSync(fd, bytes, from, Math.min(count ?? bytes.length - from, 60), at);
  const writing = t.mock.method(fs, 'writeSync', part);
  syncBuiltinESMExports();
  assert.throws(() => file.write(markOf(3)), /only 60 bytes of the mark/);
  createMarkFile(path, markOf(4));
  writing.mock.restore();
  syncBuiltinESMExports();
  file.close();
  assert.deepEqual(readMarkFile(path), markOf(4));
});

test('without a valid slot, or without the file, a journal with batches is refused', (t) => {
  const dir = stopped(writeJournal(temporaryDir(t), 4));
  const good = readFileSync(dir.markFile);
  writeFileSync(dir.markFile, Buffer.alloc(good.length));
  assert.throws(() => recover(dir), refusal('mark_unreadable', /neither of its two slots/));
  rmSync(dir.markFile);
  assert.throws(() => recover(dir), refusal('mark_unreadable', /up to sequence number 10.*missing.*restore/));
  writeFileSync(dir.markFile, good);
  for (const [call, file, open] of [
    ['readFileSync', dir.markFile, () => new MarkFile(dir.markFile)],
    ['openSync', dir.markFile, () => new MarkFile(dir.markFile)],
    ['accessSync', dir.markFile, () => recover(dir)],
    ['accessSync', onlySegment(dir), () => recover(dir)],
    ['accessSync', dir.archive, () => readableFolders(dir)],
  ] as const) {
    // Root may read and write everything.
    const denied = t.mock.method(fs, call, (path: string) =>
      assert.ok(path !== file, Object.assign(new Error(call), { code: 'EACCES' })),
    );
    syncBuiltinESMExports();
    assert.throws(open, refusal('data_dir_invalid', new RegExp(`${file} is closed to this user`)));
    denied.mock.restore();
    syncBuiltinESMExports();
  }
  assert.deepEqual(recover(dir).given, batchesUpTo(4));
});

test('a journal that ends below the mark, or is another one, is refused', (t) => {
  const dir = stopped(writeJournal(temporaryDir(t), 4));
  for (const [lastSeq, code, sentence] of [
    [12, 'journal_incomplete', /11 to 12 are missing.*restore DATA_DIR --to 10 --out/],
    [10, 'journal_corrupt', /not the one that was acknowledged/],
    [9, 'journal_corrupt', /no batch ends there/],
  ] as const) {
    createMarkFile(dir.markFile, { lastSeq, checksum: '0badbad0' });
    assert.throws(() => recover(dir), refusal(code, sentence));
  }
  rmSync(onlySegment(dir));
  assert.throws(() => recover(dir), refusal('journal_incomplete', /ends at sequence number 0, but 9/));
  assert.deepEqual(findSegments(dir.journal), [], 'none is begun');
});
