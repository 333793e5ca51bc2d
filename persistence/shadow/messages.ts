/** What the event loop and the shadow's thread say to each other. */
import type { SnapshotsKept } from '../../engine/model/snapshots-kept.js';
import type { DataDir } from '../data-dir/layout.js';
import type { SpaceThresholds } from '../data-dir/space.js';
import type { ErrorParts } from '../journal/messages.js';
import type { OldRowsState } from './old-rows.js';

export interface ShadowOptions {
  /** A recovered data directory whose lock this process holds. */
  readonly dir: DataDir;
  /** A snapshot is due after so many commands. */
  readonly snapshotCommands: number;
  /** A snapshot is due after so long, if there was a command, in milliseconds. */
  readonly snapshotEveryMs: number;
  readonly snapshotsKept: SnapshotsKept;
  /** Sealed segments whose last command is older than this go once they are covered, in milliseconds; null: all stay. */
  readonly segmentsKeptMs: number | null;
  /** `DEFAULT_SPACE_THRESHOLDS` where absent. */
  readonly space?: SpaceThresholds;
}

/** `behind`: it has not come to the journal's end yet. `saving`: a snapshot. `paused` and `failed` have a reason. */
export type ShadowState = 'starting' | 'behind' | 'following' | 'saving' | 'paused' | 'failed';

export interface SnapshotTaken {
  readonly seq: number;
  readonly atMs: number;
  readonly bytes: number;
  /** null where an earlier process wrote it. */
  readonly tookMs: number | null;
}

export interface ShadowStatus {
  readonly state: ShadowState;
  /** Why it is paused or failed, or what it could not do and will try again; else null. */
  readonly reason: string | null;
  /** Last command that its engine has carried out, with the same digest as the journal. */
  readonly appliedSeq: number;
  /** How far the archive's file has come. */
  readonly archiveSeq: number;
  /** The newest, or null. */
  readonly snapshot: SnapshotTaken | null;
  /** How far the rows have been looked at that the start skipped. */
  readonly oldRows: OldRowsState;
  /** The thread's own, which is part of the process's resident set. */
  readonly heapUsedBytes: number;
  readonly arrayBuffersBytes: number;
  /** What a restart after an unclean stop would need to copy the open segment, and what is free. */
  readonly recoveryNeedsBytes: number;
  readonly freeBytes: number;
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
};

/** What it has done, for the log. */
export type ShadowNews =
  | { readonly kind: 'snapshot'; readonly seq: number; readonly bytes: number; readonly tookMs: number }
  /** A segment that retention has let go of. */
  | { readonly kind: 'pruned'; readonly firstSeq: number; readonly lastSeq: number; readonly bytes: number };

export type ToShadow = { readonly kind: 'close' };

export type FromShadow =
  | { readonly kind: 'status'; readonly status: ShadowStatus }
  /** Something that an operator should read once. */
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'news'; readonly news: ShadowNews }
  | { readonly kind: 'diverged'; readonly error: ErrorParts }
  | { readonly kind: 'closed' };
