/**
 * One process at a time uses a data directory. The lock is an exclusive SQLite transaction on an empty database file,
 * which the kernel releases when the process dies, however it dies.
 *
 * Nothing else in this process may open and close the lock file: POSIX drops all of a process's locks on a file when it
 * closes any descriptor of it. The holder's process id is therefore in a file of its own.
 */
import { chmodSync, closeSync, constants, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { assert } from '../../engine/base/assert.js';
import { attempt } from '../../engine/base/attempt.js';
import { codeOf, isBusy, isDiskFull, JournalError, reasonOf } from '../errors.js';
import { closing } from './closing.js';
import { FILE_MODE, giveToOwner, rollbackPath, writeFileDurably } from './files.js';
import { type DataDir, isFolder, requireWritable, unusable } from './layout.js';

/** A connection that was garbage-collected would release its lock. */
const held = new Set<Database.Database>();

/** `findHolder` of another process holds a shared lock for a moment. */
const PROBE_MS = 100;
/** A process that was killed keeps its lock until the kernel has ended its threads. */
export const START_WAIT_MS = 2_000;

/** Throws `data_dir_locked` after `waitMs`. */
export function lockDataDir(dir: DataDir, waitMs = PROBE_MS) {
  const db = takeLock(
    dir,
    dir.lockFile,
    waitMs,
    () =>
      `The data directory ${dir.root} is in use by ${describeHolder(dir)}. Stop it, or name another directory in TOTE_DATA_DIR.`,
  );
  held.add(db);
  writeFileDurably(dir.pidFile, `${process.pid}\n`);
  const release = (): void => {
    if (!held.delete(db)) return;
    for (const file of [dir.pidFile, dir.operatorUrlFile]) rmSync(file, { force: true });
    db.close();
  };
  return { release, [Symbol.dispose]: release };
}

/** `taken` words the refusal while another process has the lock. */
function takeLock(dir: DataDir, file: string, waitMs: number, taken: () => string): Database.Database {
  let db: Database.Database | undefined;
  try {
    // SQLite does not say why it cannot make a file.
    if (!existsSync(file)) closeSync(openSync(file, constants.O_CREAT | constants.O_NOFOLLOW, FILE_MODE));
    db = new Database(file, { timeout: waitMs });
    db.exec('BEGIN EXCLUSIVE');
    // Another user who could open the file could hold its lock and so keep the server from starting.
    chmodSync(file, FILE_MODE);
    giveToOwner(file);
    return db;
  } catch (thrown) {
    db?.close();
    if (isBusy(thrown)) throw new JournalError('data_dir_locked', taken(), { cause: thrown });
    for (const path of [file, rollbackPath(file)].filter(existsSync)) requireWritable(path);
    const isOfSystem = codeOf(thrown).startsWith('E') || isDiskFull(thrown);
    throw isOfSystem ? unusable(file, thrown) : cannotLock(dir, file, thrown);
  }
}

const EXCLUSIVE_WAIT_MS = 1_000;

/**
 * Does a piece of work on `dir` that only one process at a time may do, with or without the lock of the directory.
 * Throws `data_dir_locked` while another one does, and `data_dir_invalid` if there is no place for `file`.
 */
export function exclusively<T>(dir: DataDir, file: string, work: () => T): T {
  const folder = dirname(file);
  if (!isFolder(folder)) throw new JournalError('data_dir_invalid', `There is no directory ${folder}.`);
  const taken = `Another process deletes or copies files of ${dir.root} at this moment, and nothing was changed. Try again.`;
  using _db = closing(takeLock(dir, file, EXCLUSIVE_WAIT_MS, () => taken));
  return work();
}

/**
 * Probes the lock without taking it. Its holder must not call this: the probe would release the lock. The holder's `pid` is
 * null if it cannot be read. Throws `data_dir_invalid`.
 */
export function findHolder(dir: DataDir): { readonly pid: number | null } | null {
  const isMine = [...held].some((db) => db.name === dir.lockFile);
  assert(!isMine, 'the holder of a lock must not probe it');
  if (!existsSync(dir.lockFile)) return null;
  try {
    using db = closing(new Database(dir.lockFile, { readonly: true, fileMustExist: true, timeout: 0 }));
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return null;
  } catch (thrown) {
    if (isBusy(thrown)) return { pid: readPid(dir) };
    throw cannotLock(dir, dir.lockFile, thrown);
  }
}

const readPid = (dir: DataDir): number | null =>
  attempt(() => Number.parseInt(readFileSync(dir.pidFile, 'utf8'), 10) || null, null);

function describeHolder(dir: DataDir): string {
  const pid = readPid(dir);
  return pid === null ? 'another process' : `the process ${pid}`;
}

function cannotLock(dir: DataDir, file: string, thrown: unknown): JournalError {
  return new JournalError(
    'data_dir_invalid',
    `The data directory ${dir.root} cannot be locked: ${reasonOf(thrown)} (${file}). Check the disk, its quota and the system log.`,
    { cause: thrown },
  );
}
