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
import { closing } from '../data-dir/closing.js';
import { removeDatabase, renameDurably, syncPath, unfinishedPath } from '../data-dir/files.js';
import { codeOf, isBusy, JournalError } from '../errors.js';
import { addRows } from './add-rows.js';
import { LOCKED_MS_MAX, openArchive } from './file.js';
import {
  type ArchivePosition,
  type ArchiveProgress,
  asArchiveDamage,
  createArchiveTables,
  NO_ROWS,
  readProgress,
  writeProgress,
} from './schema.js';

export interface ArchiveCopied {
  readonly seq: number;
  readonly rowsAdded: number;
}

/**
 * Brings `target` up to `source`, or to `end` if that is earlier. A target that is damaged or not of the source is
 * created anew, but not one that begins before its source or is ahead of it: the source was rebuilt, and nothing else may
 * tell of that beginning. Returns null if the source has no archive, or one that begins after `end`. Throws
 * `archive_corrupt`, `backup_mismatch` if rows between the two are missing, `other_format` and errors of SQLite.
 */
export function copyArchive(
  source: string,
  target: string,
  end: ArchivePosition | null,
): ArchiveCopied | null {
  if (!existsSync(source)) return null;
  using from = closing(openArchive(source));
  try {
    from.exec('BEGIN');
    const progress = readProgress(source, from);
    if (end !== null && end.seq < progress.fromSeq) return null;
    const upTo: ArchivePosition = end !== null && end.seq < progress.seq ? end : progress;
    const there = existsSync(target) ? readableProgress(target) : null;
    const known = there !== null && isContinued(there, progress, end?.seq ?? upTo.seq) ? there : null;
    if (known !== null && known.seq < progress.fromSeq) throw gapBetween(source, progress, target, known);
    if (known !== null && known.seq > upTo.seq) return { seq: known.seq, rowsAdded: 0 };
    const path = known === null ? unfinishedPath(target) : target;
    if (known === null) makeEmpty(path, progress);
    const rowsAdded = withDatabase(path, (db) => addRows({ path: source, db: from }, path, db, upTo));
    if (known === null) replace(path, target);
    return { seq: upTo.seq, rowsAdded };
  } catch (thrown) {
    throw asArchiveDamage(isBusy(thrown) ? target : source, thrown);
  }
}

function isContinued(target: ArchiveProgress, source: ArchiveProgress, endSeq: number): boolean {
  const isSame = target.seq !== source.seq || target.chain === source.chain;
  return target.fromSeq <= source.fromSeq && target.seq <= endSeq && isSame;
}

/** null if it is damaged. */
function readableProgress(path: string): ArchiveProgress | null {
  try {
    return withDatabase(path, (db) => readProgress(path, db));
  } catch (thrown) {
    const isDamage = thrown instanceof JournalError || codeOf(thrown).startsWith('SQLITE_');
    if (!isDamage) throw thrown;
    return null;
  }
}

const gapBetween = (
  source: string,
  { fromSeq }: ArchiveProgress,
  target: string,
  { seq }: ArchiveProgress,
): JournalError =>
  new JournalError(
    'backup_mismatch',
    `${source} begins after sequence number ${fromSeq}, and ${target}, which has what came before, ends at ${seq}: it stays ` +
      'as it is. Stop the server and put it in the place of the other, or name a new directory for the backup.',
  );

function makeEmpty(path: string, source: ArchiveProgress): void {
  removeDatabase(path);
  withDatabase(path, (db) => {
    db.transaction(() => {
      createArchiveTables(db, source.timeMs);
      writeProgress(db, { ...source, seq: source.fromSeq, ...NO_ROWS });
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
  using db = closing(new Database(path, { timeout: LOCKED_MS_MAX }));
  db.pragma('synchronous = FULL');
  return work(db);
}
