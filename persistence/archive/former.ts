/**
 * Archives of former formats. They are converted: for good when a server starts on one, in memory for everybody else.
 */
import Database from 'better-sqlite3';
import { type ArchiveSource, addRows } from './add-rows.js';
import { SourceOfFormat1 } from './format-1.js';
import { RowSource } from './row-source.js';
import {
  createArchiveTables,
  FORMAT_VERSION,
  NO_ROWS,
  progressWriter,
  readProgress,
  versionOf,
} from './schema.js';

/** Whether the archive has a former format. */
export const isFormer = (path: string, db: Database.Database): boolean =>
  versionOf(path, db) < FORMAT_VERSION;

/** Writes all of `former`, at `path`, into `db`, a new database at `target`. */
export function convertFormer(
  path: string,
  former: Database.Database,
  target: string,
  db: Database.Database,
): void {
  const progress = readProgress(path, former);
  createArchiveTables(db, progress.timeMs);
  progressWriter(db)({ ...progress, seq: progress.fromSeq, ...NO_ROWS });
  addRows(sourceOf(path, former), target, db, progress);
}

export const sourceOf = (path: string, former: Database.Database): ArchiveSource =>
  versionOf(path, former) === 1 ? new SourceOfFormat1(path, former) : new RowSource(path, former, false);

/** The archive in the present format, in memory. Closes `former`. */
export function convertedInMemory(path: string, former: Database.Database): Database.Database {
  const db = new Database(':memory:');
  try {
    convertFormer(path, former, path, db);
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  } finally {
    former.close();
  }
}
