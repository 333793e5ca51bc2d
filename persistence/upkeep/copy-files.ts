/** Copies of files into another data directory. Under its name a copy is complete and durable, or it does not exist. */
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { attempt } from '../../engine/base/attempt.js';
import type { Rules } from '../../engine/model/rules.js';
import { FILE_MODE, renameDurably, rollbackPath, syncPath, unfinishedPath } from '../data-dir/files.js';
import { type DataDir, orUnusable } from '../data-dir/layout.js';
import { readOperatorTokens } from '../data-dir/operator-tokens.js';
import { isOtherSecret, openMasterSecret, readOperatorToken } from '../data-dir/secrets.js';
import { readSigningKeys, UNKNOWN_KEYS } from '../data-dir/signing-keys.js';
import { requireSpaceForCopy } from '../data-dir/space.js';
import { isDiskFull, isOfFile, JournalError, reasonOf } from '../errors.js';
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

/** With these files one can act as operator or server. As a start reads them: it refuses what these refuse. */
const SECRETS = {
  masterSecretFile: (dir: DataDir): unknown => openMasterSecret(dir, false),
  operatorTokenFile: readOperatorToken,
  operatorTokensFile: (dir: DataDir): unknown => readOperatorTokens(dir.operatorTokensFile, false),
  signingKeysFile: readSigningKeys,
} as const;
type SecretName = keyof typeof SECRETS;
const SECRET_NAMES = Object.keys(SECRETS) as SecretName[];

export const secretFiles = (dir: DataDir): string[] => SECRET_NAMES.map((name) => dir[name]);

/**
 * Copies secrets as they are now: what was revoked or retired must not come back with an older copy. A damaged one takes
 * the place of no good copy. Returns sentences on what is missing, damaged or left as it was.
 */
export function copySecrets(from: DataDir, to: DataDir): string[] {
  for (const name of ['operatorTokenFile', 'operatorTokensFile'] as const)
    if (!existsSync(from[name])) rmSync(to[name], { force: true });
  const names = SECRET_NAMES.filter((name) => existsSync(from[name]));
  const faults = names.flatMap((name) => copySecret(name, from, to));
  const lacks = [
    [to.masterSecretFile, from.masterSecretFile, 'without it the server does not start on the copy.'],
    [to.signingKeysFile, from.signingKeysFile, UNKNOWN_KEYS],
  ] as const;
  const missing = lacks.filter(([copy]) => !existsSync(copy));
  return [...missing.map(([, file, lost]) => `There is no ${file}: ${lost}`), ...faults];
}

/** Sentences on the secrets of a copy that are whole, but not those of its journal. */
export function secretNotes(dir: DataDir, rules: Rules | null): string[] {
  const secret = attempt(() => openMasterSecret(dir, false), null);
  if (secret === null || !isOtherSecret(rules, secret)) return [];
  return [
    `The file ${dir.masterSecretFile} is not the secret that the rounds were opened with: put the right one in its place, ` +
      'or the server does not start on it.',
  ];
}

function copySecret(name: SecretName, from: DataDir, to: DataDir): string[] {
  const fault = faultOf(name, from) ?? (name === 'signingKeysFile' ? lostKey(from, to) : null);
  const keepsCopy = fault !== null && existsSync(to[name]) && faultOf(name, to) === null;
  if (!keepsCopy) copyFileDurably(from[name], to[name]);
  return fault === null ? [] : [fault];
}

function faultOf(name: SecretName, dir: DataDir): string | null {
  try {
    SECRETS[name](dir);
    return null;
  } catch (thrown) {
    if (thrown instanceof JournalError) return thrown.message;
    throw thrown;
  }
}

/** Keys that were lost and made anew do not tell of those in the copy, which may be the only ones left. */
function lostKey(from: DataDir, to: DataDir): string | null {
  const before = attempt(() => readSigningKeys(to)?.keyId, undefined);
  if (before === undefined || readSigningKeys(from)?.all.some(({ keyId }) => keyId === before)) return null;
  return (
    `${to.signingKeysFile} is not that of ${from.root}, and stays as it was: its key ${before} is lost there. ` +
    'Put it back, or delete it here.'
  );
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
  // A shell's variable that is not set: the working directory is not meant.
  if (to === '') refuse('its name is empty');
  const way = relative(realPathOf(root), realPathOf(resolve(to)));
  if (way.split(sep)[0] !== '..') refuse('it is the data directory itself, or lies in it');
  if (!existsSync(to)) return;
  if (!statSync(to).isDirectory()) refuse('it is not a directory');
  const names = orUnusable(to, () => readdirSync(to));
  const fault = names.length === 0 ? null : faultOf(names);
  if (fault !== null) refuse(fault);
}

/** Parts that do not exist are as they are named. */
const realPathOf = (path: string): string =>
  existsSync(path) ? realpathSync(path) : join(realPathOf(dirname(path)), basename(path));

/** It has no file of a copy. */
export const isBlank = (dir: DataDir): boolean =>
  [dir.journal, dir.snapshots, dir.archive].every((folder) => readdirSync(folder).length === 0) &&
  !secretFiles(dir).some(existsSync);

/** A copy that was begun in an empty folder goes. Whatever somebody else has put there meanwhile stays. */
export function removeCopy(dir: DataDir): void {
  const { journal, snapshots, archive, lockFile, pidFile } = dir;
  const files = [...secretFiles(dir), pidFile, rollbackPath(lockFile), lockFile];
  for (const path of [journal, snapshots, archive, ...files]) rmSync(path, { recursive: true, force: true });
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

/** `cause` as it came while a copy was written to `root`, or that the disk there is full or fails. */
export function copyFault(root: string, left: string, cause: unknown): unknown {
  if (!isOfFile(cause)) return cause;
  if (!isDiskFull(cause)) {
    const sentence = `The copy in ${root} cannot be written: ${reasonOf(cause)}. The copied files ${left}. Check the disk and the system log, or name another place.`;
    return new JournalError('data_dir_invalid', sentence, { cause });
  }
  return new JournalError(
    'disk_full',
    `There is not enough free space for the copy in ${root}. The copied files ${left}. Free some, or name another place, and run it again.`,
    { cause },
  );
}
