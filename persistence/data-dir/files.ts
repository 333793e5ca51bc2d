/**
 * File operations that survive a power loss: under its name a file is complete, or it does not exist. A rename or an
 * unlink is durable only after its directory has been synced, too.
 */
import {
  chownSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../errors.js';

export function syncPath(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Root gives a file to the owner of its folder, whose server must be able to read what a command of root's leaves there.
 * Not every file system takes it.
 */
export function giveToOwner(path: string): void {
  if (process.geteuid?.() !== 0) return;
  try {
    const { uid, gid } = statSync(dirname(path));
    chownSync(path, uid, gid);
  } catch {}
}

/** Replaces `to` by the complete and synced file `from`, durably. Both are in the same directory. */
export function renameDurably(from: string, to: string): void {
  giveToOwner(from);
  renameSync(from, to);
  syncPath(dirname(to));
}

/** `mode` is the exact permission bits. */
export function writeFileDurably(path: string, content: string | Uint8Array, mode: number): void {
  const aside = `${path}.new`;
  rmSync(aside, { force: true });
  const fd = openSync(aside, 'wx', mode);
  try {
    fchmodSync(fd, mode);
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameDurably(aside, path);
}

export function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

export const isMissing = (thrown: unknown): boolean => codeOf(thrown) === 'ENOENT';

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
