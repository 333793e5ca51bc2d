/**
 * One process at a time works on a data directory. The lock is SQLite's own: an exclusive transaction on an
 * empty database file, which the kernel releases when the process dies, however it dies.
 *
 * Nothing else in this process may open and close the lock file: POSIX drops a process's locks on a file with the
 * first descriptor that it closes. The holder's process id therefore stands in a file of its own.
 */
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { assert } from '../../engine/base/assert.js';
import { codeOf, JournalError, messageOf } from '../errors.js';
import type { DataDir } from './layout.js';

export interface DataDirLock {
  release(): void;
}

/** Keeps the connections reachable: one that is collected as garbage would give its lock back. */
const held = new Set<Database.Database>();

/** Time that a start waits for those who only look whether the lock is held: they are gone in no time. */
const LOOKERS_MS = 100;

/** Takes the lock at once or throws `data_dir_locked`, naming the directory and the holder. */
export function lockDataDir(dir: DataDir): DataDirLock {
  const db = takeLock(dir);
  held.add(db);
  writeFileSync(dir.pidFile, `${process.pid}\n`);
  return {
    release() {
      if (!held.delete(db)) return;
      rmSync(dir.pidFile, { force: true });
      db.close();
    },
  };
}

function takeLock(dir: DataDir): Database.Database {
  let db: Database.Database | undefined;
  try {
    db = new Database(dir.lockFile, { timeout: LOOKERS_MS });
    db.exec('BEGIN EXCLUSIVE');
    // Whoever may open the file may hold its lock, and so keep the server from starting.
    chmodSync(dir.lockFile, 0o600);
    return db;
  } catch (thrown) {
    db?.close();
    if (codeOf(thrown).startsWith('SQLITE_BUSY')) {
      throw new JournalError(
        'data_dir_locked',
        `The data directory ${dir.root} is in use by ${describeHolder(dir)}. Stop it, or name another directory in TOTE_DATA_DIR.`,
        { cause: thrown },
      );
    }
    throw cannotLock(dir, thrown);
  }
}

/** Time for which a short piece of work of another process is waited for. */
const SHORT_WORK_MS = 3_000;

/**
 * Does a short piece of work that one process at a time may do on `dir`, whether or not it holds the directory's lock;
 * `file` is the lock's. Throws `data_dir_locked` where another one is at it for too long.
 */
export function exclusively<T>(dir: DataDir, file: string, work: () => T): T {
  const db = new Database(file, { timeout: SHORT_WORK_MS });
  try {
    db.exec('BEGIN EXCLUSIVE');
    chmodSync(file, 0o600);
    return work();
  } catch (thrown) {
    if (!codeOf(thrown).startsWith('SQLITE_BUSY')) throw thrown;
    throw new JournalError(
      'data_dir_locked',
      `Another process is changing ${dir.root} at this moment, and nothing was changed. Try again.`,
      { cause: thrown },
    );
  } finally {
    db.close();
  }
}

/** Who holds a data directory's lock. */
export interface Holder {
  /** null where it cannot be read. */
  readonly pid: number | null;
}

/**
 * Who holds the lock, or null: by looking, without taking it. A process that holds the lock itself must not ask:
 * looking would release it. Throws `data_dir_invalid`.
 */
export function findHolder(dir: DataDir): Holder | null {
  const isMine = [...held].some((db) => db.name === dir.lockFile);
  assert(!isMine, 'the holder of a lock must not look at it');
  if (!existsSync(dir.lockFile)) return null;
  let db: Database.Database | undefined;
  try {
    db = new Database(dir.lockFile, { readonly: true, fileMustExist: true, timeout: 0 });
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return null;
  } catch (thrown) {
    if (codeOf(thrown).startsWith('SQLITE_BUSY')) return { pid: readPid(dir) };
    throw cannotLock(dir, thrown);
  } finally {
    db?.close();
  }
}

function readPid(dir: DataDir): number | null {
  try {
    return Number.parseInt(readFileSync(dir.pidFile, 'utf8'), 10) || null;
  } catch {
    return null;
  }
}

function describeHolder(dir: DataDir): string {
  const pid = readPid(dir);
  return pid === null ? 'another process' : `the process ${pid}`;
}

function cannotLock(dir: DataDir, thrown: unknown): JournalError {
  return new JournalError(
    'data_dir_invalid',
    `The data directory ${dir.root} cannot be locked: ${messageOf(thrown)} (${dir.lockFile}).`,
    { cause: thrown },
  );
}
