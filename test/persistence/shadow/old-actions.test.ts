/**
 * The list of operators' actions in an archive that had none: a start takes them from the journal, as far back as that
 * reaches, and each row is the one that a replay gives.
 */
import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { must } from '../../../engine/base/assert.js';
import { checkArchive } from '../../../persistence/archive/check.js';
import { copyArchive } from '../../../persistence/archive/copy.js';
import { progressWriter, readProgress, versionOf } from '../../../persistence/archive/schema.js';
import { ArchiveWriter } from '../../../persistence/archive/writer.js';
import { removeDatabase } from '../../../persistence/data-dir/database-files.js';
import { type DataDir, openDataDir } from '../../../persistence/data-dir/layout.js';
import { openJournalReader } from '../../../persistence/journal/reader.js';
import { addOldActions } from '../../../persistence/shadow/old-actions.js';
import { toteText } from '../../support/processes/cli.js';
import { randomCommands } from '../../support/reference/random/stream.js';
import { temporaryDir } from '../support/journal-files.js';
import { catchUp, HotSide, openShadow } from '../support/shadow-files.js';

const GOLDEN = fileURLToPath(new URL('../../../../test/golden/', import.meta.url));

interface Row {
  readonly seq: number;
  readonly kind: string;
  readonly facts: string;
}

function actionsIn(dir: DataDir): Row[] {
  const db = new Database(dir.archiveFile, { readonly: true });
  try {
    return db.prepare<[], Row>('SELECT * FROM action ORDER BY seq, item').all();
  } finally {
    db.close();
  }
}

function versionIn(dir: DataDir): number {
  const db = new Database(dir.archiveFile, { readonly: true });
  try {
    return versionOf(dir.archiveFile, db);
  } finally {
    db.close();
  }
}

/** As an archive is right after its conversion. */
function forgetActions(dir: DataDir): void {
  const db = new Database(dir.archiveFile);
  const progress = readProgress(dir.archiveFile, db);
  db.exec('DELETE FROM action');
  progressWriter(db)({ ...progress, actions: 0, actionsFromSeq: progress.seq });
  db.close();
}

function archiveOfStream(root: string): HotSide {
  const hot = new HotSide(root, randomCommands(21, 600));
  hot.write(hot.left, 7);
  const opened = openShadow(hot.dir);
  catchUp(opened);
  opened.shadow.close();
  return hot;
}

test('a start on the directory of any released version lists what its journal has, and verify agrees', async (t) => {
  for (const format of readdirSync(GOLDEN).filter((name) => /^format-[2-9]/.test(name))) {
    const root = join(temporaryDir(t), 'data');
    cpSync(join(GOLDEN, format, 'clean'), root, { recursive: true });
    chmodSync(root, 0o700);
    for (const secret of ['master-secret', 'signing-keys'])
      if (existsSync(join(root, secret))) chmodSync(join(root, secret), 0o600);
    const dir = openDataDir(root);
    const isFormer = versionIn(dir) < 5;
    const opened = openShadow(dir);
    catchUp(opened);
    opened.shadow.close();
    const said = opened.notes.filter((note) => /list of what operators have done/.test(note));
    const rows = actionsIn(dir);
    if (isFormer)
      assert.match(said.join(), new RegExp(`: ${rows.length} actions since the beginning`), format);
    else assert.deepEqual(said, [], format);
    assert.ok(
      rows.some(({ kind, facts }) => kind === 'createAccount' && /"made":1\b/.test(facts)),
      format,
    );
    assert.deepEqual(checkArchive(dir.archiveFile).faults, [], format);
    assert.match(await toteText(['verify', root]), /Everything is good/, format);
  }
});

test('an archive that has them is left alone, and an interrupted start does it again', (t) => {
  const { dir } = archiveOfStream(temporaryDir(t));
  const whole = actionsIn(dir);
  assert.ok(whole.length > 50);
  forgetActions(dir);
  for (const times of [1, 0]) {
    const opened = openShadow(dir);
    assert.equal(opened.notes.length, times);
    opened.shadow.abandon();
    assert.deepEqual(actionsIn(dir), whole);
  }
});

test('a copy that ends before the list of actions begins goes on with what is done after its end', (t) => {
  const hot = archiveOfStream(temporaryDir(t));
  const { dir } = hot;
  const whole = actionsIn(dir);
  forgetActions(dir);
  const reader = openJournalReader(dir);
  const { lastSeq: seq, ...end } = must([...reader.readBatches(0)][12], 'a batch');
  reader.close();
  const copy = join(dir.root, 'copy.db');
  copyArchive(dir.archiveFile, copy, { seq, ...end });
  removeDatabase(dir.archiveFile);
  renameSync(copy, dir.archiveFile);
  const opened = openShadow(dir);
  catchUp(opened);
  opened.shadow.close();
  assert.ok(whole.some((row) => row.seq <= seq) && whole.some((row) => row.seq > seq));
  assert.deepEqual(actionsIn(dir), whole);
  assert.deepEqual(checkArchive(dir.archiveFile).faults, []);
  hot.close();
});

test('where the journal begins later, so does the list, with the right numbers of what was made', (t) => {
  const hot = archiveOfStream(temporaryDir(t));
  const { dir, engine } = hot;
  const whole = actionsIn(dir);
  forgetActions(dir);
  const reader = openJournalReader(dir);
  const firstSeq = must([...reader.readBatches(0)][12], 'a batch').firstSeq;
  const journal = {
    firstSeq,
    readBatches: (afterSeq: number) => reader.readBatches(afterSeq),
    chainAt: (seq: number) => reader.chainAt(seq),
  };
  const archive = must(ArchiveWriter.open(dir), 'the archive');
  const notes: string[] = [];
  addOldActions(
    archive,
    journal,
    engine,
    (note) => notes.push(note),
    () => undefined,
  );
  archive.close();
  reader.close();
  const later = whole.filter(({ seq }) => seq >= firstSeq);
  assert.ok(later.length > 20 && later.length < whole.length);
  assert.deepEqual(actionsIn(dir), later);
  assert.match(notes.join(), new RegExp(`since sequence number ${firstSeq}, where the journal begins`));
  assert.deepEqual(checkArchive(dir.archiveFile).faults, []);
  hot.close();
});
