/**
 * Text that grows piece by piece, kept as bytes of UTF-8 and made a string once. A concatenated string is a rope, which
 * V8 walks to flatten, and printing digits by groups reads strings from all over the memory. Both cost the event loop
 * more than writing the bytes.
 */
import { assert } from './assert.js';

const BYTES_FIRST = 1 << 10;
const INTEGER_BYTES_MAX = 16;
const UTF8_BYTES_MAX = 3;
const ZERO = 0x30;
const GROUP = 10_000;
const EIGHT_DIGITS = GROUP * GROUP;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export class TextWriter {
  #bytes = new Uint8Array(BYTES_FIRST);
  #end = 0;

  clear(): void {
    this.#end = 0;
  }

  get isEmpty(): boolean {
    return this.#end === 0;
  }

  /** Keeps the text, so that more can follow. */
  toString(): string {
    return decoder.decode(this.written());
  }

  /** The bytes themselves: they hold until the text changes. */
  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#end);
  }

  /** `text` has no half of a surrogate pair. */
  text(text: string): void {
    this.#reserve(text.length * UTF8_BYTES_MAX);
    this.#end += encoder.encodeInto(text, this.#bytes.subarray(this.#end)).written;
  }

  /** `bytes` are UTF-8. Copied by hand: pieces are short. */
  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    const into = this.#bytes;
    let at = this.#end;
    for (let from = 0; from < bytes.length; from++) into[at++] = bytes[from] as number;
    this.#end = at;
  }

  byte(code: number): void {
    this.#reserve(1);
    this.#bytes[this.#end++] = code;
  }

  integer(value: number): void {
    assert(Number.isSafeInteger(value) && value >= 0, 'digits are of integers from 0 on');
    this.#reserve(INTEGER_BYTES_MAX);
    this.#integer(value);
  }

  #integer(value: number): void {
    if (value < GROUP) {
      this.#group(value);
    } else if (value < EIGHT_DIGITS) {
      // Dividing 32-bit integers is faster than dividing doubles.
      const word = value | 0;
      const high = (word / GROUP) | 0;
      this.#group(high);
      this.#wholeGroup(word - high * GROUP);
    } else {
      const above = Math.floor(value / EIGHT_DIGITS);
      this.#integer(above);
      const word = (value - above * EIGHT_DIGITS) | 0;
      const high = (word / GROUP) | 0;
      this.#wholeGroup(high);
      this.#wholeGroup(word - high * GROUP);
    }
  }

  #group(value: number): void {
    const into = this.#bytes;
    const word = value | 0;
    const hundreds = (word / 100) | 0;
    const thousand = (hundreds / 10) | 0;
    const rest = word - hundreds * 100;
    const ten = (rest / 10) | 0;
    let at = this.#end;
    if (word > 999) into[at++] = ZERO + thousand;
    if (word > 99) into[at++] = ZERO + hundreds - thousand * 10;
    if (word > 9) into[at++] = ZERO + ten;
    into[at++] = ZERO + rest - ten * 10;
    this.#end = at;
  }

  /** With leading zeros. */
  #wholeGroup(word: number): void {
    const into = this.#bytes;
    const at = this.#end;
    const hundreds = (word / 100) | 0;
    const thousand = (hundreds / 10) | 0;
    const rest = word - hundreds * 100;
    const ten = (rest / 10) | 0;
    into[at] = ZERO + thousand;
    into[at + 1] = ZERO + hundreds - thousand * 10;
    into[at + 2] = ZERO + ten;
    into[at + 3] = ZERO + rest - ten * 10;
    this.#end = at + 4;
  }

  #reserve(bytes: number): void {
    const needed = this.#end + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(2 ** Math.ceil(Math.log2(needed)));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
