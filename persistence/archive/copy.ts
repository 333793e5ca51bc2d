/**
 * Copies an archive into another data directory, up to a sequence number: all of it the first time, later only new
 * rows, each checked. Nothing is recomputed from the journal, so an archive keeps a beginning that the journal no
 * longer has.
 *
 * The source is read in one transaction, unchanged; its writer may continue. The target is written in one transaction
 * and synced.
 */
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { removeDatabase, renameDurably, syncPath, unfinishedPath } from '../data-dir/files.js';
import { codeOf, JournalError } from '../errors.js';
import { addRows, RowSource } from './add-rows.js';
import { openArchive } from './file.js';
import {
  type ArchiveProgress,
  asArchiveDamage,
  createArchiveTables,
  NO_ROWS,
  progressWriter,
  readProgress,
} from './schema.js';
import type { ArchivePosition } from './writer.js';

const BUSY_TIMEOUT_MS = 5_000;

export interface ArchiveCopied {
  readonly seq: number;
  readonly rowsAdded: number;
}

/**
 * Brings `target` up to `source`, or to `end` if that is earlier. A target that is damaged or not of the source is
 * created anew. Returns null if the source has no archive, or one that begins after `end`. Throws `archive_corrupt`,
 * `other_format` and errors of SQLite.
 */
export function copyArchive(
  source: string,
  target: string,
  end: ArchivePosition | null,
): ArchiveCopied | null {
  if (!existsSync(source)) return null;
  const from = openArchive(source);
  try {
    from.exec('BEGIN');
    const progress = readProgress(source, from);
    if (end !== null && end.seq < progress.fromSeq) return null;
    const upTo: ArchivePosition = end !== null && end.seq < progress.seq ? end : progress;
    const known = usableProgress(target, progress, upTo.seq);
    const path = known === null ? unfinishedPath(target) : target;
    if (known === null) makeEmpty(path, progress);
    const rowsAdded = withDatabase(path, (db) => addRows(new RowSource(source, from), path, db, upTo));
    if (known === null) replace(path, target);
    return { seq: upTo.seq, rowsAdded };
  } catch (thrown) {
    throw asArchiveDamage(source, thrown);
  } finally {
    from.close();
  }
}

/** null if the target cannot be continued. */
function usableProgress(target: string, source: ArchiveProgress, upToSeq: number): ArchiveProgress | null {
  if (!existsSync(target)) return null;
  try {
    const progress = withDatabase(target, (db) => readProgress(target, db));
    const isOfOnePiece = progress.fromSeq === source.fromSeq && progress.seq <= upToSeq;
    const isSame = progress.seq < source.seq || progress.chain === source.chain;
    return isOfOnePiece && isSame ? progress : null;
  } catch (thrown) {
    const isDamage = thrown instanceof JournalError || codeOf(thrown).startsWith('SQLITE_');
    if (!isDamage) throw thrown;
    return null;
  }
}

function makeEmpty(path: string, source: ArchiveProgress): void {
  removeDatabase(path);
  withDatabase(path, (db) => {
    db.transaction(() => {
      createArchiveTables(db, source.timeMs);
      progressWriter(db)({ ...source, seq: source.fromSeq, ...NO_ROWS });
    })();
  });
}

function replace(path: string, target: string): void {
  removeDatabase(target);
  syncPath(path);
  renameDurably(path, target);
}

/** Rollback journal and synchronous=FULL: a commit is on the medium, and no side file is left. */
function withDatabase<T>(path: string, work: (db: Database.Database) => T): T {
  const db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    db.pragma('synchronous = FULL');
    return work(db);
  } finally {
    db.close();
  }
}
