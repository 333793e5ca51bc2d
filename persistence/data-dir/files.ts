/**
 * File operations that survive a power loss: a file is whole under its name or not there at all. A rename or an
 * unlink is durable only once its directory has been synced too.
 */
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../errors.js';

/** Makes a file's content, or a directory's entries, durable. */
export function syncPath(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Puts the finished and synced file `from` in the place of `to`, durably. Both lie in one directory. */
export function renameDurably(from: string, to: string): void {
  renameSync(from, to);
  syncPath(dirname(to));
}

/** Writes `content` aside, syncs it and renames it to `path`. `mode` are its exact permission bits. */
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

/** Size in bytes, or 0 where there is no such file. */
export function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The error that a missing file gives, as against one that cannot be read. */
export const isMissing = (thrown: unknown): boolean => codeOf(thrown) === 'ENOENT';
