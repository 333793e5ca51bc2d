/**
 * A log of records of numbers in shared memory: one thread appends, any number of threads read, each at its own pace.
 * The memory is circular, and new records overwrite the oldest. The writer waits for no reader, and an overtaken reader
 * is told.
 *
 * Records are counted from 0. Two counters are shared, as 64 bits: records that can be read (`PUBLISHED`),
 * and records whose places may be in the middle of being written (`CLAIMED`). The writer claims before it writes, a
 * chunk at a time. A reader looks at `CLAIMED` after it has read: the record is good if its place was not claimed
 * again.
 */
import { assert } from '../../engine/base/assert.js';

const PUBLISHED = 0;
/** In a cache line of its own: it changes far less often than the other. */
const CLAIMED = 8;
const CONTROL_BYTES = 128;
/** The writer claims so many records at once: so many of the oldest can no longer be read. */
const CLAIM = 512;

/** `records` is a power of two. */
interface LogForm {
  readonly records: number;
  /** Numbers in a record; the first is the sequence number of its command, which never decreases. */
  readonly fields: number;
}

export function logMemory({ records, fields }: LogForm): SharedArrayBuffer {
  assert((records & (records - 1)) === 0 && records > CLAIM, 'a log has a power of two of records');
  return new SharedArrayBuffer(CONTROL_BYTES + records * fields * Float64Array.BYTES_PER_ELEMENT);
}

export class LogWriter {
  readonly #control: BigInt64Array;
  /** The numbers of all records. A new record is written from the index that `begin` returns. */
  readonly cells: Float64Array;
  #written = 0;
  #claimed = 0;

  constructor(
    memory: SharedArrayBuffer,
    private readonly form: LogForm,
  ) {
    this.#control = new BigInt64Array(memory, 0, CONTROL_BYTES / BigInt64Array.BYTES_PER_ELEMENT);
    this.cells = new Float64Array(memory, CONTROL_BYTES);
  }

  /** All fields of the record are to be written. */
  begin(): number {
    if (this.#written === this.#claimed) {
      this.#claimed += CLAIM;
      // A read-modify-write is a barrier in both directions: no write below is seen before the claim.
      Atomics.exchange(this.#control, CLAIMED, BigInt(this.#claimed));
    }
    const { records, fields } = this.form;
    const at = (this.#written & (records - 1)) * fields;
    this.#written += 1;
    return at;
  }

  publish(): void {
    Atomics.store(this.#control, PUBLISHED, BigInt(this.#written));
  }
}

export class BroadcastReader {
  readonly #control: BigInt64Array;
  readonly #cells: Float64Array;

  constructor(
    memory: SharedArrayBuffer,
    private readonly form: LogForm,
  ) {
    this.#control = new BigInt64Array(memory, 0, CONTROL_BYTES / BigInt64Array.BYTES_PER_ELEMENT);
    this.#cells = new Float64Array(memory, CONTROL_BYTES);
  }

  /** The number of the next record. */
  get end(): number {
    return Number(Atomics.load(this.#control, PUBLISHED));
  }

  /** The oldest record that can still be read. */
  get begin(): number {
    return Math.max(0, Number(Atomics.load(this.#control, CLAIMED)) - this.form.records);
  }

  /** Copies a published record. Returns false if it has been overwritten: then `into` has no meaning. */
  read(record: number, into: Float64Array): boolean {
    const { records, fields } = this.form;
    // The low bits are exact for every whole number that a double holds.
    const start = (record & (records - 1)) * fields;
    for (let field = 0; field < fields; field++) into[field] = this.#cells[start + field] as number;
    return record >= this.begin;
  }

  /**
   * The first record of a command after number `seq`, or `end` if there is none yet; null if such a record may have
   * been overwritten. A log that begins after `seq` does not know this: `Broadcast.startSeq` does.
   */
  firstAfter(seq: number): number | null {
    const { begin, end } = this;
    const into = new Float64Array(this.form.fields);
    let low = begin;
    let high = end;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (!this.read(middle, into)) return null;
      if ((into[0] as number) > seq) high = middle;
      else low = middle + 1;
    }
    // Overwritten records had numbers up to that of the first one left.
    return begin > 0 && low === begin ? null : low;
  }
}
