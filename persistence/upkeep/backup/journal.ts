/**
 * The journal in a backup: the segments of the source, copied row by row, each row checked. Sealed segments are written
 * once, the open one whenever it has more.
 */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { closing } from '../../data-dir/closing.js';
import { removeDatabase, removeSideFiles, renameDurably, unfinishedPath } from '../../data-dir/files.js';
import type { DataDir } from '../../data-dir/layout.js';
import { JournalReader } from '../../journal/reader.js';
import { readAbsent } from '../../journal/segment/absent.js';
import { findSegments, writeSegment } from '../../journal/segment/names.js';
import { endsOf, mismatch, type SegmentEnds } from './journal-ends.js';

/** Returns the names of those written. The copy is of this journal (`checkSameJournal`). Throws the errors of reading. */
export function copySegments(source: DataDir, target: DataDir, onSeq: (seq: number) => void): string[] {
  const prunedSeq = readAbsent(target) ?? 0;
  const written: string[] = [];
  for (const path of findSegments(source.journal)) {
    const copy = join(target.journal, basename(path));
    const there = existsSync(copy) ? endsOf(copy) : null;
    if (there?.isSealed === true) continue;
    const ends = endsOf(path);
    const isSame = there !== null && !ends.isSealed && there.tail?.lastSeq === ends.tail?.lastSeq;
    // The copy may keep less than its source: `prune` may have taken the segment out of it.
    const isPruned = there === null && ends.isSealed && (ends.tail?.lastSeq ?? 0) <= prunedSeq;
    if (isSame || isPruned) continue;
    writeWhole(source, ends, copy, onSeq);
    written.push(basename(path));
  }
  return written;
}

/**
 * Throws `backup_mismatch` if the source does not continue the copy, and the errors of reading. Call it before any
 * change.
 */
export function checkSameJournal(source: DataDir, target: DataDir): void {
  const copies = findSegments(target.journal);
  const last = copies.at(-1);
  if (last === undefined) return;
  const { firstSeq, previousChain, isSealed, tail } = endsOf(last);
  const { lastSeq, chain } = tail ?? { lastSeq: firstSeq - 1, chain: previousChain };
  using reader = closing(new JournalReader(source));
  const refuse = (why: string): never => {
    throw mismatch(source, target, why);
  };
  if (reader.firstSeq > (isSealed ? lastSeq + 1 : firstSeq))
    refuse(`it ends at sequence number ${lastSeq}, and the source begins at ${reader.firstSeq} only`);
  if (reader.lastSeq < lastSeq)
    refuse(`it goes to sequence number ${lastSeq}, the source only to ${reader.lastSeq}`);
  if (reader.chainAt(lastSeq) !== chain)
    refuse(`it holds another journal: at sequence number ${lastSeq} their chain hashes differ`);
}

function writeWhole(source: DataDir, ends: SegmentEnds, copy: string, onSeq: (seq: number) => void): void {
  const aside = unfinishedPath(copy);
  removeDatabase(aside);
  try {
    writeSegment(aside, ends, rowsOf(source, ends, onSeq));
  } catch (thrown) {
    removeDatabase(aside);
    throw thrown;
  }
  removeSideFiles(copy);
  renameDurably(aside, copy);
}

/** Up to the last row at the time when the segment's ends were read. */
function* rowsOf(
  source: DataDir,
  { firstSeq, tail }: SegmentEnds,
  onSeq: (seq: number) => void,
): Generator<StoredBatch, void, undefined> {
  if (tail === null) return;
  using reader = closing(new JournalReader(source));
  for (const row of reader.readBatches(firstSeq - 1)) {
    yield row;
    onSeq(row.lastSeq);
    if (row.lastSeq >= tail.lastSeq) return;
  }
}
