/** A request's body as it arrives, bounded in bytes and in time. */
import { assert } from '../../engine/base/assert.js';

/** A longer body is refused with 413. */
export const BODY_BYTES_MAX = 16 * 1024;
/**
 * This much of a body that is too long is received and dropped before the answer, for at most `LINGER_MS`: closing
 * the connection on a client that is still sending resets it, and the answer is lost.
 */
export const DRAIN_BYTES_MAX = 256 * 1024;
export const LINGER_MS = 1_000;
/** A body has this long to arrive, however steadily it trickles in. */
export const BODY_DEADLINE_MS = 10_000;

const NOTHING = new Uint8Array(0);

/** A body in pieces. Its memory grows with the bytes received, not with the length announced, up to a maximum. */
export class BodyBuffer {
  #room: Uint8Array = NOTHING;
  #usedBytes = 0;

  constructor(private readonly bytesMax: number) {}

  /** Appends a copy of a piece. All pieces together have at most `bytesMax` bytes. */
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

  /** All bytes received so far, not copied. */
  bytes(): Uint8Array {
    return this.#room.subarray(0, this.#usedBytes);
  }
}
