/** Messages between the event loop and the shadow's thread. */
import type { MessagePort } from 'node:worker_threads';
import type { RefusedAt } from '../../engine/model/operators.js';
import type { SnapshotsKept } from '../../engine/model/snapshots-kept.js';
import type { DataDir } from '../data-dir/layout.js';
import type { SpaceThresholds } from '../data-dir/space.js';
import type { ErrorParts } from '../journal/messages.js';
import type { OldRowsState } from './old-rows.js';

export interface ShadowOptions {
  /** A recovered data directory whose lock this process holds. */
  readonly dir: DataDir;
  /** A snapshot is due after this many commands. */
  readonly snapshotCommands: number;
  /** A snapshot is due after this many milliseconds, if there was a command. */
  readonly snapshotEveryMs: number;
  readonly snapshotsKept: SnapshotsKept;
  /**
   * Sealed segments are deleted when their last command is older than this, in milliseconds, and they are covered. null
   * keeps all.
   */
  readonly segmentsKeptMs: number | null;
  /** `DEFAULT_SPACE_THRESHOLDS` if absent. */
  readonly space?: SpaceThresholds;
  /** Of a replicated journal: the last command that the log has, in shared memory. The shadow goes no further. */
  readonly replicatedSeq?: BigInt64Array;
  /** To the reader of the archive (`past/messages.ts`), if there is one. */
  readonly past?: MessagePort;
  /** To the thread that makes the roots of rounds (`roots/messages.ts`), which also signs heads, if there is one. */
  readonly roots?: MessagePort;
}

/** `behind`: not at the journal's end yet. `saving`: writing a snapshot. `paused` and `failed` have a reason. */
export type ShadowState = 'starting' | 'behind' | 'following' | 'saving' | 'paused' | 'failed';

export interface SnapshotTaken {
  readonly seq: number;
  readonly atMs: number;
  readonly bytes: number;
  /** null if an earlier process wrote it. */
  readonly tookMs: number | null;
}

export interface ShadowStatus {
  readonly state: ShadowState;
  /** Why it is paused or failed, or what failed and will be tried again; else null. */
  readonly reason: string | null;
  /** The last command that its engine has applied, with the same digest as the journal. */
  readonly appliedSeq: number;
  /** The last command in the archive. */
  readonly archiveSeq: number;
  /** The newest one, or null. */
  readonly snapshot: SnapshotTaken | null;
  /** The check of the rows that the start skipped. */
  readonly oldRows: OldRowsState;
  /** Of this thread alone; part of the resident set of the process. */
  readonly heapUsedBytes: number;
  readonly arrayBuffersBytes: number;
  /** What a restart after an unclean stop would need for its copy of the open segment, and what is free. */
  readonly recoveryNeedsBytes: number;
  readonly freeBytes: number;
  /** When the last backup was made, by its stamp; null for none. */
  readonly backupAtMs: number | null;
  /** When the data directory was made; NaN while that is not known. */
  readonly createdAtMs: number;
}

export const STATUS_AT_START: ShadowStatus = {
  state: 'starting',
  reason: null,
  appliedSeq: 0,
  archiveSeq: 0,
  snapshot: null,
  oldRows: { isDone: false, checkedSeq: 0, endSeq: 0, faults: [] },
  heapUsedBytes: 0,
  arrayBuffersBytes: 0,
  recoveryNeedsBytes: 0,
  freeBytes: 0,
  backupAtMs: null,
  createdAtMs: Number.NaN,
};

/** What the shadow has done, for the log. */
export type ShadowNews =
  | { readonly kind: 'snapshot'; readonly seq: number; readonly bytes: number; readonly tookMs: number }
  /** A segment that retention has deleted. */
  | { readonly kind: 'pruned'; readonly firstSeq: number; readonly lastSeq: number; readonly bytes: number };

/** `look`: the journal has grown, and someone waits for what it says. `refused`: at the operator port, for the archive. */
export type ToShadow = { readonly kind: 'look' } | { readonly kind: 'refused'; readonly refused: RefusedAt };

export type FromShadow =
  | { readonly kind: 'status'; readonly status: ShadowStatus }
  /** A sentence that an operator should read once. */
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'news'; readonly news: ShadowNews }
  | { readonly kind: 'diverged'; readonly error: ErrorParts };
