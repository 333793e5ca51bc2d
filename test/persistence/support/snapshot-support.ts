/** An engine with state of every kind, and tampered snapshot files. */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import type { Engine } from '../../../engine/engine.js';
import type { SnapshotRef } from '../../../engine/host/snapshot-store.js';
import { randomEngine } from '../../support/reference/random/stream.js';

export const CHAIN = 'c'.repeat(64);

export function variedEngine(seed: number, steps = 600): Engine {
  return randomEngine(seed, steps);
}

export const sha256Of = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex');

/** With the name of the new content, as nobody but this program should. */
export function tamper({ seq, name }: SnapshotRef, ...statements: string[]): SnapshotRef {
  const db = new Database(name);
  for (const sql of statements) db.exec(sql);
  db.close();
  return renamed({ seq, name });
}

export function renamed({ seq, name }: SnapshotRef): SnapshotRef {
  const file = `snapshot-${String(seq).padStart(16, '0')}-${sha256Of(name).slice(0, 32)}.db`;
  const to = join(dirname(name), file);
  renameSync(name, to);
  return { seq, name: to };
}
