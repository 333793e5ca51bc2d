/**
 * The text of a block of rows: a JSON array with a line for each row, which is an array of its cells. Usual cells,
 * integers and plain words, are written as bytes, without building a string; unusual ones go through `JSON.stringify`,
 * with the same result. Half a surrogate pair is escaped in both, so a text comes back as it was given.
 */
import { must } from '../../../engine/base/assert.js';
import type { ArchiveCell } from './checksum.js';

const COMMA = 0x2c;
const LINE_END = 0x0a;
const MINUS = 0x2d;
const QUOTE = 0x22;
const ZERO = 0x30;
const OPEN = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE = 0x5d;
const SPACE = 0x20;
const DELETE = 0x7f;
const NULL = Buffer.from('null');

const FIRST_BYTES = 32 * 1024;
/** Room for any cell but a text. */
const CELL_BYTES_MAX = 32;
/** A character takes at most six bytes of JSON: `\u0000`. */
const CHARACTER_BYTES_MAX = 6;
const GROUP = 10_000;
/** The digits of 0 to 9999, four each. */
const GROUPS = Buffer.from(Array.from({ length: GROUP }, (_, n) => `${n}`.padStart(4, '0')).join(''));

/** Writes the text of a block. */
export class RowText {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #end = 0;
  #isAscii = true;

  /** Adds the first `count` cells as a row. */
  add(cells: readonly ArchiveCell[], count = cells.length): void {
    const bytes = this.#bytes;
    if (this.#end === 0) bytes[this.#end++] = OPEN;
    else {
      bytes[this.#end++] = COMMA;
      bytes[this.#end++] = LINE_END;
    }
    for (let index = 0; index < count; index++) {
      this.#bytes[this.#end++] = index === 0 ? OPEN : COMMA;
      this.#write(cells[index] as ArchiveCell);
    }
    this.#bytes[this.#end++] = CLOSE;
    this.#makeRoom(0);
  }

  /** The text of the rows added since the last call. */
  take(): string {
    this.#bytes[this.#end++] = CLOSE;
    const text = this.#bytes.toString(this.#isAscii ? 'latin1' : 'utf8', 0, this.#end);
    this.#end = 0;
    this.#isAscii = true;
    return text;
  }

  #write(cell: ArchiveCell): void {
    const textLength = typeof cell === 'string' ? cell.length : 0;
    this.#makeRoom(textLength);
    if (cell === null) this.#end += NULL.copy(this.#bytes, this.#end);
    else if (typeof cell === 'number' && Number.isSafeInteger(cell)) this.#writeInteger(cell);
    else if (typeof cell === 'number' || !this.#writeWord(cell)) this.#writeUnusual(cell);
  }

  /** Room for the next cell, and for what ends a row and a text. */
  #makeRoom(textLength: number): void {
    const needed = this.#end + textLength * CHARACTER_BYTES_MAX + CELL_BYTES_MAX;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(needed * 2);
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }

  /** Writes a text in which every character is one byte of JSON; returns false, and writes nothing, for any other. */
  #writeWord(word: string): boolean {
    const bytes = this.#bytes;
    let at = this.#end;
    bytes[at++] = QUOTE;
    for (let index = 0; index < word.length; index++) {
      const code = word.charCodeAt(index);
      if (code < SPACE || code >= DELETE || code === QUOTE || code === BACKSLASH) return false;
      bytes[at++] = code;
    }
    bytes[at++] = QUOTE;
    this.#end = at;
    return true;
  }

  #writeUnusual(cell: number | string): void {
    this.#isAscii = false;
    this.#end += this.#bytes.write(JSON.stringify(cell), this.#end);
  }

  #writeInteger(value: number): void {
    if (value < 0) this.#bytes[this.#end++] = MINUS;
    this.#end = writeDigits(this.#bytes, Math.abs(value), this.#end);
  }
}

function writeDigits(bytes: Buffer, value: number, from: number): number {
  if (value >= GROUP) {
    const high = Math.floor(value / GROUP);
    return writeGroup(bytes, value - high * GROUP, 0, writeDigits(bytes, high, from));
  }
  return writeGroup(bytes, value, value < 10 ? 3 : value < 100 ? 2 : value < 1_000 ? 1 : 0, from);
}

/** Writes the four digits of `group` except the first `skipped`. */
function writeGroup(bytes: Buffer, group: number, skipped: number, from: number): number {
  let at = from;
  for (let digit = skipped; digit < 4; digit++) bytes[at++] = GROUPS[group * 4 + digit] ?? ZERO;
  return at;
}

/** All rows of a text. */
export const rowsOfText = (text: string): ArchiveCell[][] => JSON.parse(text) as ArchiveCell[][];

const ROW_END = ',\n';

/** Where each row of a text begins, and where another behind the last would. */
export function rowStarts(text: string): number[] {
  const starts = [1];
  for (let at = text.indexOf(ROW_END); at >= 0; at = text.indexOf(ROW_END, at + 1))
    starts.push(at + ROW_END.length);
  starts.push(text.length - 1 + ROW_END.length);
  return starts;
}

/** The row at `index` of a text that has it; `starts` are those of the text. */
export function rowOfText(text: string, starts: readonly number[], index: number): ArchiveCell[] {
  const [from, next] = [must(starts[index], 'a row'), must(starts[index + 1], 'its end')];
  return JSON.parse(text.slice(from, next - ROW_END.length)) as ArchiveCell[];
}
