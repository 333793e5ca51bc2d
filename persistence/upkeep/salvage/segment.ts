/**
 * Reads one segment that may be damaged, and goes on behind the damage: rows that follow on each other make a piece, and
 * a bad row parts two of them. What a bad row says of its own chain hash is only believed if the row behind it follows on
 * that; a snapshot that stands there knows better. Nothing is changed.
 */

import { JournalError } from '../../errors.js';
import type { ChainPosition } from '../../journal/segment/batch-row.js';
import { firstSeqOf, sourceOf } from '../../journal/segment/names.js';
import { Segment } from '../../journal/segment/segment.js';

/** Rows that follow on each other, in one file. */
export interface GoodPiece {
  readonly path: string;
  readonly createdMs: number;
  /** Where its first row follows on. */
  readonly start: ChainPosition;
  /** Its last row, or `start` where it has none. */
  readonly end: ChainPosition;
}

/** What is wrong behind a sequence number, in a sentence. */
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
 * `chains`: chain hashes that snapshots tell, by sequence number; `onSeq` is told the last sequence number of every good
 * row. Throws where the segment is of a newer version or cannot be read for another reason than damage.
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
    // Each bad row of a longer damage would only say the same again.
    if (what !== null && (end.lastSeq > start.lastSeq || faults.length === 0)) {
      faults.push({ afterSeq: end.lastSeq, what });
    }
    start = what === null ? null : badRowAfter(segment, end.lastSeq, chains);
  }
  return { pieces, faults };
}

/** Where the first row after `seq` ends that can be read at all, by what it says itself; null: none does. */
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
  // A page that cannot be read is stepped over in strides that double; rows that a stride leaves out are behind damage.
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

/** The sentence of a damage. Whatever else was thrown, a newer format above all, is not for salvage. */
function damageOf(thrown: unknown): string {
  if (thrown instanceof JournalError && thrown.code === 'journal_corrupt') return thrown.message;
  throw thrown;
}
