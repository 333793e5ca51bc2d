/**
 * The first step of a start: makes the files of a journal safe to read and to append to. After an unclean stop it
 * copies the open segment; it completes an interrupted roll. It can be repeated after a crash at any point. If it
 * cannot trust the journal, it throws and has changed nothing.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../engine/base/attempt.js';
import type { Clock, Mark } from '../../engine/model/ports.js';
import { closing, orClosed } from '../data-dir/closing.js';
import { removeDatabase } from '../data-dir/files.js';
import { type DataDir, requireWritable } from '../data-dir/layout.js';
import { codeOf } from '../errors.js';
import { readMarkFile } from '../journal/mark.js';
import { absentPath, readAbsent, writeAbsent } from '../journal/segment/absent.js';
import { CHAIN_START } from '../journal/segment/batch-row.js';
import { checkChain } from '../journal/segment/chain.js';
import { findSegments, firstSeqOf, sourceOf } from '../journal/segment/names.js';
import { wasEachCommitSynced } from '../journal/segment/open.js';
import { createSegment, type OnRollStep } from '../journal/segment/roll.js';
import { Segment } from '../journal/segment/segment.js';
import { checkWal } from '../journal/segment/wal.js';
import { checkMark } from '../replay/replay.js';
import { type CopyOptions, checkAgainstMark, replaceSegment, wasStoppedUncleanly } from './copy.js';

type PrepareOptions = Pick<CopyOptions, 'dir' | 'clock'> & Partial<CopyOptions>;

/**
 * `mark` is as the last server left it, null in a new directory. Call `close` after the journal has been read: a writer that
 * closes the open segment last leaves no WAL. Throws a `JournalError` if the journal is damaged, incomplete or of another
 * format.
 */
export function prepareJournal({ dir, clock, onProgress = () => {}, onStep = () => {} }: PrepareOptions) {
  const mark = readMarkFile(dir.markFile);
  const notes: string[] = [];
  const last = findSegments(dir.journal).at(-1) ?? firstSegment(dir, mark, clock);
  const wasUnclean = wasStoppedUncleanly(dir, last);
  // SQLite opens a file that it may not write for reading, and only the first commit would fail.
  for (const file of [...(mark === null ? [] : [dir.markFile]), ...(wasUnclean ? [] : [last])])
    requireWritable(file);
  const begin = checkBegin(dir);
  checkFiles(dir, last, mark);
  if (wasUnclean) replaceSegment({ dir, clock, onProgress, onStep }, last, mark);
  removeUnfinished(dir);
  if (begin.isToWrite) writeAbsent(dir, begin.beforeSeq);
  if (begin.note !== null) notes.push(begin.note);
  const open = Segment.open(openSegment(dir, last, clock, onStep), 'write');
  if (!wasUnclean) orClosed(open, (segment) => segment.checkStructure());
  return { mark, wasUnclean, notes, close: () => open.close() };
}

/** The checks before the rows are read: the segments are connected, and the last acknowledged batch exists. */
function checkFiles(dir: DataDir, last: string, mark: Mark | null): void {
  checkChain(dir.journal);
  // A complete copy replaces its source.
  if (sourceOf(last) === last && wasEachCommitSynced(dir.inUseFile)) checkWal(last);
  using segment = closing(Segment.open(sourceOf(last), 'read'));
  checkAgainstMark(segment, mark);
}

/**
 * Without the file `absent`, a missing beginning counts as pruned from now on. The first segment follows the returned
 * `beforeSeq`.
 */
function checkBegin(dir: DataDir) {
  const [first] = findSegments(dir.journal);
  const beforeSeq = first === undefined ? 0 : firstSeqOf(first) - 1;
  const written = beforeSeq === 0 ? 'It is made anew.' : `1 to ${beforeSeq} are recorded as pruned now.`;
  try {
    const absentSeq = readAbsent(dir);
    if (absentSeq === null) {
      const sentence = `Nothing says why the journal begins at sequence number ${beforeSeq + 1}: ${written}`;
      return { beforeSeq, note: beforeSeq === 0 ? null : sentence, isToWrite: true };
    }
    const note = beforeSeq > absentSeq ? lostBeginning(dir, absentSeq, beforeSeq) : null;
    return { beforeSeq, note, isToWrite: false };
  } catch (thrown) {
    if (codeOf(thrown) !== 'absent_unreadable') throw thrown;
    return { beforeSeq, note: `${messageOf(thrown)} ${written}`, isToWrite: true };
  }
}

const lostBeginning = (dir: DataDir, absentSeq: number, beforeSeq: number): string =>
  `Sequence numbers ${absentSeq + 1} to ${beforeSeq} are missing from the journal, and ${absentPath(dir)} does not say that they were ` +
  'pruned: they are lost. Put the files back from a backup, or make a new directory of what is good: npx tote restore DATA_DIR --out NEW_DIR';

/** `last`, or the next segment, created here if a roll was interrupted. */
function openSegment(dir: DataDir, last: string, clock: Clock, onStep: OnRollStep): string {
  using segment = closing(Segment.open(last, 'read'));
  return segment.seal === null ? last : createSegment(dir.journal, segment.seal, clock.nowMs(), onStep);
}

function firstSegment(dir: DataDir, mark: Mark | null, clock: Clock): string {
  checkMark(mark, 0, null);
  return createSegment(dir.journal, { lastSeq: 0, chain: CHAIN_START }, clock.nowMs());
}

function removeUnfinished(dir: DataDir): void {
  for (const name of readdirSync(dir.journal)) {
    if (name.endsWith('.unfinished')) removeDatabase(join(dir.journal, name));
  }
}
