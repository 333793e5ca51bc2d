/**
 * Begins a new journal after a snapshot, for a directory whose journal is gone. The new directory has the newest good
 * snapshot, an empty segment that follows it by its chain hash, the archive up to there, and a record that everything
 * before is not in this journal. Commands after the snapshot are lost, which is reported; their numbers are used again.
 * The source is not changed, and the mark is written last: no server starts on a copy without one.
 */
import { existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { newSha256 } from '../../../crypto/sha256.js';
import type { Mark } from '../../../engine/model/ports.js';
import { copyArchive } from '../../archive/copy.js';
import { readArchiveProgress } from '../../archive/file.js';
import type { ArchiveProgress } from '../../archive/schema.js';
import { type ArchivePosition, ArchiveWriter } from '../../archive/writer.js';
import { databaseBytes } from '../../data-dir/database-files.js';
import { fileBytes } from '../../data-dir/files.js';
import { type DataDir, openDataDir } from '../../data-dir/layout.js';
import { JournalError } from '../../errors.js';
import { createMarkFile, EMPTY_MARK, readMarkFile } from '../../journal/mark.js';
import {
  type AbsentRange,
  absentUpTo,
  readAbsent,
  withAbsent,
  writeAbsent,
} from '../../journal/segment/absent.js';
import { createSegment } from '../../journal/segment/roll.js';
import { firstUsable, type UsableSnapshot } from '../../replay/usable-snapshot.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import { checkSnapshotFile, copyFileDurably, copySecrets, requireSpace } from '../copy-files.js';
import { refuseTakenPlace, removeUnfinished, secretNotes } from './restore.js';

export interface RestoredFromSnapshot {
  /** The last command in the snapshot, and its engine time. */
  readonly seq: number;
  readonly timeMs: number;
  /** Digest of the full state there, SHA-256. */
  readonly stateDigest: string;
  readonly snapshot: string;
  /** Whether the archive also has what came before the snapshot. */
  readonly hasOldArchive: boolean;
  /** Commands that are known to have existed and are not in the copy, or null. */
  readonly lost: Lost | null;
  readonly notes: readonly string[];
}

export interface Lost {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** When the last of them happened, as far as is known. */
  readonly lastTimeMs: number;
}

/**
 * Throws `data_dir_invalid` if `out` cannot be used, `not_found` if no snapshot is good, and `disk_full`. `nowMs` is
 * the creation time of the new segment.
 */
export function restoreFromSnapshot(source: DataDir, out: string, nowMs: number): RestoredFromSnapshot {
  refuseTakenPlace(source, out);
  const notes: string[] = [];
  const loaded = newestGood(source, notes);
  const { ref, meta, engine } = loaded;
  const mark = attempt(() => readMarkFile(source.markFile), notes);
  const archive = attempt(() => readArchiveProgress(source), notes);
  const wasThere = existsSync(out);
  try {
    const dir = openDataDir(out);
    requireSpace(dir.root, fileBytes(ref.name) + databaseBytes(source.archiveFile));
    notes.push(...copySecrets(source, dir), ...secretNotes(source, engine));
    const name = basename(ref.name);
    copyFileDurably(ref.name, join(dir.snapshots, name), (copy) => checkSnapshotFile(copy, name));
    const hasOldArchive = makeArchive(source, dir, loaded, nowMs, notes);
    createSegment(dir.journal, { lastSeq: meta.seq, chain: meta.chain }, nowMs);
    writeAbsent(dir, absentRanges(source, meta.seq, notes));
    // No row ends there any more, so the checksum is not compared with anything.
    const checksum = mark?.lastSeq === meta.seq ? mark.checksum : EMPTY_MARK.checksum;
    createMarkFile(dir.markFile, { lastSeq: meta.seq, checksum });
    return {
      seq: meta.seq,
      timeMs: meta.timeMs,
      stateDigest: engine.stateDigest(newSha256),
      snapshot: name,
      hasOldArchive,
      lost: lostAfter(source, meta.seq, mark, archive),
      notes,
    };
  } catch (thrown) {
    removeUnfinished(out, wasThere);
    throw thrown;
  }
}

function newestGood(source: DataDir, notes: string[]): UsableSnapshot {
  const files = new SnapshotFiles(source.snapshots);
  const usable = firstUsable(files.list(), files, null, (note) => notes.push(note));
  if (usable !== null) return usable;
  throw new JournalError(
    'not_found',
    `There is no good snapshot in ${source.snapshots} to begin with.${notes.map((note) => ` ${note}`).join('')}`,
  );
}

/** Copies the archive of the source, or creates one that begins at the snapshot. Returns whether it was copied. */
function makeArchive(
  source: DataDir,
  dir: DataDir,
  { meta, engine }: UsableSnapshot,
  nowMs: number,
  notes: string[],
): boolean {
  const position: ArchivePosition = meta;
  const copied = attempt(() => copyArchive(source.archiveFile, dir.archiveFile, position), notes);
  if (copied?.seq === meta.seq) return true;
  ArchiveWriter.create(dir, position, engine, nowMs).close();
  const why =
    copied === null ? 'none could be taken over' : `the one of the source ends at ${copied.seq} already`;
  notes.push(
    `The archive begins after ${meta.seq}, for ${why}: keep the source for what was settled and moved before.`,
  );
  return false;
}

/** What the source's journal lacked keeps its reason; everything else up to `seq` is lost. */
function absentRanges(source: DataDir, seq: number, notes: string[]): AbsentRange[] {
  const known = attempt(() => readAbsent(source), notes) ?? [];
  return withAbsent(absentUpTo(known, seq), { why: 'lost', firstSeq: 1, lastSeq: seq });
}

/** What is known to have happened after `seq`, from the mark, or from an archive that reaches further. */
function lostAfter(
  source: DataDir,
  seq: number,
  mark: Mark | null,
  archive: ArchiveProgress | null,
): Lost | null {
  const acknowledgedSeq = mark?.lastSeq ?? 0;
  const archivedSeq = archive?.seq ?? 0;
  const lastSeq = Math.max(acknowledgedSeq, archivedSeq);
  if (lastSeq <= seq) return null;
  // The mark contains no time, but its file was written when that command was acknowledged.
  const lastTimeMs =
    archive !== null && archivedSeq >= acknowledgedSeq
      ? archive.timeMs
      : Math.floor(statSync(source.markFile).mtimeMs);
  return { firstSeq: seq + 1, lastSeq, lastTimeMs };
}

/** What cannot be read is reported and counts as missing. */
function attempt<T>(read: () => T, notes: string[]): T | null {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof JournalError)) throw thrown;
    notes.push(thrown.message);
    return null;
  }
}
