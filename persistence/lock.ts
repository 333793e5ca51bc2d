/**
 * One process at a time works on a data directory. The lock is SQLite's own: an exclusive transaction on an
 * empty database file, which the kernel releases when the process dies, however it dies.
 *
 * Nothing else in this process may open and close the lock file: POSIX drops a process's locks on a file with the
 * first descriptor that it closes. The holder's process id therefore stands in a file of its own.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { DataDir } from './data-dir.js';
import { codeOf, JournalError, messageOf } from './errors.js';

export interface DataDirLock {
  release(): void;
}

/** Keeps the connections reachable: one that is collected as garbage would give its lock back. */
const held = new Set<Database.Database>();

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
    db = new Database(dir.lockFile, { timeout: 0 });
    db.exec('BEGIN EXCLUSIVE');
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
    throw new JournalError(
      'data_dir_invalid',
      `The data directory ${dir.root} cannot be locked: ${messageOf(thrown)} (${dir.lockFile}).`,
      { cause: thrown },
    );
  }
}

function describeHolder(dir: DataDir): string {
  try {
    return `the process ${Number.parseInt(readFileSync(dir.pidFile, 'utf8'), 10) || 'of unknown number'}`;
  } catch {
    return 'another process';
  }
}
