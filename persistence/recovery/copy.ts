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
import type { StoredBatch } from '../../engine/model/ports.js';
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
import { Segment } from '../journal/segment/segment.js';
import type { ProgressMeter } from '../replay/replay.js';

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

type OnCopyStep = (step: CopyStep) => void;

export function wasStoppedUncleanly(dir: DataDir, segment: string): boolean {
  const half = [recoveredPath(segment), rollbackPath(segment)];
  return (
    existsSync(dir.inUseFile) || fileBytes(walPath(segment)) > 0 || half.some((path) => existsSync(path))
  );
}

interface Copying {
  readonly checkCopy: (copy: Segment) => void;
  readonly meterOf: (phase: 'copy' | 'check', source: Segment, endSeq: number) => ProgressMeter;
  readonly onStep: OnCopyStep;
}

export function replaceSegment(dir: DataDir, path: string, copying: Copying): void {
  const { onStep } = copying;
  const copy = recoveredPath(path);
  removeDatabase(unfinishedPath(path));
  if (!existsSync(copy)) {
    copySegment(path, copying);
    renameDurably(unfinishedPath(path), copy);
    onStep('copy_named');
  }
  readBack(copy, copying);
  onStep('copy_checked');
  removeSideFiles(path);
  onStep('wal_removed');
  renameDurably(copy, path);
  onStep('replaced');
  rmSync(dir.inUseFile, { force: true });
  syncPath(dir.journal);
  onStep('in_use_removed');
}

function copySegment(path: string, { meterOf, onStep }: Copying): void {
  const source = Segment.open(path, 'read');
  try {
    requireSpaceForCopy(
      path,
      databaseBytes(path),
      (needed, free) =>
        `After an unclean stop the journal ${path} is copied before it is used, which needs ${needed}; ${free} are free. ` +
        'Free some space and start again: nothing has been changed.',
    );
    const { lastSeq } = source.tail() ?? source.start;
    const rows = watched(source, lastSeq, meterOf('copy', source, lastSeq), onStep);
    writeSegment(unfinishedPath(path), { ...source.meta, isSealed: source.seal !== null }, rows);
  } finally {
    source.close();
  }
  onStep('copied');
}

function* watched(
  source: Segment,
  lastSeq: number,
  meter: ProgressMeter,
  onStep: OnCopyStep,
): Generator<StoredBatch, void, undefined> {
  let isHalf = false;
  const beforeSeq = source.start.lastSeq;
  for (const row of source.batches()) {
    yield row;
    meter.count(row.lastSeq);
    if (!isHalf && (row.lastSeq - beforeSeq) * 2 >= lastSeq - beforeSeq) {
      isHalf = true;
      onStep('half_copied');
    }
  }
}

function readBack(copy: string, { checkCopy, meterOf }: Copying): void {
  using segment = closing(Segment.open(copy, 'write'));
  checkCopy(segment);
  const { start } = segment;
  const meter = meterOf('check', segment, (segment.tail() ?? start).lastSeq);
  for (const row of segment.batches()) meter.count(row.lastSeq);
}
