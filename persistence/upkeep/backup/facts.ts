/** Facts about segments that a backup needs, and the error for a copy that the source does not continue. */
import { must } from '../../../engine/base/assert.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import type { DataDir } from '../../data-dir/layout.js';
import { JournalError } from '../../errors.js';
import { prunedBefore, readAbsent, uncovered } from '../../journal/segment/absent.js';
import { findSegments, firstSeqOf } from '../../journal/segment/names.js';
import { Segment } from '../../journal/segment/segment.js';

/** Facts about a segment. */
export interface SegmentFacts {
  readonly firstSeq: number;
  readonly previousChain: string;
  readonly createdMs: number;
  readonly isSealed: boolean;
  /** The last row; null in a segment without rows. */
  readonly tail: StoredBatch | null;
}

export function factsOf(path: string): SegmentFacts {
  return withSegment(path, (segment) => ({
    ...segment.meta,
    isSealed: segment.seal !== null,
    tail: segment.tail(),
  }));
}

/** The row of the journal in `dir` that ends at `seq`, or null. */
export function rowAt(dir: DataDir, seq: number): StoredBatch | null {
  const path = findSegments(dir.journal).findLast((candidate) => firstSeqOf(candidate) <= seq);
  return path === undefined ? null : withSegment(path, (segment) => segment.rowAt(seq));
}

/** A sentence if the beginning of the copy's journal is missing and nothing records why. */
export function lostBeginning(target: DataDir): string[] {
  const firstSeq = firstSeqOf(must(findSegments(target.journal)[0], 'a segment of the copy'));
  const [lost] = uncovered(readAbsent(target) ?? prunedBefore(firstSeq), 1, firstSeq - 1);
  if (lost === undefined) return [];
  return [
    `Sequence numbers ${lost.firstSeq} to ${lost.lastSeq} are not copied: they are missing from the source and were not pruned.`,
  ];
}

export function mismatch(source: DataDir, target: DataDir, why: string): JournalError {
  return new JournalError(
    'backup_mismatch',
    `The copy in ${target.root} cannot be continued from ${source.root}: ${why}. Name a new directory for the backup.`,
  );
}

function withSegment<T>(path: string, look: (segment: Segment) => T): T {
  const segment = Segment.open(path, 'read');
  try {
    return look(segment);
  } finally {
    segment.close();
  }
}
