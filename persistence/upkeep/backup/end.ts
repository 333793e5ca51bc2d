/** The end of a copied journal, and its mark: at the last row, or at the beginning if it has none. */
import { must } from '../../../engine/base/assert.js';
import type { Mark } from '../../../engine/model/ports.js';
import type { DataDir } from '../../data-dir/layout.js';
import { EMPTY_MARK } from '../../journal/mark.js';
import { findSegments } from '../../journal/segment/names.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import { factsOf, rowAt } from './facts.js';

export interface EndOfCopy {
  readonly seq: number;
  readonly timeMs: number;
  readonly mark: Mark;
}

/** `acknowledged` is the mark of the source. The row before an open segment without rows may be absent. */
export function endOfCopy(target: DataDir, acknowledged: Mark | null): EndOfCopy {
  const { tail, firstSeq } = must(findSegments(target.journal).map(factsOf).at(-1), 'a segment of the copy');
  const seq = tail?.lastSeq ?? firstSeq - 1;
  const row = tail ?? rowAt(target, seq);
  if (row !== null) return { seq, timeMs: row.timeMs, mark: { lastSeq: seq, checksum: row.checksum } };
  if (seq === 0) return { seq, timeMs: 0, mark: EMPTY_MARK };
  const checksum = acknowledged?.lastSeq === seq ? acknowledged.checksum : EMPTY_MARK.checksum;
  return { seq, timeMs: snapshotTimeMs(target, seq), mark: { lastSeq: seq, checksum } };
}

/** Engine time of the snapshot with which the journal begins; 0 if there is none. */
function snapshotTimeMs(target: DataDir, seq: number): number {
  const files = new SnapshotFiles(target.snapshots);
  const ref = files.list().find((candidate) => candidate.seq === seq);
  return ref === undefined ? 0 : files.metaOf(ref).timeMs;
}
