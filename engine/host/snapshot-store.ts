/**
 * Where snapshots are kept: files, or a simulator's memory. A snapshot stands at the end of one batch of the journal
 * and names that batch, so that nobody can load it beside another journal (design, "Snapshots without a pause").
 */
import type { Engine } from '../engine.js';

export interface SnapshotMeta {
  /** Last command whose effects it holds: the `lastSeq` of a batch. */
  readonly seq: number;
  /** Engine time there. */
  readonly timeMs: number;
  /** Rolling digest there, 16 hex digits. */
  readonly digest: string;
  /** Chain hash of the batch that ends at `seq`. */
  readonly chain: string;
}

/** A snapshot that is there, whether or not it is good. */
export interface SnapshotRef {
  readonly seq: number;
  /** Names it for people, and for `load`: a path, where it is a file. */
  readonly name: string;
}

export interface SnapshotStore {
  /** What is there, newest first. */
  list(): readonly SnapshotRef[];
  /** Reads and checks it whole. Throws where it is damaged, or of a newer form. */
  load(ref: SnapshotRef): { readonly meta: SnapshotMeta; readonly engine: Engine };
  /** Durable when it returns; nothing is listed before it is whole. Throws where it cannot be written. */
  save(engine: Engine, chain: string): SnapshotRef;
}
