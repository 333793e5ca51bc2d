/** Exported rows as CSV (RFC 4180: CRLF, quotes doubled) or as JSON lines, written in chunks as they come. */
import { stringify } from 'csv-stringify/sync';
import type { Engine } from '../../../engine/engine.js';
import type { ArchiveReader } from '../../archive/reader/reader.js';
import type { Output } from '../frame/output.js';

/** `account` null is all, 0 is the house. */
export interface ExportRange {
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly account: number | null;
}

export interface ExportSource {
  readonly archive: ArchiveReader;
  /** At the end of the range, or of the journal for bets; null if only the archive reaches so far back. */
  readonly engine: Engine | null;
  readonly isAtEnd: boolean;
}

/** In the order in which they are written; null is an empty cell in CSV. */
export type Columns<T> = Readonly<Record<string, (row: T) => number | string | null | OutsideText>>;

/** Returns sentences on sums that do not add up, and on lost facts. */
export type Exporter = (source: ExportSource, range: ExportRange, out: Output) => readonly string[];

/** From clients or operators: a spreadsheet must not interpret it as a formula. */
class OutsideText {
  constructor(readonly text: string) {}

  /** For CSV. The escaped characters are full-width ones, which spreadsheets treat as the plain ones. */
  get guarded(): string {
    return /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(this.text) ? `'${this.text}` : this.text;
  }

  toJSON(): string {
    return this.text;
  }
}

export const outside = (text: string | null): OutsideText | null =>
  text === null ? null : new OutsideText(text);

const ROWS_AT_A_TIME = 512;

export function writeRows<T>(out: Output, columns: Columns<T>, rows: Iterable<T>): void {
  const names = Object.keys(columns);
  // Even if no row follows.
  if (!out.isJson) out.raw(`${names.join(',')}\r\n`);
  let waiting: T[] = [];
  const write = (): void => {
    const cells = waiting.map((row) => Object.values(columns).map((cellOf) => cellOf(row)));
    waiting = [];
    if (out.isJson)
      for (const row of cells)
        out.line(JSON.stringify(Object.fromEntries(row.map((cell, at) => [names[at], cell]))));
    else if (cells.length > 0) out.raw(csvText(cells));
  };
  for (const row of rows) {
    waiting.push(row);
    if (waiting.length === ROWS_AT_A_TIME) write();
  }
  write();
}

const csvText = (rows: readonly (readonly unknown[])[]): string =>
  stringify(
    rows.map((row) => row.map((cell) => (cell instanceof OutsideText ? cell.guarded : cell))),
    { record_delimiter: 'windows', cast: { string: castText } },
  );

/** An empty text is `""` and a missing one is nothing, because a client seed may be empty. */
const castText = (value: string) => (value === '' ? { value, quoted_empty: true } : value);
