/**
 * From a full segment to the next one. Each step leaves a directory that the next start knows how to go on from:
 *
 *     old, open, with its WAL                   -> copied, as after any unclean stop
 *     old, open, WAL moved into it and removed  -> the same
 *     old + rollback journal of the seal        -> SQLite takes the half seal back; then the same
 *     old, sealed                               -> copied with its seal; the next one is made
 *     old, sealed + next .unfinished            -> the same
 *     old, sealed + next                        -> the next one is the open one
 *
 * SQLite leaves WAL mode only while nobody else has the file open. Readers open it for moments; where one does just now
 * the roll is put off, and commits go on into the old segment.
 */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { assert } from '../../../engine/base/assert.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { removeDatabase, rollbackPath, unfinishedPath } from '../../data-dir/database-files.js';
import { renameDurably, syncPath } from '../../data-dir/files.js';
import { codeOf } from '../../errors.js';
import type { ChainPosition } from './batch-row.js';
import { segmentPath, writeSegment } from './names.js';
import { insertSeal } from './schema.js';
import type { Segment } from './segment.js';

/** What has just been done; a crash after any of them is repaired by the next start. */
export type RollStep =
  /** All is in the database, there is no WAL, and nobody else can open the file. */
  | 'wal_left'
  /** The seal is durable. */
  | 'sealed'
  /** The old segment is closed: it is never written again. */
  | 'closed'
  /** The next segment is whole and synced, aside. */
  | 'next_written'
  /** The next segment has its name. */
  | 'next_named';

export type OnRollStep = (step: RollStep) => void;

/**
 * Seals the open segment behind `last`, the last of its `batches` rows, and closes it. False where another connection has it open: then
 * nothing has changed.
 */
export function sealSegment(
  segment: Segment,
  last: StoredBatch,
  batches: number,
  onStep: OnRollStep,
): boolean {
  const { db, path, meta } = segment;
  if (!leaveWal(db)) return false;
  onStep('wal_left');
  db.pragma('synchronous = FULL');
  insertSeal(db, meta.firstSeq, { ...last, batches });
  onStep('sealed');
  segment.close();
  // Done with since the seal is durable; where SQLite could not remove it, it must not lie beside a sealed segment.
  rmSync(rollbackPath(path), { force: true });
  syncPath(path);
  syncPath(dirname(path));
  onStep('closed');
  return true;
}

/** Makes the segment that follows on `position`, open and empty. */
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

/** Moves the WAL into the database and removes it, keeping everybody else out from then on. */
function leaveWal(db: Database.Database): boolean {
  const timeoutMs = db.pragma('busy_timeout', { simple: true });
  db.pragma('busy_timeout = 0');
  db.pragma('locking_mode = EXCLUSIVE');
  try {
    const mode = db.pragma('journal_mode = DELETE', { simple: true });
    assert(mode === 'delete', `the segment is in mode ${mode}`);
    return true;
  } catch (thrown) {
    if (!codeOf(thrown).startsWith('SQLITE_BUSY')) throw thrown;
    db.pragma('locking_mode = NORMAL');
    db.pragma(`busy_timeout = ${timeoutMs}`);
    return false;
  }
}
