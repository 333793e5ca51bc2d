/** The layout of a data directory. Only this file creates one, or a folder of it. */
import { accessSync, constants, existsSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { attempt, messageOf, orRefuse } from '../../engine/base/attempt.js';
import { codeOf, isDiskFull, JournalError } from '../errors.js';
import { giveToOwner, syncPath } from './files.js';

export type DataDir = Readonly<ReturnType<typeof dataDirLayout>>;

/** SQLite opens no path of 505 bytes or more. That of a snapshot has 72 behind the root. */
const ROOT_BYTES_MAX = 400;

/** The paths, whether or not they exist. Throws `data_dir_invalid` for one that cannot have them. */
export function dataDirLayout(path: string) {
  const root = resolve(path);
  // Node puts it for bytes that are not UTF-8, and would use another folder than the one that was named.
  if (root.includes('\uFFFD')) throw unfit(`${root} is not UTF-8. Rename it, or name another one.`);
  if (Buffer.byteLength(root) > ROOT_BYTES_MAX)
    throw unfit(`${root} is longer than ${ROOT_BYTES_MAX} bytes. Name a shorter one.`);
  const journal = join(root, 'journal');
  const archive = join(root, 'archive');
  return {
    root,
    journal,
    markFile: join(journal, 'mark'),
    /** Exists from the opening of the journal to its clean close: a start that finds it follows an unclean stop. */
    inUseFile: join(journal, 'in-use'),
    snapshots: join(root, 'snapshots'),
    archive,
    archiveFile: join(archive, 'archive.db'),
    lockFile: join(root, 'lock'),
    pidFile: join(root, 'server.pid'),
    /** The address of the running server's operator port, after a kill that of the last one. Optional. */
    operatorUrlFile: join(root, 'operator-url'),
    masterSecretFile: join(root, 'master-secret'),
    operatorTokenFile: join(root, 'operator-token'),
    operatorTokensFile: join(root, 'operator-tokens'),
    signingKeysFile: join(root, 'signing-keys'),
    /** How to bet with the demo account's key. Optional. */
    demoFile: join(root, 'demo'),
    /** Made anew by each backup: its time is the backup's. Optional. */
    backupStamp: join(root, 'last-backup'),
    /** The highest epoch of the replicated log that this machine has seen. Optional. */
    epochFile: join(root, 'epoch'),
  };
}

/** Creates the directory if it is missing, closed to other users. Throws `data_dir_invalid`. */
export function openDataDir(path: string): DataDir {
  const layout = dataDirLayout(path);
  openFolder(layout.root);
  for (const part of [layout.journal, layout.snapshots, layout.archive]) openPart(part);
  return layout;
}

/** One that cannot be read must not pass for one that is not there. Throws `data_dir_invalid`. */
export function readableFolders({ journal, snapshots, archive }: DataDir): readonly string[] {
  const isThere = (path: string): boolean =>
    orUnusable(path, () => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  const parts = [journal, snapshots, archive].filter(isThere);
  for (const part of parts) {
    if (!orUnusable(part, () => isFolder(part))) throw unfit(`${part}${NO_FOLDER}`);
    orUnusable(part, () => accessSync(part, constants.R_OK | constants.X_OK));
  }
  return parts;
}

export const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

export const orUnusable = <T>(path: string, look: () => T): T =>
  orRefuse(look, (_, cause) => unusable(path, cause));

/** Throws `data_dir_invalid` for what this user may not read and write, or is not there. */
export const requireWritable = (path: string): void =>
  orUnusable(path, () => accessSync(path, constants.R_OK | constants.W_OK));

const MAY_OTHERS_WRITE = 0o022;

/** Creates it if it is missing. Throws `data_dir_invalid`. */
function openFolder(path: string): void {
  createFolder(path);
  orUnusable(path, () => accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK));
  if ((statSync(path).mode & MAY_OTHERS_WRITE) === 0) return;
  const mend = `Name another one if its file system keeps no permissions, else: chmod go-w ${path}`;
  throw unfit(`other users may write to ${path}, and so replace the journal. ${mend}`);
}

/** A folder of a data directory. */
export function openPart(path: string): void {
  openFolder(path);
  giveToOwner(path);
}

/** Node's recursive mkdir never ends below /proc, and misnames a read-only file system. */
function createFolder(path: string): void {
  const isThere = (): boolean => attempt(() => isFolder(path), false);
  if (isThere()) return;
  const above = dirname(path);
  if (!existsSync(above)) createFolder(above);
  try {
    mkdirSync(path, 0o700);
  } catch (thrown) {
    // Another process may have made it meanwhile.
    if (!isThere()) throw unusable(isForbidden(thrown) ? above : path, thrown);
  }
  orUnusable(above, () => syncPath(above));
}

const FORBIDDEN = ' is closed to this user. Become its owner, or give it to the user that runs tote.';
const NO_FOLDER =
  ' is not a directory, or links to none: is its disk mounted? Else move it away, or name another one.';
const FULL = ' has no space left. Free some, and try again.';
const REASONS: Readonly<Record<string, string>> = {
  EEXIST: NO_FOLDER,
  ENOTDIR: ' lies below something that is not a directory. Name another one.',
  EROFS: ' is on a read-only file system. Mount it writable, or name another one, such as a copy.',
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EIO: ': the disk does not read or write it. Check the disk and the system log, then try again.',
};

const isForbidden = (thrown: unknown): boolean => REASONS[codeOf(thrown)] === FORBIDDEN;

/** The file may be whole: this user may not read it, or the disk fails. */
export const isWithheld = (thrown: unknown): boolean => isForbidden(thrown) || codeOf(thrown) === 'EIO';

/** A path that cannot be looked at lies below the folder that is closed. */
function closedOf(path: string): string {
  const isSeen = attempt(() => [lstatSync(path, { throwIfNoEntry: false })], null) !== null;
  return isSeen ? path : closedOf(dirname(path));
}

export function unusable(path: string, cause: unknown): JournalError {
  const isFull = isDiskFull(cause);
  const reason = isFull ? FULL : (REASONS[codeOf(cause)] ?? `: ${messageOf(cause)}.`);
  const place = isForbidden(cause) ? closedOf(resolve(path)) : path;
  return unfit(`${place}${reason}`, isFull ? 'disk_full' : 'data_dir_invalid', cause);
}

function unfit(
  why: string,
  code: 'data_dir_invalid' | 'disk_full' = 'data_dir_invalid',
  cause?: unknown,
): JournalError {
  return new JournalError(code, `The data directory cannot be used: ${why}`, { cause });
}
