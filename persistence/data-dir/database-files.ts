/**
 * The files of an SQLite database: the database itself and the side files that SQLite creates for transactions and
 * readers.
 */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileBytes, syncPath } from './files.js';

export const walPath = (path: string): string => `${path}-wal`;
/** The WAL's index, in memory that processes share. It means nothing once nobody has the database open. */
export const shmPath = (path: string): string => `${path}-shm`;
/** The rollback journal: the pages that a transaction has changed, as they were before. */
export const rollbackPath = (path: string): string => `${path}-journal`;
/** A database that is still being written and may be incomplete. */
export const unfinishedPath = (path: string): string => `${path}.unfinished`;

/** Left beside another database of the same name, SQLite would apply them to that one. */
export const sideFiles = (path: string): string[] => [walPath(path), rollbackPath(path), shmPath(path)];

/** Size of the database with its WAL. */
export const databaseBytes = (path: string): number => fileBytes(path) + fileBytes(walPath(path));

/** Removes the side files of a database, durably. */
export function removeSideFiles(path: string): void {
  for (const side of sideFiles(path)) rmSync(side, { force: true });
  syncPath(dirname(path));
}

/**
 * Removes a database and its side files, durably. The database goes first: without its WAL it would pass for an older
 * one.
 */
export function removeDatabase(path: string): void {
  rmSync(path, { force: true });
  removeSideFiles(path);
}
