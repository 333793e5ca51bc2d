/**
 * An open segment of the journal, for reading: `segment-schema.ts` says what is in it. Rows come out one at a
 * time, each checked against its checksum and the chain, so that a journal of any length is read in little memory.
 */
import Database from 'better-sqlite3';
import type { StoredBatch } from '../engine/ports.js';
import { type ChainPosition, faultOfRow, isIntact } from './batch-row.js';
import {
  asDamage,
  BATCH_COLUMNS,
  badRow,
  damaged,
  readMeta,
  type SegmentMeta,
  toStoredBatch,
} from './segment-schema.js';

const BUSY_TIMEOUT_MS = 1_000;

/** `read` changes nothing on disk but the `-shm` file, not even after an unclean stop. */
export type OpenMode = 'read' | 'write';

export class Segment {
  private constructor(
    readonly path: string,
    readonly db: Database.Database,
    readonly meta: SegmentMeta,
  ) {}

  /** Opens an existing segment. Throws `journal_newer_version` and `journal_corrupt`. */
  static open(path: string, mode: OpenMode): Segment {
    let db: Database.Database | undefined;
    try {
      db = new Database(path, { readonly: mode === 'read', fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
      db.pragma('cell_size_check = ON');
      return new Segment(path, db, readMeta(path, db));
    } catch (thrown) {
      db?.close();
      throw asDamage(path, 'it cannot be opened', thrown);
    }
  }

  /** Where the first row follows on. */
  get start(): ChainPosition {
    return { lastSeq: this.meta.firstSeq - 1, chain: this.meta.previousChain };
  }

  /** The newest row, or null in a segment without rows. Its checksum is checked, its place in the chain is not. */
  tail(): StoredBatch | null {
    return this.#lastRowUpTo(Number.MAX_SAFE_INTEGER);
  }

  /** Checksum of the row that ends at `lastSeq`, or null where none does. */
  checksumAt(lastSeq: number): string | null {
    const row = this.#lastRowUpTo(lastSeq);
    return row?.lastSeq === lastSeq ? row.checksum : null;
  }

  /**
   * Rows with `lastSeq` above `afterSeq` in order, each checked. Throws `journal_corrupt`, naming the first bad
   * row. While it runs, the connection does nothing else.
   */
  *batches(afterSeq: number): Generator<StoredBatch, void, undefined> {
    let position: ChainPosition = this.#lastRowUpTo(afterSeq) ?? this.start;
    try {
      const rows = this.db
        .prepare<[number], unknown[]>(
          `SELECT ${BATCH_COLUMNS} FROM batch WHERE last_seq > ? ORDER BY last_seq`,
        )
        .raw()
        .iterate(position.lastSeq);
      for (const columns of rows) {
        const row = toStoredBatch(this.path, position, columns);
        const fault = faultOfRow(position, row);
        if (fault !== null) throw badRow(this.path, position, fault);
        yield row;
        position = row;
      }
    } catch (thrown) {
      throw asDamage(this.path, `reading failed after sequence number ${position.lastSeq}`, thrown);
    }
  }

  /** Checks the structure of the pages, which rows do not show and appending relies on. Throws `journal_corrupt`. */
  checkStructure(): void {
    let verdict: unknown;
    try {
      verdict = this.db.pragma('quick_check(1)', { simple: true });
    } catch (thrown) {
      throw asDamage(this.path, 'its pages cannot be checked', thrown);
    }
    if (verdict !== 'ok') throw damaged(this.path, String(verdict));
  }

  /** In mode `write` the last connection to close moves the WAL into the database and removes it. */
  close(): void {
    this.db.close();
  }

  #lastRowUpTo(seq: number): StoredBatch | null {
    try {
      const columns = this.db
        .prepare<[number], unknown[]>(
          `SELECT ${BATCH_COLUMNS} FROM batch WHERE last_seq <= ? ORDER BY last_seq DESC LIMIT 1`,
        )
        .raw()
        .get(seq);
      if (columns === undefined) return null;
      const row = toStoredBatch(this.path, this.start, columns);
      if (!isIntact(row)) throw damaged(this.path, `the checksum of row ${row.lastSeq} does not match`);
      return row;
    } catch (thrown) {
      throw asDamage(this.path, `finding the last row up to sequence number ${seq} failed`, thrown);
    }
  }
}
