/**
 * Reads all of a journal that may be damaged. Consecutive good rows form a run; a gap between two runs has its reason
 * as a sentence. The mark is not considered: the caller finds acknowledged commands that are not among the good rows.
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

  get start(): ChainPosition {
    return must(this.pieces[0], 'a piece').start;
  }
  get end(): ChainPosition {
    return must(this.pieces.at(-1), 'a piece').end;
  }
  /** Without rows, the number that the first one would have. */
  get firstSeq(): number {
    return this.start.lastSeq + 1;
  }
  get lastSeq(): number {
    return this.end.lastSeq;
  }
  get isBeginning(): boolean {
    return this.start.lastSeq === 0 && this.start.chain === CHAIN_START;
  }

  /** Rows with `lastSeq` above `afterSeq`, in order. */
  *readBatches(afterSeq: number): Generator<StoredBatch, void, undefined> {
    for (const piece of this.pieces) yield* this.readPiece(piece, afterSeq);
  }

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

  /** null if no row ends at `seq`. */
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

/** The row before the piece may be a bad one. */
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
  /** In order, with gaps in between. */
  readonly runs: readonly Run[];
  /** Commands missing up to here were pruned. */
  readonly absentSeq: number;
  readonly damaged: readonly string[];
  readonly #faults: readonly SegmentFault[];

  /** `onSeq` is called for every good row. */
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

  faultAfter(seq: number): string | null {
    const found = this.#faults.find(({ afterSeq }) => afterSeq >= seq);
    const isGap = this.runs.some(({ start }) => start.lastSeq > seq);
    return found?.what ?? (isGap ? 'No file has the commands that come next.' : null);
  }
}

/** Rows that the journal has twice, because a file was put back, count once. */
function addPiece(runs: GoodPiece[][], piece: GoodPiece): void {
  const last = runs.at(-1);
  const end = last?.at(-1)?.end;
  if (last === undefined || end === undefined || piece.start.lastSeq > end.lastSeq) runs.push([piece]);
  else if (piece.start.lastSeq === end.lastSeq) {
    if (piece.start.chain === end.chain) last.push(piece);
    else runs.push([piece]);
  }
}

/** From the journal's snapshots, by sequence number. */
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

/** Without a readable record a missing beginning counts as pruned. */
function absentOf(dir: DataDir, beforeSeq: number): number {
  try {
    return readAbsent(dir) ?? beforeSeq;
  } catch (thrown) {
    if (codeOf(thrown) !== 'absent_unreadable') throw thrown;
    return beforeSeq;
  }
}

/** The journal's folder may be gone. */
const segmentsOf = ({ journal }: DataDir): readonly string[] =>
  existsSync(journal) ? findSegments(journal) : [];
