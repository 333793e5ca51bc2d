/** Copies of files into another data directory. Under its name a copy is complete and durable, or it does not exist. */
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { FILE_MODE, renameDurably, syncPath, unfinishedPath } from '../data-dir/files.js';
import type { DataDir } from '../data-dir/layout.js';
import { readSigningKeys } from '../data-dir/signing-keys.js';
import { requireSpaceForCopy } from '../data-dir/space.js';
import { isDiskFull, JournalError } from '../errors.js';
import { isSnapshotNamed } from '../snapshot/files.js';

/** Closed to other users; `check` may throw before the copy gets its name. */
export function copyFileDurably(from: string, to: string, check: (copy: string) => void = () => {}): void {
  const aside = unfinishedPath(to);
  rmSync(aside, { force: true });
  try {
    copyFileSync(from, aside, constants.COPYFILE_EXCL);
    chmodSync(aside, FILE_MODE);
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
 * Copies secrets that the target lacks, and the tokens of operators and the signing keys as they are now: what was revoked
 * or retired must not come back with an older copy. Returns sentences on what is missing or left as it was.
 */
export function copySecrets(from: DataDir, to: DataDir): string[] {
  for (const name of ['operatorTokenFile', 'operatorTokensFile'] as const) {
    if (existsSync(from[name])) copyFileDurably(from[name], to[name]);
    else rmSync(to[name], { force: true });
  }
  return [...copyMasterSecret(from, to), ...copySigningKeys(from, to)];
}

function copyMasterSecret({ masterSecretFile: from }: DataDir, { masterSecretFile: to }: DataDir): string[] {
  if (existsSync(to)) return [];
  if (!existsSync(from)) return [`There is no ${from}: without it the server does not start on the copy.`];
  copyFileDurably(from, to);
  return [];
}

/** Keys that were lost and made anew do not tell of those in the copy, which may be the only ones left. */
function copySigningKeys(from: DataDir, to: DataDir): string[] {
  const [file, copy] = [from.signingKeysFile, to.signingKeysFile];
  if (!existsSync(file)) return [];
  if (existsSync(copy)) {
    if (readFileSync(copy).equals(readFileSync(file))) return [];
    const fault = faultOfKeys(from, to);
    if (fault !== null) return [`${copy} is not that of ${from.root}, and stays as it was: ${fault}`];
  }
  copyFileDurably(file, copy);
  return [];
}

/** null if the keys of `from` go on from those of `to`. */
function faultOfKeys(from: DataDir, to: DataDir): string | null {
  try {
    const before = readSigningKeys(to)?.keyId;
    const isKnown = readSigningKeys(from)?.all.some(({ keyId }) => keyId === before) ?? false;
    return isKnown ? null : `its key ${before} is lost there. Put it back, or delete it here.`;
  } catch (thrown) {
    if (thrown instanceof JournalError) return thrown.message;
    throw thrown;
  }
}

/** Throws `snapshot_damaged`. */
export function checkSnapshotFile(copy: string, name: string): void {
  if (isSnapshotNamed(name, copy)) return;
  throw new JournalError(
    'snapshot_damaged',
    `The snapshot ${name} is damaged: its content is not that of its name. Delete it: the server makes new ones.`,
  );
}

/**
 * Throws `data_dir_invalid` unless `to` lies outside of the source, also through links, and is missing, an empty folder or
 * one with files that `faultOf` takes.
 */
export function requirePlace(
  { root }: DataDir,
  to: string,
  done: string,
  faultOf: (names: readonly string[]) => string | null,
): void {
  const refuse = (why: string): never => {
    throw new JournalError(
      'data_dir_invalid',
      `Nothing is ${done} ${resolve(to)}: ${why}. Name another directory.`,
    );
  };
  const way = relative(realPathOf(root), realPathOf(resolve(to)));
  if (way.split(sep)[0] !== '..') refuse('it is the data directory itself, or lies in it');
  if (!existsSync(to)) return;
  if (!statSync(to).isDirectory()) refuse('it is not a directory');
  const names = readdirSync(to);
  const fault = names.length === 0 ? null : faultOf(names);
  if (fault !== null) refuse(fault);
}

/** Parts that do not exist are as they are named. */
const realPathOf = (path: string): string =>
  existsSync(path) ? realpathSync(path) : join(realPathOf(dirname(path)), basename(path));

/** Throws `disk_full`. */
export function requireSpace(path: string, bytes: number): void {
  requireSpaceForCopy(
    path,
    bytes,
    (needed, free) =>
      `The copy in ${path} needs ${needed}; ${free} are free. Free some space, or name another place.`,
  );
}

/** `cause` as it came while a copy was written to `root`, or `disk_full` if it says that there is no room. */
export function copyFault(root: string, left: string, cause: unknown): unknown {
  if (!isDiskFull(cause)) return cause;
  return new JournalError(
    'disk_full',
    `There is not enough free space for the copy in ${root}. The copied files ${left}. Free some, or name another place, and run it again.`,
    { cause },
  );
}
