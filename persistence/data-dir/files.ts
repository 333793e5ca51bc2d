/**
 * File operations that survive a power loss: under its name a file is complete, or it does not exist. A rename or an
 * unlink is durable only after its directory has been synced, too.
 */
import {
  closeSync,
  fsyncSync,
  lchownSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { orRefuse } from '../../engine/base/attempt.js';
import { codeOf, JournalError } from '../errors.js';

/** No other user may read or write what a server keeps. */
export const FILE_MODE = 0o600;

/** Closed at the end of the block that declares it with `using`. A new file is closed to other users. */
export function openFile(path: string, flags: 'r' | 'wx'): { readonly fd: number } & Disposable {
  const fd = openSync(path, flags, FILE_MODE);
  return { fd, [Symbol.dispose]: () => closeSync(fd) };
}

export function syncPath(path: string): void {
  using file = openFile(path, 'r');
  fsyncSync(file.fd);
}

/**
 * Root gives a file or folder to the owner of the one above, whose server must be able to use what a command of root's
 * leaves there. A link is given, not its target: its owner may have made it. Not every file system takes it.
 */
export function giveToOwner(path: string): void {
  if (process.geteuid?.() !== 0) return;
  try {
    const { uid, gid } = statSync(dirname(path));
    lchownSync(path, uid, gid);
  } catch {}
}

/** Replaces `to` by the complete and synced file `from`, durably. Both are in the same directory. */
export function renameDurably(from: string, to: string): void {
  giveToOwner(from);
  renameSync(from, to);
  syncPath(dirname(to));
}

/** Creates the file, closed to other users, or replaces it. */
export function writeFileDurably(path: string, content: string | Uint8Array): void {
  const aside = `${path}.new`;
  rmSync(aside, { force: true });
  writeNew(aside, content);
  renameDurably(aside, path);
}

function writeNew(path: string, content: string | Uint8Array): void {
  using file = openFile(path, 'wx');
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  for (let written = 0; written < bytes.length; ) written += writeSync(file.fd, bytes, written);
  fsyncSync(file.fd);
}

export function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Named by an operator, so it must be there. */
export const readNamedFile = (path: string): string =>
  orRefuse(
    () => readFileSync(path, 'utf8'),
    (reason, cause) => new JournalError('file_unreadable', `${path} cannot be read: ${reason}`, { cause }),
  );

/** null if there is no such file or folder. `refusal` words any other error. */
export function ifThere<T>(read: () => T, refusal = (thrown: unknown): unknown => thrown): T | null {
  try {
    return read();
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return null;
    throw refusal(thrown);
  }
}

export const walPath = (path: string): string => `${path}-wal`;
/** The WAL's index, in memory that processes share. It means nothing once nobody has the database open. */
export const shmPath = (path: string): string => `${path}-shm`;
/** The rollback journal: the pages that a transaction has changed, as they were before. */
export const rollbackPath = (path: string): string => `${path}-journal`;
export const unfinishedPath = (path: string): string => `${path}.unfinished`;

/** SQLite would apply them to another database of the same name. */
export const sideFiles = (path: string): string[] => [walPath(path), rollbackPath(path), shmPath(path)];

export const databaseBytes = (path: string): number => fileBytes(path) + fileBytes(walPath(path));

export function removeSideFiles(path: string): void {
  for (const side of sideFiles(path)) rmSync(side, { force: true });
  syncPath(dirname(path));
}

/** Durably. The database goes first: without its WAL it would pass for an older one. */
export function removeDatabase(path: string): void {
  rmSync(path, { force: true });
  removeSideFiles(path);
}
