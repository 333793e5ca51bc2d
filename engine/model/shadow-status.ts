/** The state of snapshots and archive, as the shadow last reported it. */

/** `behind`: not at the journal's end yet. `saving`: writing a snapshot. `paused` and `failed` have a reason. */
export type ShadowState = 'starting' | 'behind' | 'following' | 'saving' | 'paused' | 'failed';

export interface SnapshotTaken {
  readonly seq: number;
  readonly atMs: number;
  readonly bytes: number;
  /** null if an earlier process wrote it. */
  readonly tookMs: number | null;
}

/** The check of the journal's rows that the start skipped. */
export interface OldRowsState {
  readonly isDone: boolean;
  readonly checkedSeq: number;
  readonly endSeq: number;
  /** Sentences on the first fault of each segment. */
  readonly faults: readonly string[];
}

export interface ShadowStatus {
  readonly state: ShadowState;
  readonly reason: string | null;
  readonly appliedSeq: number;
  readonly archiveSeq: number;
  readonly snapshot: SnapshotTaken | null;
  readonly oldRows: OldRowsState;
  /** The thread's own part of the process's resident set. */
  readonly heapUsedBytes: number;
  readonly arrayBuffersBytes: number;
  /** A restart after an unclean stop needs this much for its copy of the open segment. */
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
