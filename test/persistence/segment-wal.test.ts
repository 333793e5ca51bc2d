/** What a power loss may leave of a commit's frames in a WAL that has begun again is an end, and no damage. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { walPath } from '../../persistence/segment-files.js';
import { checkWal } from '../../persistence/segment-wal.js';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const COMMITS_BEFORE = 5;

test('a commit whose first frame header did not arrive, over an old one, is an end', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tote-wal-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'a.db');
  const db = new Database(path);
  t.after(() => db.close());
  db.pragma('journal_mode = WAL');
  db.pragma('wal_autocheckpoint = 0');
  db.exec('CREATE TABLE a (content BLOB)');
  db.exec('CREATE TABLE small (number INTEGER)');
  // Commits of one frame each fill the WAL, which then begins again.
  for (let number = 0; number < 40; number += 1) db.exec(`INSERT INTO small VALUES (${number})`);
  db.pragma('wal_checkpoint(FULL)');
  for (let number = 0; number < COMMITS_BEFORE; number += 1) db.exec(`INSERT INTO small VALUES (${number})`);
  const before = readFileSync(walPath(path));
  db.exec('INSERT INTO a VALUES (zeroblob(12000))');
  const after = readFileSync(walPath(path));
  const frameBytes = FRAME_HEADER_BYTES + after.readUInt32BE(8);
  const begin = HEADER_BYTES + COMMITS_BEFORE * frameBytes;
  assert.ok(
    !after
      .subarray(begin, begin + FRAME_HEADER_BYTES)
      .equals(before.subarray(begin, begin + FRAME_HEADER_BYTES)),
  );
  assert.notEqual(before.readUInt32BE(begin + 4), 0, 'the old header ends a commit');
  const frames = [0, 1, 2].map((at) => after.readUInt32BE(begin + at * frameBytes + 4));
  assert.deepEqual(frames.slice(0, 2), [0, 0], 'the commit has three frames or more');
  before.copy(after, begin, begin, begin + FRAME_HEADER_BYTES);
  const image = join(folder, 'image.db');
  writeFileSync(walPath(image), after);
  checkWal(image);
});
