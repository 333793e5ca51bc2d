/** A data directory at a glance, without reading its journal. A part that cannot be read is named and does not hide the others. */
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../engine/base/attempt.js';
import type { Mark } from '../../engine/model/ports.js';
import { readArchiveProgress } from '../archive/file.js';
import { closing } from '../data-dir/closing.js';
import { databaseBytes, fileBytes } from '../data-dir/files.js';
import type { DataDir } from '../data-dir/layout.js';
import { findHolder } from '../data-dir/lock.js';
import { DEFAULT_SPACE_THRESHOLDS, freeBytesOf, SpaceWatch } from '../data-dir/space.js';
import { JournalError } from '../errors.js';
import { readMarkFile } from '../journal/mark.js';
import { checkChain } from '../journal/segment/chain.js';
import { findSegments, firstSeqOf, sourceOf } from '../journal/segment/names.js';
import { Segment } from '../journal/segment/segment.js';
import { wasStoppedUncleanly } from '../recovery/copy.js';
import { setupOf } from '../recovery/setup-of.js';
import { checkMark } from '../replay/replay.js';
import { SnapshotFiles } from '../snapshot/files.js';

/** `faults` are sentences on parts that cannot be read, which are null or left out. */
export function inspect(dir: DataDir) {
  const faults: string[] = [];
  const orFault = <T>(read: () => T): T | null => {
    try {
      return read();
    } catch (thrown) {
      if (!(thrown instanceof JournalError)) throw thrown;
      // A segment deleted after it was listed is no fault; a part that is read twice is named once.
      if (thrown.code !== 'segment_gone' && !faults.includes(thrown.message)) faults.push(thrown.message);
      return null;
    }
  };
  const holder = orFault(() => findHolder(dir));
  const archive = orFault(() => readArchiveProgress(dir));
  const mark = orFault(() => readMarkFile(dir.markFile));
  const paths = findSegments(dir.journal);
  const segments = paths.map((path) => orFault(() => inspectSegment(path)));
  const isRead = faults.length === 0 && segments.every((segment) => segment !== null);
  if (isRead) orFault(() => checkWhole(dir, mark, segments.at(-1)?.lastSeq ?? 0));
  const freeBytes = freeBytesOf(dir.journal);
  const space = new SpaceWatch(DEFAULT_SPACE_THRESHOLDS, () => freeBytes);
  space.check();
  return {
    holder,
    /** As the next start will find it. */
    wasStoppedUncleanly: holder === null && wasStoppedUncleanly(dir, paths.at(-1) ?? ''),
    mark,
    setup: orFault(() => setupOf(dir)),
    segments: segments.filter((segment) => segment !== null),
    /** Newest first; not read. */
    snapshots: new SnapshotFiles(dir.snapshots).list().map(({ name, seq }) => inspectSnapshot(name, seq)),
    archive,
    archiveBytes: databaseBytes(dir.archiveFile),
    totalBytes: bytesBelow(dir.root),
    freeBytes,
    spaceLevel: space.level,
    faults,
  };
}

/** No file is missing between those that are there, or at the end. */
function checkWhole({ journal }: DataDir, mark: Mark | null, lastSeq: number): void {
  checkChain(journal);
  checkMark(mark, lastSeq, mark?.checksum ?? null);
}

export type InspectedSegment = ReturnType<typeof inspectSegment>;

export function inspectSegment(path: string) {
  using segment = closing(Segment.open(sourceOf(path), 'read'));
  const firstSeq = firstSeqOf(path);
  const tail = segment.tail();
  return {
    path,
    firstSeq,
    /** `firstSeq - 1` in a segment without rows. */
    lastSeq: tail?.lastSeq ?? firstSeq - 1,
    /** Engine time of the last command; 0 without rows. */
    lastTimeMs: tail?.timeMs ?? 0,
    isSealed: segment.seal !== null,
    /** With the WAL. */
    bytes: databaseBytes(path),
  };
}

function inspectSnapshot(path: string, seq: number) {
  const info = statSync(path, { throwIfNoEntry: false });
  return { path, seq, bytes: info?.size ?? 0, writtenMs: Math.floor(info?.mtimeMs ?? 0) };
}

/** Skips what is deleted meanwhile, and folders of other users: a disk that is mounted there has a `lost+found`. */
function bytesBelow(folder: string): number {
  let bytes = 0;
  const entries = attempt((): Dirent[] => readdirSync(folder, { withFileTypes: true }), []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += bytesBelow(path);
    else bytes += fileBytes(path);
  }
  return bytes;
}
