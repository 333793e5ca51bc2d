/** How far a journal and its segments reach, and the error for a copy that the source does not continue. */
import { must } from '../../../engine/base/assert.js';
import type { Mark } from '../../../engine/model/ports.js';
import type { DataDir } from '../../data-dir/layout.js';
import { JournalError } from '../../errors.js';
import { EMPTY_MARK } from '../../journal/mark.js';
import { readAbsent } from '../../journal/segment/absent.js';
import { findSegments, firstSeqOf, sourceOf } from '../../journal/segment/names.js';
import { onSegment, rowOfJournal } from '../../journal/segment/segment.js';
import { SnapshotFiles } from '../../snapshot/files.js';

export type SegmentEnds = Readonly<ReturnType<typeof endsOf>>;

export function endsOf(path: string) {
  return onSegment(sourceOf(path), (segment) => ({
    ...segment.meta,
    isSealed: segment.seal !== null,
    tail: segment.tail(),
  }));
}

/** A sentence if the beginning of the copy's journal is missing and nothing records why. */
export function lostBeginning(target: DataDir): string[] {
  const beforeSeq = firstSeqOf(must(findSegments(target.journal)[0], 'a segment of the copy')) - 1;
  const absentSeq = readAbsent(target) ?? beforeSeq;
  if (beforeSeq <= absentSeq) return [];
  return [
    `Sequence numbers ${absentSeq + 1} to ${beforeSeq} are not copied: they are missing from the source and were not pruned.`,
  ];
}

/**
 * `acknowledged` is the mark of the source. The row before an open segment without rows may be absent. The returned `mark`
 * is at the last row, or at the beginning without rows.
 */
export function endOfCopy(target: DataDir, acknowledged: Mark | null) {
  const { tail, firstSeq } = must(findSegments(target.journal).map(endsOf).at(-1), 'a segment of the copy');
  const seq = tail?.lastSeq ?? firstSeq - 1;
  const row = tail ?? rowOfJournal(target.journal, seq);
  if (row !== null) return { seq, timeMs: row.timeMs, mark: { lastSeq: seq, checksum: row.checksum } };
  if (seq === 0) return { seq, timeMs: 0, mark: EMPTY_MARK };
  const checksum = acknowledged?.lastSeq === seq ? acknowledged.checksum : EMPTY_MARK.checksum;
  return { seq, timeMs: snapshotTimeMs(target, seq), mark: { lastSeq: seq, checksum } };
}

/** Engine time; 0 if there is no snapshot at `seq`. */
function snapshotTimeMs(target: DataDir, seq: number): number {
  const files = new SnapshotFiles(target.snapshots);
  const ref = files.list().find((candidate) => candidate.seq === seq);
  return ref === undefined ? 0 : files.metaOf(ref).timeMs;
}

export function mismatch(source: DataDir, target: DataDir, why: string): JournalError {
  return new JournalError(
    'backup_mismatch',
    `The copy in ${target.root} cannot be continued from ${source.root}: ${why}. Name a new directory for the backup.`,
  );
}
