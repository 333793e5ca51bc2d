/**
 * Decodes the commands of a batch. Nearly all are orders, always in the same form: a scanner that knows only that
 * form is faster than JSON. Anything unusual goes through JSON and `decodeCommand`. The scanner never rejects a
 * command, and a test holds it to the same results.
 */
import { must } from '../../engine/base/assert.js';
import { decodeCommand, ORDER_HEAD, ORDER_PARTS } from '../../engine/model/command-codec.js';
import type { Command, PlaceOrder } from '../../engine/model/commands.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const OPEN = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** Numbers with this many digits are exact. */
const DIGITS_MAX = 15;
/** Per UTF-16 code unit of a string. */
const UTF8_BYTES_MAX = 3;
/** Numbers with this many digits fit in 32 bits, for which arithmetic is faster. */
const INT_DIGITS = 9;
const POWERS_OF_TEN: readonly number[] = Array.from(
  { length: DIGITS_MAX - INT_DIGITS + 2 },
  (_, power) => 10 ** power,
);

const HEAD = Buffer.from(ORDER_HEAD);
const NULL = Buffer.from('null');

const PARTS: readonly Buffer[] = ORDER_PARTS.map((part) => Buffer.from(part));

/** A part ends with a comma after the last one. */
const PART_QUOTES = 4;
const PART_BYTES_MAX = Math.max(...PARTS.map(({ length }) => length));

const hashStep = (hash: number, byte: number): number => (Math.imul(hash, 31) + byte) | 0;

/** Finds a part by its hash, up to the last quote. The size is the first at which no two parts collide. */
function tableOfParts(): Uint8Array {
  const hashes = PARTS.map((part) => part.subarray(0, -1).reduce(hashStep, 0));
  for (let slots = 256; ; slots *= 2) {
    const table = new Uint8Array(slots);
    hashes.forEach((hash, part) => {
      table[hash & (slots - 1)] = part;
    });
    if (hashes.every((hash, part) => table[hash & (slots - 1)] === part)) return table;
  }
}

const PART_BY_HASH = tableOfParts();
const HASH_MASK = PART_BY_HASH.length - 1;

/** The index in `PARTS` of the only part that can be at `from`. The caller must compare. */
function partAt(bytes: Uint8Array, from: number): number {
  let hash = 0;
  let quotes = 0;
  let at = from;
  for (; quotes < PART_QUOTES && at - from < PART_BYTES_MAX; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) quotes++;
    hash = hashStep(hash, byte);
  }
  return PART_BY_HASH[hash & HASH_MASK] as number;
}

class CommandScanner {
  /** UTF-8 up to `#end`. Bytes after that are of earlier, longer texts. */
  #bytes = Buffer.alloc(0);
  #end = 0;
  #at = 0;
  #isUnusual = false;

  /** Commands other than orders are texts. null if the text is not a list of commands. */
  scan(text: string): (PlaceOrder | string)[] | null {
    if (this.#bytes.length < text.length * UTF8_BYTES_MAX) {
      this.#bytes = Buffer.alloc(text.length * UTF8_BYTES_MAX);
    }
    const bytes = this.#bytes;
    this.#end = bytes.write(text);
    const last = this.#end - 1;
    if (bytes[0] !== OPEN || bytes[last] !== CLOSE) return null;
    const commands: (PlaceOrder | string)[] = [];
    for (let at = 1; ; at++) {
      const command = this.#order(at) ?? this.#otherCommand(at);
      if (command === null) return null;
      commands.push(command);
      at = this.#at;
      if (at === last) return commands;
      if (at > last || bytes[at] !== COMMA) return null;
    }
  }

  /** Leaves `#at` behind the order. null if it is not in the usual form. */
  #order(at: number): PlaceOrder | null {
    this.#at = at;
    this.#isUnusual = false;
    this.#expectAll(HEAD);
    const timeMs = this.#integerBeforeComma();
    const account = this.#integerBeforeComma();
    const key = this.#integer();
    const part = this.#part();
    const stakeCents = this.#integerBeforeComma();
    const fairShareE6 = this.#integerOrMinusOne();
    const expectedPercentE6 = this.#integerOrMinusOne();
    const limitOddsE4 = this.#integerBeforeComma();
    const validUntilMs = this.#integerBeforeComma();
    const idempotency = this.#digest();
    const clientSeed = this.#textOrNull();
    const clientOrderId = this.#bytes[this.#at] === COMMA ? this.#textBehindComma() : null;
    this.#expect(CLOSE);
    if (this.#isUnusual) return null;
    return {
      kind: 'placeOrder',
      timeMs,
      account,
      key,
      market: part >> 1,
      side: part & 1,
      stakeCents,
      fairShareE6,
      expectedPercentE6,
      limitOddsE4,
      validUntilMs,
      idempotency,
      clientSeed,
      clientOrderId,
    };
  }

  #digest(): PlaceOrder['idempotency'] {
    if (this.#bytes[this.#at] !== OPEN) {
      this.#expectAll(NULL);
      this.#expect(COMMA);
      return null;
    }
    this.#at++;
    const keyHigh = this.#integerBeforeComma();
    const keyLow = this.#integerBeforeComma();
    const body = this.#integer();
    this.#expect(CLOSE);
    this.#expect(COMMA);
    return { keyHigh, keyLow, body };
  }

  #integerBeforeComma(): number {
    const value = this.#integer();
    this.#expect(COMMA);
    return value;
  }

  #expect(byte: number): void {
    if (this.#bytes[this.#at] !== byte) this.#isUnusual = true;
    this.#at++;
  }

  #expectAll(expected: Uint8Array): void {
    const bytes = this.#bytes;
    const at = this.#at;
    for (let i = 0; i < expected.length; i++) {
      if (bytes[at + i] !== expected[i]) {
        this.#isUnusual = true;
        break;
      }
    }
    this.#at = at + expected.length;
  }

  /** >= 0, without a sign, at most 15 digits. */
  #integer(): number {
    const from = this.#at;
    const upper = this.#digits(from + INT_DIGITS);
    let digits = this.#at - from;
    if (digits > 1 && this.#bytes[from] === ZERO) this.#isUnusual = true;
    if (digits < INT_DIGITS) {
      if (digits === 0) this.#isUnusual = true;
      return upper;
    }
    const lower = this.#digits(from + DIGITS_MAX + 1);
    digits = this.#at - from;
    if (digits > DIGITS_MAX) this.#isUnusual = true;
    return upper * (POWERS_OF_TEN[digits - INT_DIGITS] as number) + lower;
  }

  /** The digits up to `end` must be few enough for 32 bits. */
  #digits(end: number): number {
    const bytes = this.#bytes;
    let at = this.#at;
    let value = 0;
    for (; at < end; at++) {
      const digit = (bytes[at] as number) - ZERO;
      if (!(digit >= 0 && digit <= 9)) break;
      value = (Math.imul(value, 10) + digit) | 0;
    }
    this.#at = at;
    return value;
  }

  #integerOrMinusOne(): number {
    if (this.#bytes[this.#at] !== MINUS) return this.#integerBeforeComma();
    this.#at++;
    if (this.#integerBeforeComma() !== 1) this.#isUnusual = true;
    return -1;
  }

  /** The index in `PARTS`. */
  #part(): number {
    const part = partAt(this.#bytes, this.#at);
    this.#expectAll(must(PARTS[part], 'part of an order'));
    return part;
  }

  #textOrNull(): string | null {
    const from = this.#at;
    if (this.#bytes[from] !== QUOTE) {
      this.#expectAll(NULL);
      return null;
    }
    if (this.#isUnusual) return null;
    this.#at = this.#endOfText(from);
    // JSON.parse makes a new string. A slice would keep the whole batch in memory.
    return JSON.parse(this.#bytes.toString('utf8', from, this.#at));
  }

  #textBehindComma(): string | null {
    this.#at++;
    if (this.#bytes[this.#at] !== QUOTE) this.#isUnusual = true;
    return this.#textOrNull();
  }

  /** Behind the closing quote of the string that begins at `from`, or behind the last byte. */
  #endOfText(from: number): number {
    const bytes = this.#bytes;
    let at = from + 1;
    while (at < this.#end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    return Math.min(at + 1, this.#end);
  }

  #otherCommand(at: number): string | null {
    const bytes = this.#bytes;
    if (bytes[at] !== OPEN) return null;
    let depth = 0;
    this.#at = at;
    while (this.#at < this.#end) {
      const byte = bytes[this.#at];
      if (byte === QUOTE) {
        this.#at = this.#endOfText(this.#at);
        continue;
      }
      if (byte === OPEN || byte === OPEN_BRACE) depth++;
      else if (byte === CLOSE || byte === CLOSE_BRACE) depth--;
      this.#at++;
      if (depth === 0) return bytes.toString('utf8', at, this.#at);
    }
    return null;
  }
}

/** Batches are decoded one at a time and share its memory. */
const scanner = new CommandScanner();

/** Throws the errors of JSON and `decodeCommand`. */
export function decodeCommands(text: string): Command[] {
  const commands = scanner.scan(text);
  if (commands !== null)
    return commands.map((command) =>
      typeof command === 'string' ? decodeCommand(JSON.parse(command)) : command,
    );
  const values: unknown = JSON.parse(text);
  if (!Array.isArray(values)) throw new SyntaxError('a batch is a list of commands');
  return values.map((value) => decodeCommand(value));
}
