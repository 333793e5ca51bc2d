/**
 * From a data directory to a journal that can be served (design, "Faults"): tells a clean from an unclean stop,
 * makes the files safe to append to, replays every batch and holds the end against the mark. It can be repeated
 * after a crash at any point, and what it cannot vouch for it refuses, changing nothing.
 */
import type { Clock, Mark, StoredBatch } from '../engine/ports.js';
import { CHAIN_START } from './batch-row.js';
import type { DataDir } from './data-dir.js';
import { JournalError } from './errors.js';
import { renameDurably } from './files.js';
import { createMarkFile, EMPTY_MARK, MarkFile, readMarkFile } from './mark.js';
import { type OnCopyStep, replaceSegment, wasStoppedUncleanly } from './recovery-copy.js';
import { checkMark, type JournalEnd, type OnProgress, ProgressMeter, replayJournal } from './replay.js';
import { Segment } from './segment.js';
import { findSegments, removeDatabase, segmentPath, unfinishedPath, writeSegment } from './segment-files.js';

export interface RecoveryOptions {
  /** The caller holds its lock. */
  readonly dir: DataDir;
  readonly clock: Clock;
  /**
   * Carries out the batch's commands, all of which must be accepted as numbers `firstSeq` to `lastSeq`, and returns
   * the engine's rolling digest after them. What it throws is a refusal to start.
   */
  readonly apply: (batch: StoredBatch) => string;
  /** Called about twice a second in a long recovery. */
  readonly onProgress?: OnProgress;
  /** Called after each step of the copy that follows an unclean stop. */
  readonly onCopyStep?: OnCopyStep;
}

export interface Recovered extends JournalEnd {
  /** The last server on this directory was killed, or failed. */
  readonly wasUnclean: boolean;
}

/**
 * Recovers the journal of `dir` and replays it; afterwards a `JournalThread` may write to it. Throws a
 * `JournalError` where the journal is damaged, incomplete, newer or decided otherwise by this engine.
 */
export function recoverJournal(options: RecoveryOptions): Recovered {
  const { dir } = options;
  const mark = readMarkFile(dir.markFile);
  const path = openOrCreate(dir, mark, options.clock);
  const checkSource = (source: Segment): void => checkEnds(source, mark);
  const onProgress = options.onProgress ?? (() => {});
  const meterOf = (phase: 'copy' | 'check' | 'replay', total: number): ProgressMeter =>
    new ProgressMeter(phase, total, options.clock, onProgress);
  const wasUnclean = wasStoppedUncleanly(dir, path);
  if (wasUnclean) replaceSegment(dir, path, checkSource, meterOf, options.onCopyStep ?? (() => {}));
  const segment = Segment.open(path, 'write');
  try {
    checkSource(segment);
    if (!wasUnclean) segment.checkStructure();
    const store = { readBatches: (afterSeq: number) => segment.batches(afterSeq), readMark: () => mark };
    const end = replayJournal(store, options.apply, meterOf('replay', segment.tail()?.lastSeq ?? 0));
    raiseMark(dir, mark, end);
    return { ...end, wasUnclean };
  } finally {
    segment.close();
  }
}

/** The one segment, made where the directory is new. */
function openOrCreate(dir: DataDir, mark: Mark | null, clock: Clock): string {
  const [first, second] = findSegments(dir.journal);
  if (second !== undefined) {
    throw new JournalError(
      'journal_newer_version',
      `The journal in ${dir.journal} has several segments; this version of the server knows only one. ` +
        'Start the version that wrote it, or a newer one.',
    );
  }
  if (first !== undefined) return first;
  checkMark(mark, 0, null);
  const path = segmentPath(dir.journal, 1);
  removeDatabase(unfinishedPath(path));
  const meta = { createdMs: clock.nowMs(), firstSeq: 1, previousChain: CHAIN_START };
  writeSegment(unfinishedPath(path), meta, []);
  renameDurably(unfinishedPath(path), path);
  return path;
}

/** What can be said of a segment before all of it is read: where it begins and ends. */
function checkEnds(segment: Segment, mark: Mark | null): void {
  const { lastSeq, chain } = segment.start;
  if (lastSeq !== 0 || chain !== CHAIN_START) {
    throw new JournalError(
      'journal_incomplete',
      `The journal ${segment.path} begins after sequence number ${lastSeq}, and no segment holds what came before. ` +
        'Put the data directory back from a backup.',
    );
  }
  const checksumAtMark = mark === null ? null : (segment.rowAt(mark.lastSeq)?.checksum ?? null);
  checkMark(mark, segment.tail()?.lastSeq ?? 0, checksumAtMark);
}

/**
 * What is recovered is durable from here on, whether it was acknowledged or not: reads will show it, so the mark
 * must vouch for it.
 */
function raiseMark(dir: DataDir, mark: Mark | null, end: JournalEnd): void {
  if (mark === null) createMarkFile(dir.markFile, EMPTY_MARK);
  if (end.lastSeq === (mark?.lastSeq ?? 0)) return;
  const file = new MarkFile(dir.markFile);
  try {
    file.write({ lastSeq: end.lastSeq, checksum: end.checksum });
    file.sync();
  } finally {
    file.close();
  }
}
