/**
 * Makes a new data directory that ends at a chosen command: the explicit way on from a damaged one, and the way back to
 * an earlier moment. The source is read as far as it is good and not changed; what the copy lacks is said.
 *
 * Nothing is written before the commands up to the chosen one have been carried out again and agreed with the
 * journal's digests. The mark comes last: a copy that was not finished has none, and no server starts on it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import type { Engine } from '../../../engine/engine.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { type ArchiveCopied, copyArchive } from '../../archive/copy.js';
import { fileBytes } from '../../data-dir/files.js';
import { type DataDir, openDataDir } from '../../data-dir/layout.js';
import { masterSecretFingerprint } from '../../data-dir/secrets.js';
import { JournalError, messageOf } from '../../errors.js';
import { createMarkFile, readMarkFile } from '../../journal/mark.js';
import { walPath } from '../../journal/segment/names.js';
import { History } from '../../replay/history.js';
import { newSha256 } from '../../sha256.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import { copyFileDurably, copySecrets, requireSpace } from '../copy-files.js';
import type { Salvage } from '../salvage/salvage.js';
import { writeJournal } from './journal.js';

export interface RestoreTarget {
  /** Where the new directory goes; missing, or an empty folder. */
  readonly out: string;
  /** The last command of the copy. */
  readonly toSeq: number;
}

export interface Restored {
  readonly seq: number;
  /** Engine time of the last command. */
  readonly timeMs: number;
  /** Digest of the engine's full state there, SHA-256. */
  readonly stateDigest: string;
  /** Whether a batch of the source was cut in two. */
  readonly isBatchSplit: boolean;
  readonly segments: readonly string[];
  readonly snapshots: readonly string[];
  readonly archive: ArchiveCopied | null;
  /** What the source has and the copy has not, and what is missing, in sentences. */
  readonly notes: readonly string[];
}

/**
 * Throws `data_dir_invalid` where `out` cannot be taken, `not_found` where the journal has no such command or its
 * state cannot be worked out any more, `journal_incomplete` where the good part ends before, `replay_mismatch`,
 * `disk_full`.
 */
export function restore(
  source: DataDir,
  salvage: Salvage,
  target: RestoreTarget,
  onSeq: (seq: number) => void = () => {},
): Restored {
  refuseTakenPlace(source, target.out);
  checkReach(salvage, target.toSeq);
  const notes: string[] = [];
  const snapshots = new SnapshotFiles(source.snapshots);
  const history = new History(salvage, snapshots, { onSeq, onNote: (note) => notes.push(note) });
  const engine = history.engineAt(target.toSeq);
  const wasThere = existsSync(target.out);
  try {
    const dir = openDataDir(target.out);
    requireSpace(dir.root, bytesOf(source, salvage));
    notes.push(...copySecrets(source, dir), ...secretNotes(source, engine));
    const written = writeJournal(salvage, engine, dir);
    const copied = copySnapshots(source, salvage, dir, target.toSeq, notes);
    const archive = restoreArchive(source, dir, engine, written.last, notes);
    createMarkFile(dir.markFile, { lastSeq: written.last.lastSeq, checksum: written.last.checksum });
    notes.push(...leftOut(source, salvage, target.toSeq));
    return {
      seq: engine.seq,
      timeMs: engine.timeMs,
      stateDigest: engine.stateDigest(newSha256),
      isBatchSplit: written.isBatchSplit,
      segments: written.segments,
      snapshots: copied,
      archive,
      notes,
    };
  } catch (thrown) {
    removeUnfinished(target.out, wasThere);
    throw thrown;
  }
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

function checkReach(salvage: Salvage, toSeq: number): void {
  if (toSeq > salvage.lastSeq) {
    const why = salvage.fault === null ? 'it ends there' : salvage.fault;
    throw new JournalError(
      salvage.fault === null ? 'not_found' : 'journal_incomplete',
      `The journal is good up to sequence number ${salvage.lastSeq}, not to ${toSeq}: ${why}`,
    );
  }
  if (toSeq < salvage.firstSeq) {
    throw new JournalError(
      'not_found',
      `The journal begins at sequence number ${salvage.firstSeq}: what came before has been pruned. Take a backup that has it.`,
    );
  }
}

/** Snapshots up to the end that are whole and of this journal. */
function copySnapshots(
  source: DataDir,
  salvage: Salvage,
  dir: DataDir,
  toSeq: number,
  notes: string[],
): string[] {
  const files = new SnapshotFiles(source.snapshots);
  const copied: string[] = [];
  for (const ref of files.list()) {
    if (ref.seq > toSeq) continue;
    try {
      if (files.load(ref).meta.chain !== salvage.chainAt(ref.seq)) continue;
    } catch (thrown) {
      notes.push(`The snapshot ${ref.name} is left out: ${messageOf(thrown)}`);
      continue;
    }
    mkdirSync(dir.snapshots, { recursive: true, mode: 0o700 });
    copyFileDurably(ref.name, join(dir.snapshots, basename(ref.name)));
    copied.push(basename(ref.name));
  }
  return copied;
}

/** A damaged archive is no obstacle: the server makes it again as far as the journal reaches. */
function restoreArchive(
  source: DataDir,
  dir: DataDir,
  engine: Engine,
  last: StoredBatch,
  notes: string[],
): ArchiveCopied | null {
  mkdirSync(dir.archive, { recursive: true, mode: 0o700 });
  try {
    const { seq, timeMs } = engine;
    return copyArchive(source.archiveFile, dir.archiveFile, {
      seq,
      timeMs,
      digest: last.digest,
      chain: last.chain,
    });
  } catch (thrown) {
    if (!(thrown instanceof JournalError)) throw thrown;
    notes.push(`The archive is left out: ${thrown.message}`);
    return null;
  }
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

/** What the source holds, or should hold, beyond the end of the copy. */
function leftOut(source: DataDir, salvage: Salvage, toSeq: number): string[] {
  const notes: string[] = [];
  const { lastSeq, fault } = salvage;
  if (lastSeq > toSeq) notes.push(`Good commands that are left out: ${toSeq + 1} to ${lastSeq}.`);
  if (fault !== null) notes.push(`After ${lastSeq} the source is not good: ${fault}`);
  try {
    const acknowledged = readMarkFile(source.markFile)?.lastSeq ?? null;
    if (acknowledged === null) {
      notes.push('The source has no mark: nothing says whether commands after the copy were acknowledged.');
    } else if (acknowledged > lastSeq) {
      notes.push(
        `The source acknowledged commands up to ${acknowledged}: ${lastSeq + 1} to ${acknowledged} are lost.`,
      );
    }
  } catch (thrown) {
    notes.push(
      `The source's mark cannot be read, so nothing says what was acknowledged last: ${messageOf(thrown)}`,
    );
  }
  return notes;
}

function bytesOf(source: DataDir, salvage: Salvage): number {
  const journal = salvage.segments.map(({ path }) => fileBytes(path) + fileBytes(walPath(path)));
  const snapshots = new SnapshotFiles(source.snapshots).list().map(({ name }) => fileBytes(name));
  const archive = fileBytes(source.archiveFile) + fileBytes(walPath(source.archiveFile));
  return [...journal, ...snapshots, archive].reduce((sum, bytes) => sum + bytes, 0);
}

function removeUnfinished(out: string, wasThere: boolean): void {
  if (!wasThere) rmSync(out, { recursive: true, force: true });
  else for (const name of readdirSync(out)) rmSync(join(out, name), { recursive: true, force: true });
}
