/**
 * Parses the text of a batch into rows of numbers. It knows orders in the one form that `encodeCommand` writes, and of
 * anything else only where it ends. It never rejects a command: anything unusual is passed on as text.
 */
import { must } from '../../engine/base/assert.js';
import { ORDER_HEAD } from '../../engine/model/command-codec.js';
import {
  ACCOUNT,
  BODY,
  CLIENT_SEED,
  type CommandRows,
  EXPECTED_PERCENT_E6,
  FAIR_SHARE_E6,
  KEY,
  KEY_HIGH,
  KEY_LOW,
  LIMIT_ODDS_E4,
  MARKET_AND_SIDE,
  NO_TEXT,
  ROW,
  STAKE_CENTS,
  TEXT,
  TIME_MS,
  WHOLE_COMMAND,
} from './command-rows.js';
import { PARTS, partAt } from './order-parts.js';

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

export class CommandScanner {
  /** The text in UTF-8, up to `#end`. Bytes after that are of earlier, longer texts. */
  #bytes = Buffer.alloc(0);
  #end = 0;
  #at = 0;
  /** Something differs from the form in which `encodeCommand` writes orders. */
  #isUnusual = false;

  /**
   * Appends the commands of a batch to `into`. Returns false if the text is not a list of commands; what was appended
   * until then is useless.
   */
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

  /** Parses the order that begins at `at`; `#at` is then behind it. Returns false if it is not in the usual form. */
  #order(at: number, { numbers, count, texts }: CommandRows): boolean {
    const row = count * ROW;
    this.#at = at;
    this.#isUnusual = false;
    this.#expectAll(HEAD);
    numbers[row + TIME_MS] = this.#integer();
    this.#expect(COMMA);
    numbers[row + ACCOUNT] = this.#integer();
    this.#expect(COMMA);
    numbers[row + KEY] = this.#integer();
    numbers[row + MARKET_AND_SIDE] = this.#part();
    numbers[row + STAKE_CENTS] = this.#integer();
    this.#expect(COMMA);
    numbers[row + FAIR_SHARE_E6] = this.#integerOrMinusOne();
    this.#expect(COMMA);
    numbers[row + EXPECTED_PERCENT_E6] = this.#integerOrMinusOne();
    this.#expect(COMMA);
    numbers[row + LIMIT_ODDS_E4] = this.#integer();
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
    numbers[row + KEY_HIGH] = this.#integer();
    this.#expect(COMMA);
    numbers[row + KEY_LOW] = this.#integer();
    this.#expect(COMMA);
    numbers[row + BODY] = this.#integer();
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

  /** An integer >= 0 without a sign, of at most 15 digits. */
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

  /** The number from the digits up to `end`, which must be few enough for 32 bits. */
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
    if (this.#bytes[this.#at] !== MINUS) return this.#integer();
    this.#at++;
    if (this.#integer() !== 1) this.#isUnusual = true;
    return -1;
  }

  /** Market and side, as the index in `PARTS`. */
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

  /** The position after the closing quote of the string that begins at `from`, or after the last byte. */
  #endOfText(from: number): number {
    const bytes = this.#bytes;
    let at = from + 1;
    while (at < this.#end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    return Math.min(at + 1, this.#end);
  }

  /** Adds the command that begins at `at` as its text. Returns false if its end is not found. */
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
