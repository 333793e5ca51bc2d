/**
 * A directory whose journal is gone is not a new one: starting from scratch would silently forget every account. If a
 * server has left a snapshot, the archive, the mark or the master secret there, the start is refused with an error
 * that names it, and the command that restores the most.
 */
import { existsSync } from 'node:fs';
import { type DataDir, requireWritable } from '../data-dir/layout.js';
import { JournalError, shellWord } from '../errors.js';
import { acknowledgedSeq } from '../journal/mark.js';
import { hasSegments } from '../journal/segment/names.js';
import { SnapshotFiles } from '../snapshot/files.js';

export interface RequiredOf {
  /** There must be a journal with something in it, as `tote init` makes it. */
  readonly requireData?: boolean;
  /** A standby has a master secret alone: it gets its journal from the replicated log. */
  readonly isFollower?: boolean;
}

const MASTER_SECRET = 'the master secret';

/**
 * Throws `journal_incomplete` for remains without a journal; `data_dir_invalid` for a directory that cannot be read and,
 * with `requireData`, for no remains. Changes nothing.
 */
export function refuseWithoutJournal(
  dir: DataDir,
  { requireData = false, isFollower = false }: RequiredOf,
): void {
  // In this order, the folder that is at fault is named.
  for (const folder of [dir.root, dir.journal].filter(existsSync)) requireWritable(folder);
  if (hasSegments(dir.journal)) return;
  const remains = remainsOf(dir);
  if (remains.length === 0) {
    if (requireData) throw notInitialised(dir);
  } else if (!isFollower || remains.some((words) => words !== MASTER_SECRET)) throw journalGone(dir, remains);
}

export const notInitialised = (dir: DataDir): JournalError =>
  new JournalError(
    'data_dir_invalid',
    `There is no journal in ${dir.root}, and with NODE_ENV=production a start makes none: is the disk mounted, and TOTE_DATA_DIR right? ` +
      `Before the very first start: npx tote init ${shellWord(dir.root)} --house-capital DOLLARS`,
  );

function remainsOf(dir: DataDir): string[] {
  const snapshots = new SnapshotFiles(dir.snapshots).list().length;
  const parts: readonly (readonly [words: string, isThere: boolean])[] = [
    [snapshots === 1 ? 'a snapshot' : `${snapshots} snapshots`, snapshots > 0],
    ['an archive', existsSync(dir.archiveFile)],
    ['a mark', existsSync(dir.markFile)],
    [MASTER_SECRET, existsSync(dir.masterSecretFile)],
  ];
  return parts.filter(([, isThere]) => isThere).map(([words]) => words);
}

function journalGone(dir: DataDir, remains: readonly string[]): JournalError {
  const acknowledged = acknowledgedSeq(dir.markFile);
  const told = acknowledged > 0 ? ` Commands up to ${acknowledged} were acknowledged.` : '';
  return new JournalError(
    'journal_incomplete',
    `There is no journal in ${dir.journal}, but the directory is not new: it has ${remains.join(', ')}.${told} ` +
      'For a new beginning name another directory; else put the folder journal back from a backup. Without one go on from the ' +
      `newest good snapshot, which loses what came after it: npx tote restore ${shellWord(dir.root)} --out NEW_DIR`,
  );
}
