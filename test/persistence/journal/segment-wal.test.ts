/** The frames that a power loss may leave of a commit in a reused WAL are the end of the journal; all else is damage. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { walPath } from '../../../persistence/data-dir/files.js';
import { checkWal } from '../../../persistence/journal/segment/wal.js';
import { refusal, temporaryDir } from '../support/journal-files.js';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const SECTOR_BYTES = 512;

/** The WAL has begun again: the first `kept` bytes of the last commit's first frame are old ones. */
for (const [kept, commitsBefore] of [
  [FRAME_HEADER_BYTES, 5],
  // At this frame a header has its first 8 bytes in the sector before.
  [8, 41],
] as const) {
  test(`a commit whose first frame header has ${kept} bytes of an old one is the end`, (t) => {
    const folder = temporaryDir(t);
    const path = join(folder, 'a.db');
    const db = new Database(path);
    t.after(() => db.close());
    db.pragma('journal_mode = WAL');
    db.pragma('wal_autocheckpoint = 0');
    db.exec('CREATE TABLE a (content BLOB)');
    db.exec('CREATE TABLE small (number INTEGER)');
    // Commits of one frame each fill the WAL, which then begins again.
    for (let number = 0; number < 80; number += 1) db.exec(`INSERT INTO small VALUES (${number})`);
    db.pragma('wal_checkpoint(FULL)');
    for (let number = 0; number < commitsBefore; number += 1) db.exec(`INSERT INTO small VALUES (${number})`);
    const before = readFileSync(walPath(path));
    db.exec('INSERT INTO a VALUES (zeroblob(12000))');
    const after = readFileSync(walPath(path));
    const frameBytes = FRAME_HEADER_BYTES + after.readUInt32BE(8);
    const begin = HEADER_BYTES + commitsBefore * frameBytes;
    if (kept === 8) assert.equal(begin % SECTOR_BYTES, SECTOR_BYTES - 8);
    assert.ok(!after.subarray(begin, begin + kept).equals(before.subarray(begin, begin + kept)));
    assert.notEqual(before.readUInt32BE(begin + 4), 0, 'the old header ends a commit');
    const frames = [0, 1, 2].map((at) => after.readUInt32BE(begin + at * frameBytes + 4));
    assert.deepEqual(frames.slice(0, 2), [0, 0], 'the commit has three frames or more');
    before.copy(after, begin, begin, begin + kept);
    const image = join(folder, 'image.db');
    writeFileSync(walPath(image), after);
    checkWal(image);
    // Nothing is written behind a header that is not synced yet.
    writeFileSync(walPath(image), Buffer.alloc(HEADER_BYTES));
    checkWal(image);
    // The commits before have a frame each. The last one is lost with the header, or with the frame before its own.
    const isDamage = (damage: (wal: Buffer) => unknown, sentence: RegExp): void => {
      const content = Buffer.from(before.subarray(0, begin));
      damage(content);
      writeFileSync(walPath(image), content);
      assert.throws(() => checkWal(image), refusal('journal_corrupt', sentence));
    };
    const flipEach = (from: number, count: number, sentence: RegExp): void => {
      for (let at = from; at < from + count; at += 1)
        isDamage((wal) => wal.writeUInt8(wal.readUInt8(at) ^ 0x10, at), sentence);
    };
    flipEach(0, HEADER_BYTES, /header of its WAL is bad/);
    isDamage((wal) => wal.fill(0, 0, HEADER_BYTES), /header of its WAL is bad/);
    const frameOf = (commit: number): RegExp => new RegExp(`frame ${commit} of its WAL is bad`);
    flipEach(begin - 2 * frameBytes, 16, frameOf(commitsBefore - 1));
    // The frame after it follows from its checksum.
    flipEach(begin - 3 * frameBytes + 16, 9, frameOf(commitsBefore - 2));
  });
}
