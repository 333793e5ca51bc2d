/**
 * One buffer of fixed size, allocated in parts. Every thread allocates the same parts in the same order, so they are
 * at the same places for all. It cannot be growable: typed arrays over a growable buffer are many times slower. Pages
 * that were never written cost nothing, so a part may be far larger than its usual use.
 */
import { assert } from '../../engine/base/assert.js';

/** A cache line: parts begin at whole ones. */
export const LINE_BYTES = 64;
export const LINE_WORDS = LINE_BYTES / Uint32Array.BYTES_PER_ELEMENT;
export const LINE_DOUBLES = LINE_BYTES / Float64Array.BYTES_PER_ELEMENT;

/** Bytes of a part of `words` 32-bit words. */
export const bytesOfWords = (words: number): number => Math.ceil(words / LINE_WORDS) * LINE_BYTES;

export class Memory {
  #at = 0;

  constructor(readonly buffer: ArrayBufferLike) {}

  /** The next part, zero when it is new: `lines` cache lines. */
  lines(lines: number): Uint32Array {
    const at = this.#at;
    this.#at += lines * LINE_BYTES;
    assert(this.#at <= this.buffer.byteLength, 'the buffer holds all of its parts');
    return new Uint32Array(this.buffer, at, lines * LINE_WORDS);
  }

  /** The next part: `words` 32-bit words. */
  words(words: number): Uint32Array {
    return this.lines(bytesOfWords(words) / LINE_BYTES);
  }
}
