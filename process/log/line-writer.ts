/**
 * Writes lines to a file in their order, while everything else goes on. Lines that cannot be written, as on a full disk,
 * end nothing and hold up nothing: they wait for the next line, and once many wait the newest are lost.
 */
import { fstatSync, write, writeSync } from 'node:fs';
import { attempt } from '../../engine/base/attempt.js';

const WAITING_CHARS_MAX = 1_000_000;
/** A pipe whose reader is slow is full for a while. */
const PAUSE_MS = 10;
const PAUSES_MAX = 100;
/** A write in flight takes less, unless the disk is full or hangs. */
const IN_FLIGHT_MS_MAX = 500;

export class LineWriter {
  /** Bytes before the lines that wait. */
  #rest: Uint8Array = new Uint8Array();
  #lines = '';
  #isWriting = false;
  /** The file's size once the write in flight is done, which the event loop learns later. */
  #sizeAfter = 0;

  constructor(private readonly fd: number) {}

  write(line: string): void {
    if (this.#rest.length + this.#lines.length > WAITING_CHARS_MAX) return;
    this.#lines += line;
    this.#writeNext();
  }

  /** Writes what waits now, as far as that goes. Also called by pino after a fatal line. */
  flushSync(): void {
    this.#awaitInFlight();
    let bytes = this.#takeWaiting();
    for (let pauses = 0; bytes.length > 0 && pauses <= PAUSES_MAX; ) {
      try {
        bytes = bytes.subarray(writeSync(this.fd, bytes));
      } catch (error) {
        pauses = isFull(error) ? pauses + 1 : Number.POSITIVE_INFINITY;
        if (isFull(error)) pause(PAUSE_MS);
      }
    }
    this.#rest = bytes;
  }

  /** Lines that are written at once come after those of the write in flight. */
  #awaitInFlight(): void {
    for (let ms = 0; this.#isWriting && this.#size() < this.#sizeAfter && ms < IN_FLIGHT_MS_MAX; ms++)
      pause(1);
    // Once is enough for each write.
    this.#sizeAfter = 0;
  }

  #writeNext(): void {
    if (this.#isWriting) return;
    const bytes = this.#takeWaiting();
    this.#isWriting = true;
    const onWritten = (error: unknown, written = 0): void => {
      this.#isWriting = false;
      this.#rest = Buffer.concat([bytes.subarray(written), this.#rest]);
      if (isFull(error)) setTimeout(() => this.#writeNext(), PAUSE_MS).unref();
      else if (error === null && this.#rest.length + this.#lines.length > 0) this.#writeNext();
    };
    const size = this.#size();
    this.#sizeAfter = size + bytes.length;
    if (size >= 0) write(this.fd, bytes, onWritten);
    else this.#writeToPipe(bytes, onWritten);
  }

  /** Node has made the pipe one that blocks nobody. */
  #writeToPipe(bytes: Uint8Array, onWritten: (error: unknown, written?: number) => void): void {
    let written: number;
    try {
      written = writeSync(this.fd, bytes);
    } catch (error) {
      onWritten(error);
      return;
    }
    onWritten(null, written);
  }

  /** -1 for anything but a file on a disk. */
  #size(): number {
    const info = attempt(() => fstatSync(this.fd), null);
    return info?.isFile() === true ? info.size : -1;
  }

  #takeWaiting(): Uint8Array {
    const bytes = Buffer.concat([this.#rest, Buffer.from(this.#lines)]);
    this.#rest = new Uint8Array();
    this.#lines = '';
    return bytes;
  }
}

const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EAGAIN';

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms);
}
