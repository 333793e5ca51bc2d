/** Backups while retention deletes segments of the source: a deleted segment is not waited for, and leaves no gap. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { must } from '../../../engine/base/assert.js';
import { removeDatabase } from '../../data-dir/database-files.js';
import type { DataDir } from '../../data-dir/layout.js';
import { codeOf } from '../../errors.js';
import { firstAfterGaps, isRecorded, readAbsent } from '../../journal/segment/absent.js';
import { findSegments, firstSeqOf } from '../../journal/segment/names.js';
import { factsOf, mismatch } from './facts.js';

/** Errors of reading a deleted segment. */
const DELETED: readonly string[] = ['segment_gone', 'journal_incomplete'];

/** Calls `copyOne`. Returns false if the segment was deleted after it was listed, and that is recorded. */
export function unlessDeleted(source: DataDir, path: string, copyOne: (path: string) => void): boolean {
  try {
    copyOne(path);
    return true;
  } catch (thrown) {
    if (!DELETED.includes(codeOf(thrown)) || existsSync(path)) throw thrown;
    const firstSeq = firstSeqOf(path);
    if (!isRecorded(readAbsent(source) ?? [], firstSeq, firstSeq)) throw thrown;
    return false;
  }
}

/**
 * Ensures that older segments of the copy lead to those of the source, `paths`. They do not if retention deleted one in
 * between before it was copied. In a first copy the older ones, `written`, are then removed, as in the source; in a
 * later one (`written` is null) this throws `backup_mismatch`.
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
