/** The archive as a file: how it is opened, made durable and set aside. `schema.ts` has its content. */
import { existsSync, readSync } from 'node:fs';
import Database from 'better-sqlite3';
import { closing, orClosed } from '../data-dir/closing.js';
import {
  fileBytes,
  openFile,
  removeSideFiles,
  renameDurably,
  sideFiles,
  walPath,
} from '../data-dir/files.js';
import type { DataDir } from '../data-dir/layout.js';
import { JournalError } from '../errors.js';
import { type ArchiveProgress, fromArchive, readProgress } from './schema.js';

/** Page cache: SQLite's default is too small for the lists of many accounts. */
const CACHE_KIB = 32 * 1024;
const BUSY_TIMEOUT_MS = 1_000;
/** A backup's archive is locked while `verify` reads it, and while the next backup adds to it: for minutes, if it is large. */
export const LOCKED_MS_MAX = 10 * 60_000;
/** The WAL is checkpointed after this many pages, and then cut back to this size. */
const CHECKPOINT_PAGES = 3_000;
const WAL_BYTES_KEPT = 16 * 1024 * 1024;

/**
 * Makes all commits durable by a checkpoint, which syncs the WAL and then the database. Syncing a plain descriptor
 * will not do: closing it would drop the locks of this process's other connections to the file.
 */
export function makeArchiveDurable(dir: DataDir): void {
  using db = closing(connectArchive(dir.archiveFile));
  // The writer of a busy server has its lock nearly all the time: only the second one waits for it.
  if (isCheckpointed(db, 'PASSIVE') || isCheckpointed(db, 'FULL')) return;
  throw new JournalError(
    'journal_write_failed',
    `The archive ${dir.archiveFile} is being read for long and cannot be made durable now, so nothing was deleted. Try again later.`,
  );
}

function isCheckpointed(db: Database.Database, mode: 'PASSIVE' | 'FULL'): boolean {
  // `log` is the pages in the WAL, `checkpointed` how many of them are in the database.
  const [done] = db.pragma(`wal_checkpoint(${mode})`) as Record<'busy' | 'log' | 'checkpointed', number>[];
  return done?.busy === 0 && done.log === done.checkpointed;
}

/** null if there is no archive. Throws `other_format` and `archive_corrupt`. */
export function readArchiveProgress(dir: DataDir): ArchiveProgress | null {
  const path = dir.archiveFile;
  if (!existsSync(path)) return null;
  using db = closing(openArchive(path));
  return readProgress(path, db);
}

/** In a database's header: 2 in WAL mode. */
const WRITE_VERSION_AT = 18;

/**
 * A backup's archive is not in WAL mode. Where it has taken the place of one that was not closed, that one's WAL is left, and
 * SQLite would write it into the backup's. Not for a process that has the archive open: see `OpenFiles`.
 */
export function hasForeignWal({ archiveFile }: DataDir): boolean {
  if (!existsSync(archiveFile) || fileBytes(walPath(archiveFile)) === 0) return false;
  using file = openFile(archiveFile, 'r');
  const version = Buffer.alloc(1);
  readSync(file.fd, version, 0, 1, WRITE_VERSION_AT);
  return version[0] === 1;
}

/** Returns sentences for the operator. */
export function dropForeignWal(dir: DataDir): string[] {
  if (!hasForeignWal(dir)) return [];
  removeSideFiles(dir.archiveFile);
  return [`${walPath(dir.archiveFile)} is deleted: it was of the archive whose place this one has taken.`];
}

export function setArchiveAside(dir: DataDir, nowMs: number): string {
  const aside = `${dir.archiveFile}.damaged-${nowMs}`;
  for (const file of sideFiles(dir.archiveFile)) {
    if (existsSync(file)) renameDurably(file, aside + file.slice(dir.archiveFile.length));
  }
  if (existsSync(dir.archiveFile)) renameDurably(dir.archiveFile, aside);
  return aside;
}

export const connectArchive = (path: string): Database.Database =>
  orClosed(new Database(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS }), (db) => {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('cell_size_check = ON');
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    db.pragma(`journal_size_limit = ${WAL_BYTES_KEPT}`);
    return db;
  });

/**
 * For reading. It is in WAL mode, and SQLite reads such a file only if it finds or can create side files. Throws as
 * `fromArchive`.
 */
export const openArchive = (path: string, timeout = LOCKED_MS_MAX): Database.Database =>
  fromArchive(path, () =>
    orClosed(new Database(path, { readonly: true, fileMustExist: true, timeout }), (db) => {
      // Only the first read needs the side files.
      db.prepare('SELECT count(*) FROM sqlite_schema').get();
      return db;
    }),
  );
