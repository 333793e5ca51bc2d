/**
 * Files that SQLite cannot read where they are without changing them: segments and an archive without a WAL on a medium on
 * which none can be made, and a segment whose server was killed while it was sealing it. The latter has a rollback journal
 * that SQLite must give back to the file first. Such a file is read into memory; the rollback happens in a copy of both files
 * in the system's temporary folder, which is removed at once. The segment is as the next start will find it, and the
 * data directory is not touched.
 */
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { rollbackPath, walPath } from '../../data-dir/database-files.js';
import { fileBytes } from '../../data-dir/files.js';
import { requireSpaceForCopy } from '../../data-dir/space.js';
import { JournalError, messageOf } from '../../errors.js';

/** What can be read into memory at once. */
const BYTES_MAX = 2 ** 31 - 1;
/** Where an SQLite file says in which journal mode it is, two bytes: 1 a rollback journal, 2 WAL. */
const MODE_OFFSET = 18;
/** Errors of a directory in which the side files of a WAL cannot be made, and of a journal to be rolled back. */
const CODES: readonly string[] = [
  'SQLITE_CANTOPEN',
  'SQLITE_READONLY_DIRECTORY',
  'SQLITE_READONLY_CANTINIT',
  'SQLITE_READONLY_ROLLBACK',
];

/** One read into memory last, since readers open the open segment for each chunk of its rows. */
let kept: { readonly path: string; readonly files: string; readonly db: Database.Database } | null = null;

/** Whether a file that gave this error code can be read in memory. With content in its WAL it cannot. */
export function canReadInMemory(path: string, code: string): boolean {
  return CODES.includes(code) && fileBytes(walPath(path)) === 0 && fileBytes(path) <= BYTES_MAX;
}

/**
 * The segment, which nobody writes to, in memory. The database is shared among all who ask for it and not to be
 * closed. null: its files have changed meanwhile, as where a server was started; try again to open it.
 */
export function readInMemory(path: string): Database.Database | null {
  const files = stateOfFiles(path);
  if (kept?.path === path && kept.files === files) return kept.db;
  const db = loadIntoMemory(path);
  if (db !== null) kept = { path, files, db };
  return db;
}

/** The same of any file, and the caller's own. */
export function loadIntoMemory(path: string): Database.Database | null {
  const files = stateOfFiles(path);
  try {
    const content = fileBytes(rollbackPath(path)) > 0 ? rolledBack(path) : readFileSync(path);
    if (stateOfFiles(path) !== files) return null;
    content.fill(1, MODE_OFFSET, MODE_OFFSET + 2);
    return new Database(content, { readonly: true });
  } catch (thrown) {
    if (stateOfFiles(path) !== files) return null;
    throw thrown;
  }
}

/** The content of the database once SQLite has rolled its journal back. */
function rolledBack(path: string): Buffer {
  const folder = temporaryFolder(path);
  try {
    const copy = join(folder, basename(path));
    for (const [from, to] of [
      [path, copy],
      [rollbackPath(path), rollbackPath(copy)],
    ] as const) {
      copyFileSync(from, to);
      chmodSync(to, 0o600); // the source may be closed to writers
    }
    const db = new Database(copy);
    try {
      // The first read rolls back.
      db.prepare('SELECT count(*) FROM sqlite_schema').get();
    } finally {
      db.close();
    }
    return readFileSync(copy);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function temporaryFolder(path: string): string {
  const place = tmpdir();
  const why = `A server was killed while it sealed ${path}. To read it without changing it, a copy is made in ${place}`;
  const bytes = fileBytes(path) + fileBytes(rollbackPath(path));
  try {
    requireSpaceForCopy(
      place,
      bytes,
      (needed, free) => `${why}, which needs ${needed}; ${free} are free. Name another place in TMPDIR.`,
    );
    return mkdtempSync(join(place, 'tote-rollback-'));
  } catch (thrown) {
    if (thrown instanceof JournalError) throw thrown;
    const sentence = `${why}, and no folder can be made there (${messageOf(thrown)}). Name another place in TMPDIR.`;
    throw new JournalError('data_dir_invalid', sentence, { cause: thrown });
  }
}

/** Differs once anything has been written to the file. */
function stateOfFiles(path: string): string {
  const stateOf = (file: string): string => {
    const info = statSync(file, { bigint: true, throwIfNoEntry: false });
    return info === undefined ? 'none' : `${info.ino} ${info.size} ${info.mtimeNs}`;
  };
  return [path, rollbackPath(path), walPath(path)].map(stateOf).join(', ');
}
