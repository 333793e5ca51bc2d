/**
 * The segment that is being written: its connection, configured for a durability, and its prepared statements.
 *
 * `fsync` is SQLite's synchronous=FULL: every commit is on the medium when its statement returns. `os` is
 * synchronous=NORMAL: a commit survives the end of the process, but a power loss or a kernel crash may undo the
 * newest ones. A consistent journal that ends earlier is left, and the mark makes the next start refuse it: the loss
 * is reported, not hidden.
 */
import { readFileSync } from 'node:fs';
import { ifThere } from '../../data-dir/files.js';
import { unusable } from '../../data-dir/layout.js';
import { JournalError } from '../../errors.js';
import { rowInserter } from './schema.js';
import type { Segment } from './segment.js';

export type Durability = 'fsync' | 'os';

/** The `in-use` file names the process that writes, and its durability. */
export const inUseText = (durability: Durability): string => `${process.pid} ${durability}\n`;

/** Without the file the stop was clean. Throws `data_dir_invalid`. */
export function wasEachCommitSynced(inUseFile: string): boolean {
  const refusal = (thrown: unknown): JournalError => unusable(inUseFile, thrown);
  return ifThere(() => readFileSync(inUseFile, 'latin1'), refusal)?.endsWith(' os\n') !== true;
}

const SYNCHRONOUS = { fsync: 2, os: 1 } as const;

export type OpenSegment = ReturnType<typeof prepare>;

export function prepare(segment: Segment) {
  const { db } = segment;
  return {
    segment,
    insert: rowInserter(db),
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    checkpoint: db.prepare('PRAGMA wal_checkpoint(PASSIVE)'),
  };
}

/** Reads the pragmas back: better-sqlite3's defaults are not enough. Throws `durability_unavailable`. */
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
