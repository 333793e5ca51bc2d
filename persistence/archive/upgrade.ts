/**
 * Converts an archive of the former format, of any length, when a server starts on it. The converted file takes the place
 * of the former one in one step, so a crash leaves either. Nothing is taken from the journal, which may have been pruned.
 */
import Database from 'better-sqlite3';
import { removeDatabase, removeSideFiles, unfinishedPath } from '../data-dir/database-files.js';
import { renameDurably, syncPath } from '../data-dir/files.js';
import { JournalError } from '../errors.js';
import { connectArchive } from './file.js';
import { convertFormer, isFormer } from './former.js';
import { asArchiveDamage } from './schema.js';

/** Returns whether it did. Throws `archive_corrupt`, and what SQLite throws. */
export function upgradeArchive(path: string): boolean {
  const former = openFormer(path);
  if (former === null) return false;
  const unfinished = unfinishedPath(path);
  try {
    // Nothing may be left in the WAL, which must not be found beside the new file.
    const [done] = former.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: number }[];
    if (done?.busy !== 0) throw beingRead(path);
    removeDatabase(unfinished);
    const db = new Database(unfinished);
    try {
      convertFormer(path, former, unfinished, db);
      db.pragma('journal_mode = WAL');
    } finally {
      db.close();
    }
  } catch (thrown) {
    throw asArchiveDamage(path, thrown);
  } finally {
    former.close();
  }
  removeSideFiles(path);
  syncPath(unfinished);
  renameDurably(unfinished, path);
  return true;
}

function openFormer(path: string): Database.Database | null {
  let db: Database.Database | undefined;
  try {
    db = connectArchive(path);
    if (isFormer(path, db)) return db;
    db.close();
    return null;
  } catch (thrown) {
    db?.close();
    throw asArchiveDamage(path, thrown);
  }
}

const beingRead = (path: string): JournalError =>
  new JournalError(
    'journal_write_failed',
    `The archive ${path} has a former format and is being read, so it cannot be converted now. It is tried again.`,
  );
