/**
 * Which segments and snapshots are kept: only the decision, without files. For every moment within the retention
 * there is a snapshot at or before it from which the kept segments lead to it, or the journal has its beginning. So
 * the records have a floor: the newest snapshot that is as old as the retention, that the archive has passed, and that is
 * not newer than the newest few, any of which must be able to replace another. Only segments completely before the
 * floor may be deleted.
 *
 * The first snapshot of an hour or a day is kept: it stays the first, however often snapshots are thinned, and the
 * first of a day is also the first of its hour.
 */
import { must } from '../../../engine/base/assert.js';
import type { SnapshotMeta } from '../../../engine/host/snapshot-store.js';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** A snapshot is kept if any of these keeps it. Ages are in milliseconds of engine time. */
export interface SnapshotsKept {
  /** This many of the newest, at least 1. */
  readonly newest: number;
  /** The first of each hour, up to this age. */
  readonly hourlyMs: number;
  /** The first of each day (UTC), up to this age; null: as long as the journal that continues it. */
  readonly dailyMs: number | null;
}

export const SNAPSHOTS_KEPT: SnapshotsKept = { newest: 3, hourlyMs: DAY_MS, dailyMs: null };

export interface RetentionPolicy {
  /** Younger segments are kept. null keeps all. */
  readonly segmentsMs: number | null;
  readonly snapshots: SnapshotsKept;
}

/** The journal continues the snapshot. `timeMs` is the engine time of its last command. */
export type SnapshotPoint = Pick<SnapshotMeta, 'seq' | 'timeMs'>;

export interface SegmentSpan {
  readonly lastSeq: number;
  /** Engine time of its last command. */
  readonly lastTimeMs: number;
}

/** How far journal and archive reach. */
export interface Extent {
  /** Engine time; ages are counted from here. */
  readonly nowMs: number;
  /** The last command in the archive; null if there is none. */
  readonly archivedSeq: number | null;
  readonly firstSeq: number;
}

/**
 * `snapshots` are newest first. Nothing before the floor need be kept. null if the journal has its beginning and
 * keeps it.
 */
export function floorOf<S extends SnapshotPoint>(
  snapshots: readonly S[],
  { segmentsMs, snapshots: { newest } }: RetentionPolicy,
  { nowMs, archivedSeq, firstSeq }: Extent,
): S | null {
  const fromMs = segmentsMs === null ? Number.NEGATIVE_INFINITY : nowMs - segmentsMs;
  const spared = Math.min(newest, snapshots.length) - 1;
  const floor = snapshots.find(
    ({ seq, timeMs }, index) => index >= spared && timeMs <= fromMs && seq <= (archivedSeq ?? 0),
  );
  if (floor !== undefined) return floor;
  return firstSeq === 1 ? null : (snapshots.at(-1) ?? null);
}

/** Newest first; null for a snapshot that may be deleted. */
export function whySnapshotsStay(
  snapshots: readonly SnapshotPoint[],
  policy: RetentionPolicy,
  extent: Extent,
): (string | null)[] {
  const floor = floorOf(snapshots, policy, extent);
  const forArchive = snapshots.find(({ seq }) => seq <= (extent.archivedSeq ?? 0));
  return snapshots.map((snapshot, index) => {
    const why = whyByAge(snapshots, index, policy.snapshots, extent.nowMs);
    if (why !== null) return why;
    if (snapshot === floor) return 'the kept records begin at it';
    return snapshot === forArchive ? 'the archive goes on from it' : null;
  });
}

function whyByAge(
  snapshots: readonly SnapshotPoint[],
  index: number,
  { newest, hourlyMs, dailyMs }: SnapshotsKept,
  nowMs: number,
): string | null {
  const ageMs = nowMs - must(snapshots[index], 'a snapshot').timeMs;
  if (index < newest) return `one of the newest ${newest}`;
  if (ageMs <= hourlyMs && isFirstOf(snapshots, index, HOUR_MS)) return 'the first of its hour';
  if ((dailyMs === null || ageMs <= dailyMs) && isFirstOf(snapshots, index, DAY_MS))
    return 'the first of its day';
  return null;
}

function isFirstOf(snapshots: readonly SnapshotPoint[], index: number, periodMs: number): boolean {
  const before = snapshots[index + 1];
  const periodOf = (timeMs: number): number => Math.floor(timeMs / periodMs);
  return (
    before === undefined || periodOf(before.timeMs) < periodOf(must(snapshots[index], 'a snapshot').timeMs)
  );
}

/** null if the segment may be deleted once all before it may. */
export function whySegmentStays(
  { lastSeq, lastTimeMs }: SegmentSpan,
  { segmentsMs }: RetentionPolicy,
  floor: SnapshotPoint | null,
  { nowMs, archivedSeq }: Extent,
): string | null {
  if (segmentsMs === null) return 'all are kept';
  if (nowMs - lastTimeMs <= segmentsMs) return 'it is not old enough';
  if (archivedSeq === null || archivedSeq < lastSeq) return 'the archive does not hold it';
  if (floor === null || floor.seq < lastSeq) return 'no snapshot is in or before it, so its age is not known';
  return null;
}
