/**
 * Which files of a data directory may be deleted (TOTE_RETENTION). The server's shadow and the command `prune` use
 * the same plan, with the reason why each other file is kept.
 *
 * A sealed segment may be deleted when all of it is older than the policy keeps, and an earlier snapshot, whole and
 * of this journal, and the archive both cover it (`choice.ts`). Segments are deleted from the oldest on, so that the
 * rest has one beginning, together with snapshots that no segment continues any more.
 *
 * The order makes a crash harmless: first the archive is made durable and the deletion is recorded (`absent.ts`),
 * then segments are deleted, oldest first, then snapshots, oldest first, and files of interrupted writers.
 */
import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import type { SnapshotRef } from '../../../engine/host/snapshot-store.js';
import { makeArchiveDurable, readArchiveProgress } from '../../archive/file.js';
import { closing } from '../../data-dir/closing.js';
import { fileBytes, syncPath } from '../../data-dir/files.js';
import type { DataDir } from '../../data-dir/layout.js';
import { exclusively } from '../../data-dir/lock.js';
import { JournalReader } from '../../journal/reader.js';
import { absentPath, readAbsent, writeAbsent } from '../../journal/segment/absent.js';
import { findSegments } from '../../journal/segment/names.js';
import { isOfJournal } from '../../replay/usable-snapshot.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import { noRest, type Rest } from '../../thread/pace.js';
import { type InspectedSegment, inspectSegment } from '../inspect.js';
import {
  type Extent,
  floorOf,
  type RetentionPolicy,
  type SnapshotPoint,
  whySegmentStays,
  whySnapshotsStay,
} from './choice.js';

interface DatedSnapshot extends SnapshotRef, SnapshotPoint {}

type Keep = (path: string, why: string) => void;

export type PrunePlan = ReturnType<typeof planPrune>;

/**
 * Changes nothing, and works beside a running server. `nowMs` is the engine time from which ages are counted; `rest`
 * is called between pieces of longer work. Throws if the journal or the archive cannot be read.
 */
export function planPrune(dir: DataDir, policy: RetentionPolicy, nowMs: number, rest: Rest = noRest) {
  using journal = closing(new JournalReader(dir));
  const kept: { name: string; why: string }[] = [];
  const keep: Keep = (path, why) => void kept.push({ name: basename(path), why });
  const dated = datedSnapshots(dir, journal, keep);
  const { firstSeq } = journal;
  const extent: Extent = { nowMs, archivedSeq: readArchiveProgress(dir)?.seq ?? null, firstSeq };
  const reached = dated.filter(({ seq }) => seq >= firstSeq - 1);
  const segments = segmentsToGo(dir, journal, floorOf(reached, policy, extent), policy, extent, keep, rest);
  const left: Extent = { ...extent, firstSeq: (segments.at(-1)?.lastSeq ?? firstSeq - 1) + 1 };
  return { segments, snapshots: snapshotsToGo(dated, policy, left, keep), kept };
}

/** Newest first. Snapshots that cannot be judged are kept. */
function datedSnapshots(dir: DataDir, journal: JournalReader, keep: Keep): DatedSnapshot[] {
  const files = new SnapshotFiles(dir.snapshots);
  const all = files.list();
  // Read after the list, so that no snapshot of a running server is after it.
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

function snapshotsToGo(dated: readonly DatedSnapshot[], policy: RetentionPolicy, extent: Extent, keep: Keep) {
  const reached = dated.filter(({ seq }) => seq >= extent.firstSeq - 1);
  const whys = whySnapshotsStay(reached, policy, extent);
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
  extent: Extent,
  keep: Keep,
  rest: Rest,
): InspectedSegment[] {
  // The snapshot is hashed at most once, and only if a segment would be deleted.
  let fault: string | null | undefined;
  const faultOnce = (): string | null => {
    if (fault === undefined) fault = faultOfFloor(dir, journal, floor, rest);
    return fault;
  };
  const going: InspectedSegment[] = [];
  const paths = findSegments(dir.journal);
  for (const [index, path] of paths.entries()) {
    rest();
    const segment = index + 1 < paths.length ? inspectSegment(path) : null;
    const why =
      segment === null
        ? 'it is being written'
        : going.length < index
          ? 'a segment before it stays'
          : (whySegmentStays(segment, policy, floor, extent) ?? faultOnce());
    if (why === null && segment !== null) going.push(segment);
    else keep(path, why ?? '');
  }
  return going;
}

/**
 * A server may be running, and pruning, too. Throws `data_dir_locked`, with nothing deleted, if it is at this moment, or
 * a backup is made.
 */
export function executePlan(dir: DataDir, plan: PrunePlan): void {
  withoutRetention(dir, () => {
    if (plan.segments.length > 0) {
      makeArchiveDurable(dir);
      // A segment that is missing without a record counts as lost, so the record comes first.
      writeAbsent(dir, Math.max(readAbsent(dir) ?? 0, ...plan.segments.map(({ lastSeq }) => lastSeq)));
      for (const { path } of plan.segments) {
        rmSync(path, { force: true });
        syncPath(dir.journal);
      }
    }
    const oldestFirst = plan.snapshots.toSorted((a, b) => a.seq - b.seq);
    for (const { name } of oldestFirst) rmSync(name, { force: true });
    if (oldestFirst.length > 0) syncPath(dir.snapshots);
    new SnapshotFiles(dir.snapshots).removeStrays();
  });
}

/** Nobody else deletes files meanwhile. Throws `data_dir_locked`. */
export const withoutRetention = <T>(dir: DataDir, work: () => T): T =>
  exclusively(dir, `${absentPath(dir)}.lock`, work);

/**
 * null if the floor is whole and of this journal. It is not loaded: the server's shadow would need the memory of
 * another engine.
 */
function faultOfFloor(
  dir: DataDir,
  journal: JournalReader,
  floor: DatedSnapshot | null,
  rest: Rest,
): string | null {
  const files = new SnapshotFiles(dir.snapshots, rest);
  if (floor === null || !files.isWhole(floor)) return 'the snapshot in its place is damaged';
  if (isOfJournal(files.metaOf(floor), journal)) return null;
  return 'the snapshot in its place is not of this journal';
}
