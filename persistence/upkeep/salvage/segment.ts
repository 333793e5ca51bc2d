/**
 * Reads one segment that may be damaged, and continues after the damage. Consecutive good rows form a piece; a bad row
 * separates two of them. The chain hash in a bad row is only trusted if the row after it follows that hash; a snapshot
 * at that position is better evidence. Nothing is changed.
 */

import { JournalError } from '../../errors.js';
import type { ChainPosition } from '../../journal/segment/batch-row.js';
import { firstSeqOf, sourceOf } from '../../journal/segment/names.js';
import { Segment } from '../../journal/segment/segment.js';

export interface GoodPiece {
  readonly path: string;
  readonly createdMs: number;
  readonly start: ChainPosition;
  /** `start` if it has no row. */
  readonly end: ChainPosition;
}

/** A sentence on the rows after `afterSeq`. */
export interface SegmentFault {
  readonly afterSeq: number;
  readonly what: string;
}

export interface SegmentRead {
  readonly pieces: readonly GoodPiece[];
  readonly faults: readonly SegmentFault[];
}

const CHAIN_FORM = /^[0-9a-f]{64}$/;

/**
 * `chains` are from snapshots, by sequence number. Throws if the segment is of a newer version, or cannot be read for
 * another reason than damage.
 */
export function readDamagedSegment(
  path: string,
  chains: ReadonlyMap<number, string>,
  onSeq: (seq: number) => void,
): SegmentRead {
  let segment: Segment | null = null;
  try {
    segment = Segment.open(sourceOf(path), 'read');
    return readPieces(path, segment, chains, onSeq);
  } catch (thrown) {
    return { pieces: [], faults: [{ afterSeq: firstSeqOf(path) - 1, what: damageOf(thrown) }] };
  } finally {
    segment?.close();
  }
}

function readPieces(
  path: string,
  segment: Segment,
  chains: ReadonlyMap<number, string>,
  onSeq: (seq: number) => void,
): SegmentRead {
  const { createdMs } = segment.meta;
  const pieces: GoodPiece[] = [];
  const faults: SegmentFault[] = [];
  for (let start: ChainPosition | null = segment.start; start !== null; ) {
    let end: ChainPosition = start;
    let what: string | null = null;
    try {
      for (const { lastSeq, chain } of segment.batchesFrom(start)) {
        end = { lastSeq, chain };
        onSeq(lastSeq);
      }
    } catch (thrown) {
      what = damageOf(thrown);
    }
    if (end.lastSeq > start.lastSeq || (what === null && pieces.length === 0)) {
      pieces.push({ path, createdMs, start, end });
    }
    // Further bad rows of the same damage are not reported.
    if (what !== null && (end.lastSeq > start.lastSeq || faults.length === 0)) {
      faults.push({ afterSeq: end.lastSeq, what });
    }
    start = what === null ? null : badRowAfter(segment, end.lastSeq, chains);
  }
  return { pieces, faults };
}

/** The first readable row after `seq`, good or not, as it claims itself; null if there is none. */
function badRowAfter(
  segment: Segment,
  seq: number,
  chains: ReadonlyMap<number, string>,
): ChainPosition | null {
  const select = segment.db
    .prepare<[number], unknown[]>(
      'SELECT last_seq, chain FROM batch WHERE last_seq > ? ORDER BY last_seq LIMIT 1',
    )
    .raw();
  // An unreadable page is skipped in strides that double. Rows that a stride skips are lost with it.
  for (let stride = 0; seq + stride <= Number.MAX_SAFE_INTEGER; stride = Math.max(1, stride * 2)) {
    try {
      const row = select.get(seq + stride);
      if (row === undefined) return null;
      const [lastSeq, chain] = row;
      if (typeof lastSeq !== 'number' || lastSeq <= seq) return null;
      const known = chains.get(lastSeq);
      return { lastSeq, chain: known ?? (CHAIN_FORM.test(String(chain)) ? String(chain) : '') };
    } catch {
      // The next stride.
    }
  }
  return null;
}

/** Rethrows anything but damage, such as a newer format. */
function damageOf(thrown: unknown): string {
  if (thrown instanceof JournalError && thrown.code === 'journal_corrupt') return thrown.message;
  throw thrown;
}
