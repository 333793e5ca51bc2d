/**
 * Copies a data directory into another one, on which a server can then start. The source may be in use: the copy has
 * everything that was acknowledged before the call, and each of its files can be verified, so that the copy is never
 * wrong, only older.
 *
 * A later call on the same target copies only new files. The order makes a crash harmless: snapshots come before the
 * journal that they lead to, then its mark, and last the archive. Meanwhile retention deletes nothing of the source.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { must } from '../../../engine/base/assert.js';
import { attempt, messageOf } from '../../../engine/base/attempt.js';
import type { Mark } from '../../../engine/model/ports.js';
import { copyArchive } from '../../archive/copy.js';
import type { ArchivePosition } from '../../archive/schema.js';
import { closing } from '../../data-dir/closing.js';
import { syncPath } from '../../data-dir/files.js';
import { type DataDir, openDataDir } from '../../data-dir/layout.js';
import { lockDataDir } from '../../data-dir/lock.js';
import { openMasterSecret } from '../../data-dir/secrets.js';
import { codeOf, JournalError } from '../../errors.js';
import { acknowledgedSeq, createMarkFile, readMarkFile } from '../../journal/mark.js';
import { JournalReader } from '../../journal/reader.js';
import { readAbsent, writeAbsent } from '../../journal/segment/absent.js';
import { checkChain } from '../../journal/segment/chain.js';
import { findSegments, firstSeqOf } from '../../journal/segment/names.js';
import { rowOfJournal } from '../../journal/segment/segment.js';
import { rulesOf } from '../../recovery/setup-of.js';
import { checkMark } from '../../replay/replay.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import {
  checkSnapshotFile,
  copyFault,
  copyFileDurably,
  copySecrets,
  isBlank,
  removeCopy,
  requirePlace,
  secretFiles,
  secretNotes,
} from '../copy-files.js';
import { withoutRetention } from '../retention/retention.js';
import { checkSameJournal, copySegments } from './journal.js';
import { endOfCopy, lostBeginning, mismatch } from './journal-ends.js';

/** `faults` are sentences on damaged parts of the source that were left out. */
export type BackedUp = ReturnType<typeof backupInto>;

/**
 * Without `hasSecrets` no server starts on the copy before the secrets are put there.
 *
 * Throws `data_dir_invalid` if `to` cannot be used, `data_dir_locked` if a server runs on it, `backup_mismatch` if it
 * holds another journal, `journal_corrupt`, `journal_incomplete` and `mark_unreadable` if the source's journal is not
 * good, and `disk_full`. Half of a first copy is removed, since it is useless; half of a later one is continued by
 * the next call.
 */
export function backup(
  source: DataDir,
  to: string,
  onSeq: (seq: number) => void = () => {},
  hasSecrets = true,
): BackedUp {
  requirePlace(source, to, 'copied to', (names) =>
    isBackup(names) ? null : 'it has files that are no backup',
  );
  const acknowledged = readMarkFile(source.markFile);
  const wasEmpty = !existsSync(to) || readdirSync(to).length === 0;
  const target = openDataDir(to);
  using _lock = lockDataDir(target);
  // Another backup may have ended there meanwhile.
  const isNew = wasEmpty && isBlank(target);
  try {
    if (!hasSecrets) refuseSecretsIn(target);
    return withoutRetention(source, () => backupInto(source, target, acknowledged, onSeq, hasSecrets));
  } catch (thrown) {
    if (isNew) removeCopy(target);
    throw copyFault(target.root, isNew ? 'are removed' : 'stay: the next backup goes on with them', thrown);
  }
}

/** Alone, `journal` is what a kill has left. Beside other files it is somebody else's, as in /var/log. */
const isBackup = (names: readonly string[]): boolean =>
  names.includes('journal') && (names.length === 1 || names.includes('snapshots'));

function backupInto(
  source: DataDir,
  target: DataDir,
  acknowledged: Mark | null,
  onSeq: (seq: number) => void,
  hasSecrets: boolean,
) {
  refuseOtherSecret(source, target);
  if (existsSync(target.inUseFile))
    throw mismatch(source, target, 'a server has run on it and did not stop in order');
  checkSameJournal(source, target);
  // A gap or a stray segment must not get into a good copy.
  checkChain(source.journal);
  const faults = hasSecrets ? copySecrets(source, target) : [];
  const snapshots = new SnapshotFiles(source.snapshots).list().map(({ name }) => basename(name));
  const snapshotsCopied = copySnapshots(source, target, snapshots, faults);
  const copied = copyJournal(source, target, acknowledged, onSeq, faults);
  if (hasSecrets) faults.push(...secretNotes(target, rulesOf(target)));
  const archive = backupArchive(source, target, copied.seq, faults);
  const snapshotsRemoved = removeOldSnapshots(target, snapshots);
  faults.push(...uncoveredBeginning(target, copied.seq), ...lostBeginning(target));
  return { ...copied, snapshotsCopied, snapshotsRemoved, archive, faults: [...new Set(faults)] };
}

/** An earlier backup has left them there; they may be the only copy, so they are not deleted. */
function refuseSecretsIn(target: DataDir): void {
  const found = secretFiles(target).find(existsSync);
  if (found === undefined) return;
  throw new JournalError(
    'backup_mismatch',
    `There is ${found}: an earlier backup was made with secrets. Name another place, or move the file to a safe one.`,
  );
}

function copyJournal(
  source: DataDir,
  target: DataDir,
  acknowledged: Mark | null,
  onSeq: (seq: number) => void,
  faults: string[],
) {
  const segmentsWritten = copySegments(source, target, onSeq);
  copyAbsent(source, target, faults);
  checkChain(target.journal);
  const { mark, ...end } = endOfCopy(target, acknowledged);
  checkMark(acknowledged, end.seq, acknowledgedChecksum(target, acknowledged, mark));
  createMarkFile(target.markFile, mark);
  return { ...end, segmentsWritten };
}

/** Up to the end of the copied journal. A damaged archive is no reason to have no copy. */
function backupArchive(source: DataDir, target: DataDir, endSeq: number, faults: string[]) {
  const row = rowOfJournal(target.journal, endSeq);
  const end = row === null ? null : { ...row, seq: endSeq };
  using reader = closing(new JournalReader(source));
  const isOfJournal = ({ seq, chain }: ArchivePosition): boolean => {
    const found = reader.chainAt(seq);
    if (found !== null) return found === chain;
    // A running server may have gone on behind the end, and the archive with it.
    return seq < reader.firstSeq - 1 || (seq > endSeq && seq <= acknowledgedSeq(source.markFile));
  };
  try {
    return copyArchive(source.archiveFile, target.archiveFile, end, isOfJournal);
  } catch (thrown) {
    if (!['archive_corrupt', 'backup_mismatch'].includes(codeOf(thrown))) throw thrown;
    faults.push(`The archive is not copied: ${messageOf(thrown)}`);
    return null;
  }
}

/** Directories with different secrets do not belong to the same journal. A damaged one tells nothing. */
function refuseOtherSecret(source: DataDir, target: DataDir): void {
  const [here, there] = [source, target].map((dir) => attempt(() => openMasterSecret(dir, false), null));
  if (!here || !there || here.equals(there)) return;
  throw new JournalError(
    'backup_mismatch',
    `The copy in ${target.root} has another master secret than ${source.root}: it is of another journal, or one of the two is damaged: npx tote verify tells. Name a new directory for the backup.`,
  );
}

/** Each copy is checked against its name. */
function copySnapshots(
  source: DataDir,
  target: DataDir,
  names: readonly string[],
  faults: string[],
): string[] {
  const copied: string[] = [];
  for (const name of names) {
    const copy = join(target.snapshots, name);
    if (existsSync(copy)) continue;
    try {
      copyFileDurably(join(source.snapshots, name), copy, (path) => checkSnapshotFile(path, name));
      copied.push(name);
    } catch (thrown) {
      const fault = thrown instanceof JournalError ? thrown : faultOfSnapshot(source, name);
      if (fault === null) throw thrown;
      faults.push(fault.message);
    }
  }
  return copied;
}

/** null if it can be read: then its copy cannot be written. */
function faultOfSnapshot(source: DataDir, name: string): JournalError | null {
  try {
    new SnapshotFiles(source.snapshots).wholeMetaOf({ seq: 0, name: join(source.snapshots, name) });
    return null;
  } catch (thrown) {
    if (thrown instanceof JournalError) return thrown;
    throw thrown;
  }
}

/** A sentence if the journal of the copy lacks its beginning and a snapshot to continue from. */
function uncoveredBeginning(target: DataDir, lastSeq: number): string[] {
  const firstSeq = firstSeqOf(must(findSegments(target.journal)[0], 'a segment of the copy'));
  const refs = new SnapshotFiles(target.snapshots).list();
  if (firstSeq === 1 || refs.some(({ seq }) => seq >= firstSeq - 1 && seq <= lastSeq)) return [];
  return [
    `The journal of the copy begins at sequence number ${firstSeq}, and no snapshot holds what came before: no server ` +
      'can start on it.',
  ];
}

/** null if the copy does not have the row. */
function acknowledgedChecksum(target: DataDir, acknowledged: Mark | null, end: Mark): string | null {
  if (acknowledged === null || acknowledged.lastSeq === end.lastSeq) return end.checksum;
  return rowOfJournal(target.journal, acknowledged.lastSeq)?.checksum ?? null;
}

/** Commands that were pruned from the copy alone stay recorded. A damaged record of the source counts as none, as at a start. */
function copyAbsent(source: DataDir, target: DataDir, faults: string[]): void {
  const before = readAbsent(target);
  try {
    const absentSeq = readAbsent(source);
    if (absentSeq !== null) writeAbsent(target, Math.max(absentSeq, before ?? 0));
  } catch (thrown) {
    if (codeOf(thrown) !== 'absent_unreadable') throw thrown;
    faults.push(messageOf(thrown));
  }
}

/**
 * Removes snapshots that the source no longer had when the copy began, but only if the copy has all of the others:
 * else an older one may be the only one that leads to its journal.
 */
function removeOldSnapshots(target: DataDir, names: readonly string[]): string[] {
  const isComplete = names.every((name) => existsSync(join(target.snapshots, name)));
  if (names.length === 0 || !isComplete) return [];
  const old = new SnapshotFiles(target.snapshots)
    .list()
    .filter(({ name }) => !names.includes(basename(name)));
  for (const { name } of old) rmSync(name, { force: true });
  if (old.length > 0) syncPath(target.snapshots);
  return old.map(({ name }) => basename(name));
}
