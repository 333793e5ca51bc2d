/**
 * A disk that distinguishes durable from unsynced state: rows in a write-ahead log and in the database that it is
 * moved into, appended rows that are not synced, the mark's two slots, and snapshots. A kill loses uncommitted rows;
 * a power loss may keep, tear or lose unsynced ones; a bit may flip anywhere.
 *
 * As with SQLite, a damaged row in the log silently ends the log when it is opened again (only the mark notices), and
 * a damaged row in the database is found when it is read.
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

/** Then the log is moved into the database. */
const LOG_ROWS_MAX = 40;

export type CrashKind = 'kill' | 'power';

interface SnapshotFile {
  readonly seq: number;
  readonly name: string;
  text: string;
}

export class SimDisk {
  /** Committed rows, as a reader sees them. */
  rows: StoredBatch[] = [];
  /** Rows before this one are in the database, the others in the log. */
  loggedFrom = 0;
  #pending: StoredBatch[] = [];
  /** A commit of the pending rows was begun: parts of them may be on the medium. */
  #isCommitting = false;
  readonly mark = new SimMark();
  snapshots: SnapshotFile[] = [];
  /** The first row follows here: the journal's begin may have been deleted. */
  start: ChainPosition = { lastSeq: 0, chain: CHAIN_START };

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

  commit(): void {
    this.rows.push(...this.#pending);
    this.#pending = [];
    this.#isCommitting = false;
    if (this.rows.length - this.loggedFrom > LOG_ROWS_MAX) this.loggedFrom = this.rows.length;
  }

  /** A power loss also takes the memory of the operating system. Returns the fate of the tail. */
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
      this.rows.push({ ...torn, commands: torn.commands.slice(0, rng.integer(0, torn.commands.length - 1)) });
    }
    return fate;
  }

  reopen(): void {
    for (let i = this.loggedFrom; i < this.rows.length; i++) {
      if (isIntact(this.rows[i] as StoredBatch)) continue;
      this.rows.length = i;
      return;
    }
  }

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

  /** `seq` must be the end of a row. As with segments, only sealed rows can be deleted; else returns false. */
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
