/**
 * Rows of cells as text: a JSON array with a line for each row. JSON escapes half a surrogate pair, so a text comes back
 * as it was given.
 */
import { assert, must } from './assert.js';
import { TextWriter } from './text-writer.js';

export type Cell = number | string | null;

/**
 * Rows of one text. One is found in a text this small as fast as the text, and texts cost little beside their rows. A thread
 * that writes many rests between two.
 */
export const ROWS_PER_BLOCK = 128;

/** Between two rows. */
export const ROW_END = ',\n';

const COMMA = 0x2c;
const FIRST_ROW = bytesOf('[[');
const NEXT_ROW = bytesOf(`]${ROW_END}[`);
const LAST_ROW_END = bytesOf(']]');
const NULL = bytesOf('null');

export class RowsText {
  readonly #text = new TextWriter();
  #isFirstCell = true;
  #skipped = 0;

  /** Begins a row and ends the one before it. Its cells follow one by one. */
  begin(): void {
    this.#text.bytes(this.#text.isEmpty ? FIRST_ROW : NEXT_ROW);
    this.#isFirstCell = true;
    this.#skipped = 0;
  }

  /** The same as `JSON.stringify`, which takes three times as long for integers. */
  cell(cell: Cell): void {
    const text = this.#text;
    this.#beginCell();
    if (typeof cell === 'number' && Number.isSafeInteger(cell) && cell >= 0) text.integer(cell);
    else if (cell === null) text.bytes(NULL);
    else this.#other(cell);
  }

  #other(cell: number | string): void {
    assert(typeof cell === 'string' || Number.isFinite(cell), 'JSON has finite numbers only');
    this.#text.text(JSON.stringify(cell));
  }

  /** The cell is null, or missing if the row ends with such cells. */
  skip(): void {
    this.#skipped += 1;
  }

  word(words: readonly Uint8Array[], index: number): void {
    this.#beginCell();
    this.#text.bytes(must(words[index], 'a word of a cell'));
  }

  #beginCell(): void {
    for (; this.#skipped > 0; this.#skipped -= 1) {
      this.#separate();
      this.#text.bytes(NULL);
    }
    this.#separate();
  }

  #separate(): void {
    if (this.#isFirstCell) this.#isFirstCell = false;
    else this.#text.byte(COMMA);
  }

  /** UTF-8 of all rows, which holds until the next row begins another text. */
  take(): Uint8Array {
    const text = this.#text;
    text.bytes(LAST_ROW_END);
    const bytes = text.written();
    text.clear();
    return bytes;
  }
}

export const rowsOfText = (text: string): Cell[][] => JSON.parse(text) as Cell[][];

/** For `RowsText.word`, by index in the list. */
export const wordsOf = (words: readonly string[]): readonly Uint8Array[] =>
  words.map((word) => bytesOf(JSON.stringify(word)));

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
