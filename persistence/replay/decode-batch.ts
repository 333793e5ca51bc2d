/**
 * Decodes the commands of a batch. Nearly all are orders, always in the same form: a scanner that knows only that
 * form is faster than JSON. Anything unusual goes through JSON and `decodeCommand`. The scanner never rejects a
 * command, and a test holds it to the same results.
 */
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
/** A scan goes on to the end of an order that was unusual from the start; texts are scanned byte by byte. */
const ORDER_BYTES_MAX = 512;
/** Numbers with this many digits are exact. */
const DIGITS_MAX = 15;
/** Per UTF-16 code unit of a string. */
const UTF8_BYTES_MAX = 3;
/** Numbers with this many digits fit in 32 bits, for which arithmetic is faster. */
const INT_DIGITS = 8;
const POWERS_OF_TEN: readonly number[] = Array.from(
  { length: DIGITS_MAX - INT_DIGITS + 2 },
  (_, power) => 10 ** power,
);

/** The length stands beside its bytes: to ask a view for it is a call. */
type Expected = Readonly<ReturnType<typeof expectedOf>>;

const expectedOf = (text: Uint8Array) => ({
  bytes: new DataView(Uint8Array.from(text).buffer),
  length: text.length,
});
const HEAD = expectedOf(Buffer.from(ORDER_HEAD));
const NULL = expectedOf(Buffer.from('null'));
const PARTS = ORDER_PARTS.map(expectedOf);

const WORD_BYTES = 4;
const ZEROS = 0x30303030;
/** Bytes of a part that tell its market: none is shorter. They begin behind its comma and quote. */
const MARKET_FROM = 2;
const MARKET_TO = 18;
/** The side's first letter, seen from the part's end: `UP",` or `DOWN",`. */
const UP_BYTES = 4;
const FIRST_OF_DOWN = 0x44;

function hashOfMarket(bytes: DataView, from: number): number {
  let hash = 0;
  for (let at = from + MARKET_FROM; at < from + MARKET_TO; at += WORD_BYTES)
    hash = Math.imul(hash ^ bytes.getInt32(at), 0x9e3779b1);
  return hash >>> 16;
}

/** Finds a market by the hash of its part. The size is the first at which no two markets collide. */
function tableOfMarkets(): Uint8Array {
  const hashes = PARTS.map(({ bytes }) => hashOfMarket(bytes, 0));
  for (let slots = 256; ; slots *= 2) {
    const table = new Uint8Array(slots);
    hashes.forEach((hash, part) => {
      table[hash & (slots - 1)] = part >> 1;
    });
    if (hashes.every((hash, part) => table[hash & (slots - 1)] === part >> 1)) return table;
  }
}

const MARKET_BY_HASH = tableOfMarkets();
const HASH_MASK = MARKET_BY_HASH.length - 1;

class CommandScanner {
  /** UTF-8 up to `#end`. Bytes after that are of earlier, longer texts. */
  #bytes = Buffer.alloc(0);
  #view = new DataView(this.#bytes.buffer);
  #end = 0;
  #at = 0;
  #isUnusual = false;

  /** Commands other than orders are texts. null if the text is not a list of commands. */
  scan(text: string): (PlaceOrder | string)[] | null {
    const bytesMax = text.length * UTF8_BYTES_MAX + ORDER_BYTES_MAX;
    if (this.#bytes.length < bytesMax) {
      this.#bytes = Buffer.alloc(bytesMax);
      this.#view = new DataView(this.#bytes.buffer);
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

  /** At least four bytes, and four in a step: the last step may overlap the one before. */
  #expectAll({ bytes: expected, length }: Expected): void {
    const bytes = this.#view;
    const at = this.#at;
    const last = length - WORD_BYTES;
    let different = bytes.getInt32(at + last) ^ expected.getInt32(last);
    for (let i = 0; i < last; i += WORD_BYTES) different |= bytes.getInt32(at + i) ^ expected.getInt32(i);
    if (different !== 0) this.#isUnusual = true;
    this.#at = at + length;
  }

  /** >= 0, without a sign, at most 15 digits. */
  #integer(): number {
    const from = this.#at;
    const upper = this.#digits();
    let digits = this.#at - from;
    if (digits === 0 || (digits > 1 && this.#bytes[from] === ZERO)) this.#isUnusual = true;
    if (digits < INT_DIGITS) return upper;
    const lower = this.#digits();
    digits = this.#at - from;
    if (digits > DIGITS_MAX) this.#isUnusual = true;
    return upper * (POWERS_OF_TEN[digits - INT_DIGITS] as number) + lower;
  }

  /** At most 8 digits, four in a step: a branch for each would be guessed wrongly where numbers end. */
  #digits(): number {
    const bytes = this.#view;
    const from = this.#at;
    let value = 0;
    let at = from;
    for (let digits = WORD_BYTES; digits === WORD_BYTES && at < from + INT_DIGITS; at += digits) {
      const word = bytes.getInt32(at, true) ^ ZEROS;
      // Bytes other than digits have a bit of their upper half, at the latest after this sum.
      const others = (word | (word + 0x06060606)) & 0xf0f0f0f0;
      digits = others === 0 ? WORD_BYTES : (31 - Math.clz32(others & -others)) >> 3;
      const halfShift = 4 * (WORD_BYTES - digits);
      const ones = (word << halfShift) << halfShift;
      const tens = Math.imul(ones, 10) + (ones >>> 8);
      value =
        Math.imul(value, POWERS_OF_TEN[digits] as number) +
        Math.imul(tens & 0xff, 100) +
        ((tens >>> 16) & 0xff);
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
    const up = 2 * (MARKET_BY_HASH[hashOfMarket(this.#view, this.#at) & HASH_MASK] as number);
    const sideAt = this.#at + (PARTS[up] as Expected).length - UP_BYTES;
    const part = this.#bytes[sideAt] === FIRST_OF_DOWN ? up + 1 : up;
    this.#expectAll(PARTS[part] as Expected);
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
