/**
 * What a data directory may do without (design, "Running it"; TOTE_RETENTION). One plan for the server's shadow and
 * for the command `prune`: what would go, and why the rest stays.
 *
 * A sealed segment may go when all of it is older than the policy keeps, a snapshot from before what is kept holds what
 * it did and is whole and of this journal, and so does the archive (`retention-choice.ts`). Segments go from the oldest
 * on, so that what is left has one beginning; a snapshot from which no segment goes on any more goes with them.
 *
 * The order of deletion is that of a crash's harm: first the archive is made durable and what goes is written down
 * (`absent.ts`), then segments go, oldest first,
 * then snapshots, oldest first, and what unfinished writers have left. A crash in between leaves a directory with less
 * to delete.
 */
import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { must } from '../../../engine/base/assert.js';
import type { SnapshotRef } from '../../../engine/host/snapshot-store.js';
import { makeArchiveDurable, readArchiveProgress } from '../../archive/file.js';
import { fileBytes, syncPath } from '../../data-dir/files.js';
import type { DataDir } from '../../data-dir/layout.js';
import { exclusively } from '../../data-dir/lock.js';
import { type JournalReader, openJournalReader } from '../../journal/reader.js';
import {
  absentPath,
  prunedBefore,
  readAbsent,
  withAbsent,
  writeAbsent,
} from '../../journal/segment/absent.js';
import { findSegments } from '../../journal/segment/names.js';
import { Segment } from '../../journal/segment/segment.js';
import { isOfJournal } from '../../replay/usable-snapshot.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import { noRest, type Rest } from '../../thread/pace.js';
import {
  floorOf,
  type Past,
  type RetentionPolicy,
  type SegmentSpan,
  type SnapshotPoint,
  whySegmentStays,
  whySnapshotsStay,
} from './choice.js';

export interface PrunableSegment extends SegmentSpan {
  readonly path: string;
  readonly firstSeq: number;
  readonly bytes: number;
}

export interface PrunableSnapshot extends SnapshotRef {
  readonly bytes: number;
}

interface DatedSnapshot extends SnapshotRef, SnapshotPoint {}

/** Names what stays, and why. */
type Keep = (path: string, why: string) => void;

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
  const kept: { name: string; why: string }[] = [];
  const keep: Keep = (path, why) => void kept.push({ name: basename(path), why });
  const dated = datedSnapshots(dir, journal, keep);
  const { firstSeq } = journal;
  const past: Past = { nowMs, archivedSeq: readArchiveProgress(dir)?.seq ?? null, firstSeq };
  const reached = dated.filter(({ seq }) => seq >= firstSeq - 1);
  const segments = segmentsToGo(dir, journal, floorOf(reached, policy, past), policy, past, keep, rest);
  const left: Past = { ...past, firstSeq: (segments.at(-1)?.lastSeq ?? firstSeq - 1) + 1 };
  return { segments, snapshots: snapshotsToGo(dated, policy, left, keep), kept };
}

/** Those that can be judged, newest first; the others stay. */
function datedSnapshots(dir: DataDir, journal: JournalReader, keep: Keep): DatedSnapshot[] {
  const files = new SnapshotFiles(dir.snapshots);
  const all = files.list();
  // Read after the list: a server's own snapshots are not after its journal's end.
  const endSeq = journal.lastSeq;
  return all.flatMap((ref) => {
    if (ref.seq > endSeq) keep(ref.name, "it stands after the journal's end");
    else {
      try {
        return [{ ...ref, timeMs: files.metaOf(ref).timeMs }];
      } catch {
        keep(ref.name, 'it cannot be read; where it is damaged, delete it');
      }
    }
    return [];
  });
}

function snapshotsToGo(
  dated: readonly DatedSnapshot[],
  policy: RetentionPolicy,
  past: Past,
  keep: Keep,
): PrunableSnapshot[] {
  const reached = dated.filter(({ seq }) => seq >= past.firstSeq - 1);
  const whys = whySnapshotsStay(reached, policy, past);
  return dated.flatMap(({ seq, name }, index) => {
    const why = whys[index] ?? null;
    if (why === null) return [{ seq, name, bytes: fileBytes(name) }];
    keep(name, why);
    return [];
  });
}

function segmentsToGo(
  dir: DataDir,
  journal: JournalReader,
  floor: DatedSnapshot | null,
  policy: RetentionPolicy,
  past: Past,
  keep: Keep,
  rest: Rest,
): PrunableSegment[] {
  // Hashed at most once, and only where a segment would go.
  let doubted: string | null | undefined;
  const doubtOnce = (): string | null => {
    if (doubted === undefined) doubted = doubt(dir, journal, floor, rest);
    return doubted;
  };
  const going: PrunableSegment[] = [];
  const paths = findSegments(dir.journal);
  for (const [index, path] of paths.entries()) {
    rest();
    const segment = index + 1 < paths.length ? sealedSegment(path) : null;
    const why =
      segment === null
        ? 'it is being written'
        : going.length < index
          ? 'a segment before it stays'
          : (whySegmentStays(segment, policy, floor, past) ?? doubtOnce());
    if (why === null && segment !== null) going.push(segment);
    else keep(path, why ?? '');
  }
  return going;
}

/** Deletes what `plan` names. A server may run, and prune as well. Throws `data_dir_locked`, and then has deleted nothing. */
export function carryOut(dir: DataDir, plan: PrunePlan): void {
  if (plan.segments.length > 0) {
    makeArchiveDurable(dir);
    writeDownPruned(dir, plan.segments);
    for (const { path } of plan.segments) {
      rmSync(path, { force: true });
      syncPath(dir.journal);
    }
  }
  const oldestFirst = plan.snapshots.toSorted((a, b) => a.seq - b.seq);
  for (const { name } of oldestFirst) rmSync(name, { force: true });
  if (oldestFirst.length > 0) syncPath(dir.snapshots);
  new SnapshotFiles(dir.snapshots).removeStrays();
}

/**
 * Before they go: a segment that is missing and does not stand there is lost. The server's retention and the command `prune`
 * may be at it at the same moment, and neither must write over what the other one has added.
 */
function writeDownPruned(dir: DataDir, segments: readonly PrunableSegment[]): void {
  exclusively(dir, `${absentPath(dir)}.lock`, () => {
    const before = readAbsent(dir) ?? prunedBefore(must(segments[0], 'a segment').firstSeq);
    const absent = segments.reduce(
      (ranges, { firstSeq, lastSeq }) => withAbsent(ranges, { why: 'pruned', firstSeq, lastSeq }),
      before,
    );
    writeAbsent(dir, absent);
  });
}

/**
 * What would take the segments' place must be what its name proves, and of this journal; null where it is. It is not loaded: a
 * server's shadow would need the memory of a second engine.
 */
function doubt(dir: DataDir, journal: JournalReader, floor: DatedSnapshot | null, rest: Rest): string | null {
  const files = new SnapshotFiles(dir.snapshots, rest);
  if (floor === null || !files.isWhole(floor)) return 'the snapshot in its place is damaged';
  if (isOfJournal(files.metaOf(floor), journal)) return null;
  return 'the snapshot in its place is not of this journal';
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
