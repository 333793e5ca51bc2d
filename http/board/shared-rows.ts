/**
 * Rows of numbers that one thread writes and all threads read, without locks. Each row has two copies: the writer
 * updates the one that nobody reads, and then publishes it with the row's version. An overtaken reader reads again; it
 * never waits for a writer that has lost its core in the middle of a row.
 */
import { assert } from '../../engine/base/assert.js';

const VERSION_BYTES = 4;

export function factsMemory(rows: number, fields: number): SharedArrayBuffer {
  return new SharedArrayBuffer(rowsAt(rows) + rows * 2 * fields * Float64Array.BYTES_PER_ELEMENT);
}

/** Rows begin behind a version for each and one for all, at a multiple of eight bytes. */
const rowsAt = (rows: number): number => Math.ceil(((rows + 1) * VERSION_BYTES) / 8) * 8;

export class SharedRows {
  readonly #versions: Int32Array;
  readonly #numbers: Float64Array;

  constructor(
    memory: SharedArrayBuffer,
    private readonly rows: number,
    private readonly fields: number,
  ) {
    this.#versions = new Int32Array(memory, 0, rows + 1);
    this.#numbers = new Float64Array(memory, rowsAt(rows));
    assert(this.#numbers.length === rows * 2 * fields, 'the memory is that of such a table');
  }

  /** Changes with every write to any row. */
  get version(): number {
    return Atomics.load(this.#versions, this.rows);
  }

  versionOf(row: number): number {
    return Atomics.load(this.#versions, row);
  }

  /** Copies a row, as left by one write, into `into`. Returns its version. */
  read(row: number, into: Float64Array): number {
    for (;;) {
      const version = Atomics.load(this.#versions, row);
      const start = this.#start(row, version);
      for (let field = 0; field < this.fields; field++) into[field] = this.#numbers[start + field] as number;
      if (Atomics.load(this.#versions, row) === version) return version;
    }
  }

  /** Only one thread may write. */
  write(row: number, from: Float64Array): void {
    const version = (Atomics.load(this.#versions, row) + 1) | 0;
    this.#numbers.set(from, this.#start(row, version));
    Atomics.store(this.#versions, row, version);
    Atomics.add(this.#versions, this.rows, 1);
  }

  #start(row: number, version: number): number {
    return (row * 2 + (version & 1)) * this.fields;
  }
}
