/**
 * The journal in a backup: the segments of the source, copied row by row, each row checked. Sealed segments are written
 * once. The open one is appended to if the copy's was closed cleanly, and rewritten if not.
 */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { must } from '../../../engine/base/assert.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { removeDatabase, removeSideFiles, renameDurably, unfinishedPath } from '../../data-dir/files.js';
import type { DataDir } from '../../data-dir/layout.js';
import { codeOf } from '../../errors.js';
import { openJournalReader } from '../../journal/reader.js';
import { readAbsent } from '../../journal/segment/absent.js';
import { findSegments, firstSeqOf, writeSegment } from '../../journal/segment/names.js';
import { rowInserter } from '../../journal/segment/schema.js';
import { Segment } from '../../journal/segment/segment.js';
import { factsOf, mismatch, type SegmentFacts } from './facts.js';

export interface SegmentsCopied {
  readonly segmentsWritten: readonly string[];
  readonly batchesAppended: number;
}

/** `prune` has taken the segment out of the copy, which may keep less than its source. */
const isPruned = (prunedSeq: number, { isSealed, tail }: SegmentFacts, copy: string): boolean =>
  isSealed && tail !== null && !existsSync(copy) && tail.lastSeq <= prunedSeq;

/** Text per commit to the copy's open segment. */
const COMMIT_CHARS = 16 * 1024 * 1024;

/**
 * `mayAppend`: the copy's open segment was closed cleanly. The copy is of this journal (`checkSameJournal`). Throws
 * `backup_mismatch` if retention has deleted the continuation of an earlier copy meanwhile, and the errors of
 * reading.
 */
export function copySegments(
  source: DataDir,
  target: DataDir,
  mayAppend: boolean,
  onSeq: (seq: number) => void,
): SegmentsCopied {
  const isNew = findSegments(target.journal).length === 0;
  const prunedSeq = readAbsent(target) ?? 0;
  const written = new Set<string>();
  let batchesAppended = 0;
  const copyOne = (path: string): void => {
    const copy = join(target.journal, basename(path));
    const facts = factsOf(path);
    const there = existsSync(copy) && (mayAppend || written.has(basename(path))) ? factsOf(copy) : null;
    if (there?.isSealed === true || isPruned(prunedSeq, facts, copy)) return;
    if (there === null || facts.isSealed) {
      writeWhole(source, facts, copy, onSeq);
      written.add(basename(path));
    } else {
      batchesAppended += append(source, facts, copy, there, onSeq);
    }
  };
  let paths: string[];
  let isListed: boolean;
  do {
    // Meanwhile a server may seal a segment and begin the next, and retention may delete some. The loop ends, since
    // that takes ever longer than copying the new rows.
    paths = findSegments(source.journal);
    joinBeginning(source, target, paths, isNew ? written : null);
    isListed = paths.every((path) => unlessDeleted(source, path, copyOne));
  } while (!isListed || findSegments(source.journal).at(-1) !== paths.at(-1));
  return { segmentsWritten: [...written], batchesAppended };
}

const DELETED: readonly string[] = ['segment_gone', 'journal_incomplete'];

/** Returns false if retention has deleted the segment since it was listed. */
function unlessDeleted(source: DataDir, path: string, copyOne: (path: string) => void): boolean {
  try {
    copyOne(path);
    return true;
  } catch (thrown) {
    const isDeleted = DELETED.includes(codeOf(thrown)) && !existsSync(path);
    if (!isDeleted || firstSeqOf(path) > (readAbsent(source) ?? 0)) throw thrown;
    return false;
  }
}

/**
 * Older segments of the copy must lead to those of the source, `paths`. They do not if retention deleted one in
 * between before it was copied. In a first copy the older ones, `written`, are then removed, as in the source; in a
 * later one (`written` is null) this throws `backup_mismatch`.
 */
function joinBeginning(
  source: DataDir,
  target: DataDir,
  paths: readonly string[],
  written: Set<string> | null,
): void {
  const firstSeq = firstSeqOf(must(paths[0], 'a segment of the source'));
  const before = findSegments(target.journal).filter((path) => firstSeqOf(path) < firstSeq);
  const last = before.at(-1);
  if (last === undefined) return;
  const { isSealed, tail } = factsOf(last);
  if (isSealed && tail?.lastSeq === firstSeq - 1) return;
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

/**
 * Throws `backup_mismatch` if the source does not continue the copy, and the errors of reading. Call it before any
 * change.
 */
export function checkSameJournal(source: DataDir, target: DataDir, mayAppend: boolean): void {
  const copies = findSegments(target.journal);
  const last = copies.at(-1);
  if (last === undefined) return;
  const facts = factsOf(last);
  const known = mayAppend ? facts.tail : null;
  const { lastSeq, chain } = known ?? { lastSeq: facts.firstSeq - 1, chain: facts.previousChain };
  const reader = openJournalReader(source);
  try {
    const refuse = (why: string): never => {
      throw mismatch(source, target, why);
    };
    if (reader.firstSeq > lastSeq + 1)
      refuse(`it ends at sequence number ${lastSeq}, and the source begins at ${reader.firstSeq} only`);
    if (reader.lastSeq < lastSeq)
      refuse(`it goes to sequence number ${lastSeq}, the source only to ${reader.lastSeq}`);
    if (reader.chainAt(lastSeq) !== chain)
      refuse(`it holds another journal: at sequence number ${lastSeq} their chain hashes differ`);
  } finally {
    reader.close();
  }
}

function writeWhole(source: DataDir, facts: SegmentFacts, copy: string, onSeq: (seq: number) => void): void {
  const aside = unfinishedPath(copy);
  removeDatabase(aside);
  try {
    writeSegment(aside, facts, rowsUpTo(source, facts, facts.firstSeq - 1, onSeq), {
      isSealed: facts.isSealed,
    });
  } catch (thrown) {
    removeDatabase(aside);
    throw thrown;
  }
  removeSideFiles(copy);
  renameDurably(aside, copy);
}

function append(
  source: DataDir,
  facts: SegmentFacts,
  copy: string,
  there: SegmentFacts,
  onSeq: (seq: number) => void,
): number {
  const segment = Segment.open(copy, 'write');
  try {
    const { db } = segment;
    db.pragma('synchronous = FULL');
    const insert = rowInserter(db);
    const begin = db.prepare('BEGIN IMMEDIATE');
    const commit = db.prepare('COMMIT');
    let count = 0;
    let chars = 0;
    begin.run();
    for (const row of rowsUpTo(source, facts, there.tail?.lastSeq ?? there.firstSeq - 1, onSeq)) {
      insert(row);
      count += 1;
      chars += row.commands.length;
      if (chars < COMMIT_CHARS) continue;
      chars = 0;
      commit.run();
      begin.run();
    }
    commit.run();
    return count;
  } finally {
    segment.close();
  }
}

/** Up to the last row at the time when the segment's facts were read. */
function* rowsUpTo(
  source: DataDir,
  facts: SegmentFacts,
  afterSeq: number,
  onSeq: (seq: number) => void,
): Generator<StoredBatch, void, undefined> {
  const endSeq = facts.tail?.lastSeq ?? afterSeq;
  if (endSeq <= afterSeq) return;
  const reader = openJournalReader(source);
  try {
    for (const row of reader.readBatches(afterSeq)) {
      yield row;
      onSeq(row.lastSeq);
      if (row.lastSeq >= endSeq) return;
    }
  } finally {
    reader.close();
  }
}
