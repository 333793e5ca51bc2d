/**
 * Reads every segment and reports its faults. A damaged segment does not hide those after it: each is checked from
 * its own beginning, and whether it follows the one before. Rows that follow each other from the beginning of the
 * journal are handed on for the replay.
 */
import { messageOf } from '../../../engine/base/attempt.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { codeOf } from '../../errors.js';
import { CHAIN_START, type ChainPosition } from '../../journal/segment/batch-row.js';
import { onSegment, rowsOfSegment } from '../../journal/segment/segment.js';
import type { Findings } from './findings.js';

export interface SegmentReport {
  readonly path: string;
  readonly start: ChainPosition;
  /** The last good row, or `start`. */
  readonly end: ChainPosition;
  readonly rows: number;
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
  ): Generator<{ readonly row: StoredBatch; readonly path: string }, void, undefined> {
    for (const [index, path] of this.paths.entries()) {
      const start = this.#attempt(path, null, () => onSegment(path, (segment) => segment.start));
      if (start === null) continue;
      this.#checkPlace(path, start);
      if (index === 0) {
        this.start = start;
        onStart(start);
      }
      let end = start;
      let rows = 0;
      const all = rowsOfSegment(path);
      for (let row = this.#next(path, end, all); row !== null; row = this.#next(path, end, all)) {
        onRow(row);
        if (this.#isUnbroken) yield { row, path };
        end = { lastSeq: row.lastSeq, chain: row.chain };
        rows += 1;
      }
      this.segments.push({ path, start, end, rows });
      this.#attempt(path, null, () => onSegment(path, (segment) => segment.checkStructure()));
    }
  }

  /** Rows after a bad one are not known to belong there. */
  #next(path: string, { lastSeq }: ChainPosition, rows: Iterator<StoredBatch>): StoredBatch | null {
    const next = this.#attempt(path, lastSeq, () => rows.next());
    return next === null || next.done === true ? null : next.value;
  }

  /** null if the segment is damaged, which is a fault after `seq`. */
  #attempt<T>(path: string, seq: number | null, read: () => T): T | null {
    try {
      return read();
    } catch (thrown) {
      if (codeOf(thrown) !== 'journal_corrupt') throw thrown;
      this.findings.fault('journal', path, seq, messageOf(thrown));
      this.#isUnbroken = false;
      return null;
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
      const isGap = start.lastSeq > before.end.lastSeq;
      const lack = isGap
        ? `${before.end.lastSeq + 1} to ${start.lastSeq} are missing`
        : 'both have the same rows';
      return `It begins after sequence number ${start.lastSeq}; the segment before it ends at ${before.end.lastSeq}: ${lack}.`;
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
