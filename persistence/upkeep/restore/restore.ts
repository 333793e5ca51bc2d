/**
 * Creates a new data directory that ends at a chosen command: the explicit way on from a damaged one, and back to an
 * earlier moment. It takes the good part of the source (`salvage.ts`), up to the newest state that snapshots and the
 * rows behind them allow (`restore-points.ts`), from the last gap on. The lacks of the copy are reported.
 * docs/ops/backup-and-restore.md has a table of the outcome for each kind of damage.
 *
 * Nothing is written before the commands up to the chosen one have been replayed and have agreed with the journal's
 * digests. The mark is written last: an unfinished copy has none, and no server starts on it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { newSha256 } from '../../../crypto/sha256.js';
import type { Engine } from '../../../engine/engine.js';
import { type ArchiveCopied, copyArchive } from '../../archive/copy.js';
import { type ArchivePosition, ArchiveWriter } from '../../archive/writer.js';
import { databaseBytes, fileBytes } from '../../data-dir/files.js';
import { type DataDir, openDataDir } from '../../data-dir/layout.js';
import { masterSecretFingerprint } from '../../data-dir/secrets.js';
import { JournalError, messageOf } from '../../errors.js';
import { createMarkFile, EMPTY_MARK } from '../../journal/mark.js';
import { History } from '../../replay/history.js';
import { isOfJournal, loadWhole } from '../../replay/usable-snapshot.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import { copyFileDurably, copySecrets, requireSpace } from '../copy-files.js';
import type { Salvage } from '../salvage/salvage.js';
import { writeJournal } from './journal.js';
import { acknowledgedOf, leftOut } from './notes.js';
import { type RestorePoint, RestorePoints } from './restore-points.js';

export interface RestoreTarget {
  /** Must not exist, or be empty. */
  readonly out: string;
  /** null for the last command available. */
  readonly toSeq: number | null;
}

export interface Restored {
  readonly seq: number;
  /** Engine time of the last command. */
  readonly timeMs: number;
  /** SHA-256 of the full state. */
  readonly stateDigest: string;
  readonly isBatchSplit: boolean;
  readonly segments: readonly string[];
  readonly snapshots: readonly string[];
  readonly archive: ArchiveCopied | null;
  /** Acknowledged or requested commands are missing. */
  readonly lacksCommands: boolean;
  /** Sentences on lacks of the copy, and on missing data. */
  readonly notes: readonly string[];
}

/**
 * If `toSeq` is in a gap, the copy ends before the gap. Throws `data_dir_invalid` if `out` cannot be used, `not_found`
 * if the journal has no such command or no state can be reconstructed, `journal_incomplete` if the good part ends
 * earlier, `replay_mismatch` and `disk_full`.
 */
export function restore(
  source: DataDir,
  salvage: Salvage,
  target: RestoreTarget,
  onSeq: (seq: number) => void = () => {},
): Restored {
  refuseTakenPlace(source, target.out);
  const notes: string[] = [];
  const known = acknowledgedOf(source);
  const snapshots = new SnapshotFiles(source.snapshots);
  const points = new RestorePoints(salvage, snapshots, known.mark === null ? null : known.seq);
  const point = choosePoint(source, points, salvage, target.toSeq);
  const history = new History(point.run, snapshots, { onSeq, onNote: (note) => notes.push(note) });
  const engine = history.engineAt(point.seq);
  const wasThere = existsSync(target.out);
  try {
    const dir = openDataDir(target.out);
    requireSpace(dir.root, bytesOf(source, salvage));
    notes.push(...copySecrets(source, dir), ...secretNotes(source, engine));
    const { end, segments, isBatchSplit } = writeJournal(point, engine, dir);
    const copied = copySnapshots(source, point, dir, notes);
    const archive = restoreArchive(source, dir, point, end, engine, notes);
    const { mark } = known;
    const checksum = end.checksum ?? (mark?.lastSeq === end.seq ? mark.checksum : EMPTY_MARK.checksum);
    createMarkFile(dir.markFile, { lastSeq: end.seq, checksum });
    const ends = [point.run.firstSeq, point.seq] as const;
    const left = leftOut(source, known, salvage, ends, target.toSeq);
    return {
      seq: engine.seq,
      timeMs: engine.timeMs,
      stateDigest: engine.stateDigest(newSha256),
      isBatchSplit,
      segments,
      snapshots: copied,
      archive,
      lacksCommands: left.isLoss,
      notes: [...new Set([...points.notes, ...notes, ...left.notes])],
    };
  } catch (thrown) {
    removeUnfinished(target.out, wasThere);
    throw thrown;
  }
}

/** At `toSeq`, or before the gap in which that is. */
function choosePoint(
  source: DataDir,
  points: RestorePoints,
  salvage: Salvage,
  toSeq: number | null,
): RestorePoint {
  const newest = points.newest();
  if (newest === null || (newest.seq === 0 && toSeq === null)) {
    const why =
      salvage.fault ??
      (newest === null ? 'the beginning is missing, and no snapshot is good' : 'it is empty');
    throw new JournalError(
      'not_found',
      `The journal in ${source.journal} has no good command that a state can be worked out of: ${[why, ...points.notes].join(' ')}`,
    );
  }
  if (toSeq === null) return newest;
  checkReach(salvage, newest, toSeq);
  const point = points.newest(toSeq);
  if (point !== null) return point;
  throw new JournalError(
    'not_found',
    `The state at sequence number ${toSeq} cannot be worked out any more: what leads to it is missing. Take a backup that has it.`,
  );
}

function refuseTakenPlace(source: DataDir, out: string): void {
  const refuse = (why: string): never => {
    throw new JournalError(
      'data_dir_invalid',
      `Nothing is restored into ${resolve(out)}: ${why}. Name a new directory.`,
    );
  };
  if (!relative(source.root, resolve(out)).startsWith('..')) refuse('it lies in the data directory itself');
  if (!existsSync(out)) return;
  if (!statSync(out).isDirectory()) refuse('it is not a directory');
  if (readdirSync(out).length > 0) refuse('it is not empty');
}

function checkReach(salvage: Salvage, newest: RestorePoint, toSeq: number): void {
  if (toSeq > newest.seq) {
    const fault = salvage.faultAfter(newest.seq);
    throw new JournalError(
      fault === null ? 'not_found' : 'journal_incomplete',
      `The journal is good up to sequence number ${newest.seq}, not to ${toSeq}: ${fault ?? 'it ends there'}`,
    );
  }
  if (toSeq < salvage.firstSeq) {
    throw new JournalError(
      'not_found',
      `The journal begins at sequence number ${salvage.firstSeq}: what came before is not in it any more. Take a backup that has it.`,
    );
  }
}

/** Only whole ones of the new journal. */
function copySnapshots(source: DataDir, { run, seq }: RestorePoint, dir: DataDir, notes: string[]): string[] {
  const files = new SnapshotFiles(source.snapshots);
  const copied: string[] = [];
  for (const ref of files.list()) {
    if (ref.seq > seq || ref.seq < run.start.lastSeq) continue;
    try {
      const { meta } = loadWhole(files, ref);
      if (!isOfJournal(meta, run)) continue;
    } catch (thrown) {
      notes.push(`The snapshot ${ref.name} was passed over: ${messageOf(thrown)}`);
      continue;
    }
    mkdirSync(dir.snapshots, { recursive: true, mode: 0o700 });
    copyFileDurably(ref.name, join(dir.snapshots, basename(ref.name)));
    copied.push(basename(ref.name));
  }
  return copied;
}

/**
 * The server rebuilds a damaged archive from the journal. Where that has no rows, an archive is made that begins at
 * the end.
 */
function restoreArchive(
  source: DataDir,
  dir: DataDir,
  { run }: RestorePoint,
  end: ArchivePosition,
  engine: Engine,
  notes: string[],
): ArchiveCopied | null {
  let copied: ArchiveCopied | null = null;
  try {
    copied = copyArchive(source.archiveFile, dir.archiveFile, end);
  } catch (thrown) {
    if (!(thrown instanceof JournalError)) throw thrown;
    notes.push(`The archive is left out: ${thrown.message}`);
  }
  if (run.lastSeq >= run.firstSeq || copied?.seq === end.seq) return copied;
  ArchiveWriter.create(dir, end, engine, end.timeMs).close();
  notes.push(`The archive begins after ${end.seq}: keep the source for what was settled and moved before.`);
  return null;
}

function secretNotes(source: DataDir, engine: Engine): string[] {
  const inForce = engine.rules?.masterSecretFingerprint;
  if (inForce === undefined || !existsSync(source.masterSecretFile)) return [];
  if (masterSecretFingerprint(readFileSync(source.masterSecretFile)) === inForce) return [];
  return [
    `The file ${source.masterSecretFile} is not the secret that the rounds were opened with: put the right one into the ` +
      'new directory, or the server does not start on it.',
  ];
}

function bytesOf(source: DataDir, salvage: Salvage): number {
  const paths = new Set(salvage.runs.flatMap(({ pieces }) => pieces.map(({ path }) => path)));
  const journal = [...paths].map((path) => databaseBytes(path));
  const snapshots = new SnapshotFiles(source.snapshots).list().map(({ name }) => fileBytes(name));
  const archive = databaseBytes(source.archiveFile);
  return [...journal, ...snapshots, archive].reduce((sum, bytes) => sum + bytes, 0);
}

function removeUnfinished(out: string, wasThere: boolean): void {
  if (!wasThere) rmSync(out, { recursive: true, force: true });
  else for (const name of readdirSync(out)) rmSync(join(out, name), { recursive: true, force: true });
}
