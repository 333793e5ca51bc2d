/**
 * File operations that survive a power loss: under its name a file is complete, or it does not exist. A rename or an
 * unlink is durable only after its directory has been synced, too.
 */
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../errors.js';

/** Makes the content of a file, or the entries of a directory, durable. */
export function syncPath(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Replaces `to` by the complete and synced file `from`, durably. Both are in the same directory. */
export function renameDurably(from: string, to: string): void {
  renameSync(from, to);
  syncPath(dirname(to));
}

/** Writes `content` to a file aside, syncs it and renames it to `path`. `mode` is its exact permission bits. */
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

/** Size in bytes; 0 if there is no such file. */
export function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Whether the error means that a file does not exist, as opposed to cannot be read. */
export const isMissing = (thrown: unknown): boolean => codeOf(thrown) === 'ENOENT';
