/**
 * The destination of exported rows: a new file or stdout, as CSV (RFC 4180: CRLF, quotes doubled) or as JSON lines.
 * Rows are written in chunks as they come. A file gets its name when it is complete; an interrupt leaves at most a
 * `.part`.
 */
import { closeSync, existsSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { stringify } from 'csv-stringify/sync';
import type { Engine } from '../../../engine/engine.js';
import { JournalError } from '../../errors.js';
import type { Past } from '../../past/past.js';
import type { Output } from '../frame/output.js';

export type ExportFormat = 'csv' | 'jsonl';

/** `account` null is all, 0 is the house. */
export interface ExportRange {
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly account: number | null;
}

export interface ExportSource {
  readonly past: Past;
  /** At the end of the range, or of the journal for bets; null if only the archive reaches so far back. */
  readonly engine: Engine | null;
  readonly isAtEnd: boolean;
}

/** null is an empty cell in CSV. */
export type ExportCell = number | string | null | OutsideText;
export type ExportRow = Readonly<Record<string, ExportCell>>;

/** From clients or operators: a spreadsheet must not interpret it as a formula. */
export class OutsideText {
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
const FILE_MODE = 0o600;

export class RowSink {
  rows = 0;
  #waiting: ExportRow[] = [];
  #file: number | null = null;

  constructor(
    readonly format: ExportFormat,
    readonly path: string | null,
    readonly out: Output,
  ) {}

  /** Closes the file, also after an error. */
  fill<T>(work: () => T): T {
    if (this.path === null) return this.#fillOpen(work);
    refuseExisting(this.path);
    const part = `${this.path}.${process.pid}.part`;
    this.#file = openSync(part, 'w', FILE_MODE);
    try {
      const result = this.#fillOpen(work);
      refuseExisting(this.path);
      renameSync(part, this.path);
      return result;
    } finally {
      closeSync(this.#file);
      rmSync(part, { force: true });
    }
  }

  #fillOpen<T>(work: () => T): T {
    const result = work();
    this.#flush();
    return result;
  }

  /** Even if no row follows. */
  columns(names: readonly string[]): void {
    if (this.format === 'csv') this.#write(`${names.join(',')}\r\n`);
  }

  row(row: ExportRow): void {
    this.rows += 1;
    this.#waiting.push(row);
    if (this.#waiting.length >= ROWS_AT_A_TIME) this.#flush();
  }

  #flush(): void {
    const rows = this.#waiting;
    this.#waiting = [];
    if (rows.length === 0) return;
    const isCsv = this.format === 'csv';
    this.#write(isCsv ? csvText(rows) : rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }

  #write(text: string): void {
    if (this.#file === null) {
      this.out.raw(text);
      return;
    }
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
  }
}

function refuseExisting(path: string): void {
  if (!existsSync(path)) return;
  throw new JournalError('file_exists', `The file ${path} exists already. Name another with --out.`);
}

function csvText(rows: readonly ExportRow[]): string {
  const cells = rows.map((row) =>
    Object.values(row).map((cell) => (cell instanceof OutsideText ? cell.guarded : cell)),
  );
  return stringify(cells, { record_delimiter: 'windows', cast: { string: castText } });
}

/** An empty text is `""` and a missing one is nothing, because a client seed may be empty. */
const castText = (value: string) => (value === '' ? { value, quoted_empty: true } : value);
