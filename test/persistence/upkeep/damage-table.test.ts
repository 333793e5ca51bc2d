/**
 * The table under "A damaged file" in docs/ops/backup-and-restore.md, row by row: each kind of damage is done to a
 * copy, and a start, `verify`, `backup` and `restore` do what the row says. Every row needs damage here, and the
 * other way round.
 */
import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { must } from '../../../engine/base/assert.js';
import { exitCodeOf } from '../../../persistence/cli/frame/exit-codes.js';
import { walPath } from '../../../persistence/data-dir/files.js';
import { type DataDir, dataDirLayout } from '../../../persistence/data-dir/layout.js';
import { JournalError } from '../../../persistence/errors.js';
import { findSegments } from '../../../persistence/journal/segment/names.js';
import { openStore } from '../../../persistence/recovery/open-store.js';
import { SnapshotFiles } from '../../../persistence/snapshot/files.js';
import { backup } from '../../../persistence/upkeep/backup/backup.js';
import { inspect } from '../../../persistence/upkeep/inspect.js';
import { restore } from '../../../persistence/upkeep/restore/restore.js';
import { Stretches } from '../../../persistence/upkeep/restore/stretches.js';
import { verify } from '../../../persistence/upkeep/verify/verify.js';
import {
  type Damage,
  flipRow,
  flipSnapshot,
  lose,
  loseArchive,
  loseMark,
  makeDamageable,
} from '../support/damages.js';
import { CLOCK, temporaryDir } from '../support/journal-files.js';
import { flipBit } from '../support/operator-dir.js';

const DAMAGES: Readonly<Record<string, readonly Damage[]>> = {
  'a row of a sealed segment before a good snapshot': [flipRow(0, 20)],
  'the first segment (not recorded as pruned)': [lose(0)],
  'a sealed segment in the middle, a good snapshot behind it': [lose(1)],
  'a row of the open segment before the newest snapshot': [flipRow(2, 90)],
  'a row behind the newest good snapshot': [flipRow(2, 110)],
  'the open segment': [lose(2)],
  'a sealed segment, no good snapshot behind it': [lose(1), flipSnapshot(0)],
  'the newest snapshot': [flipSnapshot(0)],
  'snapshots and what they would have stood in for': [lose(0), flipSnapshot(0), flipSnapshot(1)],
  'the archive': [loseArchive],
  'the mark': [loseMark],
};

interface Row {
  readonly start: string;
  readonly verify: string;
  readonly backup: string;
  readonly restore: string;
}

function readTable(): Map<string, Row> {
  const section = readFileSync('docs/ops/backup-and-restore.md', 'utf8').split('## A damaged file')[1] ?? '';
  const [table = ''] = section.slice(section.indexOf('\n|') + 1).split('\n\n');
  const cells = table.split('\n').map((line) => line.slice(2, -2).split(' | '));
  assert.equal(cells[0]?.length, 5);
  let before: Row | null = null;
  const rows = new Map<string, Row>();
  for (const [what = '', start = '', verified = '', backedUp = '', restored = ''] of cells.slice(2)) {
    const row: Row = {
      start,
      verify: verified,
      backup: backedUp === 'the same' ? (before?.backup ?? '') : backedUp,
      restore: restored === 'the same' ? (before?.restore ?? '') : restored,
    };
    rows.set(what, row);
    before = row;
  }
  return rows;
}

function startOn(path: string): string {
  try {
    openStore(path, CLOCK, () => {}).lock.release();
    return 'starts';
  } catch (thrown) {
    assert.ok(thrown instanceof JournalError, String(thrown));
    return 'refused';
  }
}

function backupTo(dir: DataDir, copy: string): string {
  try {
    const { faults } = backup(dir, copy);
    const left = verify(dataDirLayout(copy)).faults.filter(({ part }) => part === 'snapshot');
    assert.deepEqual(left, []);
    return `all the rest, code ${faults.length > 0 ? 1 : 0}`;
  } catch (thrown) {
    assert.ok(thrown instanceof JournalError, String(thrown));
    assert.deepEqual([exitCodeOf(thrown), readdirSync(copy)], [1, []]);
    return 'refused, code 1';
  }
}

const rows = readTable();

test('the documented table has a row for each damage here, and no other', () => {
  assert.deepEqual([...rows.keys()], Object.keys(DAMAGES));
});

function damagedCopies(t: TestContext, damages: readonly Damage[]): { dir: DataDir; toStart: string } {
  const folder = temporaryDir(t);
  const made = makeDamageable(join(folder, 'data'));
  for (const damage of damages) damage(made);
  const toStart = join(folder, 'to-start');
  cpSync(made.dir.root, toStart, { recursive: true });
  return { dir: made.dir, toStart };
}

for (const [what, damages] of Object.entries(DAMAGES)) {
  test(`as the table says: ${what}`, (t) => {
    const row = rows.get(what);
    assert.ok(row !== undefined);
    const { dir, toStart } = damagedCopies(t, damages);
    assert.ok(row.start.startsWith(startOn(toStart)), `a start: ${row.start}`);
    const { faults } = verify(dir);
    assert.match(row.verify, faults.length > 0 ? /fault/ : /note/, `verify: ${JSON.stringify(faults)}`);
    if (/^(a sealed|the open|the mark)/.test(what)) assert.equal(inspect(dir).faults.length, 1, 'status');
    const backedUp = backupTo(dir, join(dir.root, '..', 'copy'));
    assert.ok(row.backup.startsWith(backedUp), `backup: ${backedUp}`);
    const out = join(dir.root, '..', 'restored');
    const { lacksCommands, notes } = restore(dir, new Stretches(dir), { out, toSeq: null });
    assert.match(row.restore, lacksCommands ? /code 1/ : /code 0/, notes.join('\n'));
    assert.equal(startOn(out), 'starts');
    assert.equal(existsSync(dataDirLayout(out).archiveFile), !damages.includes(loseArchive));
  });
}

interface Remedy {
  readonly damages: readonly Damage[];
  /** `backup` is a good one from before the damage. */
  readonly apply: (dir: DataDir, backup: DataDir) => void;
}

const putBack =
  (index: number): Remedy['apply'] =>
  (dir, { journal }) => {
    const from = must(findSegments(journal)[index], 'a segment of the backup');
    cpSync(from, join(dir.journal, basename(from)));
  };

const REMEDIES: Readonly<Record<string, Remedy>> = {
  'a damaged sealed segment is put back from a backup': { damages: [flipRow(1, 70)], apply: putBack(1) },
  'a lost middle segment is put back': { damages: [lose(1)], apply: putBack(1) },
  'a lost first segment is put back': { damages: [lose(0)], apply: putBack(0) },
  'a damaged snapshot is deleted': {
    damages: [flipSnapshot(0)],
    apply: ({ snapshots }) => rmSync(must(new SnapshotFiles(snapshots).list()[0], 'a snapshot').name),
  },
  'a damaged archive is moved away': {
    damages: [({ dir }) => flipBit(dir.archiveFile, 40)],
    apply: ({ archiveFile }) => renameSync(archiveFile, `${archiveFile}.away`),
  },
  'an archive that a kill left open is replaced by that of a backup': {
    damages: [],
    apply: (dir, kept) => {
      const wal = walPath(dir.archiveFile);
      const db = new Database(dir.archiveFile);
      db.exec('PRAGMA journal_mode = WAL; DELETE FROM placed_block');
      const left = readFileSync(wal);
      db.close();
      cpSync(kept.archiveFile, dir.archiveFile);
      writeFileSync(wal, left);
      const faults = verify(dir).faults.map(({ file }) => file);
      assert.deepEqual([faults, startOn(dir.root)], [[wal], 'starts']);
    },
  },
  'the whole directory is put back where the open segment is lost': {
    damages: [lose(2)],
    apply: (dir, { root }) => {
      rmSync(dir.root, { recursive: true });
      cpSync(root, dir.root, { recursive: true });
    },
  },
};

for (const [what, { damages, apply }] of Object.entries(REMEDIES)) {
  test(`a documented remedy: ${what}; then nothing is wrong and a server starts`, (t) => {
    const made = makeDamageable(join(temporaryDir(t), 'data'));
    const kept = join(made.dir.root, '..', 'kept');
    assert.deepEqual(backup(made.dir, kept).faults, []);
    for (const damage of damages) damage(made);
    apply(made.dir, dataDirLayout(kept));
    const report = verify(made.dir);
    assert.deepEqual([report.faults, report.lastSeq], [[], made.engine.seq]);
    assert.equal(startOn(made.dir.root), 'starts');
  });
}
