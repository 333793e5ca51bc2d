/**
 * What a data directory may do without (design, "Running it"; TOTE_RETENTION). One plan for the server's shadow and
 * for the command `prune`: what would go, and why the rest stays.
 *
 * A sealed segment may go when all of it is older than the policy keeps, the oldest snapshot that stays holds what it
 * did and is whole and of this journal, and so does the archive. Segments go from the oldest on, so that what is left has one beginning. Of the
 * snapshots the newest stay, and the newest one from which the archive can go on.
 *
 * The order of deletion is that of a crash's harm: first the archive is made durable, then segments go, oldest first,
 * then snapshots, oldest first, and what unfinished writers have left. A crash in between leaves a directory with less
 * to delete.
 */
import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import type { SnapshotRef } from '../../../engine/host/snapshot-store.js';
import { makeArchiveDurable, readArchiveProgress } from '../../archive/file.js';
import { fileBytes, syncPath } from '../../data-dir/files.js';
import type { DataDir } from '../../data-dir/layout.js';
import { type JournalReader, openJournalReader } from '../../journal/reader.js';
import { findSegments } from '../../journal/segment/names.js';
import { Segment } from '../../journal/segment/segment.js';
import { hashFile, SnapshotFiles } from '../../snapshot/files.js';
import { noRest, type Rest } from '../../thread/pace.js';

export interface RetentionPolicy {
  /** Segments whose last command is younger than this stay, in milliseconds; null: all stay. */
  readonly segmentsMs: number | null;
  /** How many of the newest snapshots stay, at least 1. */
  readonly snapshotsKept: number;
}

export interface PrunableSegment {
  readonly path: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Engine time of its last command. */
  readonly lastTimeMs: number;
  readonly bytes: number;
}

export interface PrunableSnapshot extends SnapshotRef {
  readonly bytes: number;
}

export interface PrunePlan {
  readonly segments: readonly PrunableSegment[];
  readonly snapshots: readonly PrunableSnapshot[];
  /** What stays, and why, in words. */
  readonly kept: readonly { readonly name: string; readonly why: string }[];
}

/**
 * What `policy` lets go of. Changes nothing; works beside a running server. `nowMs` is the engine time that ages are
 * counted from; `rest` is called between pieces of longer work. Throws where the journal or the archive cannot be read.
 */
export function planPrune(
  dir: DataDir,
  policy: RetentionPolicy,
  nowMs: number,
  rest: Rest = noRest,
): PrunePlan {
  const journal = openJournalReader(dir);
  try {
    return planWith(dir, journal, policy, nowMs, rest);
  } finally {
    journal.close();
  }
}

function planWith(
  dir: DataDir,
  journal: JournalReader,
  policy: RetentionPolicy,
  nowMs: number,
  rest: Rest,
): PrunePlan {
  const archivedSeq = readArchiveProgress(dir)?.seq ?? null;
  const kept: { name: string; why: string }[] = [];
  const keep = (path: string, why: string): void => void kept.push({ name: basename(path), why });
  const all = new SnapshotFiles(dir.snapshots).list();
  // Read after the list: a server's own snapshots are not after its journal's end.
  const endSeq = journal.lastSeq;
  for (const { seq, name } of all) if (seq > endSeq) keep(name, "it stands after the journal's end");
  const snapshots: PrunableSnapshot[] = [];
  const staying: SnapshotRef[] = [];
  for (const [index, snapshot] of all.filter(({ seq }) => seq <= endSeq).entries()) {
    const why = whySnapshotStays(index, snapshot, staying, policy, archivedSeq);
    if (why === null) snapshots.push({ ...snapshot, bytes: fileBytes(snapshot.name) });
    else {
      staying.push(snapshot);
      keep(snapshot.name, why);
    }
  }
  // Hashed at most once, and only where a segment would go.
  let doubted: string | null | undefined;
  const doubtOnce = (): string | null => {
    if (doubted === undefined) doubted = doubt(dir, journal, staying, rest);
    return doubted;
  };
  const segments: PrunableSegment[] = [];
  const paths = findSegments(dir.journal);
  for (const [index, path] of paths.entries()) {
    rest();
    const segment = index + 1 < paths.length ? sealedSegment(path) : null;
    const why =
      segment === null
        ? 'it is being written'
        : segments.length < index
          ? 'a segment before it stays'
          : (whySegmentStays(segment, policy, staying.at(-1)?.seq ?? null, archivedSeq, nowMs) ??
            doubtOnce());
    if (why === null && segment !== null) segments.push(segment);
    else keep(path, why ?? '');
  }
  return { segments, snapshots, kept };
}

/** Deletes what `plan` names. The caller holds the directory's lock, or is the server that does. */
export function carryOut(dir: DataDir, plan: PrunePlan): void {
  if (plan.segments.length > 0) {
    makeArchiveDurable(dir);
    for (const { path } of plan.segments) {
      rmSync(path, { force: true });
      syncPath(dir.journal);
    }
  }
  const oldestFirst = plan.snapshots.toSorted((a, b) => a.seq - b.seq);
  for (const { name } of oldestFirst) rmSync(name, { force: true });
  if (oldestFirst.length > 0) syncPath(dir.snapshots);
  new SnapshotFiles(dir.snapshots).keepNewest(Number.POSITIVE_INFINITY);
}

/** `snapshots` come newest first. */
function whySnapshotStays(
  index: number,
  { seq }: SnapshotRef,
  staying: readonly SnapshotRef[],
  { snapshotsKept }: RetentionPolicy,
  archivedSeq: number | null,
): string | null {
  if (index < snapshotsKept) return `one of the newest ${snapshotsKept}`;
  if (archivedSeq === null || seq > archivedSeq) return null;
  return staying.some((other) => other.seq <= archivedSeq) ? null : 'the archive goes on from it';
}

function whySegmentStays(
  { lastSeq, lastTimeMs }: PrunableSegment,
  { segmentsMs }: RetentionPolicy,
  snapshotSeq: number | null,
  archivedSeq: number | null,
  nowMs: number,
): string | null {
  if (segmentsMs === null) return 'all are kept';
  if (nowMs - lastTimeMs <= segmentsMs) return 'it is not old enough';
  if (snapshotSeq === null || snapshotSeq < lastSeq) return 'the oldest snapshot that stays does not hold it';
  if (archivedSeq === null || archivedSeq < lastSeq) return 'the archive does not hold it';
  return null;
}

/** What would take the segments' place must be what its name proves, and of this journal; null where it is. */
function doubt(
  dir: DataDir,
  journal: JournalReader,
  staying: readonly SnapshotRef[],
  rest: Rest,
): string | null {
  const oldest = staying.at(-1);
  const isWhole = oldest?.name.endsWith(`-${hashFile(oldest.name, rest)}.db`) ?? false;
  if (oldest === undefined || !isWhole) return 'the oldest snapshot that stays is damaged';
  const { chain } = new SnapshotFiles(dir.snapshots).metaOf(oldest);
  return journal.chainAt(oldest.seq) === chain
    ? null
    : 'the oldest snapshot that stays is not of this journal';
}

function sealedSegment(path: string): PrunableSegment {
  const segment = Segment.open(path, 'read');
  try {
    const tail = segment.tail();
    const { lastSeq } = tail ?? segment.start;
    const firstSeq = segment.start.lastSeq + 1;
    return { path, firstSeq, lastSeq, lastTimeMs: tail?.timeMs ?? 0, bytes: fileBytes(path) };
  } finally {
    segment.close();
  }
}
