/**
 * Writes a snapshot file without slowing the journal down. If a disk is handed hundreds of megabytes at once, the fsync
 * of the next commit waits until all of them are written, so they go to the disk a few megabytes at a time. Each sync
 * is also a commit of the file system's own journal, so smaller pieces are not better. In between the thread rests
 * often, and hands its rows to the system in small transactions.
 */
import { closeSync, fdatasyncSync, fsyncSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Engine } from '../../engine/engine.js';
import type { SnapshotMeta } from '../../engine/host/snapshot-store.js';
import type { Rest } from '../thread/pace.js';
import { createTables, insertInto } from './schema.js';

/** About a megabyte. */
const ROWS_PER_PIECE = 8_192;
const ROWS_PER_SYNC = 4 * ROWS_PER_PIECE;
const ROWS_PER_COMMIT = 1_024;
const ROWS_PER_REST = 64;

/**
 * Yields the number of rows so far after each piece. At the end the file is complete, synced and closed; a generator
 * that is stopped early, or throws, leaves half a file. The engine must not change meanwhile.
 */
export function* writeSnapshot(
  path: string,
  engine: Engine,
  meta: SnapshotMeta,
  rest: Rest,
): Generator<number, void, undefined> {
  // Opened before the first write and synced after the last, so that this descriptor sees every write error.
  const fd = openSync(path, 'wx', 0o600);
  try {
    const db = new Database(path);
    try {
      // Nobody reads a half-written snapshot, so it needs no rollback.
      db.pragma('journal_mode = OFF');
      db.pragma('synchronous = OFF');
      db.pragma('locking_mode = EXCLUSIVE');
      db.exec('BEGIN');
      createTables(db, meta);
      let rows = 0;
      for (const table of engine.exportTables()) {
        const insert = insertInto(db, table.form);
        for (const row of table.rows) {
          insert.run(...row);
          rows += 1;
          if (rows % ROWS_PER_REST === 0) rest();
          if (rows % ROWS_PER_COMMIT === 0) db.exec('COMMIT; BEGIN');
          if (rows % ROWS_PER_SYNC === 0) fdatasyncSync(fd);
          if (rows % ROWS_PER_PIECE === 0) yield rows;
        }
      }
      db.exec('COMMIT');
    } finally {
      db.close();
    }
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
