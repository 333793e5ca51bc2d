/**
 * Keeps a copy of a data directory current: one backup of what is new after another, with a pause in between. Each pass
 * leaves a directory that a server can start on, and so does one that is broken off (`backup.ts`), so the copy is usable at
 * any moment from the first pass on. How far it may be behind is told after each.
 *
 * What fails is tried again: a disk that is full or away comes back. A copy that can no longer be continued ends it.
 */
import type { SnapshotsKept } from '../../../engine/model/snapshots-kept.js';
import { type DataDir, findDataDir } from '../../data-dir/layout.js';
import { lockDataDir } from '../../data-dir/lock.js';
import { codeOf, messageOf } from '../../errors.js';
import { acknowledgedSeq } from '../../journal/mark.js';
import { executePlan, planPrune } from '../retention/retention.js';
import { type BackedUp, backup } from './backup.js';

/** The copy's are those of the source. */
const ALL_SNAPSHOTS: SnapshotsKept = { newest: 1, allMs: 0, hourlyMs: 0, dailyMs: null };
/** What trying again does not change. */
const FINAL: readonly string[] = ['backup_mismatch', 'data_dir_invalid'];

export interface FollowPass {
  /** When it began, by the machine's clock: the copy has everything that was acknowledged before. */
  readonly asOfMs: number;
  readonly tookMs: number;
  readonly seq: number;
  /** Commands that were acknowledged while it ran, and are not in the copy yet. */
  readonly commandsBehind: number;
  readonly batchesAppended: number;
  readonly segmentsWritten: readonly string[];
  /** Segments that `keepMs` has deleted from the copy. */
  readonly segmentsDeleted: number;
  /** Damaged parts of the source that were left out, as sentences. */
  readonly faults: readonly string[];
}

export interface FollowOptions {
  /** Resolves when the next pass is due, or at once when it is over. */
  readonly pause: () => Promise<void>;
  readonly isOver: () => boolean;
  readonly nowMs: () => number;
  /** Sealed segments older than this leave the copy, where an earlier snapshot and its archive cover them; null: none. */
  readonly keepMs: number | null;
  readonly onPass: (pass: FollowPass) => void;
  /** A pass has failed with this sentence, and will be tried again. */
  readonly onFailed: (reason: string) => void;
}

/** Resolves when it is over. Throws what makes it impossible to continue, and in the first pass whatever fails. */
export async function follow(source: DataDir, to: string, options: FollowOptions): Promise<void> {
  let isFirst = true;
  while (!options.isOver()) {
    try {
      options.onPass(passOnce(source, to, options));
      isFirst = false;
    } catch (thrown) {
      if (isFirst || FINAL.includes(codeOf(thrown)) || codeOf(thrown) === '') throw thrown;
      options.onFailed(messageOf(thrown));
    }
    await options.pause();
  }
}

function passOnce(source: DataDir, to: string, { nowMs, keepMs }: FollowOptions): FollowPass {
  const asOfMs = nowMs();
  const copied = backup(source, to);
  const { seq, batchesAppended, segmentsWritten, faults } = copied;
  // Only a new segment makes an old one superfluous.
  const segmentsDeleted = keepMs === null || segmentsWritten.length === 0 ? 0 : prune(to, copied, keepMs);
  const commandsBehind = Math.max(0, acknowledgedSeq(source.markFile) - seq);
  const tookMs = nowMs() - asOfMs;
  return { asOfMs, tookMs, seq, commandsBehind, batchesAppended, segmentsWritten, segmentsDeleted, faults };
}

function prune(to: string, { timeMs }: BackedUp, keepMs: number): number {
  const copy = findDataDir(to);
  const policy = { segmentsMs: keepMs, snapshots: ALL_SNAPSHOTS };
  const lock = lockDataDir(copy);
  try {
    const plan = planPrune(copy, policy, timeMs);
    executePlan(copy, { ...plan, snapshots: [] });
    return plan.segments.length;
  } finally {
    lock.release();
  }
}
