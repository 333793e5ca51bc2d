/** A body that arrives in pieces. Its memory follows what has arrived, not what was announced, up to a maximum. */
import { assert } from '../engine/assert.js';

const NOTHING = new Uint8Array(0);

export class BodyBuffer {
  #room: Uint8Array = NOTHING;
  #usedBytes = 0;

  constructor(private readonly bytesMax: number) {}

  /** Copies a piece; all of them together have at most `bytesMax` bytes. */
  add(chunk: ArrayBuffer): void {
    const bytes = this.#usedBytes + chunk.byteLength;
    assert(bytes <= this.bytesMax, 'a body that is too long is not kept');
    if (bytes > this.#room.byteLength) {
      const room = new Uint8Array(Math.min(this.bytesMax, bytes * 2));
      room.set(this.#room.subarray(0, this.#usedBytes));
      this.#room = room;
    }
    this.#room.set(new Uint8Array(chunk), this.#usedBytes);
    this.#usedBytes = bytes;
  }

  /** All that has arrived; not a copy. */
  bytes(): Uint8Array {
    return this.#room.subarray(0, this.#usedBytes);
  }
}
