/** The files of an SQLite database: itself, and beside it those that SQLite makes for a transaction or for its readers. */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileBytes, syncPath } from './files.js';

export const walPath = (path: string): string => `${path}-wal`;
/** The WAL's index, in memory that processes share. Empty of meaning once nobody has the database open. */
export const shmPath = (path: string): string => `${path}-shm`;
/** The rollback journal, which holds what a transaction has changed in the database as it was before. */
export const rollbackPath = (path: string): string => `${path}-journal`;
/** A database that is being written and may be half there. */
export const unfinishedPath = (path: string): string => `${path}.unfinished`;

/** Beside another database of the same name SQLite would lay them over that one. Those with content come first. */
export const sideFiles = (path: string): string[] => [walPath(path), rollbackPath(path), shmPath(path)];

/** Its WAL included. */
export const databaseBytes = (path: string): number => fileBytes(path) + fileBytes(walPath(path));

/** Removes a database's side files, durably. */
export function removeSideFiles(path: string): void {
  for (const side of sideFiles(path)) rmSync(side, { force: true });
  syncPath(dirname(path));
}

/** Removes a database with its side files, durably. It goes first: without its WAL it would pass for an older one. */
export function removeDatabase(path: string): void {
  rmSync(path, { force: true });
  removeSideFiles(path);
}
