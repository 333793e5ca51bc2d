/**
 * Writes a snapshot's file beside a journal that must not feel it. A disk that is handed hundreds of megabytes at once
 * keeps the next commit's fsync waiting until it has written them all; so they go to the disk a few megabytes at a
 * time. Each sync, on the other hand, is a commit of the file system's own journal, so that smaller is not better.
 * In between the thread rests as often as it likes, and hands what it has to the system in small transactions.
 */
import { closeSync, fdatasyncSync, fsyncSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Engine } from '../../engine/engine.js';
import type { SnapshotMeta } from '../../engine/host/snapshot-store.js';
import type { Rest } from '../thread/pace.js';
import { createTables, insertInto } from './schema.js';

/** About a megabyte, which takes about 10 ms. */
const ROWS_PER_PIECE = 8_192;
const ROWS_PER_SYNC = 4 * ROWS_PER_PIECE;
const ROWS_PER_COMMIT = 1_024;
const ROWS_PER_REST = 64;

/**
 * Writes the new file `path`, yielding the number of rows so far after each piece. It is whole, synced and closed when the
 * generator ends; one that is left before (or that throws) leaves half a file. The engine must not change meanwhile.
 * `rest` is called far more often than a piece ends.
 */
export function* writeSnapshot(
  path: string,
  engine: Engine,
  meta: SnapshotMeta,
  rest: Rest,
): Generator<number, void, undefined> {
  // Open before the first write and synced after the last: no write error falls between two descriptors.
  const fd = openSync(path, 'wx', 0o600);
  try {
    const db = new Database(path);
    try {
      // Nobody reads a half-written snapshot, so it needs no way back.
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
