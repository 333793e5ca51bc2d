/**
 * A backup whose source lets go of segments while they are copied: what has gone is not waited for, and leaves no hole.
 */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { must } from '../../../engine/base/assert.js';
import { removeDatabase } from '../../data-dir/database-files.js';
import type { DataDir } from '../../data-dir/layout.js';
import { codeOf } from '../../errors.js';
import { firstAfterGaps, isRecorded, readAbsent } from '../../journal/segment/absent.js';
import { findSegments, firstSeqOf } from '../../journal/segment/names.js';
import { factsOf, mismatch } from './facts.js';

/** What reading a segment that has gone throws. */
const LET_GO: readonly string[] = ['segment_gone', 'journal_incomplete'];

/** Does `copyOne`. False: the segment at `path` has left the journal since it was listed, and that is written down. */
export function unlessLetGo(source: DataDir, path: string, copyOne: (path: string) => void): boolean {
  try {
    copyOne(path);
    return true;
  } catch (thrown) {
    if (!LET_GO.includes(codeOf(thrown)) || existsSync(path)) throw thrown;
    const firstSeq = firstSeqOf(path);
    if (!isRecorded(readAbsent(source) ?? [], firstSeq, firstSeq)) throw thrown;
    return false;
  }
}

/**
 * Sees to it that the copy's segments from before those of the source, `paths`, lead to them: where retention has let
 * go of one in between before it was copied they do not. `written` are then given up in a first copy (else null), as
 * the source has.
 */
export function joinBeginning(
  source: DataDir,
  target: DataDir,
  paths: readonly string[],
  written: Set<string> | null,
): void {
  const firstSeq = firstSeqOf(must(paths[0], 'a segment of the source'));
  const before = findSegments(target.journal).filter((path) => firstSeqOf(path) < firstSeq);
  const last = before.at(-1);
  if (last === undefined) return;
  const isLeftOut =
    firstAfterGaps(readAbsent(source) ?? [], [...before.map(firstSeqOf), firstSeq]) === firstSeq;
  const { isSealed, tail } = factsOf(last);
  if (isSealed && (isLeftOut || tail?.lastSeq === firstSeq - 1)) return;
  if (written === null) {
    const end = isSealed
      ? `it ends at sequence number ${tail?.lastSeq}`
      : `its segment ${basename(last)} is not finished`;
    throw mismatch(source, target, `${end}, and the source begins at ${firstSeq} only`);
  }
  for (const path of before) {
    removeDatabase(path);
    written.delete(basename(path));
  }
}
