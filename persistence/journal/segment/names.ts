/** Names of the journal's files, and writing a complete segment. A segment's name has its first sequence number. */
import { existsSync, fsyncSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { assert, must } from '../../../engine/base/assert.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { openFile } from '../../data-dir/files.js';
import { createTables, insertSeal, rowInserter, type SegmentMeta } from './schema.js';

const SEGMENT_NAME = /^segment-(\d{16})\.db$/;

export function segmentPath(journalDir: string, firstSeq: number): string {
  return join(journalDir, `segment-${String(firstSeq).padStart(16, '0')}.db`);
}

/** In the order of their sequence numbers. */
export function findSegments(journalDir: string): string[] {
  if (!existsSync(journalDir)) return [];
  return readdirSync(journalDir)
    .filter((name) => SEGMENT_NAME.test(name))
    .sort()
    .map((name) => join(journalDir, name));
}

export const hasSegments = (journalDir: string): boolean => findSegments(journalDir).length > 0;

export function firstSeqOf(path: string): number {
  return Number(must(SEGMENT_NAME.exec(basename(path))?.[1], `the number in the name ${path}`));
}

/** A complete copy that is to replace the segment (`recovery/copy.ts`). It outlives a recovery that was stopped. */
export const recoveredPath = (path: string): string => `${path}.recovered`;

/** The file that counts. */
export function sourceOf(path: string): string {
  const copy = recoveredPath(path);
  return existsSync(copy) ? copy : path;
}

/**
 * Writes and syncs a new file; the caller syncs its directory. A sealed segment needs no side files; an open one is
 * in WAL mode.
 */
export function writeSegment(
  path: string,
  { isSealed = false, ...meta }: SegmentMeta & { readonly isSealed?: boolean },
  rows: Iterable<StoredBatch>,
): void {
  // Opened before the first write and synced after the last, so that this descriptor sees every write error.
  using file = openFile(path, 'wx');
  const db = new Database(path);
  try {
    db.pragma('journal_mode = OFF');
    db.exec('BEGIN EXCLUSIVE');
    createTables(db, meta);
    const insert = rowInserter(db);
    let last: StoredBatch | null = null;
    for (const row of rows) {
      insert(row);
      last = row;
    }
    if (isSealed) insertSeal(db, meta.firstSeq, must(last, 'a row of a sealed segment'));
    db.exec('COMMIT');
    const mode = isSealed ? 'delete' : 'wal';
    assert(db.pragma(`journal_mode = ${mode}`, { simple: true }) === mode, `the segment is in mode ${mode}`);
  } finally {
    db.close();
  }
  fsyncSync(file.fd);
}
