/**
 * Writes off what a journal has lost: the directory continues without it for good, `verify` reports it as lost and not
 * as a fault, and history begins after the last gap. Only what the state does not need can be written off; if
 * acknowledged commands would be missing, `restore` into a new directory is the way.
 *
 * A damaged segment is split into its good pieces and kept as `….damaged`. The pieces replace it, from the last to the
 * first, which has the segment's own name, and then the gaps are recorded. Until that is done, a start is refused as
 * before, and another write-off continues from there.
 */
import { existsSync, linkSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { must } from '../../../engine/base/assert.js';
import { removeDatabase, unfinishedPath } from '../../data-dir/database-files.js';
import { renameDurably, syncPath } from '../../data-dir/files.js';
import type { DataDir } from '../../data-dir/layout.js';
import { JournalError } from '../../errors.js';
import { type AbsentRange, withAbsent, writeAbsent } from '../../journal/segment/absent.js';
import { findSegments, firstSeqOf, segmentPath, writeSegment } from '../../journal/segment/names.js';
import { Segment } from '../../journal/segment/segment.js';
import { wasStoppedUncleanly } from '../../recovery/copy.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import type { Salvage } from '../salvage/salvage.js';
import type { GoodPiece } from '../salvage/segment.js';
import { acknowledgedOf, leftOut } from './notes.js';
import { RestorePoints, type Unshown } from './restore-points.js';

export interface WrittenOff {
  /** Everything that is recorded as absent now. */
  readonly absent: readonly AbsentRange[];
  /** Damaged segments that were split; each is kept as `….damaged`. */
  readonly cut: readonly string[];
  /** States that can no longer be reconstructed. */
  readonly unshown: readonly Unshown[];
}

/**
 * The caller holds the lock of the directory. With `isDry`, nothing is changed. Throws `journal_incomplete` if
 * acknowledged commands would be missing, and `data_dir_invalid` if the open segment is damaged and was not closed
 * cleanly.
 */
export function writeOff(dir: DataDir, salvage: Salvage, isDry: boolean): WrittenOff {
  const known = acknowledgedOf(dir);
  const points = new RestorePoints(salvage, new SnapshotFiles(dir.snapshots), known.seq);
  const point = points.newest();
  const reasons =
    point === null
      ? ['no state can be worked out']
      : leftOut(known, salvage, point.seq, null).notes.concat(
          salvage.runs.includes(point.run) ? [] : ['a snapshot alone is the end'],
        );
  if (point === null || reasons.length > 0) {
    throw new JournalError(
      'journal_incomplete',
      `Nothing is written off in ${dir.journal}: ${reasons.join(' ')} Make a new directory: npx tote restore DATA_DIR --out NEW_DIR`,
    );
  }
  refuseOpenSegment(dir, salvage);
  const absent = absentOf(salvage);
  const result = {
    absent,
    cut: salvage.damaged.map((path) => basename(path)),
    unshown: points.unshown(point),
  };
  if (isDry) return result;
  for (const path of salvage.damaged) cutSegment(dir, salvage, path);
  writeAbsent(dir, absent);
  return result;
}

/** After an unclean stop part of the open segment is in its WAL: a recovery must come first, or `restore`. */
function refuseOpenSegment(dir: DataDir, salvage: Salvage): void {
  const open = must(findSegments(dir.journal).at(-1), 'a segment');
  if (!salvage.damaged.includes(open) || !wasStoppedUncleanly(dir, open)) return;
  throw new JournalError(
    'data_dir_invalid',
    `The open segment ${open} is damaged, and the last server did not stop in order: nothing is written off. ` +
      'Make a new directory: npx tote restore DATA_DIR --out NEW_DIR',
  );
}

function absentOf(salvage: Salvage): readonly AbsentRange[] {
  let { absent } = salvage;
  for (const run of salvage.runs) {
    const gap = salvage.gapBefore(run);
    if (gap === null) continue;
    const { firstSeq, lastSeq } = gap;
    if (lastSeq < firstSeq) {
      throw new JournalError(
        'journal_corrupt',
        `Nothing is written off: ${gap.why} Put the segment of this journal that begins with ${firstSeq} back from a backup.`,
      );
    }
    absent = withAbsent(absent, { why: 'lost', firstSeq, lastSeq });
  }
  return absent;
}

/** Replaces the segment by its good pieces. */
function cutSegment(dir: DataDir, salvage: Salvage, path: string): void {
  const aside = `${path}.damaged`;
  if (!existsSync(aside)) linkSync(path, aside);
  syncPath(dir.journal);
  const pieces = salvage.runs.flatMap((run) =>
    run.pieces.filter((piece) => piece.path === path).map((piece) => ({ run, piece })),
  );
  const isOpen = path === findSegments(dir.journal).at(-1) && !isSealed(path);
  for (const { run, piece } of pieces.toReversed()) {
    const isLast = piece === pieces.at(-1)?.piece;
    const aim = aimOf(dir, piece);
    removeDatabase(unfinishedPath(aim));
    const meta = {
      createdMs: piece.createdMs,
      firstSeq: piece.start.lastSeq + 1,
      previousChain: piece.start.chain,
    };
    const rows = run.readPiece({ ...piece, path: aside }, piece.start.lastSeq);
    writeSegment(unfinishedPath(aim), meta, rows, { isSealed: !(isOpen && isLast) });
    renameDurably(unfinishedPath(aim), aim);
  }
  if (pieces[0]?.piece.start.lastSeq === firstSeqOf(path) - 1) return;
  rmSync(path, { force: true });
  syncPath(dir.journal);
}

const aimOf = (dir: DataDir, piece: GoodPiece): string => segmentPath(dir.journal, piece.start.lastSeq + 1);

/** A segment that cannot be opened counts as sealed: it has no good piece. */
function isSealed(path: string): boolean {
  try {
    const segment = Segment.open(path, 'read');
    const { seal } = segment;
    segment.close();
    return seal !== null;
  } catch {
    return true;
  }
}
