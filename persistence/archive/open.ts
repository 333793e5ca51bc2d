/** Opens the archive for reading. It is in WAL mode, and SQLite reads such a file only if it finds or can create side files. */
import Database from 'better-sqlite3';
import { codeOf, JournalError, messageOf } from '../errors.js';

const BUSY_TIMEOUT_MS = 5_000;
const UNREADABLE = /^SQLITE_(CANTOPEN|PERM|READONLY_DIRECTORY|READONLY_CANTINIT)/;

/** Throws errors of SQLite, and `data_dir_invalid` if the archive cannot be read without changing it. */
export function openArchive(path: string): Database.Database {
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    // Only the first read needs the side files.
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return db;
  } catch (thrown) {
    db?.close();
    if (!UNREADABLE.test(codeOf(thrown))) throw thrown;
    const sentence = `The archive ${path} cannot be read here: ${messageOf(thrown)}. Copy the data directory to where this user may write.`;
    throw new JournalError('data_dir_invalid', sentence, { cause: thrown });
  }
}
