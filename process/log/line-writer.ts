/**
 * Writes lines to a file in their order, while everything else goes on. Lines that cannot be written, as on a full disk,
 * end nothing and hold up nothing: they wait for the next line, and once many wait the newest are lost.
 */
import { write, writeSync } from 'node:fs';

const WAITING_CHARS_MAX = 1_000_000;
/** A pipe whose reader is slow is full for a while. */
const PAUSE_MS = 10;
const PAUSES_MAX = 100;

export class LineWriter {
  /** Bytes before the lines that wait. */
  #rest: Uint8Array = new Uint8Array();
  #lines = '';
  #isWriting = false;

  constructor(private readonly fd: number) {}

  write(line: string): void {
    if (this.#rest.length + this.#lines.length > WAITING_CHARS_MAX) return;
    this.#lines += line;
    this.#writeNext();
  }

  /** Writes what waits now, as far as that goes. Also called by pino after a fatal line. */
  flushSync(): void {
    let bytes = this.#takeWaiting();
    for (let pauses = 0; bytes.length > 0 && pauses <= PAUSES_MAX; ) {
      try {
        bytes = bytes.subarray(writeSync(this.fd, bytes));
      } catch (error) {
        pauses = isFull(error) ? pauses + 1 : Number.POSITIVE_INFINITY;
        if (isFull(error)) pause();
      }
    }
    this.#rest = bytes;
  }

  #writeNext(): void {
    if (this.#isWriting) return;
    const bytes = this.#takeWaiting();
    this.#isWriting = true;
    write(this.fd, bytes, (error, written = 0) => {
      this.#isWriting = false;
      this.#rest = Buffer.concat([bytes.subarray(written), this.#rest]);
      if (isFull(error)) setTimeout(() => this.#writeNext(), PAUSE_MS).unref();
      else if (error === null && this.#rest.length + this.#lines.length > 0) this.#writeNext();
    });
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

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, PAUSE_MS);
}
