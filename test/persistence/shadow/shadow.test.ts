/**
 * The shadow on real files: it reaches the state that wrote the journal, whatever the batches, restarts and kills in
 * between; its snapshots and its archive agree with the journal; divergences are detected.
 */
import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { orders, setUpCommands } from '../../../bench/engine/scenario.js';
import { must } from '../../../engine/base/assert.js';
import type { ActionsAnswer } from '../../../engine/model/operators.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { checkArchive } from '../../../persistence/archive/check.js';
import { copyArchive } from '../../../persistence/archive/copy.js';
import { readArchiveProgress } from '../../../persistence/archive/file.js';
import { ArchiveReader } from '../../../persistence/archive/reader/reader.js';
import { SnapshotFiles } from '../../../persistence/snapshot/files.js';
import { newHasher } from '../../support/reference/pair.js';
import { Rng } from '../../support/reference/random/rng.js';
import { randomCommands } from '../../support/reference/random/stream.js';
import { alterDatabase, onlySegment, readAll, refusal, temporaryDir } from '../support/journal-files.js';
import { alterBatch, catchUp, followed, HotSide, openShadow } from '../support/shadow-files.js';

const STEPS = 900;
const COMMANDS = randomCommands(14, STEPS);

test('shadow and snapshot equal hot after random streams, whatever the batches and restarts', (t) => {
  for (const seed of [11, 12]) {
    const hot = new HotSide(temporaryDir(t), randomCommands(seed, STEPS));
    const rng = new Rng(seed);
    let taken = 0;
    while (hot.left > 0) {
      hot.write(1 + rng.below(120), 1 + rng.below(40));
      const opened = openShadow(hot.dir, { snapshotCommands: 1 });
      catchUp(opened);
      const { shadow } = opened;
      const { seq } = hot.engine;
      assert.deepEqual([shadow.appliedSeq, shadow.archiveSeq], [seq, seq]);
      const snapshots = new SnapshotFiles(hot.dir.snapshots);
      const { engine, meta } = snapshots.load(must(snapshots.list()[0], 'a snapshot'));
      assert.deepEqual([meta.seq, engine.stateDigest(newHasher)], [seq, hot.engine.stateDigest(newHasher)]);
      taken += 1;
      assert.equal(snapshots.list().length, Math.min(taken, 3));
      if (rng.below(2) === 0) shadow.close();
      else shadow.abandon();
      assert.deepEqual(opened.notes, []);
    }
    assert.ok(taken > 3);
    assert.deepEqual(checkArchive(hot.dir.archiveFile).faults, []);
    hot.close();
  }
});

test('the journal’s place is told to be signed at the first end, and then each hour of its time', (t) => {
  const hot = new HotSide(temporaryDir(t), COMMANDS);
  let opened = openShadow(hot.dir);
  const { heads } = opened;
  const ends: { seq: number; timeMs: number }[] = [];
  const write = (): void => {
    hot.write(30, 7);
    ends.push({ seq: hot.engine.seq, timeMs: hot.engine.timeMs });
    catchUp(opened);
  };
  catchUp(opened);
  assert.equal(heads.length, 0, 'an empty journal has no head');
  while (hot.left > 100) write();
  const due: typeof ends = [];
  for (const end of ends) if (end.timeMs - (due.at(-1)?.timeMs ?? 0) >= 3_600_000) due.push(end);
  assert.ok(due.length > 1 && due.length < ends.length);
  const ofTold = heads.map(({ seq, timeMs }) => ({ seq, timeMs }));
  assert.deepEqual(ofTold, due);
  opened.shadow.close();
  opened = openShadow(hot.dir);
  catchUp(opened);
  // Once after each start.
  assert.deepEqual(
    opened.heads.map(({ seq }) => seq),
    [hot.engine.seq],
  );
  opened.shadow.close();
  hot.close();
  const chains = new Map(readAll(hot.dir).map((row) => [row.lastSeq, row.chain]));
  for (const { seq, chain } of [...heads, ...opened.heads]) assert.equal(chains.get(seq), chain);
});

test('snapshots are taken by count, by time and by the time of a replay, unless nothing happened', (t) => {
  const hot = new HotSide(temporaryDir(t), COMMANDS);
  const options = { snapshotCommands: 100, snapshotEveryMs: 60_000 };
  let opened = openShadow(hot.dir, options);
  const seqAfter = (commands: number, ms = 0): number => {
    hot.write(commands, 33);
    opened.clock.pass(ms);
    catchUp(opened);
    return opened.shadow.snapshot?.seq ?? 0;
  };
  assert.deepEqual([seqAfter(99), seqAfter(1), seqAfter(5)], [0, 100, 100]);
  assert.deepEqual([seqAfter(0, 60_000), seqAfter(1), seqAfter(0, 60_000)], [105, 105, 106]);
  assert.deepEqual([seqAfter(0, 600_000), opened.news.length], [106, 3]);
  opened.shadow.close();
  opened = openShadow(hot.dir, options);
  assert.deepEqual([seqAfter(1), seqAfter(0, 60_000)], [106, 107], 'those before a restart count');
  opened.shadow.close();
  const short = openShadow(hot.dir, { snapshotReplayMs: 5_000 });
  const write = (cpuMs: number): number => {
    hot.write(1, 1);
    short.clock.cpuMs += cpuMs;
    catchUp(short);
    return short.shadow.snapshot?.seq ?? 0;
  };
  short.clock.cpuMs = 9_000;
  catchUp(short);
  assert.deepEqual([write(4_999), write(0), write(1), write(4_000)], [107, 107, 110, 110]);
  short.shadow.close();
  hot.close();
});

test('a snapshot in pieces is of one command, and one in progress is abandoned at the close', (t) => {
  const commands = (print: string) => [...setUpCommands(9, 9_000, print), ...orders(0, 9_000, 9)];
  const hot = new HotSide(temporaryDir(t), commands);
  hot.write(8_000, 100);
  const saving = () => {
    const opened = openShadow(hot.dir, { snapshotCommands: 8_000 });
    while (opened.shadow.step() !== 'saving') assert.equal(opened.shadow.snapshot, null);
    return opened;
  };
  saving().shadow.close();
  assert.deepEqual(readdirSync(hot.dir.snapshots), []);
  const opened = saving();
  hot.write(1_000, 100);
  catchUp(opened);
  assert.deepEqual([opened.shadow.snapshot?.seq, opened.shadow.appliedSeq], [8_000, 9_000]);
  opened.shadow.close();
  hot.close();
});

test('another digest, a refused or an unknown command is a divergence, though checksum and chain are right', (t) => {
  const commandsOf = (kind: string, fields: object) => (row: StoredBatch) => ({
    ...row,
    commands: JSON.stringify([[kind, 1, row.timeMs, fields]]),
  });
  const otherDigest = (row: StoredBatch) => ({ ...row, digest: 'feed'.repeat(4) });
  const unknownAccount = { account: 999_999, amountCents: 1, reference: 'r' };
  for (const [alter, why] of [
    [otherDigest, /digest is \w+, the journal's is (feed){4}/],
    [commandsOf('deposit', unknownAccount), /command 81, deposit, is rejected \(account_not_found /],
    [commandsOf('tomorrow', {}), /"tomorrow"/],
  ] as const) {
    const hot = new HotSide(temporaryDir(t), COMMANDS);
    hot.write(200, 20);
    hot.close();
    alterBatch(hot.dir, 100, alter);
    const opened = openShadow(hot.dir);
    const sentence = new RegExp(`Batch 81 to 100.*${why.source}`);
    assert.throws(() => catchUp(opened), refusal('replay_mismatch', sentence));
    opened.shadow.abandon();
  }
});

test('an older archive is continued, a missing one rebuilt, a damaged one set aside, with the same result', (t) => {
  const hot = new HotSide(temporaryDir(t), COMMANDS);
  hot.write(150, 10);
  followed(hot.dir, { snapshotCommands: 100 });
  const older = readFileSync(hot.dir.archiveFile);
  hot.write(150, 10);
  followed(hot.dir, { snapshotCommands: 100 });
  const good = checkArchive(hot.dir.archiveFile);
  assert.deepEqual(good.faults, []);
  writeFileSync(hot.dir.archiveFile, older);
  assert.deepEqual(followed(hot.dir).notes, [], 'the newest snapshot is after its end');
  assert.deepEqual(checkArchive(hot.dir.archiveFile), good);
  rmSync(hot.dir.archiveFile);
  const { notes } = followed(hot.dir);
  assert.match(`${notes.length} ${notes[0]}`, /^1 The archive .* is missing: it is made anew/);
  assert.deepEqual(checkArchive(hot.dir.archiveFile), good);
  truncateSync(hot.dir.archiveFile, 5_000);
  const damaged = followed(hot.dir);
  assert.match(damaged.notes.join(), /archive is rebuilt from the journal; the one before is .*damaged-\d+/);
  assert.ok(readdirSync(hot.dir.archive).some((name) => /^archive\.db\.damaged-\d+$/.test(name)));
  assert.deepEqual(checkArchive(hot.dir.archiveFile), good);
  hot.write(10, 10);
  hot.close();
  alterDatabase(onlySegment(hot.dir), "UPDATE batch SET checksum = 'x' WHERE last_seq = 300");
  assert.throws(() => openShadow(hot.dir), refusal('journal_corrupt'));
  // Refused while another connection is open.
  alterDatabase(hot.dir.archiveFile, 'PRAGMA journal_mode = DELETE');
});

test('what was refused is archived behind the commands before it, and copied once', (t) => {
  const hot = new HotSide(temporaryDir(t), COMMANDS);
  const path = hot.dir.archiveFile;
  const copy = join(temporaryDir(t), 'archive.db');
  const seen = (file: string): readonly unknown[][] => {
    const reader = must(ArchiveReader.open(file), 'an archive');
    const any = { operator: null, fromMs: null, toMs: null, before: null };
    const question = { kind: 'actions', reachedSeq: 0, ...any, action: 'roleDenied', limit: 10 } as const;
    const { actions } = must(reader.answer(question), 'an answer').answer as ActionsAnswer;
    reader.close();
    return actions.map(({ seq, item, operator }) => [seq, item, operator]);
  };
  const about = { role: 'read', route: 'r', times: 1 } as const;
  const denials = ['ann', 'bob'].map((operator) => ({ operator, ...about }));
  const refused = { timeMs: 1, denials, guesses: null };
  const opened = openShadow(hot.dir);
  const { shadow } = opened;
  hot.write(100, 10);
  shadow.keepRefusals({ seq: 105, ...refused });
  catchUp(opened);
  assert.deepEqual(seen(path), [], 'the archive has not come as far');
  hot.write(10, 10);
  catchUp(opened);
  assert.deepEqual(copyArchive(path, copy, null, () => true)?.seq, 110);
  shadow.keepRefusals({ seq: 110, ...refused });
  catchUp(opened);
  const expected = [4, 3, 2, 1].map((item) => [110, item, item % 2 === 0 ? 'bob' : 'ann']);
  assert.deepEqual([seen(path), copyArchive(path, copy, null, () => true)?.rowsAdded], [expected, 2]);
  assert.deepEqual([seen(copy), checkArchive(copy)], [expected, checkArchive(path)]);
  shadow.close();
  const { shadow: late, ...others } = openShadow(hot.dir, { replicatedSeq: BigInt64Array.of(50n) });
  late.keepRefusals({ seq: 40, ...refused });
  catchUp({ shadow: late, ...others });
  late.close();
  assert.deepEqual([late.appliedSeq, late.archiveSeq], [50, 110], 'the archive does not go back');
  hot.close();
});

test('the rollback journal of an old archive is not applied to the new one', (t) => {
  const hot = new HotSide(temporaryDir(t), COMMANDS);
  hot.write(300, 10);
  followed(hot.dir);
  const good = checkArchive(hot.dir.archiveFile);
  const left = `${hot.dir.archiveFile}-journal`;
  const db = new Database(hot.dir.archiveFile);
  db.pragma('journal_mode = DELETE');
  db.pragma('cache_size = 1');
  db.exec('BEGIN; UPDATE placed_block SET rows = hex(randomblob(9000))');
  db.exec('UPDATE transfer SET reference = hex(randomblob(200))');
  const journal = readFileSync(left);
  db.exec('ROLLBACK');
  db.close();
  rmSync(hot.dir.archiveFile);
  writeFileSync(left, journal);
  followed(hot.dir);
  assert.deepEqual(checkArchive(hot.dir.archiveFile), good);
  hot.close();
});

test("a backup's archive in the place of an open one is noticed at once, and does not get its WAL", (t) => {
  const hot = new HotSide(temporaryDir(t), COMMANDS);
  const path = hot.dir.archiveFile;
  const copy = join(temporaryDir(t), 'archive.db');
  hot.write(300, 10);
  followed(hot.dir);
  copyArchive(path, copy, null, () => true);
  hot.write(10, 10);
  const opened = openShadow(hot.dir);
  catchUp(opened);
  const good = checkArchive(path);
  const reader = must(ArchiveReader.open(path), 'the archive');
  rmSync(path);
  copyFileSync(copy, path);
  assert.throws(() => catchUp(opened), refusal('archive_lost'));
  opened.shadow.abandon();
  followed(hot.dir);
  assert.deepEqual(checkArchive(path), good);
  reader.close();
  hot.close();
});

test('an archive of another journal is not continued', (t) => {
  const hot = new HotSide(temporaryDir(t), COMMANDS);
  hot.write(100, 10);
  const other = new HotSide(temporaryDir(t), COMMANDS);
  other.write(100, 9);
  followed(other.dir);
  writeFileSync(hot.dir.archiveFile, readFileSync(other.dir.archiveFile));
  assert.match(followed(hot.dir).notes.join(), /where this journal does not go on from it/);
  assert.equal(readArchiveProgress(hot.dir)?.digest, hot.engine.rollingDigest());
  hot.close();
  other.close();
});
