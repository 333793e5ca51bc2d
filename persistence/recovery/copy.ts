/**
 * After an unclean stop nothing is appended to the old file: its good batches are copied to a new one, which replaces
 * it. A page whose write failed may look whole in memory and be missing on the disk.
 *
 * SQLite would apply a stale WAL to whatever database is beside it. So the WAL is removed while the complete copy has
 * a name of its own, from which moment only the copy counts. Each step leaves a directory from which the next start
 * continues:
 *
 *     old + WAL                          -> the copy is made (again)
 *     old + WAL + .unfinished            -> the half copy is thrown away, and made again
 *     old (+ WAL) + .recovered           -> the copy is checked, the WAL removed, the copy renamed
 *     new                                -> done
 */
import { existsSync, rmSync } from 'node:fs';
import type { Clock, Mark, StoredBatch } from '../../engine/model/ports.js';
import { closing } from '../data-dir/closing.js';
import {
  databaseBytes,
  fileBytes,
  removeDatabase,
  removeSideFiles,
  renameDurably,
  rollbackPath,
  syncPath,
  unfinishedPath,
  walPath,
} from '../data-dir/files.js';
import type { DataDir } from '../data-dir/layout.js';
import { requireSpaceForCopy } from '../data-dir/space.js';
import { recoveredPath, writeSegment } from '../journal/segment/names.js';
import type { RollStep } from '../journal/segment/roll.js';
import { Segment } from '../journal/segment/segment.js';
import { checkMark, type OnProgress, ProgressMeter } from '../replay/replay.js';

/** Steps that are done. The next start recovers from a crash after any of them. */
export type CopyStep =
  | 'half_copied'
  | 'copied'
  /** The copy is the journal from here on. */
  | 'copy_named'
  | 'copy_checked'
  | 'wal_removed'
  | 'replaced'
  /** The next start will find a cleanly stopped journal. */
  | 'in_use_removed';

export function wasStoppedUncleanly(dir: DataDir, segment: string): boolean {
  const half = [recoveredPath(segment), rollbackPath(segment)];
  return (
    existsSync(dir.inUseFile) || fileBytes(walPath(segment)) > 0 || half.some((path) => existsSync(path))
  );
}

export interface CopyOptions {
  readonly dir: DataDir;
  readonly clock: Clock;
  readonly onProgress: OnProgress;
  readonly onStep: (step: CopyStep | RollStep) => void;
}

export function replaceSegment(options: CopyOptions, path: string, mark: Mark | null): void {
  const { dir, onStep } = options;
  const copy = recoveredPath(path);
  removeDatabase(unfinishedPath(path));
  if (!existsSync(copy)) {
    copySegment(path, options);
    onStep('copied');
    renameDurably(unfinishedPath(path), copy);
    onStep('copy_named');
  }
  readBack(copy, mark, options);
  onStep('copy_checked');
  removeSideFiles(path);
  onStep('wal_removed');
  renameDurably(copy, path);
  onStep('replaced');
  rmSync(dir.inUseFile, { force: true });
  syncPath(dir.journal);
  onStep('in_use_removed');
}

function copySegment(path: string, options: CopyOptions): void {
  using source = closing(Segment.open(path, 'read'));
  requireSpaceForCopy(
    path,
    databaseBytes(path),
    (needed, free) =>
      `After an unclean stop the journal ${path} is copied before it is used, which needs ${needed}; ${free} are free. ` +
      'Free some space and start again: nothing has been changed.',
  );
  const isSealed = source.seal !== null;
  const copy = unfinishedPath(path);
  try {
    writeSegment(copy, { ...source.meta, isSealed }, watched(source, options));
  } catch (thrown) {
    // A disk that is full must not stay so.
    removeDatabase(copy);
    throw thrown;
  }
}

function* watched(source: Segment, options: CopyOptions): Generator<StoredBatch, void, undefined> {
  const meter = meterOf('copy', source, options);
  let isHalf = false;
  for (const row of source.batches()) {
    yield row;
    meter.count(row.lastSeq);
    if (!isHalf && row.lastSeq * 2 >= meter.afterSeq + meter.endSeq) {
      isHalf = true;
      options.onStep('half_copied');
    }
  }
}

function readBack(copy: string, mark: Mark | null, options: CopyOptions): void {
  using segment = closing(Segment.open(copy, 'write'));
  checkAgainstMark(segment, mark);
  const meter = meterOf('check', segment, options);
  for (const row of segment.batches()) meter.count(row.lastSeq);
}

function meterOf(
  phase: 'copy' | 'check',
  segment: Segment,
  { clock, onProgress }: CopyOptions,
): ProgressMeter {
  const { start } = segment;
  return new ProgressMeter(phase, start.lastSeq, (segment.tail() ?? start).lastSeq, clock, onProgress);
}

/** If the mark is at a row of an earlier segment, replay compares them. */
export function checkAgainstMark(segment: Segment, mark: Mark | null): void {
  const endSeq = (segment.tail() ?? segment.start).lastSeq;
  if (mark === null || mark.lastSeq > segment.start.lastSeq) {
    checkMark(mark, endSeq, mark === null ? null : (segment.rowAt(mark.lastSeq)?.checksum ?? null));
  }
}
