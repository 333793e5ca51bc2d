/**
 * Reads all of a journal that may be damaged. Consecutive good rows form a run; between two runs is what is missing,
 * altered or unreadable, with the reason as a sentence. The mark is not considered: the caller finds out what was
 * acknowledged and is not among the good rows. Nothing is changed.
 */

import { existsSync } from 'node:fs';
import { assert, must } from '../../../engine/base/assert.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import type { DataDir } from '../../data-dir/layout.js';
import { codeOf } from '../../errors.js';
import { readAbsent } from '../../journal/segment/absent.js';
import { CHAIN_START, type ChainPosition } from '../../journal/segment/batch-row.js';
import { findSegments, firstSeqOf, sourceOf } from '../../journal/segment/names.js';
import { Segment } from '../../journal/segment/segment.js';
import type { HistoryJournal } from '../../replay/history.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import { type GoodPiece, readDamagedSegment, type SegmentFault } from './segment.js';

/** Consecutive rows, in one file or more: a journal of its own. */
export class Run implements HistoryJournal {
  /** At least one. */
  constructor(readonly pieces: readonly GoodPiece[]) {
    assert(pieces.length > 0, 'a run has a piece');
  }

  /** The position before its first row. */
  get start(): ChainPosition {
    return must(this.pieces[0], 'a piece').start;
  }
  get end(): ChainPosition {
    return must(this.pieces.at(-1), 'a piece').end;
  }
  /** First sequence number, or what it would be if there are no rows. */
  get firstSeq(): number {
    return this.start.lastSeq + 1;
  }
  get lastSeq(): number {
    return this.end.lastSeq;
  }
  /** Whether it begins at the very beginning. */
  get isBeginning(): boolean {
    return this.start.lastSeq === 0 && this.start.chain === CHAIN_START;
  }

  /** Rows with `lastSeq` above `afterSeq`, in order. */
  *readBatches(afterSeq: number): Generator<StoredBatch, void, undefined> {
    for (const piece of this.pieces) yield* this.readPiece(piece, afterSeq);
  }

  /** Rows of one piece with `lastSeq` above `afterSeq`. */
  *readPiece({ path, start, end }: GoodPiece, afterSeq: number): Generator<StoredBatch, void, undefined> {
    if (end.lastSeq <= Math.max(afterSeq, start.lastSeq)) return;
    const segment = Segment.open(sourceOf(path), 'read');
    try {
      for (const row of segment.batchesFrom(positionUpTo(segment, start, afterSeq))) {
        yield row;
        if (row.lastSeq >= end.lastSeq) return;
      }
    } finally {
      segment.close();
    }
  }

  /** Chain hash after `seq`, or null if no row ends there. */
  chainAt(seq: number): string | null {
    for (const piece of this.pieces) {
      const { start, end } = piece;
      if (seq === start.lastSeq) return start.chain;
      if (seq === end.lastSeq) return end.chain;
      if (seq < start.lastSeq || seq > end.lastSeq) continue;
      for (const row of this.readPiece(piece, seq - 1)) return row.lastSeq === seq ? row.chain : null;
    }
    return null;
  }
}

/** The end of the last row of the piece up to `seq`. The row before the piece may be a bad one. */
function positionUpTo(segment: Segment, start: ChainPosition, seq: number): ChainPosition {
  try {
    const row = segment.rowUpTo(seq);
    return row !== null && row.lastSeq > start.lastSeq ? row : start;
  } catch (thrown) {
    if (codeOf(thrown) !== 'journal_corrupt') throw thrown;
    return start;
  }
}

export class Salvage {
  /** In order; there is a gap before each one but the first. */
  readonly runs: readonly Run[];
  /** Up to here what is missing was pruned. */
  readonly absentSeq: number;
  /** Damaged files. */
  readonly damaged: readonly string[];
  readonly #faults: readonly SegmentFault[];

  /** Reads the segments at `paths` once. `onSeq` is called with the last sequence number of every good row. */
  constructor(dir: DataDir, onSeq: (seq: number) => void = () => {}, paths = segmentsOf(dir)) {
    const chains = chainsOf(new SnapshotFiles(dir.snapshots));
    const faults: SegmentFault[] = [];
    const damaged: string[] = [];
    const runs: GoodPiece[][] = [];
    for (const path of paths) {
      const read = readDamagedSegment(path, chains, onSeq);
      faults.push(...read.faults);
      if (read.faults.length > 0) damaged.push(path);
      for (const piece of read.pieces) addPiece(runs, piece);
    }
    this.runs = runs.map((pieces) => new Run(pieces));
    this.damaged = damaged;
    this.#faults = faults;
    this.absentSeq = absentOf(dir, paths[0] === undefined ? 0 : firstSeqOf(paths[0]) - 1);
  }

  /** First sequence number, or what it would be if there are no rows. */
  get firstSeq(): number {
    return this.runs[0]?.firstSeq ?? 1;
  }
  get lastSeq(): number {
    return this.runs.at(-1)?.lastSeq ?? 0;
  }

  /** Why the last run ends; null if nothing shows that there was more. */
  get fault(): string | null {
    return this.faultAfter(this.lastSeq);
  }

  /** The first fault after `seq`, or null. */
  faultAfter(seq: number): string | null {
    const found = this.#faults.find(({ afterSeq }) => afterSeq >= seq);
    const isGap = this.runs.some(({ start }) => start.lastSeq > seq);
    return found?.what ?? (isGap ? 'No file has the commands that come next.' : null);
  }
}

/** Extends the last run, or begins a new one. What the journal has twice, because a file was put back, counts once. */
function addPiece(runs: GoodPiece[][], piece: GoodPiece): void {
  const last = runs.at(-1);
  const end = last?.at(-1)?.end;
  if (last === undefined || end === undefined || piece.start.lastSeq > end.lastSeq) runs.push([piece]);
  else if (piece.start.lastSeq === end.lastSeq) {
    if (piece.start.chain === end.chain) last.push(piece);
    else runs.push([piece]);
  }
}

/** Chain hashes of the journal, from its snapshots, by sequence number. */
function chainsOf(snapshots: SnapshotFiles): Map<number, string> {
  const chains = new Map<number, string>();
  for (const ref of snapshots.list()) {
    try {
      if (snapshots.isWhole(ref)) chains.set(ref.seq, snapshots.metaOf(ref).chain);
    } catch {
      // Reported where the snapshot is needed.
    }
  }
  return chains;
}

/** Without a record, or one that can be read, what is missing at the beginning counts as pruned. */
function absentOf(dir: DataDir, beforeSeq: number): number {
  try {
    return readAbsent(dir) ?? beforeSeq;
  } catch (thrown) {
    if (codeOf(thrown) !== 'absent_unreadable') throw thrown;
    return beforeSeq;
  }
}

/** None if the folder of the journal is gone. */
const segmentsOf = ({ journal }: DataDir): readonly string[] =>
  existsSync(journal) ? findSegments(journal) : [];
