/**
 * The journal in a backup of a damaged directory: all good rows, including those behind damage. What is missing is
 * recorded as lost, and the mark is copied: if acknowledged commands are missing at the end, a start on the copy is
 * refused, as on the source, and `restore` works from either.
 */
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { unfinishedPath } from '../../data-dir/database-files.js';
import { renameDurably, syncPath } from '../../data-dir/files.js';
import type { DataDir } from '../../data-dir/layout.js';
import { createMarkFile } from '../../journal/mark.js';
import { withAbsent, writeAbsent } from '../../journal/segment/absent.js';
import { segmentPath, writeSegment } from '../../journal/segment/names.js';
import { acknowledgedOf, leftOut } from '../restore/notes.js';
import { Salvage } from '../salvage/salvage.js';
import type { SegmentsCopied } from './journal.js';

export interface DamagedCopy extends SegmentsCopied {
  readonly seq: number;
  readonly timeMs: number;
  /** What is not good, as sentences, without what was written off before. */
  readonly faults: readonly string[];
}

/** `target` has no earlier backup: what a failed attempt has left in its journal is removed. */
export function copyDamagedJournal(
  source: DataDir,
  target: DataDir,
  onSeq: (seq: number) => void,
): DamagedCopy {
  for (const name of readdirSync(target.journal)) rmSync(join(target.journal, name), { recursive: true });
  const salvage = new Salvage(source, onSeq);
  const known = acknowledgedOf(source);
  const faults = [...leftOut(known, salvage, salvage.lastSeq, null).notes];
  const segmentsWritten: string[] = [];
  let { absent } = salvage;
  let timeMs = 0;
  const lastPiece = salvage.runs.at(-1)?.pieces.at(-1);
  for (const run of salvage.runs) {
    const gap = salvage.gapBefore(run);
    if (gap !== null && !gap.isRecorded) {
      const { firstSeq, lastSeq, why } = gap;
      faults.push(`Sequence numbers ${firstSeq} to ${lastSeq} are not copied: ${why}`);
      if (lastSeq >= firstSeq) absent = withAbsent(absent, { why: 'lost', firstSeq, lastSeq });
    }
    for (const piece of run.pieces) {
      const { createdMs, start } = piece;
      const meta = { createdMs, firstSeq: start.lastSeq + 1, previousChain: start.chain };
      const path = segmentPath(target.journal, meta.firstSeq);
      const rows = run.readPiece(piece, start.lastSeq);
      writeSegment(unfinishedPath(path), meta, rows, { isSealed: piece !== lastPiece });
      renameDurably(unfinishedPath(path), path);
      segmentsWritten.push(basename(path));
      if (piece === lastPiece) for (const row of run.readBatches(run.lastSeq - 1)) timeMs = row.timeMs;
    }
  }
  writeAbsent(target, absent);
  if (known.mark !== null) createMarkFile(target.markFile, known.mark);
  syncPath(target.journal);
  return { seq: salvage.lastSeq, timeMs, faults, segmentsWritten, batchesAppended: 0 };
}
