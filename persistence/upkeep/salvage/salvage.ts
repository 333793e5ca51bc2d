/**
 * Reads a journal that may be damaged, as far as it is good: every row up to the first that is missing, altered or
 * unreadable, and in a sentence why it ends there. The mark has no say here; it is for the caller to tell what was
 * acknowledged and is not among the good rows. Nothing is changed.
 */
import { assert } from '../../../engine/base/assert.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import type { DataDir } from '../../data-dir/layout.js';
import { JournalError } from '../../errors.js';
import type { ChainPosition } from '../../journal/segment/batch-row.js';
import { CHAIN_START } from '../../journal/segment/batch-row.js';
import { findSegments, sourceOf } from '../../journal/segment/names.js';
import { Segment } from '../../journal/segment/segment.js';

/** A segment that has good rows, or is at least well formed. */
export interface GoodSegment {
  readonly path: string;
  readonly createdMs: number;
  /** Where its first row follows on. */
  readonly start: ChainPosition;
  /** Its last good row, or `start` where it has none. */
  readonly end: ChainPosition;
}

export class Salvage {
  readonly segments: readonly GoodSegment[];
  /** Why the good rows end where they do; null: there are no others. */
  readonly fault: string | null;

  /** Reads all of it once. `onSeq` is told the last sequence number of every row. */
  constructor(dir: DataDir, onSeq: (seq: number) => void = () => {}) {
    const segments: GoodSegment[] = [];
    let fault: string | null = null;
    for (const path of findSegments(dir.journal)) {
      const before = segments.at(-1)?.end ?? null;
      const read = readSegment(path, before, onSeq);
      if (read.segment !== null) segments.push(read.segment);
      fault = read.fault;
      if (fault !== null) break;
    }
    this.segments = segments;
    this.fault = fault;
  }

  /** First sequence number that is there, or would be. */
  get firstSeq(): number {
    return (this.segments[0]?.start.lastSeq ?? 0) + 1;
  }

  get lastSeq(): number {
    return this.segments.at(-1)?.end.lastSeq ?? 0;
  }

  /** Good rows with `lastSeq` above `afterSeq`, in order. */
  *readBatches(afterSeq: number): Generator<StoredBatch, void, undefined> {
    for (const good of this.segments) yield* this.readSegment(good, afterSeq);
  }

  /** Good rows of one segment with `lastSeq` above `afterSeq`. */
  *readSegment(good: GoodSegment, afterSeq: number): Generator<StoredBatch, void, undefined> {
    if (good.end.lastSeq <= Math.max(afterSeq, good.start.lastSeq)) return;
    const segment = Segment.open(sourceOf(good.path), 'read');
    try {
      for (const row of segment.batches(Math.max(afterSeq, good.start.lastSeq))) {
        yield row;
        if (row.lastSeq >= good.end.lastSeq) return;
      }
    } finally {
      segment.close();
    }
  }

  /** Chain hash after `seq`, or null where no good row ends there. */
  chainAt(seq: number): string | null {
    for (const good of this.segments) {
      if (seq === good.start.lastSeq) return good.start.chain;
      if (seq === good.end.lastSeq) return good.end.chain;
      if (seq > good.start.lastSeq && seq < good.end.lastSeq) return this.#chainWithin(good, seq);
    }
    return null;
  }

  #chainWithin(good: GoodSegment, seq: number): string | null {
    for (const row of this.readSegment(good, seq - 1)) return row.lastSeq === seq ? row.chain : null;
    return null;
  }
}

interface Read {
  readonly segment: GoodSegment | null;
  readonly fault: string | null;
}

/** Reads a segment to its first bad row. `before` is where the one before it ended; null for the first. */
function readSegment(path: string, before: ChainPosition | null, onSeq: (seq: number) => void): Read {
  let segment: Segment | null = null;
  try {
    segment = Segment.open(sourceOf(path), 'read');
    const { start } = segment;
    const gap = faultOfStart(start, before);
    if (gap !== null) return { segment: null, fault: `${path} ${gap}` };
    return readRows(path, segment, onSeq);
  } catch (thrown) {
    return { segment: null, fault: damageOf(thrown) };
  } finally {
    segment?.close();
  }
}

function readRows(path: string, segment: Segment, onSeq: (seq: number) => void): Read {
  const { start, meta } = segment;
  let end = start;
  let fault: string | null = null;
  try {
    for (const { lastSeq, chain } of segment.batches(start.lastSeq)) {
      end = { lastSeq, chain };
      onSeq(lastSeq);
    }
  } catch (thrown) {
    fault = damageOf(thrown);
  }
  return { segment: { path, createdMs: meta.createdMs, start, end }, fault };
}

/** The sentence of a damage. Whatever else was thrown, a newer format above all, is not for salvage. */
function damageOf(thrown: unknown): string {
  if (thrown instanceof JournalError && thrown.code === 'journal_corrupt') return thrown.message;
  throw thrown;
}

function faultOfStart(start: ChainPosition, before: ChainPosition | null): string | null {
  if (before === null) {
    assert(start.lastSeq >= 0, 'sequence numbers begin at 1');
    const isForged = start.lastSeq === 0 && start.chain !== CHAIN_START;
    return isForged ? 'does not begin with the chain hash of a beginning' : null;
  }
  if (start.lastSeq !== before.lastSeq) {
    return `begins after sequence number ${start.lastSeq}, but the segment before it ends at ${before.lastSeq}`;
  }
  return start.chain === before.chain
    ? null
    : 'does not follow from the segment before it: their chain hashes differ';
}
