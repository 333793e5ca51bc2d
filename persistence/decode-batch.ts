/**
 * The commands of a batch from their text. Orders are nearly all of a journal, and `encodeCommand` always writes them in
 * the same form, so they are read here by a scanner that knows only that form, in a third of the time that JSON takes.
 * Whatever is in the least unusual goes the ordinary way, through JSON and `decodeCommand`: the scanner never judges,
 * and a test holds it to giving what the ordinary way gives.
 */
import { must } from '../engine/assert.js';
import { decodeCommand, ORDER_HEAD, ORDER_PARTS } from '../engine/command-codec.js';
import type { Command } from '../engine/commands.js';
import {
  ACCOUNT,
  BODY,
  CLIENT_SEED,
  CommandRows,
  EXPECTED_PERCENT_E6,
  KEY,
  KEY_HIGH,
  KEY_LOW,
  MARKET_AND_SIDE,
  NO_TEXT,
  ROW,
  RowsReader,
  STAKE_CENTS,
  TEXT,
  TIME_MS,
  WHOLE_COMMAND,
} from './command-rows.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const OPEN = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** Numbers of so many digits are exact. */
const DIGITS_MAX = 15;
/** Of a string's character, a half of a surrogate pair included. */
const UTF8_BYTES_MAX = 3;
/** Numbers of so many digits fit 32 bits, whose arithmetic takes half as long. */
const INT_DIGITS = 9;
const POWERS_OF_TEN: readonly number[] = Array.from(
  { length: DIGITS_MAX - INT_DIGITS + 2 },
  (_, power) => 10 ** power,
);

const HEAD = Buffer.from(ORDER_HEAD);
const NULL = Buffer.from('null');
/** Market and side as they stand in an order, by `market * 2 + side`. */
const PARTS: readonly Buffer[] = ORDER_PARTS.map((part) => Buffer.from(part));
/** Quotes in a part, after the last of which it ends with a comma. */
const PART_QUOTES = 4;
const PART_BYTES_MAX = Math.max(...PARTS.map(({ length }) => length));

/** The commands of a batch's text. Throws what JSON and `decodeCommand` throw. */
export function decodeCommands(text: string): Command[] {
  rows.clear();
  if (!scanCommands(text, rows)) return decodeOrdinarily(text);
  return new RowsReader(rows.numbers, rows.texts).take(rows.count);
}

/**
 * Appends the commands of a batch's text to `into`. False where the text as a whole is not a list that the scanner can
 * take apart; what was appended until then is of no use.
 */
export function scanCommands(text: string, into: CommandRows): boolean {
  return scanner.scan(text, into);
}

function decodeOrdinarily(text: string): Command[] {
  const values: unknown = JSON.parse(text);
  if (!Array.isArray(values)) throw new SyntaxError('a batch is a list of commands');
  return values.map((value) => decodeCommand(value));
}

class Scanner {
  /** The text, in UTF-8, up to `#end`; what is behind it is of longer texts. */
  #bytes = Buffer.alloc(0);
  #end = 0;
  #at = 0;
  /** Something was not as `encodeCommand` writes orders. */
  #isUnusual = false;

  scan(text: string, into: CommandRows): boolean {
    if (this.#bytes.length < text.length * UTF8_BYTES_MAX) {
      this.#bytes = Buffer.alloc(text.length * UTF8_BYTES_MAX);
    }
    const bytes = this.#bytes;
    this.#end = bytes.write(text);
    const last = this.#end - 1;
    if (bytes[0] !== OPEN || bytes[last] !== CLOSE) return false;
    for (let at = 1; ; at++) {
      into.reserve();
      if (!this.#order(at, into) && !this.#otherCommand(at, into)) return false;
      into.count++;
      at = this.#at;
      if (at === last) return true;
      if (at > last || bytes[at] !== COMMA) return false;
    }
  }

  /** The order that begins at `at` and ends before `#at`; false where that is no order in its usual form. */
  #order(at: number, { numbers, count, texts }: CommandRows): boolean {
    const row = count * ROW;
    this.#at = at;
    this.#isUnusual = false;
    this.#expectAll(HEAD);
    numbers[row + TIME_MS] = this.#whole();
    this.#expect(COMMA);
    numbers[row + ACCOUNT] = this.#whole();
    this.#expect(COMMA);
    numbers[row + KEY] = this.#whole();
    numbers[row + MARKET_AND_SIDE] = this.#part();
    numbers[row + STAKE_CENTS] = this.#whole();
    this.#expect(COMMA);
    numbers[row + EXPECTED_PERCENT_E6] = this.#wholeOrMinusOne();
    this.#expect(COMMA);
    this.#digest(numbers, row);
    this.#expect(COMMA);
    const clientSeed = this.#textOrNull();
    this.#expect(CLOSE);
    if (this.#isUnusual) return false;
    numbers[row + TEXT] = clientSeed === null ? NO_TEXT : CLIENT_SEED;
    if (clientSeed !== null) texts.push(clientSeed);
    return true;
  }

  #digest(numbers: Float64Array, row: number): void {
    if (this.#bytes[this.#at] !== OPEN) {
      this.#expectAll(NULL);
      numbers[row + BODY] = -1;
      return;
    }
    this.#at++;
    numbers[row + KEY_HIGH] = this.#whole();
    this.#expect(COMMA);
    numbers[row + KEY_LOW] = this.#whole();
    this.#expect(COMMA);
    numbers[row + BODY] = this.#whole();
    this.#expect(CLOSE);
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

  /** A whole number >= 0 without a sign, of at most 15 digits. */
  #whole(): number {
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

  /** The number that the digits up to `end` make, which must be few enough for 32 bits. */
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

  #wholeOrMinusOne(): number {
    if (this.#bytes[this.#at] !== MINUS) return this.#whole();
    this.#at++;
    if (this.#whole() !== 1) this.#isUnusual = true;
    return -1;
  }

  /** Index in `PARTS` of what stands here. */
  #part(): number {
    const bytes = this.#bytes;
    const from = this.#at;
    let hash = 0;
    let quotes = 0;
    let at = from;
    for (; quotes < PART_QUOTES && at - from < PART_BYTES_MAX; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) quotes++;
      hash = hashStep(hash, byte);
    }
    const part = PART_BY_HASH[hash & HASH_MASK] as number;
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
    // JSON makes a string of its own: a slice would keep the whole batch in memory.
    return JSON.parse(this.#bytes.toString('utf8', from, this.#at));
  }

  /** Place behind the closing quote of the string that begins at `from`, or behind the last byte. */
  #endOfText(from: number): number {
    const bytes = this.#bytes;
    let at = from + 1;
    while (at < this.#end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    return Math.min(at + 1, this.#end);
  }

  /** The command that begins at `at`, as its text; false where its end is not found. */
  #otherCommand(at: number, { numbers, count, texts }: CommandRows): boolean {
    const bytes = this.#bytes;
    if (bytes[at] !== OPEN) return false;
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
      if (depth > 0) continue;
      numbers[count * ROW + TEXT] = WHOLE_COMMAND;
      texts.push(bytes.toString('utf8', at, this.#at));
      return true;
    }
    return false;
  }
}

const hashStep = (hash: number, byte: number): number => (Math.imul(hash, 31) + byte) | 0;

/** Tells the parts from each other by their hash, up to the last quote: the first size that gives each a place of its own. */
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

/** Batches are decoded one at a time: they share the memory for their bytes and rows. */
const scanner = new Scanner();
const rows = new CommandRows();
