/** What of a data directory's journal its place in the replicated log is found by. */
import { must } from '../../engine/base/assert.js';
import type { DataDir } from '../data-dir/layout.js';
import { findSegments } from '../journal/segment/names.js';
import { Segment } from '../journal/segment/segment.js';
import type { JournalEnds } from './log/locate.js';

export function journalEnds(dir: DataDir): JournalEnds {
  const path = must(findSegments(dir.journal).at(-1), 'a segment of the journal');
  const segment = Segment.open(path, 'read');
  try {
    const tail = segment.tail();
    if (tail === null) return { end: segment.start, beforeLast: null };
    const { firstSeq, lastSeq, chain } = tail;
    const beforeSeq = firstSeq - 1;
    const before = must(segment.chainAt(beforeSeq), 'the chain hash before the last batch');
    return { end: { lastSeq, chain }, beforeLast: { lastSeq: beforeSeq, chain: before } };
  } finally {
    segment.close();
  }
}
