/**
 * A queue of messages from one thread to another in shared memory: one producer, one consumer, no locks.
 *
 * The memory is a circular array of eight-byte cells. A message takes consecutive cells: a header with its length, then
 * numbers and texts. The producer moves `TAIL` past a message only after writing it, the consumer moves `HEAD` past it
 * only after reading it, so neither sees half a message. Both indices are 32-bit integers that grow and wrap.
 *
 * An idle consumer sets `ASLEEP`. The producer calls `takeSleep` after sending, to learn whether it must wake it.
 */
import { assert } from '../../engine/base/assert.js';

const CELL_BYTES = 8;
/** In 32-bit integers. Each word has a cache line of its own, since the two threads write different ones. */
const TAIL = 0;
const HEAD = 16;
const ASLEEP = 32;
const CONTROL_BYTES = 256;
/** In a header: the cells from here to the end of the memory are unused. */
const SKIP = -1;

/** The longest message, in cells, is a quarter of the ring. */
const LONGEST_SHARE = 4;

/** `cells` is a power of two. */
export function ringMemory(cells: number): SharedArrayBuffer {
  assert(cells >= 16 && (cells & (cells - 1)) === 0, 'a ring has a power of two of cells');
  return new SharedArrayBuffer(CONTROL_BYTES + cells * CELL_BYTES);
}

/** A message was not written or read to its end: the rest of the ring cannot be trusted. */
export class RingFault extends Error {}

class RingEnd {
  protected readonly control: Int32Array;
  protected readonly numbers: Float64Array;
  protected readonly bytes: Buffer;
  protected readonly cells: number;
  /** The next cell to read or write, below `cells`. */
  protected at = 0;

  constructor(memory: SharedArrayBuffer) {
    this.control = new Int32Array(memory, 0, CONTROL_BYTES / 4);
    this.numbers = new Float64Array(memory, CONTROL_BYTES);
    this.bytes = Buffer.from(memory, CONTROL_BYTES);
    this.cells = this.numbers.length;
  }
}

const cellsOfBytes = (bytes: number): number => Math.ceil(bytes / CELL_BYTES);

export const textCells = (text: string | null): number =>
  1 + (text === null ? 0 : cellsOfBytes(Buffer.byteLength(text)));

export class RingProducer extends RingEnd {
  #tail = 0;
  /** The last value of HEAD that was read. */
  #head = 0;
  #endsAt = 0;
  #isBegun = false;

  /** Has one message written. An error in the middle of it becomes a `RingFault`. */
  write(message: (ring: RingProducer, ticket: number) => boolean, ticket = 0): boolean {
    try {
      return message(this, ticket);
    } catch (cause) {
      throw this.#isBegun ? new RingFault('a message of a ring is half written', { cause }) : cause;
    }
  }

  /**
   * `number` and `text` fill the message, which has exactly `cells` cells; `send` sends it. Returns false if there is
   * no room yet; then nothing has begun.
   */
  begin(cells: number): boolean {
    assert(cells < this.cells / LONGEST_SHARE, `a message of ${cells} cells fits its ring`);
    const start = this.#tail & (this.cells - 1);
    const left = this.cells - start;
    const skipped = cells + 1 > left ? left : 0;
    if (!this.#hasRoom(skipped + cells + 1)) return false;
    if (skipped > 0) {
      this.numbers[start] = SKIP;
      this.#tail = (this.#tail + skipped) | 0;
    }
    const header = this.#tail & (this.cells - 1);
    this.numbers[header] = cells;
    this.at = header + 1;
    this.#endsAt = this.at + cells;
    this.#isBegun = true;
    return true;
  }

  number(value: number): void {
    this.numbers[this.at] = value;
    this.at += 1;
  }

  text(value: string | null): void {
    if (value === null) {
      this.number(-1);
      return;
    }
    const length = this.bytes.write(value, (this.at + 1) * CELL_BYTES);
    this.number(length);
    this.at += cellsOfBytes(length);
  }

  send(): void {
    assert(this.at === this.#endsAt, 'a message has the length that it was begun with');
    const header = this.#tail & (this.cells - 1);
    this.#tail = (this.#tail + (this.at - header)) | 0;
    this.#isBegun = false;
    Atomics.store(this.control, TAIL, this.#tail);
  }

  /** If true, the caller must wake the consumer. True once for each sleep. */
  takeSleep(): boolean {
    return Atomics.load(this.control, ASLEEP) === 1 && Atomics.exchange(this.control, ASLEEP, 0) === 1;
  }

  #hasRoom(cells: number): boolean {
    if (((this.#tail - this.#head) | 0) + cells <= this.cells) return true;
    this.#head = Atomics.load(this.control, HEAD);
    return ((this.#tail - this.#head) | 0) + cells <= this.cells;
  }
}

export class RingConsumer extends RingEnd {
  #head = 0;
  /** The last value of TAIL that was read. */
  #tail = 0;
  #endsAt = 0;

  /** `number` and `text` read the oldest message, `done` frees it. Returns false if there is none. */
  next(): boolean {
    if (this.#head === this.#tail) {
      this.#tail = Atomics.load(this.control, TAIL);
      if (this.#head === this.#tail) return false;
    }
    let header = this.#head & (this.cells - 1);
    if (this.numbers[header] === SKIP) {
      this.#head = (this.#head + this.cells - header) | 0;
      header = 0;
    }
    this.at = header + 1;
    this.#endsAt = this.at + (this.numbers[header] as number);
    return true;
  }

  number(): number {
    const value = this.numbers[this.at] as number;
    this.at += 1;
    return value;
  }

  text(): string | null {
    const length = this.number();
    if (length < 0) return null;
    const start = this.at * CELL_BYTES;
    this.at += cellsOfBytes(length);
    return this.bytes.toString('utf8', start, start + length);
  }

  done(): void {
    if (this.at !== this.#endsAt) throw new RingFault('a message of a ring is not read whole');
    this.#head = (this.#head + (this.at - (this.#head & (this.cells - 1)))) | 0;
    Atomics.store(this.control, HEAD, this.#head);
  }

  /**
   * Marks this end as asleep: the producer must wake it. Returns false, and leaves it awake, if a message has arrived
   * meanwhile, because its producer may not have seen the mark.
   */
  sleep(): boolean {
    Atomics.store(this.control, ASLEEP, 1);
    if (Atomics.load(this.control, TAIL) === this.#head) return true;
    this.awake();
    return false;
  }

  awake(): void {
    Atomics.store(this.control, ASLEEP, 0);
  }
}
