/** `tote restore` of a directory without its journal: a new one behind the newest good snapshot, and the report of the loss. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { newSha256 } from '../../../crypto/sha256.js';
import { must } from '../../../engine/base/assert.js';
import { readArchiveProgress } from '../../../persistence/archive/file.js';
import { findDataDir } from '../../../persistence/data-dir/layout.js';
import { readMarkFile } from '../../../persistence/journal/mark.js';
import { readAbsent } from '../../../persistence/journal/segment/absent.js';
import { openStore } from '../../../persistence/recovery/open-store.js';
import { SnapshotFiles } from '../../../persistence/snapshot/files.js';
import { backup } from '../../../persistence/upkeep/backup/backup.js';
import type { Restored } from '../../../persistence/upkeep/restore/restore.js';
import { verify } from '../../../persistence/upkeep/verify/verify.js';
import { tote, toteJson } from '../../support/processes/cli.js';
import { CLOCK, temporaryDir } from '../support/journal-files.js';
import type { MadeDir } from '../support/made-dir.js';
import { flipBit, makeOperatorDir } from '../support/operator-dir.js';
import { followed } from '../support/shadow-files.js';

function withoutJournal(t: TestContext, hasMark: boolean): MadeDir {
  const made = makeOperatorDir(join(temporaryDir(t), 'data'));
  const mark = readFileSync(made.dir.markFile);
  rmSync(made.dir.journal, { recursive: true });
  if (hasMark) {
    mkdirSync(made.dir.journal, { mode: 0o700 });
    writeFileSync(made.dir.markFile, mark);
  }
  return made;
}

const newestSeq = ({ dir }: MadeDir): number => must(new SnapshotFiles(dir.snapshots).list()[0], 'one').seq;

/** Good by `verify`, a backup is taken and is good too, a start comes to the state, and its shadow goes on. */
function expectUsable(t: TestContext, out: string, seq: number, stateDigest: string): void {
  const good = (root: string): void => {
    const report = verify(findDataDir(root));
    assert.deepEqual(report.faults, []);
    assert.deepEqual([report.lastSeq, report.replayed?.stateDigest], [seq, stateDigest]);
  };
  good(out);
  const copy = join(temporaryDir(t), 'copy');
  for (let time = 0; time < 2; time += 1) {
    assert.deepEqual(backup(findDataDir(out), copy).faults, []);
    good(copy);
  }
  for (const root of [out, copy, out]) {
    const store = openStore(root, CLOCK, () => {});
    assert.equal(store.engine.stateDigest(newSha256), stateDigest);
    assert.equal(store.recovered.snapshotSeq, seq);
    assert.deepEqual(store.recovered.notes, []);
    store.lock.release();
  }
  assert.deepEqual(followed(findDataDir(out), { snapshotCommands: 1 }).notes, []);
}

test('the newest snapshot is the new beginning, and the loss after it is reported', async (t) => {
  const made = withoutJournal(t, true);
  const seq = newestSeq(made);
  const out = join(temporaryDir(t), 'restored');
  const told = await toteJson<Restored>(['restore', made.dir.root, '--out', out], 1);
  const acknowledged = must(readMarkFile(made.dir.markFile), 'mark').lastSeq;
  assert.equal(told.seq, seq);
  assert.match(
    told.notes.join('\n'),
    new RegExp(`${seq + 1} to ${acknowledged} are lost, the last of them of about 20`),
  );
  assert.match(told.notes.join('\n'), /given again/);
  assert.equal(readArchiveProgress(findDataDir(out))?.seq, seq);
  assert.equal(readAbsent(findDataDir(out)), seq);
  expectUsable(t, out, seq, told.stateDigest);
});

test('without a mark only the archive shows what is lost; without it, it is unknown', async (t) => {
  const made = withoutJournal(t, false);
  const seq = newestSeq(made);
  const archivedSeq = must(readArchiveProgress(made.dir), 'archive').seq;
  const known = await toteJson<Restored>(['restore', made.dir.root, '--out', join(temporaryDir(t), 'r')], 1);
  assert.match(known.notes.join('\n'), new RegExp(`${seq + 1} to ${archivedSeq} are lost`));
  rmSync(made.dir.archive, { recursive: true });
  const out = join(temporaryDir(t), 'restored');
  const ran = await tote(['restore', made.dir.root, '--out', out]);
  assert.equal(ran.code, 1, ran.stderr);
  assert.match(ran.stdout, /The source has no mark: nothing says whether/);
  assert.match(ran.stdout, /The archive begins after \d+/);
  const [, digest = ''] = /state digest +(\S+)/.exec(ran.stdout) ?? [];
  expectUsable(t, out, seq, digest);
});

test('instead of a damaged snapshot the one before is used; without a good one nothing is created', async (t) => {
  const made = withoutJournal(t, true);
  const [newest, older, ...rest] = new SnapshotFiles(made.dir.snapshots).list();
  flipBit(must(newest, 'the newest').name, 9_000);
  const out = join(temporaryDir(t), 'restored');
  const told = await toteJson<Restored>(['restore', made.dir.root, '--out', out], 1);
  assert.equal(told.seq, older?.seq);
  assert.match(told.notes.join('\n'), /was passed over: .*damaged/);
  for (const ref of [older, ...rest]) flipBit(must(ref, 'one').name, 9_000);
  const none = join(temporaryDir(t), 'none');
  const ran = await tote(['restore', made.dir.root, '--out', none]);
  assert.match(ran.stderr, /no snapshot is good/);
  assert.equal(existsSync(none), false);
});

test('every other command says what is missing, and what to do', async (t) => {
  const made = withoutJournal(t, false);
  for (const command of ['status', 'verify']) {
    const ran = await tote([command, made.dir.root]);
    assert.equal(ran.code, 1, `${command}: ${ran.stdout}${ran.stderr}`);
    assert.match(ran.stderr, /no journal in .* npx tote restore .* --out NEW_DIR/);
  }
  assert.equal(existsSync(made.dir.journal), false);
});
