/** Copies of files into another data directory. Under its name a copy is complete and durable, or it does not exist. */
import { chmodSync, constants, copyFileSync, existsSync, rmSync } from 'node:fs';
import { renameDurably, syncPath, unfinishedPath } from '../data-dir/files.js';
import type { DataDir } from '../data-dir/layout.js';
import { requireSpaceForCopy } from '../data-dir/space.js';
import { JournalError } from '../errors.js';
import { isSnapshotNamed } from '../snapshot/files.js';

/** Closed to other users; `check` may throw before the copy gets its name. */
export function copyFileDurably(from: string, to: string, check: (copy: string) => void = () => {}): void {
  const aside = unfinishedPath(to);
  rmSync(aside, { force: true });
  try {
    copyFileSync(from, aside, constants.COPYFILE_EXCL);
    chmodSync(aside, 0o600);
    syncPath(aside);
    check(aside);
    renameDurably(aside, to);
  } finally {
    rmSync(aside, { force: true });
  }
}

/** With these files one can act as operator or server. */
export const secretFiles = (dir: DataDir): string[] => [
  dir.masterSecretFile,
  dir.operatorTokenFile,
  dir.operatorTokensFile,
  dir.signingKeysFile,
];

/**
 * Copies secrets that the target lacks, and the named tokens as they are now: one that was revoked must not come back
 * with an older copy. Returns a sentence if the master secret is missing.
 */
export function copySecrets(from: DataDir, to: DataDir): string[] {
  const notes: string[] = [];
  for (const name of ['masterSecretFile', 'operatorTokenFile', 'signingKeysFile'] as const) {
    if (existsSync(to[name])) continue;
    if (existsSync(from[name])) copyFileDurably(from[name], to[name]);
    else if (name === 'masterSecretFile') {
      notes.push(`There is no ${from[name]}: without it the server does not start on the copy.`);
    }
  }
  if (existsSync(from.operatorTokensFile)) copyFileDurably(from.operatorTokensFile, to.operatorTokensFile);
  else rmSync(to.operatorTokensFile, { force: true });
  return notes;
}

/** Throws `snapshot_damaged`. */
export function checkSnapshotFile(copy: string, name: string): void {
  if (isSnapshotNamed(name, copy)) return;
  throw new JournalError(
    'snapshot_damaged',
    `The snapshot ${name} is damaged: its content is not that of its name. Delete it: the server makes new ones.`,
  );
}

/** Throws `disk_full`. */
export function requireSpace(path: string, bytes: number): void {
  requireSpaceForCopy(
    path,
    bytes,
    (needed, free) =>
      `The copy in ${path} needs ${needed}; ${free} are free. Free some space, or name another place.`,
  );
}

export function diskFull({ root }: DataDir, isNew: boolean, cause: unknown): JournalError {
  const left = isNew
    ? 'The copied files are removed.'
    : 'The copied files stay: the next backup goes on with them.';
  return new JournalError(
    'disk_full',
    `There is not enough free space for the backup in ${root}. ${left} Free some, or name another place, and run it again.`,
    { cause },
  );
}
