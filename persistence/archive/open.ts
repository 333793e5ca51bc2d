/**
 * Opens the archive for reading, on any medium. It is in WAL mode, and SQLite reads such a file only if it finds or can
 * create side files. On a read-only medium, after a clean stop, it is read into memory (`journal/segment/memory.ts`).
 */
import Database from 'better-sqlite3';
import { codeOf, JournalError, messageOf } from '../errors.js';
import { canReadInMemory, loadIntoMemory } from '../journal/segment/memory.js';

const BUSY_TIMEOUT_MS = 5_000;
const UNREADABLE = /^SQLITE_(CANTOPEN|PERM|READONLY_DIRECTORY|READONLY_CANTINIT)/;

/** Changes nothing. Throws `data_dir_invalid` if the archive cannot be read without changing it, and what SQLite throws. */
export function openArchive(path: string): Database.Database {
  for (;;) {
    const fileMustExist = true;
    let db: Database.Database | undefined;
    try {
      db = new Database(path, { readonly: true, fileMustExist, timeout: BUSY_TIMEOUT_MS });
      // Only the first read needs the side files.
      db.prepare('SELECT count(*) FROM sqlite_schema').get();
      return db;
    } catch (thrown) {
      db?.close();
      if (!UNREADABLE.test(codeOf(thrown))) throw thrown;
      if (!canReadInMemory(path, codeOf(thrown))) throw unreadable(path, thrown);
    }
    const inMemory = loadIntoMemory(path);
    if (inMemory !== null) return inMemory;
  }
}

function unreadable(path: string, cause: unknown): JournalError {
  return new JournalError(
    'data_dir_invalid',
    `The archive ${path} cannot be read here: ${messageOf(cause)}. Copy the data directory to where this user may write.`,
    { cause },
  );
}
