/**
 * A server killed while it seals a segment leaves a rollback journal that SQLite will apply to the file. A reader
 * sees the directory as after that, and changes nothing in it.
 */
import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { must } from '../../../engine/base/assert.js';
import { rollbackPath } from '../../../persistence/data-dir/database-files.js';
import { type DataDir, findDataDir } from '../../../persistence/data-dir/layout.js';
import { loadIntoMemory } from '../../../persistence/journal/segment/memory.js';
import { findSegments } from '../../../persistence/journal/segment/names.js';
import { Segment } from '../../../persistence/journal/segment/segment.js';
import { backup } from '../../../persistence/upkeep/backup/backup.js';
import { verify } from '../../../persistence/upkeep/verify/verify.js';
import { tote, toteJson } from '../../support/processes/cli.js';
import { crashImage, randomOf, recover, refusal, temporaryDir } from '../support/journal-files.js';
import { leaveHalfSeal, makeOperatorDir } from '../support/operator-dir.js';

const openSegment = (dir: DataDir): string => must(findSegments(dir.journal).at(-1), 'a segment');

/** A directory, and the same one with its last segment half sealed. */
function makeBoth(t: TestContext): { readonly good: DataDir; readonly half: DataDir } {
  const root = temporaryDir(t);
  const { dir: good } = makeOperatorDir(join(root, 'good'));
  const half = crashImage(good, join(root, 'half'));
  leaveHalfSeal(openSegment(half));
  return { good, half };
}

/**
 * Every file of the directory with its content, inode and time of change, but for the empty WAL and the index of one
 * that SQLite puts beside the archive to read it.
 */
function filesOf(dir: DataDir): Map<string, readonly unknown[]> {
  const files = new Map<string, readonly unknown[]>();
  for (const name of readdirSync(dir.root, { recursive: true, encoding: 'utf8' })) {
    const path = join(dir.root, name);
    const info = statSync(path);
    if (name.endsWith('-shm') || (name.endsWith('-wal') && info.size === 0)) continue;
    files.set(name, info.isFile() ? [info.ino, info.mtimeMs, readFileSync(path)] : []);
  }
  return files;
}

/** What `tote` prints, which must end well, without what differs anyway. */
async function toldOf(command: readonly string[], { root }: DataDir): Promise<string> {
  const { code, stdout, stderr } = await tote([...command, root]);
  assert.equal(code, 0, `${command.join(' ')}: ${stderr}`);
  return stdout.replaceAll(root, 'DATA_DIR').replace(/^time .*$/m, '');
}

test('every reader sees the journal as without the half-written seal, and changes no file', async (t) => {
  const { good, half } = makeBoth(t);
  assert.throws(() => new Database(openSegment(half), { readonly: true }).pragma('user_version'), {
    code: 'SQLITE_READONLY_ROLLBACK',
  });
  const before = filesOf(half);
  const commands = [
    ['verify'],
    ['bet', 'bet_3'],
    ['account', 'acc_1'],
    ['replay'],
    ['replay', '--explain'],
    ['export', '--what', 'ledger'],
  ];
  for (const command of commands) {
    const [expected, actual] = await Promise.all([toldOf(command, good), toldOf(command, half)]);
    assert.equal(actual, expected, command.join(' '));
  }
  const statusOf = async ({ root }: DataDir): Promise<unknown> => {
    const { sequence, acknowledged, archive, snapshotBytes, faults } = await toteJson<
      Record<string, unknown>
    >(['status', root]);
    return { sequence, acknowledged, archive, snapshotBytes, faults };
  };
  assert.deepEqual(await statusOf(half), await statusOf(good));
  assert.deepEqual(filesOf(half), before);
});

test('restores and backups of it are complete, and can be served', async (t) => {
  const { good, half } = makeBoth(t);
  const before = filesOf(half);
  const expected = verify(good);
  const restored = join(temporaryDir(t), 'restored');
  const ran = await tote(['restore', half.root, '--out', restored]);
  assert.equal(ran.code, 0, ran.stderr);
  assert.doesNotMatch(ran.stderr, /not good/);
  const copy = join(temporaryDir(t), 'copy');
  assert.deepEqual(backup(half, copy).faults, []);
  assert.deepEqual(filesOf(half), before);
  for (const made of [restored, copy].map(findDataDir)) {
    const { isGood, lastSeq, replayed, archive } = verify(made);
    const { lastSeq: endSeq, replayed: expectedReplay, archive: expectedArchive } = expected;
    assert.deepEqual(
      [isGood, lastSeq, replayed, archive],
      [true, endSeq, expectedReplay, expectedArchive],
      made.root,
    );
    assert.equal(recover(made).lastSeq, endSeq);
  }
  // A copy goes on with what the source has become by a start.
  assert.equal(recover(half).lastSeq, expected.lastSeq);
  assert.deepEqual(backup(half, copy).segmentsWritten, []);
});

test('it can be pruned like any other', async (t) => {
  const { good, half } = makeBoth(t);
  const prunedOf = async ({ root }: DataDir): Promise<unknown> => {
    const ran = await tote(['prune', root, '--keep', '1d', '--snapshots', '1']);
    assert.equal(ran.code, 0, ran.stderr);
    return findSegments(join(root, 'journal')).length;
  };
  assert.deepEqual([await prunedOf(half), await prunedOf(good)], [2, 2]);
  assert.deepEqual(verify(half).faults, []);
});

/** Does `work` with `folder` as the system's place for temporary files. */
function withTemporaryFiles<T>(folder: string, work: () => T): T {
  const { TMPDIR: before } = process.env;
  process.env['TMPDIR'] = folder;
  try {
    return work();
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}

/** What SQLite makes of the segment at `path` with this journal beside it, which is written there. */
function rolledBackBySqlite(t: TestContext, path: string, journal: Buffer): Buffer {
  writeFileSync(rollbackPath(path), journal);
  const copy = join(temporaryDir(t), 'copy.db');
  copyFileSync(path, copy);
  copyFileSync(rollbackPath(path), rollbackPath(copy));
  const db = new Database(copy);
  db.prepare('SELECT count(*) FROM sqlite_schema').get();
  db.close();
  return readFileSync(copy);
}

test('a rollback journal, whole or torn anywhere, is rolled back as SQLite does it, and nothing is left of that', (t) => {
  const { half } = makeBoth(t);
  const path = openSegment(half);
  const [database, journal] = [readFileSync(path), readFileSync(rollbackPath(path))];
  const headers = journal.toString('latin1').split('\xd9\xd5\x05\xf9\x20\xa1\x63\xd7').length - 1;
  assert.ok(headers > 2, `${headers} headers`);
  const scratch = temporaryDir(t);
  const expectSame = (torn: Buffer, what: string): void => {
    const expected = rolledBackBySqlite(t, path, torn);
    const loaded = withTemporaryFiles(scratch, () => must(loadIntoMemory(path), 'the segment in memory'));
    // In memory there is no WAL mode.
    assert.ok(loaded.serialize().equals(expected.fill(1, 18, 20)), what);
    loaded.close();
    assert.ok(readFileSync(path).equals(database) && readFileSync(rollbackPath(path)).equals(torn), what);
    assert.deepEqual(readdirSync(scratch), []);
  };
  expectSame(journal, 'whole');
  const expectSameFlipped = (at: number): void => {
    const flipped = Buffer.from(journal);
    flipped[at] = must(flipped[at], 'a byte') ^ 0xff;
    expectSame(flipped, `byte ${at} flipped`);
  };
  // Of the first record: its page number, a byte that its checksum leaves out, two that it takes in, and itself.
  for (const at of [0, 4 + 95, 4 + 96, 4 + 3_896, 4 + 4_096]) expectSameFlipped(512 + at);
  const upTo = randomOf(5);
  for (let round = 0; round < 40; round += 1) {
    const bytes = 1 + upTo(journal.length - 1);
    expectSame(journal.subarray(0, bytes), `cut to ${bytes} bytes`);
    expectSameFlipped(512 + upTo(journal.length - 512));
  }
});

test('where no copy can be made the refusal names the place, and what to set', (t) => {
  const { half } = makeBoth(t);
  withTemporaryFiles(join(temporaryDir(t), 'missing'), () =>
    assert.throws(
      () => Segment.open(openSegment(half), 'read'),
      refusal('data_dir_invalid', /was killed while it sealed .*missing.*TMPDIR/),
    ),
  );
});

test('where the journal takes the file back into WAL mode it is read, too', (t) => {
  const { good, half } = makeBoth(t);
  const path = openSegment(half);
  const journal = readFileSync(rollbackPath(path));
  const firstPage = journal.indexOf('SQLite format 3\0', 0, 'latin1');
  assert.ok(firstPage > 0);
  journal.fill(2, firstPage + 18, firstPage + 20);
  const mended = rolledBackBySqlite(t, path, journal);
  assert.deepEqual([...mended.subarray(18, 20)], [2, 2], 'the checksum leaves these bytes out');
  const before = filesOf(half);
  assert.deepEqual(verify(half).replayed, verify(good).replayed);
  assert.deepEqual(filesOf(half), before);
});

test('a segment read in memory is read again once a start has repaired it', (t) => {
  const { half } = makeBoth(t);
  const path = openSegment(half);
  const first = Segment.open(path, 'read');
  assert.equal(first.db.memory, true);
  const again = Segment.open(path, 'read');
  assert.equal(again.db, first.db, 'not read twice');
  again.close();
  recover(half);
  const then = Segment.open(path, 'read');
  assert.equal(then.db.memory, false);
  assert.deepEqual(then.tail(), first.tail());
  then.close();
  first.close();
});

test('a reader waits for a seal in progress, or sees the state before it', (t) => {
  const { good } = makeBoth(t);
  const path = openSegment(good);
  const sealing = new Database(path);
  sealing.pragma('journal_mode = DELETE');
  sealing.exec("BEGIN IMMEDIATE; INSERT INTO seal VALUES (1, 1, 'x', 'x', 'x')");
  copyFileSync(rollbackPath(path), join(temporaryDir(t), 'there')); // throws where there is none
  const reader = Segment.open(path, 'read');
  assert.deepEqual([reader.db.memory, reader.seal], [false, null]);
  reader.close();
  sealing.exec('ROLLBACK');
  sealing.pragma('locking_mode = EXCLUSIVE');
  sealing.exec("BEGIN EXCLUSIVE; INSERT INTO seal VALUES (1, 1, 'x', 'x', 'x')");
  assert.throws(() => Segment.open(path, 'read'), refusal('data_dir_locked', /held by another program/));
  sealing.exec('ROLLBACK');
  sealing.close();
});
