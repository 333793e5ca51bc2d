/**
 * Writes a snapshot file without slowing the journal down. If a disk is handed hundreds of megabytes at once, the fsync
 * of the next commit waits until all of them are written, so they go to the disk a few megabytes at a time. Each sync
 * is also a commit of the file system's own journal, so smaller pieces are not better. In between the thread rests
 * often, and hands its rows to the system in small transactions.
 */
import { fdatasyncSync, fsyncSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Engine } from '../../engine/engine.js';
import type { SnapshotMeta } from '../../engine/host/snapshot-store.js';
import { openFile } from '../data-dir/files.js';
import type { Rest } from '../thread/pace.js';
import { createTables, insertBlock } from './schema.js';

/** About a megabyte. */
const BLOCKS_PER_PIECE = 64;
const BLOCKS_PER_SYNC = 4 * BLOCKS_PER_PIECE;
const BLOCKS_PER_COMMIT = 8;

/**
 * Yields the number of blocks so far after each piece. At the end the file is complete, synced and closed; a generator
 * that is stopped early, or throws, leaves half a file. The engine must not change meanwhile.
 */
export function* writeSnapshot(
  path: string,
  engine: Engine,
  meta: SnapshotMeta,
  rest: Rest,
): Generator<number, void, undefined> {
  // Opened before the first write and synced after the last, so that this descriptor sees every write error.
  using file = openFile(path, 'wx');
  const db = new Database(path);
  try {
    // Nobody reads a half-written snapshot, so it needs no rollback.
    db.pragma('journal_mode = OFF');
    db.pragma('synchronous = OFF');
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN');
    createTables(db, meta);
    let count = 0;
    for (const { form, blocks } of engine.exportTables()) {
      const insert = insertBlock(db, form);
      for (const block of blocks) {
        insert.run(block);
        rest();
        count += 1;
        if (count % BLOCKS_PER_COMMIT === 0) db.exec('COMMIT; BEGIN');
        if (count % BLOCKS_PER_SYNC === 0) fdatasyncSync(file.fd);
        if (count % BLOCKS_PER_PIECE === 0) yield count;
      }
    }
    db.exec('COMMIT');
  } finally {
    db.close();
  }
  fsyncSync(file.fd);
}
