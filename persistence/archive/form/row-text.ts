/**
 * The text of a block of rows: a JSON array with a line for each row, which is an array of its cells. Usual cells,
 * integers and plain words, are written as bytes, without building a string; unusual ones go through `JSON.stringify`,
 * with the same result. Half a surrogate pair is escaped in both, so a text comes back as it was given.
 */
import { must } from '../../../engine/base/assert.js';
import { TextWriter } from '../../../engine/base/text-writer.js';
import { BET_ENDS, MARKETS_MAX, marketId, SIDES } from '../../../engine/model/domain.js';
import type { ArchiveCell } from './columns.js';

const COMMA = 0x2c;
const LINE_END = 0x0a;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const NULL = Buffer.from('null');
const WORDS: ReadonlyMap<string, Uint8Array> = new Map(
  [...Array.from({ length: MARKETS_MAX }, (_, market) => marketId(market)), ...SIDES, ...BET_ENDS].map(
    (word) => [word, Buffer.from(JSON.stringify(word))],
  ),
);

export class RowText {
  readonly #text = new TextWriter();
  #isEmpty = true;

  add(cells: readonly ArchiveCell[], count = cells.length): void {
    const text = this.#text;
    text.byte(this.#isEmpty ? OPEN : COMMA);
    if (!this.#isEmpty) text.byte(LINE_END);
    this.#isEmpty = false;
    for (let index = 0; index < count; index++) {
      text.byte(index === 0 ? OPEN : COMMA);
      this.#write(cells[index] as ArchiveCell);
    }
    text.byte(CLOSE);
  }

  take(): string {
    this.#text.byte(CLOSE);
    const text = this.#text.toString();
    this.#text.clear();
    this.#isEmpty = true;
    return text;
  }

  #write(cell: ArchiveCell): void {
    if (typeof cell === 'number' && cell >= 0 && Number.isSafeInteger(cell)) this.#text.integer(cell);
    else {
      const word = cell === null ? NULL : typeof cell === 'string' ? WORDS.get(cell) : undefined;
      if (word !== undefined) this.#text.bytes(word);
      else this.#text.text(JSON.stringify(cell));
    }
  }
}

export const rowsOfText = (text: string): ArchiveCell[][] => JSON.parse(text) as ArchiveCell[][];

const ROW_END = ',\n';

/** Where each row begins, and where another behind the last would. */
export function rowStarts(text: string): number[] {
  const starts = [1];
  for (let at = text.indexOf(ROW_END); at >= 0; at = text.indexOf(ROW_END, at + 1))
    starts.push(at + ROW_END.length);
  starts.push(text.length - 1 + ROW_END.length);
  return starts;
}

export function rowOfText(text: string, starts: readonly number[], index: number): ArchiveCell[] {
  const [from, next] = [must(starts[index], 'a row'), must(starts[index + 1], 'its end')];
  return JSON.parse(text.slice(from, next - ROW_END.length)) as ArchiveCell[];
}
