/**
 * An archive of a former format, which a released version has written: a start converts it, without the journal, and
 * every row is there again. Whoever only reads it gets the same rows, and leaves it as it is.
 */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { must } from '../../../engine/base/assert.js';
import { checkArchive } from '../../../persistence/archive/check.js';
import { copyArchive } from '../../../persistence/archive/copy.js';
import { type ArchiveCell, archiveChecksum } from '../../../persistence/archive/form/checksum.js';
import { FORMAT_VERSION } from '../../../persistence/archive/schema.js';
import { ArchiveWriter } from '../../../persistence/archive/writer.js';
import { unfinishedPath } from '../../../persistence/data-dir/database-files.js';
import { type DataDir, openDataDir } from '../../../persistence/data-dir/layout.js';
import { ArchiveReader } from '../../../persistence/replay/history-archive.js';
import { randomCommands } from '../../support/reference/random/stream.js';
import { refusal, temporaryDir } from '../support/journal-files.js';
import { makeDataDir } from '../support/made-dir.js';

// Opened in copies alone: a database that is opened leaves its folder changed, and then the next start builds the project anew.
const FORMER = 'test/golden/format-3/clean/archive/archive.db';
const FORMAT_2 = 'test/golden/format-5/clean/archive/archive.db';
/** What former formats have not, or have in other rows. */
const BESIDE = ['placed_checksum', 'settled_checksum', 'limit_odds_e4', 'rested', 'limit_steps'];

type Row = Record<string, unknown>;

function formerDir(t: TestContext): DataDir {
  const dir = openDataDir(temporaryDir(t));
  copyFileSync(FORMER, dir.archiveFile);
  return dir;
}

function rowsOf(path: string, sql: string): Row[] {
  const db = new Database(path);
  try {
    return db.prepare<[], Row>(sql).all();
  } finally {
    db.close();
  }
}

const PROGRESS =
  '(SELECT seq, time_ms, digest, chain, from_seq, bets, bets_settled, rounds, transfers FROM progress)';
const TABLES = ['bet ORDER BY bet', 'ledger ORDER BY account, seq, item', 'round', 'transfer', PROGRESS];

/** Everything that operators see, but for `BESIDE`. */
function contentOf(path: string): Row[][] {
  return TABLES.map((table) =>
    rowsOf(path, `SELECT * FROM ${table}`).map((row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => !BESIDE.includes(name))),
    ),
  );
}

function convert(dir: DataDir): void {
  must(ArchiveWriter.open(dir), 'the archive').close();
}

test('a start converts it, and all of its rows are there', (t) => {
  const dir = formerDir(t);
  const content = contentOf(dir.archiveFile);
  assert.ok(content.every((rows) => rows.length > 0));
  assert.equal(rowsOf(dir.archiveFile, 'SELECT format_version FROM meta')[0]?.['format_version'], 1);
  convert(dir);
  assert.equal(
    rowsOf(dir.archiveFile, 'SELECT format_version FROM meta')[0]?.['format_version'],
    FORMAT_VERSION,
  );
  assert.deepEqual(contentOf(dir.archiveFile), content);
  assert.deepEqual(checkArchive(dir.archiveFile).faults, []);
});

test('one of format 2 is converted, too, and readers need not wait for that', (t) => {
  const dir = openDataDir(temporaryDir(t));
  copyFileSync(FORMAT_2, dir.archiveFile);
  const content = contentOf(dir.archiveFile);
  assert.equal(rowsOf(dir.archiveFile, 'SELECT format_version FROM meta')[0]?.['format_version'], 2);
  const reader = must(ArchiveReader.open(dir), 'the archive');
  assert.ok([...reader.allEvents(1, reader.progress.seq)].length > 0);
  reader.close();
  convert(dir);
  assert.deepEqual(contentOf(dir.archiveFile), content);
  assert.deepEqual(checkArchive(dir.archiveFile).faults, []);
});

/** Makes an archive one of format 3, which had steps of limit orders, and no proofs of rounds. */
function asFormat3(path: string): void {
  const db = new Database(path);
  const [cells] = db.prepare<[], ArchiveCell[]>('SELECT * FROM progress').raw().all();
  const kept = must(cells, 'the progress').slice(0, -4);
  db.exec('DROP TABLE round_proof; DROP TABLE action; DELETE FROM progress');
  for (const column of ['proofs', 'actions', 'actions_from_seq'])
    db.exec(`ALTER TABLE progress DROP COLUMN ${column}`);
  db.prepare(`INSERT INTO progress VALUES (${[...kept, ''].map(() => '?').join(', ')})`).run(
    ...kept,
    archiveChecksum(kept),
  );
  const [createdMs] = db.prepare<[], number>('SELECT created_ms FROM meta').pluck().all();
  const meta = [3, must(createdMs, 'a time')];
  db.prepare('UPDATE meta SET format_version = ?, created_ms = ?, checksum = ?').run(
    ...meta,
    archiveChecksum(meta),
  );
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

test('one of format 3 keeps its limit orders, and the proofs of rounds that are settled from then on', (t) => {
  const commands = randomCommands(3, 900, true, true);
  const half = Math.floor(commands.length / 2);
  const whole = makeDataDir(join(temporaryDir(t), 'whole'), commands, {
    batchSize: () => 7,
    hasArchive: true,
  });
  const { dir, engine } = makeDataDir(join(temporaryDir(t), 'data'), commands.slice(0, half), {
    batchSize: () => 7,
    hasArchive: true,
  });
  const steps = rowsOf(dir.archiveFile, 'SELECT * FROM limit_step ORDER BY seq, item');
  assert.ok(steps.length > 0 && rowsOf(dir.archiveFile, 'SELECT * FROM round_proof').length > 0);
  asFormat3(dir.archiveFile);
  const content = contentOf(dir.archiveFile);
  const reader = must(ArchiveReader.open(dir), 'the archive');
  assert.ok([...reader.allEvents(1, reader.progress.seq)].some(({ event }) => event.type === 'orderFilled'));
  reader.close();
  convert(dir);
  assert.deepEqual(contentOf(dir.archiveFile), content);
  assert.deepEqual(rowsOf(dir.archiveFile, 'SELECT * FROM limit_step ORDER BY seq, item'), steps);
  assert.deepEqual(rowsOf(dir.archiveFile, 'SELECT * FROM round_proof'), []);
  assert.deepEqual(checkArchive(dir.archiveFile).faults, []);
  // The server goes on with it.
  const archive = must(ArchiveWriter.open(dir), 'the archive');
  archive.follow(engine);
  for (const command of commands.slice(half)) {
    const outcome = engine.apply(command);
    assert.ok(outcome.status === 'accepted');
    archive.add(outcome.seq, command, outcome.events);
  }
  const { seq, timeMs } = engine;
  archive.commit({ seq, timeMs, digest: engine.rollingDigest(), chain: '' });
  archive.close();
  const later = `SELECT * FROM round_proof WHERE settled_seq > ${half} ORDER BY market, round_number`;
  const proofs = rowsOf(dir.archiveFile, later);
  assert.ok(proofs.length > 0);
  assert.deepEqual(proofs, rowsOf(whole.dir.archiveFile, later));
  assert.deepEqual(checkArchive(dir.archiveFile).faults, []);
});

test('what an interrupted conversion has left is no obstacle', (t) => {
  const dir = formerDir(t);
  writeFileSync(unfinishedPath(dir.archiveFile), 'half of a database');
  writeFileSync(`${unfinishedPath(dir.archiveFile)}-journal`, 'its journal');
  convert(dir);
  assert.deepEqual(contentOf(dir.archiveFile), contentOf(formerDir(t).archiveFile));
  assert.ok(!existsSync(unfinishedPath(dir.archiveFile)));
});

test('rows that are still in its WAL are converted, too', (t) => {
  const dir = formerDir(t);
  const db = new Database(dir.archiveFile);
  db.pragma('journal_mode = WAL');
  db.pragma('wal_autocheckpoint = 0');
  const [first] = rowsOf(dir.archiveFile, 'SELECT client_seed FROM bet WHERE bet = 1');
  db.exec("UPDATE bet SET client_seed = 'in the WAL' WHERE bet = 1");
  db.prepare('UPDATE bet SET client_seed = ? WHERE bet = 1').run(first?.['client_seed'] ?? null);
  const wal = readFileSync(`${dir.archiveFile}-wal`);
  const file = readFileSync(dir.archiveFile);
  db.close();
  const killed = openDataDir(join(temporaryDir(t), 'killed'));
  writeFileSync(killed.archiveFile, file);
  writeFileSync(`${killed.archiveFile}-wal`, wal);
  convert(killed);
  assert.deepEqual(contentOf(killed.archiveFile), contentOf(formerDir(t).archiveFile));
});

test('a damaged one is not converted', (t) => {
  const dir = formerDir(t);
  rowsOf(dir.archiveFile, 'UPDATE bet SET stake_cents = stake_cents + 1 WHERE bet = 1 RETURNING bet');
  assert.throws(
    () => ArchiveWriter.open(dir),
    refusal('archive_corrupt', /bet 1 does not match its checksum/),
  );
});

test('readers see what a converted one has, and change nothing', (t) => {
  const dir = formerDir(t);
  const before = readFileSync(dir.archiveFile);
  const reader = must(ArchiveReader.open(dir), 'the archive');
  const { seq } = reader.progress;
  const read = [...reader.allEvents(1, seq)];
  reader.close();
  assert.deepEqual(checkArchive(dir.archiveFile).faults, []);
  const copy = join(dir.root, 'copy.db');
  copyArchive(dir.archiveFile, copy, null);
  assert.deepEqual(readFileSync(dir.archiveFile), before);
  convert(dir);
  const converted = must(ArchiveReader.open(dir), 'the archive');
  assert.deepEqual([...converted.allEvents(1, seq)], read);
  converted.close();
  assert.deepEqual(contentOf(copy), contentOf(dir.archiveFile));
});
