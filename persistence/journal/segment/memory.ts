/**
 * Reads files that SQLite cannot read in place without changing them: segments and archives without a WAL on a
 * read-only medium, and a segment whose server was killed while sealing it. The latter has a rollback journal, which
 * SQLite must roll back first; that happens in a copy of both files in the system's temporary folder, which is removed
 * at once. The file is then read into memory. It has the content that the next start will find, and the data directory
 * is not touched.
 */
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { rollbackPath, walPath } from '../../data-dir/database-files.js';
import { fileBytes } from '../../data-dir/files.js';
import { requireSpaceForCopy } from '../../data-dir/space.js';
import { JournalError, messageOf } from '../../errors.js';

/** The largest file that can be read into memory. */
const BYTES_MAX = 2 ** 31 - 1;
/** Offset of the journal mode in an SQLite file, two bytes: 1 for a rollback journal, 2 for WAL. */
const MODE_OFFSET = 18;
/** Errors of SQLite where the side files of a WAL cannot be created, or a rollback journal is pending. */
const CODES: readonly string[] = [
  'SQLITE_CANTOPEN',
  'SQLITE_READONLY_DIRECTORY',
  'SQLITE_READONLY_CANTINIT',
  'SQLITE_READONLY_ROLLBACK',
];

/** The last one read: readers open the open segment for each chunk of its rows. */
let kept: { readonly path: string; readonly files: string; readonly db: Database.Database } | null = null;

/** Whether a file that failed with this error code can be read in memory. Not if its WAL has content. */
export function canReadInMemory(path: string, code: string): boolean {
  return CODES.includes(code) && fileBytes(walPath(path)) === 0 && fileBytes(path) <= BYTES_MAX;
}

/**
 * The segment, which nobody is writing, in memory. The database is shared among all callers and must not be closed.
 * null if its files have changed meanwhile, because a server was started, for example; then try to open it again.
 */
export function readInMemory(path: string): Database.Database | null {
  const files = stateOfFiles(path);
  if (kept?.path === path && kept.files === files) return kept.db;
  const db = loadIntoMemory(path);
  if (db !== null) kept = { path, files, db };
  return db;
}

/** The same for any file. The database belongs to the caller. */
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

/** Changes when the file or one of its side files is written. */
function stateOfFiles(path: string): string {
  const stateOf = (file: string): string => {
    const info = statSync(file, { bigint: true, throwIfNoEntry: false });
    return info === undefined ? 'none' : `${info.ino} ${info.size} ${info.mtimeNs}`;
  };
  return [path, rollbackPath(path), walPath(path)].map(stateOf).join(', ');
}
