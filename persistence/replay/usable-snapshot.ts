/**
 * Which snapshots can be used: one rule for everything that starts from one. A snapshot saves time and is never trusted
 * further than the journal confirms it: it must be whole, and be taken at the end of a batch with the same chain hash
 * and rolling digest. Every snapshot that is passed over is reported.
 */
import type { Engine } from '../../engine/engine.js';
import type { SnapshotMeta, SnapshotRef, SnapshotStore } from '../../engine/host/snapshot-store.js';
import type { JournalStore, StoredBatch } from '../../engine/model/ports.js';
import { codeOf, messageOf } from '../errors.js';

type ReadableJournal = Pick<JournalStore, 'readBatches' | 'chainAt'>;
type LoadableSnapshots = Pick<SnapshotStore, 'load'>;

export interface UsableSnapshot {
  readonly ref: SnapshotRef;
  readonly meta: SnapshotMeta;
  readonly engine: Engine;
}

/** The end of a batch, according to the journal. */
export interface BatchEnd {
  readonly chain: string;
  /** Rolling digest; null if the journal begins after the batch and has only its chain hash. */
  readonly digest: string | null;
}

/**
 * The first of `refs` that can be used, or null. `journal` is null if it is gone; then every snapshot that is whole can
 * be used. `onPassedOver` gets a sentence about each one that cannot. Throws what reading the journal throws: a fault
 * of the journal is no reason to try another snapshot.
 */
export function firstUsable(
  refs: readonly SnapshotRef[],
  snapshots: LoadableSnapshots,
  journal: ReadableJournal | null,
  onPassedOver: (sentence: string) => void,
): UsableSnapshot | null {
  for (const ref of refs) {
    const end = journal === null ? null : batchEndAt(journal, ref.seq);
    try {
      if (journal !== null && end === null) {
        throw new Error(`no batch of the journal ends at sequence number ${ref.seq}.`);
      }
      const loaded = loadWhole(snapshots, ref);
      const fault = end === null ? null : faultAtEnd(loaded.meta, end);
      if (fault !== null) throw new Error(fault);
      return loaded;
    } catch (thrown) {
      onPassedOver(`The snapshot ${ref.name} was passed over: ${messageOf(thrown)}`);
    }
  }
  return null;
}

/** Loads a snapshot. Throws if it is not whole, or does not agree with its name and metadata. */
export function loadWhole(snapshots: LoadableSnapshots, ref: SnapshotRef): UsableSnapshot {
  const { meta, engine } = snapshots.load(ref);
  if (meta.seq !== ref.seq || engine.seq !== ref.seq) throw new Error('it is of another sequence number.');
  if (engine.rollingDigest() !== meta.digest) throw new Error('its rolling digest is not that of its state.');
  return { ref, meta, engine };
}

/** Whether a whole snapshot can be used with `journal`. Throws what reading the journal throws. */
export function isOfJournal(meta: SnapshotMeta, journal: ReadableJournal): boolean {
  const end = batchEndAt(journal, meta.seq);
  return end !== null && faultAtEnd(meta, end) === null;
}

/** Why a whole snapshot cannot be used at this end of a batch; null if it can. */
export function faultAtEnd(meta: SnapshotMeta, { chain, digest }: BatchEnd): string | null {
  if (meta.chain !== chain) return "its chain hash is not the journal's.";
  if (digest !== null && meta.digest !== digest) {
    return "its rolling digest is not the journal's.";
  }
  return null;
}

/** The end of the batch that ends at `seq`, or null if none does. */
function batchEndAt(journal: ReadableJournal, seq: number): BatchEnd | null {
  const chain = journal.chainAt(seq);
  return chain === null ? null : { chain, digest: rowAt(journal, seq)?.digest ?? null };
}

/** The row that ends at `seq`; null if none does or the journal begins after it. */
export function rowAt(journal: Pick<JournalStore, 'readBatches'>, seq: number): StoredBatch | null {
  try {
    for (const row of journal.readBatches(seq - 1)) return row.lastSeq === seq ? row : null;
  } catch (thrown) {
    if (codeOf(thrown) !== 'journal_incomplete') throw thrown;
  }
  return null;
}
