/**
 * A disk that distinguishes durable from unsynced state: rows in a write-ahead log and in the database that it is
 * moved into, rows that were appended and not synced, the mark's two slots, and snapshots. A kill loses what was not
 * committed; a power loss may keep, tear or lose what was not synced; a bit may flip anywhere.
 *
 * As with SQLite, a damaged row in the log ends the log without a word when it is opened again (the mark is what
 * notices), and a damaged row in the database is found when it is read.
 */
import { assert } from '../../../engine/base/assert.js';
import type { Batch, StoredBatch } from '../../../engine/model/ports.js';
import {
  CHAIN_START,
  type ChainPosition,
  isIntact,
  sealBatch,
} from '../../../persistence/journal/segment/batch-row.js';
import type { Rng } from '../../support/reference/random/rng.js';
import { SimMark } from './mark.js';

/** Rows in the log before it is moved into the database. */
const LOG_ROWS_MAX = 40;

export type CrashKind = 'kill' | 'power';

/** One stored snapshot: its text, and the checksum that its name carries. */
export interface SnapshotFile {
  readonly seq: number;
  readonly name: string;
  text: string;
}

export class SimDisk {
  /** What a reader sees: committed rows, in order. */
  rows: StoredBatch[] = [];
  /** Rows before this one are in the database, the others in the log. */
  loggedFrom = 0;
  /** Appended and not committed. */
  #pending: StoredBatch[] = [];
  /** A commit of the pending rows was begun: parts of them may be on the medium. */
  #isCommitting = false;
  readonly mark = new SimMark();
  /** Newest last. */
  snapshots: SnapshotFile[] = [];
  /** Where the first row follows on: the journal's begin may have been deleted. */
  start: ChainPosition = { lastSeq: 0, chain: CHAIN_START };

  /** Last sequence number that no crash can take back. */
  get syncedSeq(): number {
    return this.rows.at(-1)?.lastSeq ?? this.start.lastSeq;
  }

  append(batch: Batch): StoredBatch {
    const row = sealBatch(this.#pending.at(-1) ?? this.rows.at(-1) ?? this.start, batch);
    this.#pending.push(row);
    return row;
  }

  beginCommit(): void {
    this.#isCommitting = true;
  }

  /** Everything appended is on the medium. */
  commit(): void {
    this.rows.push(...this.#pending);
    this.#pending = [];
    this.#isCommitting = false;
    if (this.rows.length - this.loggedFrom > LOG_ROWS_MAX) this.loggedFrom = this.rows.length;
  }

  /** The process is gone, and with a power loss the memory of the operating system; says what became of the tail. */
  crash(kind: CrashKind, rng: Rng): 'none' | 'kept' | 'lost' | 'torn' {
    const pending = this.#pending;
    const isCommitting = this.#isCommitting;
    this.#pending = [];
    this.#isCommitting = false;
    if (kind === 'power') this.mark.losePower(rng);
    if (pending.length === 0) return 'none';
    if (!isCommitting) return 'lost';
    // A kill in the middle of a write leaves what the system calls before it have handed over.
    const fate = rng.pick(['kept', 'lost', 'torn'] as const);
    if (fate === 'lost') return fate;
    const keptRows = fate === 'kept' ? pending.length : rng.integer(0, pending.length - 1);
    this.rows.push(...pending.slice(0, keptRows));
    const torn = fate === 'torn' ? pending[keptRows] : undefined;
    if (torn !== undefined) {
      const keptChars = rng.integer(0, torn.commands.length - 1);
      this.rows.push({ ...torn, commands: torn.commands.slice(0, keptChars) });
    }
    return fate;
  }

  /** What opening the files again does: the log ends before its first damaged row. */
  reopen(): void {
    for (let i = this.loggedFrom; i < this.rows.length; i++) {
      if (isIntact(this.rows[i] as StoredBatch)) continue;
      this.rows.length = i;
      return;
    }
  }

  /** Index of the first row that ends after `seq`. */
  indexAfter(seq: number): number {
    let low = 0;
    let high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.rows[middle] as StoredBatch).lastSeq > seq) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Deletes the rows up to `seq`, the end of one of them, as sealed segments are deleted; false where they are not sealed. */
  deleteThrough(seq: number): boolean {
    const count = this.indexAfter(seq);
    const last = this.rows[count - 1];
    if (last === undefined || count > this.loggedFrom) return false;
    assert(last.lastSeq === seq, 'rows are deleted whole');
    this.start = { lastSeq: last.lastSeq, chain: last.chain };
    this.rows = this.rows.slice(count);
    this.loggedFrom -= count;
    return true;
  }
}
