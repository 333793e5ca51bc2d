/** `tote backup`: a copy that is a data directory itself, brought up to date again and again. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { checkArchive } from '../../../persistence/archive/check.js';
import { type DataDir, dataDirLayout } from '../../../persistence/data-dir/layout.js';
import { lockDataDir } from '../../../persistence/data-dir/lock.js';
import { readSigningKeys, rotateSigningKeys } from '../../../persistence/data-dir/signing-keys.js';
import { commitBatch } from '../../../persistence/journal/commit.js';
import { createMarkFile } from '../../../persistence/journal/mark.js';
import { findSegments, recoveredPath } from '../../../persistence/journal/segment/names.js';
import { SqliteStore } from '../../../persistence/journal/store.js';
import { type BackedUp, backup } from '../../../persistence/upkeep/backup/backup.js';
import { secretFiles } from '../../../persistence/upkeep/copy-files.js';
import { inspect } from '../../../persistence/upkeep/inspect.js';
import { restore } from '../../../persistence/upkeep/restore/restore.js';
import { Stretches } from '../../../persistence/upkeep/restore/stretches.js';
import { executePlan, planPrune, withoutRetention } from '../../../persistence/upkeep/retention/retention.js';
import { verify } from '../../../persistence/upkeep/verify/verify.js';
import { tote, toteErrors, toteJson, toteText } from '../../support/processes/cli.js';
import { alterDatabase, refusal, temporaryDir } from '../support/journal-files.js';
import type { MadeDir } from '../support/made-dir.js';
import { flipBit, makeFor, makeOperatorDir } from '../support/operator-dir.js';
import { followed, newestOnly } from '../support/shadow-files.js';

const beside = (dir: DataDir, name: string): string => join(dir.root, '..', name);
function earlier({ dir }: MadeDir, toSeq: number): DataDir {
  const out = beside(dir, `earlier-${toSeq}`);
  restore(dir, new Stretches(dir), { out, toSeq });
  return dataDirLayout(out);
}

function expectGood(path: string, lastSeq: number): void {
  const { faults, archive, ...report } = verify(dataDirLayout(path));
  assert.deepEqual([faults, report.lastSeq, archive?.seq], [[], lastSeq, lastSeq]);
}

/** And where its backup goes. */
function sourceFor(t: TestContext) {
  const made = makeFor(t);
  return { ...made, made, to: beside(made.dir, 'backup') };
}

test('a first backup is complete, closed to other users, and good', async (t) => {
  const { dir, engine, to } = sourceFor(t);
  const { seq, faults, ...copied } = await toteJson<BackedUp>(['backup', to, dir.root]);
  const files = [copied.segmentsWritten.length, copied.snapshotsCopied.length];
  assert.deepEqual([seq, faults, files], [engine.seq, [], [3, 3]]);
  assert.equal(readFileSync(dir.backupStamp, 'utf8'), `${to}\n`, 'the server learns of it');
  expectGood(to, engine.seq);
  const copy = dataDirLayout(to);
  assert.deepEqual(readFileSync(copy.masterSecretFile), readFileSync(dir.masterSecretFile));
  assert.deepEqual(readFileSync(copy.operatorTokenFile), readFileSync(dir.operatorTokenFile));
  assert.equal(statSync(to).mode & 0o777, 0o700);
  assert.ok(!existsSync(copy.inUseFile));
  assert.deepEqual(verify(dir).faults, []);
});

test('a backup without secrets has none, goes on, and is whole with them beside it', async (t) => {
  const { dir, engine, to } = sourceFor(t);
  writeFileSync(dir.operatorTokensFile, '{"name":"ann"}\n');
  for (let run = 0; run < 2; run++) {
    const copied = await toteJson<BackedUp>(['backup', to, dir.root, '--without-secrets']);
    assert.deepEqual([copied.seq, copied.faults], [engine.seq, []]);
    assert.deepEqual(secretFiles(dataDirLayout(to)).filter(existsSync), []);
  }
  assert.match(JSON.stringify(verify(dataDirLayout(to)).faults), /master-secret/);
  for (const file of [dir.masterSecretFile, dir.signingKeysFile].filter(existsSync))
    copyFileSync(file, join(to, basename(file)));
  expectGood(to, engine.seq);
  const refused = await toteErrors(['backup', to, dir.root, '--without-secrets'], 3);
  assert.match(refused, /an earlier backup was made with secrets/);
});

test('tokens and signing keys are copied as they are now, unless they are damaged: a revoked one does not come back', async (t) => {
  const { dir, to } = sourceFor(t);
  for (const text of ['#ann-0123456789ab\n', '#bob-0123456789ab\n']) {
    for (const file of [dir.operatorTokensFile, dir.operatorTokenFile]) writeFileSync(file, text);
    rotateSigningKeys(dir, 1);
    await toteText(['backup', to, dir.root]);
    for (const file of secretFiles(dir))
      assert.deepEqual(readFileSync(join(to, basename(file))), readFileSync(file), file);
  }
  writeFileSync(dir.masterSecretFile, Buffer.alloc(32, 9));
  rmSync(dir.signingKeysFile);
  const { faults } = await toteJson<BackedUp>(['backup', `${to}-1`, dir.root], 1);
  const noKeys = /^There is no .*signing-keys: .*master-secret is not the secret that the rounds/;
  assert.match(faults.join(), noKeys);
  for (const file of secretFiles(dir)) writeFileSync(file, 'x', { mode: 0o600 });
  for (const place of [to, `${to}-2`])
    assert.equal((await toteJson<BackedUp>(['backup', place, dir.root], 1)).faults.length, 4);
  for (const file of secretFiles(dataDirLayout(to))) assert.ok(statSync(file).size > 1, file);
  for (const file of [dir.operatorTokensFile, dir.signingKeysFile]) rmSync(file);
  const lost = rotateSigningKeys(dataDirLayout(to), 1);
  rotateSigningKeys(dir, 1);
  assert.match(await toteText(['backup', to, dir.root], 1), new RegExp(`its key ${lost.keyId} is lost`));
  assert.ok(!existsSync(dataDirLayout(to).operatorTokensFile));
  assert.equal(readSigningKeys(dataDirLayout(to))?.keyId, lost.keyId);
});

test('a later backup copies only what is new, also across the sealing of the open segment', (t) => {
  const { made, dir, batches, engine, to } = sourceFor(t);
  const [first, second, third] = findSegments(dir.journal).map((path) => basename(path));
  const seqOf = (index: number): number => must(batches[index], 'a batch').lastSeq;
  backup(earlier(made, seqOf(20)), to);
  expectGood(to, seqOf(20));
  assert.deepEqual(backup(earlier(made, seqOf(25)), to).segmentsWritten, [first]);
  expectGood(to, seqOf(25));
  assert.deepEqual(backup(earlier(made, seqOf(70)), to).segmentsWritten, [first, second]);
  expectGood(to, seqOf(70));
  assert.deepEqual(backup(dir, to).segmentsWritten, [second, third]);
  expectGood(to, engine.seq);
  // As a start that was killed leaves it: the whole copy counts, and the old segment has lost its WAL.
  const open = must(findSegments(dir.journal)[2], 'the open segment');
  const lacking = join(earlier(made, seqOf(100)).journal, basename(open));
  renameSync(open, recoveredPath(open));
  copyFileSync(lacking, open);
  assert.equal(inspect(dir).segments[2]?.lastSeq, engine.seq);
  const again = backup(dir, to);
  assert.deepEqual([again.segmentsWritten, again.archive?.rowsAdded], [[], 0]);
  expectGood(to, engine.seq);
});

test('a verify beside a backup takes no snapshot for one of what the journal never had', (t) => {
  const { made, dir, batches, to } = sourceFor(t);
  backup(earlier(made, must(batches[20], 'a batch').lastSeq), to);
  for (const name of readdirSync(dir.snapshots))
    copyFileSync(join(dir.snapshots, name), join(to, 'snapshots', name));
  let rest = (): unknown => backup(dir, to);
  const onSeq = (): void => {
    rest();
    rest = () => null;
  };
  assert.deepEqual(verify(dataDirLayout(to), { onSeq }).faults, []);
});

test('snapshots that the source has deleted are removed, segments are kept', (t) => {
  const { dir, engine, to } = sourceFor(t);
  backup(dir, to);
  const oldest = must(readdirSync(dir.snapshots).sort()[0], 'a snapshot');
  rmSync(join(dir.snapshots, oldest));
  rmSync(must(findSegments(dir.journal)[0], 'a segment'));
  assert.deepEqual(backup(dir, to).snapshotsRemoved, [oldest]);
  assert.equal(findSegments(dataDirLayout(to).journal).length, 3);
  expectGood(to, engine.seq);
});

test('an interrupted backup, or one that has lost rows, is repaired by the next one; damage behind a copy is not its own', (t) => {
  const { made, dir, engine, batches, to } = sourceFor(t);
  backup(earlier(made, must(batches[50], 'a batch').lastSeq), to);
  const copy = dataDirLayout(to);
  const open = must(findSegments(copy.journal).at(-1), 'a segment');
  for (const half of [`${open}.unfinished`, copy.archiveFile]) writeFileSync(half, 'half');
  rmSync(copy.markFile);
  assert.ok(backup(dir, to).segmentsWritten.includes(basename(open)));
  expectGood(to, engine.seq);
  alterDatabase(copy.archiveFile, 'DELETE FROM placed_block');
  assert.deepEqual(backup(dir, to).faults, []);
  expectGood(to, engine.seq);
  alterDatabase(dir.archiveFile, "UPDATE settled_block SET checksum = '' WHERE seq > 300");
  expectGood(earlier(made, 300).root, 300);
});

test('refused are another journal, a copy that was continued, foreign files, a running server, the directory itself', async (t) => {
  const { made, dir, to } = sourceFor(t);
  backup(dir, to);
  const back = earlier(made, 200);
  const longer = refusal('backup_mismatch', /goes to sequence number \d+, the source only to 200/);
  assert.throws(() => backup(back, to), longer);
  const other = makeOperatorDir(beside(dir, 'other'), { commands: 200 });
  assert.throws(() => backup(other.dir, to), refusal('backup_mismatch'));
  const twin = makeOperatorDir(beside(dir, 'twin'), { rootOf: () => 'ab'.repeat(32) });
  assert.throws(() => backup(twin.dir, to), refusal('backup_mismatch', /their chain hashes differ/));
  const pruned = makeOperatorDir(beside(dir, 'pruned'), { firstBatch: 80 });
  const gap = refusal('backup_mismatch', /ends at sequence number 50, and the source begins at \d+ only/);
  assert.throws(() => backup(pruned.dir, earlier(made, 50).root), gap);
  writeFileSync(other.dir.masterSecretFile, Buffer.alloc(32, 1));
  assert.throws(() => backup(other.dir, to), refusal('backup_mismatch', /another master secret/));
  const foreign = beside(dir, 'foreign');
  mkdirSync(foreign);
  writeFileSync(join(foreign, 'file'), 'mine');
  mkdirSync(join(foreign, 'journal'));
  assert.throws(() => backup(dir, foreign), refusal('data_dir_invalid', /files that are no backup/));
  symlinkSync(dir.root, beside(dir, 'link'));
  for (const inside of [join(dir.root, 'x'), join(dir.root, '..x'), beside(dir, 'link')])
    assert.throws(() => backup(dir, inside), refusal('data_dir_invalid', /lies in it/));
  const lock = lockDataDir(dataDirLayout(to));
  const told = await toteErrors(['backup', to, dir.root], 3);
  lock.release();
  assert.match(told, new RegExp(`in use by the process ${process.pid}`));
});

test('a source that lost acknowledged commands is refused; the copy keeps its own mark', (t) => {
  const { made, dir, batches, engine, to } = sourceFor(t);
  backup(earlier(made, must(batches[20], 'a batch').lastSeq), to);
  const middle = must(findSegments(dir.journal)[1], 'a segment');
  renameSync(middle, `${middle}.away`);
  assert.throws(() => backup(dir, to), refusal('journal_incomplete', /A segment of the journal is missing/));
  assert.deepEqual(verify(dataDirLayout(to)).faults, []);
  renameSync(`${middle}.away`, middle);
  createMarkFile(dir.markFile, { lastSeq: engine.seq + 1, checksum: '00000000' });
  assert.throws(() => backup(dir, to), refusal('journal_incomplete', /was acknowledged/));
  assert.deepEqual(verify(dataDirLayout(to)).faults, []);
});

test('with a damaged snapshot and archive the journal is still copied, with exit code 1', async (t) => {
  const { made, dir, engine, to } = sourceFor(t);
  flipBit(dir.archiveFile, statSync(dir.archiveFile).size - 300);
  flipBit(join(dir.snapshots, must(readdirSync(dir.snapshots)[0], 'a snapshot')), 5_000);
  const told = await toteText(['backup', to, dir.root], 1);
  assert.ok(!existsSync(dir.backupStamp));
  assert.match(told, /^faults: 2\n {2}The snapshot .* is damaged/m);
  assert.match(told, /^ {2}The archive is not copied: .*damaged/m);
  const { faults, lastSeq } = verify(dataDirLayout(to));
  assert.deepEqual([faults, lastSeq], [[], engine.seq]);
  writeFileSync(dir.archiveFile, 'no database');
  const noDatabase = /^The archive is not copied: .* is damaged: SQLITE_NOTADB/m;
  assert.match(backup(dir, `${to}-2`).faults.join('\n'), noDatabase);
  const twin = makeOperatorDir(beside(dir, 'twin'), { rootOf: () => 'ab'.repeat(32) });
  const short = earlier(made, 100);
  for (const { archiveFile } of [dir, short]) copyFileSync(twin.dir.archiveFile, archiveFile);
  const { notes } = restore(dir, new Stretches(dir), { out: `${to}-3`, toSeq: null });
  for (const told of [backup(dir, `${to}-4`).faults, backup(short, `${to}-5`).faults, notes])
    assert.match(told.join(), /The archive \S+ is damaged: it is not of this journal/);
});

for (const table of ['placed_block', 'settled_block', 'round', 'transfer'])
  test(`an archive is not copied without rows that a bad page has lost of ${table}`, (t) => {
    const { dir, to } = sourceFor(t);
    alterDatabase(dir.archiveFile, `DELETE FROM ${table}`);
    const { notes } = restore(dir, new Stretches(dir), { out: `${to}-1`, toSeq: 300 });
    for (const told of [backup(dir, to).faults, notes])
      assert.match(told.join(), /The archive .*: there are \d+ rows of \w+; there must be \d+/);
  });

test('a copy on which a server was killed is not overwritten: it may have more than the source', (t) => {
  const { dir } = makeFor(t);
  const promoted = beside(dir, 'promoted');
  backup(dir, promoted);
  const copy = dataDirLayout(promoted);
  const journal = SqliteStore.open(copy, 'fsync');
  const [firstSeq, digest] = [journal.lastSeq + 1, '0'.repeat(16)];
  const row = commitBatch(journal, { firstSeq, lastSeq: firstSeq, timeMs: 1, digest, commands: '["x"]' });
  assert.throws(() => backup(dir, promoted), refusal('backup_mismatch', /a server has run on it/));
  assert.equal(new Stretches(copy).lastSeq, row.lastSeq);
  journal.close();
});

test('snapshots of the copy are kept until those of the source replace them', (t) => {
  const { dir, to } = sourceFor(t);
  const [oldest, ...others] = readdirSync(dir.snapshots).sort();
  const files = others.map((name) => join(dir.snapshots, name));
  const [first = '', second = ''] = files;
  const content = readFileSync(first);
  for (const path of files) rmSync(path);
  backup(dir, to);
  rmSync(join(dir.snapshots, must(oldest, 'a snapshot')));
  writeFileSync(first, content);
  flipBit(first, 5_000);
  // It cannot be read, as on a bad sector.
  mkdirSync(second);
  const copied = backup(dir, to);
  assert.deepEqual([copied.faults.length, copied.snapshotsRemoved], [files.length, []]);
  assert.deepEqual(readdirSync(dataDirLayout(to).snapshots), [oldest]);
});

test('a pruned journal with only damaged snapshots is reported as no backup yet', (t) => {
  const { dir } = makeFor(t);
  rmSync(must(findSegments(dir.journal)[0], 'a segment'));
  for (const name of readdirSync(dir.snapshots)) flipBit(join(dir.snapshots, name), 5_000);
  const { faults } = backup(dir, beside(dir, 'backup'));
  assert.match(faults.join('\n'), /begins at sequence number \d+, and no snapshot holds what came before/);
});

test('retention deletes nothing while a backup copies, and goes on behind it', (t) => {
  const folder = temporaryDir(t);
  const { dir, engine } = makeOperatorDir(join(folder, 'data'), { snapshotsAfter: [10, 60, 100] });
  const plan = planPrune(dir, { segmentsMs: 1, snapshots: newestOnly(1) }, engine.timeMs);
  const before = findSegments(dir.journal);
  let isTried = false;
  const { faults } = backup(dir, join(folder, 'copy'), () => {
    if (!isTried) assert.throws(() => executePlan(dir, plan), refusal('data_dir_locked', /copies files/));
    isTried = true;
  });
  assert.deepEqual([isTried, faults, findSegments(dir.journal)], [true, [], before]);
  const locked = Object.assign(new Error('it is read'), { code: 'SQLITE_BUSY' });
  const work = (): never => {
    throw locked;
  };
  assert.throws(() => withoutRetention(dir, work), locked, 'a lock within the work is not its own');
  executePlan(dir, plan);
  assert.ok(findSegments(dir.journal).length < before.length, 'segments go');
  const copy = dataDirLayout(join(folder, 'copy'));
  assert.deepEqual([verify(copy).faults, findSegments(copy.journal).length], [[], before.length]);
});

test('an archive that was made anew, and is behind or begins later, takes nothing from that of the copy', (t) => {
  const made = makeFor(t);
  const { dir, engine } = made;
  const [at50, at90, at100] = [50, 90, 100].map((at) => earlier(made, must(made.batches[at], 'it').lastSeq));
  const [short, long] = [beside(dir, 'short'), beside(dir, 'long')];
  backup(must(at50, 'it'), short);
  const { archive } = backup(must(at100, 'it'), long);
  copyFileSync(must(at90, 'it').archiveFile, dir.archiveFile);
  assert.deepEqual(backup(dir, long).archive, { seq: archive?.seq, rowsAdded: 0 });
  executePlan(dir, planPrune(dir, { segmentsMs: 1, snapshots: newestOnly(1) }, engine.timeMs));
  rmSync(dir.archiveFile);
  followed(dir);
  const { faults } = backup(dir, long);
  assert.deepEqual([faults, checkArchive(join(long, 'archive/archive.db')).progress?.fromSeq], [[], 0]);
  expectGood(long, engine.seq);
  assert.match(backup(dir, short).faults.join(), /begins after .* has what came before, .* stays as it/);
  assert.equal(checkArchive(join(short, 'archive/archive.db')).progress?.fromSeq, 0);
});

test('on a full disk it ends with code 4, names the place, and leaves no part of a first copy', async (t) => {
  const { dir } = makeFor(t);
  const place = join(dir.root, '..', 'small');
  mkdirSync(place);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=192k', 'tmpfs', place]);
  if (mounted.status !== 0) return t.skip('this user may not mount');
  try {
    const ran = await tote(['backup', join(place, 'copy'), dir.root]);
    assert.match(`${ran.code} ${ran.stderr}`, /^4 .*not enough free space for the copy in .*small\/copy/);
    assert.deepEqual(readdirSync(join(place, 'copy')), []);
  } finally {
    spawnSync('umount', [place]);
  }
});
