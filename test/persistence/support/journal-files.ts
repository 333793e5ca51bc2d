/** Temporary data directories, made-up batches, and a journal full of them. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { must } from '../../../engine/base/assert.js';
import type { Batch, Clock, StoredBatch } from '../../../engine/model/ports.js';
import { closing } from '../../../persistence/data-dir/closing.js';
import { type DataDir, openDataDir } from '../../../persistence/data-dir/layout.js';
import type { JournalError, JournalErrorCode } from '../../../persistence/errors.js';
import { commitBatch } from '../../../persistence/journal/commit.js';
import { raiseMark } from '../../../persistence/journal/mark.js';
import { JournalReader } from '../../../persistence/journal/reader.js';
import { findSegments } from '../../../persistence/journal/segment/names.js';
import type { RollStep } from '../../../persistence/journal/segment/roll.js';
import { SqliteStore } from '../../../persistence/journal/store.js';
import type { CopyStep } from '../../../persistence/recovery/copy.js';
import { prepareJournal } from '../../../persistence/recovery/prepare.js';

export const CLOCK: Clock = { nowMs: () => 1_763_700_000_000, monotonicMs: () => 0 };

export function temporaryDir(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'tote-persistence-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** 1 to 7 commands; the same index gives the same batch. */
export function batchAt(index: number): Batch {
  const firstSeq = firstSeqOf(index);
  const lastSeq = firstSeqOf(index + 1) - 1;
  const commands = [];
  for (let seq = firstSeq; seq <= lastSeq; seq += 1) {
    commands.push(['order', 1, 1_763_700_000_000 + seq, seq % 5, 'séance '.repeat(seq % 9)]);
  }
  const digest = String(index).padStart(16, '0');
  const timeMs = 1_763_700_000_000 + lastSeq;
  return { firstSeq, lastSeq, timeMs, commands: JSON.stringify(commands), digest };
}

/** Sizes go 1, 2, ... 7, 1, 2, ... */
function firstSeqOf(index: number): number {
  const rest = index % 7;
  return 1 + Math.floor(index / 7) * 28 + (rest * (rest + 1)) / 2;
}

export function batchesUpTo(count: number): Batch[] {
  return Array.from({ length: count }, (_, index) => batchAt(index));
}

export function plain(batch: Batch): Batch {
  const { firstSeq, lastSeq, timeMs, commands, digest } = batch;
  return { firstSeq, lastSeq, timeMs, commands, digest };
}

/** As a start does, with an engine that agrees to everything. */
export function recover(dir: DataDir, onStep: (step: CopyStep | RollStep) => void = () => {}) {
  const { mark, wasUnclean, notes, close } = prepareJournal({ dir, clock: CLOCK, onStep });
  try {
    const rows = readAll(dir);
    const { lastSeq = 0, timeMs: lastTimeMs = 0, checksum = '' } = rows.at(-1) ?? {};
    const end = { lastSeq, lastTimeMs, checksum, batches: rows.length };
    raiseMark(dir.markFile, mark, end);
    return { ...end, wasUnclean, notes, given: rows.map(plain) };
  } finally {
    close();
  }
}

export function readAll(dir: DataDir, afterSeq = 0): StoredBatch[] {
  using reader = closing(new JournalReader(dir));
  return [...reader.readBatches(afterSeq)];
}

export interface Written {
  readonly dir: DataDir;
  readonly store: SqliteStore;
}

/** Open. The first `checkpointed` batches are in the database, not in the WAL. */
export function writeJournal(root: string, count: number, checkpointed = 0): Written {
  const dir = openDataDir(root);
  recover(dir);
  let store = SqliteStore.open(dir, 'fsync');
  for (let index = 0; index < count; index += 1) {
    commitBatch(store, batchAt(index));
    if (index + 1 === checkpointed) {
      store.close();
      store = SqliteStore.open(dir, 'fsync');
    }
  }
  return { dir, store };
}

/** Cleanly. */
export function stopped({ dir, store }: Written): DataDir {
  store.close();
  return dir;
}

/** About ten batches besides an empty segment. */
export const SMALL_SEGMENT_BYTES = 20_000;

export function writeSegments(root: string, count: number): Written {
  const dir = openDataDir(root);
  recover(dir);
  const store = SqliteStore.open(dir, 'fsync', SMALL_SEGMENT_BYTES);
  for (let index = 0; index < count; index += 1) {
    commitBatch(store, batchAt(index));
    store.rollIfDue(CLOCK.nowMs());
  }
  return { dir, store };
}

/** It recovers to so many batches, takes more over a roll, and stops cleanly. */
export function assertServes(dir: DataDir, count: number, what: string): void {
  const { given, lastSeq } = recover(dir);
  assert.deepEqual(given, batchesUpTo(count), what);
  const store = SqliteStore.open(dir, 'fsync', SMALL_SEGMENT_BYTES);
  assert.equal(store.mark.lastSeq, lastSeq, what);
  for (let index = count; index < count + 12; index += 1) {
    commitBatch(store, batchAt(index));
    store.rollIfDue(CLOCK.nowMs());
  }
  store.close();
  const again = recover(dir);
  assert.equal(again.wasUnclean, false, what);
  assert.deepEqual(again.given, batchesUpTo(count + 12), what);
}

/** As a crash at this moment would leave the files. */
export function crashImage(from: DataDir, to: string): DataDir {
  cpSync(from.root, to, { recursive: true });
  return openDataDir(to);
}

export function alterDatabase(path: string, ...statements: readonly string[]): void {
  const db = new Database(path);
  for (const sql of statements) db.exec(sql);
  db.close();
}

export const segmentAt = (dir: DataDir, index: number): string =>
  must(findSegments(dir.journal).at(index), 'a segment');

export const onlySegment = (dir: DataDir): string => segmentAt(dir, 0);

export function refusal(code: JournalErrorCode, sentence = /./): (thrown: unknown) => boolean {
  return (thrown) => {
    const error = thrown as JournalError;
    if (error.name === 'JournalError' && error.code === code && sentence.test(error.message)) return true;
    throw thrown;
  };
}
