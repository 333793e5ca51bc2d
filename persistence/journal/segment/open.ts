/**
 * The segment that is being written: its connection, set to the durability that was asked for, and what is prepared on it.
 *
 * Durability `fsync`: SQLite's synchronous=FULL, every commit is on the medium before `sync` returns. `os`:
 * synchronous=NORMAL, a commit is in the operating system's hands; it survives any end of the process, but a power
 * loss or a kernel crash may take back the newest ones. What is left is still a whole journal that ends earlier,
 * and the mark may then refuse to start from it: the loss is said, not hidden.
 */
import type Database from 'better-sqlite3';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { JournalError } from '../../errors.js';
import { rowInserter } from './schema.js';
import type { Segment } from './segment.js';

export type Durability = 'fsync' | 'os';

/** SQLite's numbers for `PRAGMA synchronous`. */
const SYNCHRONOUS = { fsync: 2, os: 1 } as const;

export interface OpenSegment {
  readonly segment: Segment;
  readonly insert: (row: StoredBatch) => void;
  readonly begin: Database.Statement;
  readonly commit: Database.Statement;
  readonly checkpoint: Database.Statement;
}

export function prepare(segment: Segment): OpenSegment {
  const { db } = segment;
  return {
    segment,
    insert: rowInserter(db),
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    checkpoint: db.prepare('PRAGMA wal_checkpoint(PASSIVE)'),
  };
}

/**
 * Sets what durability rests on and reads it back: better-sqlite3's own default is not enough. Throws
 * `durability_unavailable`.
 */
export function configure(segment: Segment, durability: Durability): void {
  const { db, path } = segment;
  const wanted = SYNCHRONOUS[durability];
  const journalMode = db.pragma('journal_mode = WAL', { simple: true });
  db.pragma(`synchronous = ${wanted}`);
  const synchronous = db.pragma('synchronous', { simple: true });
  if (journalMode !== 'wal' || synchronous !== wanted) {
    throw new JournalError(
      'durability_unavailable',
      `SQLite runs ${path} with journal_mode ${journalMode} and synchronous ${synchronous}; it must be wal and ${wanted}. ` +
        'Put the data directory on a local file system.',
    );
  }
  db.pragma('wal_autocheckpoint = 0');
}
