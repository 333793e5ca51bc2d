/**
 * From a full segment to the next one. Each step leaves a directory that the next start can continue from:
 *
 *     old, open, with its WAL                   -> copied, as after any unclean stop
 *     old, open, WAL moved into it and removed  -> the same
 *     old + rollback journal of the seal        -> SQLite rolls the half seal back; then the same
 *     old, sealed                               -> copied with its seal; the next one is created
 *     old, sealed + next .unfinished            -> the same
 *     old, sealed + next                        -> the next one is the open one
 *
 * SQLite leaves WAL mode only while no other connection has the file open. Readers open it for moments. If one has it
 * open just now, the roll is postponed and commits continue in the old segment.
 */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { assert } from '../../../engine/base/assert.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import {
  removeDatabase,
  renameDurably,
  rollbackPath,
  syncPath,
  unfinishedPath,
} from '../../data-dir/files.js';
import { isBusy } from '../../errors.js';
import type { ChainPosition } from './batch-row.js';
import { segmentPath, writeSegment } from './names.js';
import { insertSeal } from './schema.js';
import type { Segment } from './segment.js';

/** Steps that are done. The next start recovers from a crash after any of them. */
export type RollStep =
  /** The WAL has been moved into the database and removed, and nobody else can open the file. */
  | 'wal_left'
  | 'sealed'
  /** The old segment is never written again. */
  | 'closed'
  | 'next_written'
  | 'next_named';

export type OnRollStep = (step: RollStep) => void;

/** Seals after `last` and closes. Returns false, with nothing changed, if another connection has the segment open. */
export function sealSegment(segment: Segment, last: StoredBatch, onStep: OnRollStep): boolean {
  const { db, path, meta } = segment;
  if (!leaveWal(db)) return false;
  onStep('wal_left');
  db.pragma('synchronous = FULL');
  insertSeal(db, meta.firstSeq, last);
  onStep('sealed');
  segment.close();
  // If SQLite could not remove its rollback journal, it must not stay beside a sealed segment.
  rmSync(rollbackPath(path), { force: true });
  syncPath(path);
  syncPath(dirname(path));
  onStep('closed');
  return true;
}

export function createSegment(
  journalDir: string,
  position: ChainPosition,
  createdMs: number,
  onStep: OnRollStep = () => {},
): string {
  const firstSeq = position.lastSeq + 1;
  const path = segmentPath(journalDir, firstSeq);
  removeDatabase(unfinishedPath(path));
  writeSegment(unfinishedPath(path), { createdMs, firstSeq, previousChain: position.chain }, []);
  onStep('next_written');
  renameDurably(unfinishedPath(path), path);
  onStep('next_named');
  return path;
}

/** From then on no other connection can open the file. */
function leaveWal(db: Database.Database): boolean {
  const timeoutMs = db.pragma('busy_timeout', { simple: true });
  db.pragma('busy_timeout = 0');
  db.pragma('locking_mode = EXCLUSIVE');
  try {
    const mode = db.pragma('journal_mode = DELETE', { simple: true });
    assert(mode === 'delete', `the segment is in mode ${mode}`);
    return true;
  } catch (thrown) {
    if (!isBusy(thrown)) throw thrown;
    db.pragma('locking_mode = NORMAL');
    db.pragma(`busy_timeout = ${timeoutMs}`);
    return false;
  }
}
