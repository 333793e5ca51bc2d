/**
 * Reads every segment and reports its faults. A damaged segment does not hide those after it: each is checked from
 * its own beginning, and whether it follows the one before. Rows that follow each other from the beginning of the
 * journal are handed on for the replay.
 *
 * A segment is open for one chunk of rows at a time, so that a running server can truncate its WAL and seal it.
 */
import type { StoredBatch } from '../../../engine/model/ports.js';
import { JournalError } from '../../errors.js';
import { CHAIN_START, type ChainPosition } from '../../journal/segment/batch-row.js';
import { Segment } from '../../journal/segment/segment.js';
import type { Findings } from './findings.js';

const CHUNK_CHARS = 4 * 1024 * 1024;

export interface SegmentReport {
  readonly path: string;
  readonly start: ChainPosition;
  /** The last good row, or `start`. */
  readonly end: ChainPosition;
  readonly rows: number;
}

export interface PlacedRow {
  readonly row: StoredBatch;
  readonly path: string;
}

interface Chunk {
  readonly rows: readonly StoredBatch[];
  readonly isLast: boolean;
  /** The row after these is bad. */
  readonly isDamaged: boolean;
}

export class JournalRows {
  readonly segments: SegmentReport[] = [];
  /** null if the first segment cannot be read. */
  start: ChainPosition | null = null;
  #isUnbroken = true;

  constructor(
    readonly paths: readonly string[],
    /** Commands missing up to here were pruned; null if nothing says so. */
    readonly absentSeq: number | null,
    readonly findings: Findings,
  ) {}

  /** Yields rows up to the first fault. All rows are checked; `onRow` is called for every good one. */
  *unbroken(
    onRow: (row: StoredBatch) => void,
    onStart: (start: ChainPosition) => void,
  ): Generator<PlacedRow, void, undefined> {
    for (const [index, path] of this.paths.entries()) {
      const start = this.#withSegment(
        path,
        () => null,
        (segment) => segment.start,
      );
      if (start === null) {
        this.#isUnbroken = false;
        continue;
      }
      this.#checkPlace(path, start);
      if (index === 0) {
        this.start = start;
        onStart(start);
      }
      let end = start;
      let rows = 0;
      for (const row of this.#rowsOf(path, start)) {
        onRow(row);
        if (this.#isUnbroken) yield { row, path };
        end = row;
        rows += 1;
      }
      this.segments.push({ path, start, end: { lastSeq: end.lastSeq, chain: end.chain }, rows });
      this.#withSegment(
        path,
        () => null,
        (segment) => segment.checkStructure(),
      );
    }
  }

  /** Rows after a bad one are not known to belong there. */
  *#rowsOf(path: string, start: ChainPosition): Generator<StoredBatch, void, undefined> {
    for (let afterSeq = start.lastSeq; ; ) {
      const chunk = this.#readChunk(path, afterSeq);
      yield* chunk.rows;
      if (chunk.isDamaged) this.#isUnbroken = false;
      if (chunk.isLast) return;
      afterSeq = chunk.rows.at(-1)?.lastSeq ?? afterSeq;
    }
  }

  #readChunk(path: string, afterSeq: number): Chunk {
    const rows: StoredBatch[] = [];
    let chars = 0;
    const lastGood = (): number => rows.at(-1)?.lastSeq ?? afterSeq;
    const isFull = this.#withSegment(path, lastGood, (segment) => {
      for (const row of segment.batches(afterSeq)) {
        rows.push(row);
        chars += row.commands.length;
        if (chars >= CHUNK_CHARS) return true;
      }
      return false;
    });
    return { rows, isLast: isFull !== true, isDamaged: isFull === null };
  }

  /** null if the segment is damaged, which is a fault after `seq`. */
  #withSegment<T>(path: string, seq: () => number | null, work: (segment: Segment) => T): T | null {
    let segment: Segment | null = null;
    try {
      segment = Segment.open(path, 'read');
      return work(segment);
    } catch (thrown) {
      if (!(thrown instanceof JournalError) || thrown.code !== 'journal_corrupt') throw thrown;
      this.findings.fault('journal', path, seq(), thrown.message);
      return null;
    } finally {
      segment?.close();
    }
  }

  /** Only if the segment before could be read to its end. */
  #checkPlace(path: string, start: ChainPosition): void {
    const what = this.#faultOfPlace(path, start);
    if (what === null) return;
    this.findings.fault('journal', path, start.lastSeq, what);
    this.#isUnbroken = false;
  }

  #faultOfPlace(path: string, start: ChainPosition): string | null {
    const index = this.paths.indexOf(path);
    const before = this.segments.at(-1);
    if (index === 0) {
      const isForged = start.lastSeq === 0 && start.chain !== CHAIN_START;
      return isForged
        ? 'It does not begin with the chain hash of a beginning.'
        : this.#faultOfBeginning(start);
    }
    // If the one before could not be read to its end, that is reported already.
    if (before === undefined || before.path !== this.paths[index - 1] || !this.#isUnbroken) return null;
    if (start.lastSeq !== before.end.lastSeq) {
      return `It begins after sequence number ${start.lastSeq}; the segment before it ends at ${before.end.lastSeq}: ${before.end.lastSeq + 1} to ${start.lastSeq} are missing.`;
    }
    return start.chain === before.end.chain
      ? null
      : 'Its chain hash does not follow from the segment before it.';
  }

  /** A recorded lack at the beginning was pruned. */
  #faultOfBeginning({ lastSeq }: ChainPosition): string | null {
    if (this.absentSeq === null) {
      if (lastSeq > 0) {
        const why = 'nothing says whether what came before was pruned or lost';
        this.findings.note(
          `The journal begins at ${lastSeq + 1}, and ${why}. The next start records it as pruned.`,
        );
      }
      return null;
    }
    if (lastSeq <= this.absentSeq) return null;
    return (
      `The journal begins here: ${this.absentSeq + 1} to ${lastSeq} are missing and were not pruned. Put the files ` +
      'back from a backup, or make a new directory of what is good: npx tote restore DATA_DIR --out NEW_DIR'
    );
  }
}
