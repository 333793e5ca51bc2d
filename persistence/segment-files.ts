/**
 * Names of the journal's files, and making a whole segment at once. One segment holds the journal now; its name
 * carries the first sequence number so that others can follow it.
 */
import { closeSync, fsyncSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { assert } from '../engine/assert.js';
import type { StoredBatch } from '../engine/ports.js';
import { syncPath } from './files.js';
import { createTables, rowInserter, type SegmentMeta } from './segment-schema.js';

const SEGMENT_NAME = /^segment-\d{16}\.db$/;

/** `segment-<first sequence number, 16 digits>.db` in the journal's folder. */
export function segmentPath(journalDir: string, firstSeq: number): string {
  return join(journalDir, `segment-${String(firstSeq).padStart(16, '0')}.db`);
}

/** Paths of the segments in the order of their sequence numbers. */
export function findSegments(journalDir: string): string[] {
  return readdirSync(journalDir)
    .filter((name) => SEGMENT_NAME.test(name))
    .sort()
    .map((name) => join(journalDir, name));
}

export const walPath = (path: string): string => `${path}-wal`;
export const shmPath = (path: string): string => `${path}-shm`;
/** A segment that is being written and may be half there. */
export const unfinishedPath = (path: string): string => `${path}.unfinished`;
/** A whole copy that is to take the segment's place (`recovery-copy.ts`). */
export const recoveredPath = (path: string): string => `${path}.recovered`;

/** Removes a database's side files, durably. The WAL goes first: without it the other means nothing. */
export function removeSideFiles(path: string): void {
  rmSync(walPath(path), { force: true });
  rmSync(shmPath(path), { force: true });
  syncPath(join(path, '..'));
}

/** Removes a database with its side files. */
export function removeDatabase(path: string): void {
  rmSync(path, { force: true });
  removeSideFiles(path);
}

/**
 * Writes a whole segment to the new file `path` and syncs it; its name is the caller's to sync. The file is in
 * WAL mode and closed.
 */
export function writeSegment(path: string, meta: SegmentMeta, rows: Iterable<StoredBatch>): void {
  // Open before the first write and synced after the last: no write error falls between two descriptors.
  const fd = openSync(path, 'wx', 0o600);
  try {
    const db = new Database(path);
    try {
      db.pragma('journal_mode = OFF');
      db.exec('BEGIN EXCLUSIVE');
      createTables(db, meta);
      const insert = rowInserter(db);
      for (const row of rows) insert(row);
      db.exec('COMMIT');
      assert(db.pragma('journal_mode = WAL', { simple: true }) === 'wal', 'a segment is in WAL mode');
    } finally {
      db.close();
    }
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
