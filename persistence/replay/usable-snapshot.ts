/**
 * The one rule for everything that starts from a snapshot. A snapshot is never trusted further than the journal
 * confirms it: it must be whole, and be taken at the end of a batch with the same chain hash and rolling digest.
 */
import { messageOf } from '../../engine/base/attempt.js';
import type { SnapshotMeta, SnapshotRef, SnapshotStore } from '../../engine/host/snapshot-store.js';
import type { ReadableJournal, StoredBatch } from '../../engine/model/ports.js';
import { codeOf } from '../errors.js';

export interface BatchEnd {
  readonly chain: string;
  /** Rolling digest; null if the journal begins after the batch and has only its chain hash. */
  readonly digest: string | null;
}

/**
 * The first usable one, or null. `onPassedOver` gets a sentence
 * about each one that cannot. Throws the errors of reading the journal: its faults are no reason to try another
 * snapshot.
 */
export function firstUsable(
  refs: readonly SnapshotRef[],
  snapshots: Pick<SnapshotStore, 'load'>,
  journal: ReadableJournal,
  onPassedOver: (sentence: string) => void,
): ReturnType<SnapshotStore['load']> | null {
  for (const ref of refs) {
    const end = batchEndAt(journal, ref.seq);
    try {
      if (end === null) throw new Error(`no batch of the journal ends at sequence number ${ref.seq}.`);
      const { meta, engine } = snapshots.load(ref);
      const fault = faultAtEnd(meta, end);
      if (fault !== null) throw new Error(fault);
      return { meta, engine };
    } catch (thrown) {
      onPassedOver(`The snapshot ${ref.name} was passed over: ${messageOf(thrown)}`);
    }
  }
  return null;
}

/** `meta` is of a whole snapshot. Throws the errors of reading the journal. */
export function isOfJournal(meta: SnapshotMeta, journal: ReadableJournal): boolean {
  const end = batchEndAt(journal, meta.seq);
  return end !== null && faultAtEnd(meta, end) === null;
}

export function faultAtEnd(meta: SnapshotMeta, { chain, digest }: BatchEnd): string | null {
  if (meta.chain !== chain) return "its chain hash is not the journal's.";
  if (digest !== null && meta.digest !== digest) {
    return "its rolling digest is not the journal's.";
  }
  return null;
}

function batchEndAt(journal: ReadableJournal, seq: number): BatchEnd | null {
  const chain = journal.chainAt(seq);
  return chain === null ? null : { chain, digest: rowAt(journal, seq)?.digest ?? null };
}

/** null if no row ends at `seq`, or the journal begins after it. */
export function rowAt(journal: ReadableJournal, seq: number): StoredBatch | null {
  try {
    for (const row of journal.readBatches(seq - 1)) return row.lastSeq === seq ? row : null;
  } catch (thrown) {
    if (codeOf(thrown) !== 'journal_incomplete') throw thrown;
  }
  return null;
}
