/**
 * Storage of snapshots: files, or a simulator's memory. A snapshot is taken at the end of a journal batch and names
 * that batch, so that it cannot be loaded with another journal.
 */
import type { Engine } from '../engine.js';

export interface SnapshotMeta {
  /** Last command included: the `lastSeq` of a batch. */
  readonly seq: number;
  readonly timeMs: number;
  readonly digest: string;
  /** Chain hash of the batch that ends at `seq`. */
  readonly chain: string;
}

export interface SnapshotRef {
  readonly seq: number;
  /** For people and for `load`; a path if it is a file. */
  readonly name: string;
}

export interface SnapshotStore {
  /** Only complete ones, newest first. */
  list(): readonly SnapshotRef[];
  /** Reads and fully checks a snapshot. Throws if it is damaged or of a newer format. */
  load(ref: SnapshotRef): { readonly meta: SnapshotMeta; readonly engine: Engine };
}
