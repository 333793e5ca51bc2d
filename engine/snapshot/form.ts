/**
 * The form in which a whole engine state is written down and read again: named tables of typed columns, as plain
 * data. What holds them (an SQLite file, a simulator's memory) is not the engine's business.
 */

/** INTEGER holds whole numbers up to 2^53, REAL prices, TEXT everything else. */
export type ColumnType = 'INTEGER' | 'REAL' | 'TEXT';
export type Cell = number | string | null;
/** Cells in the order of the table's columns. */
export type Row = readonly Cell[];

export interface ColumnForm {
  readonly name: string;
  readonly type: ColumnType;
  readonly isNullable: boolean;
}

export interface TableForm {
  readonly name: string;
  /** Whether the first column numbers the rows, ascending, so that a row can be found by it. */
  readonly isNumbered: boolean;
  readonly columns: readonly ColumnForm[];
}

export interface StateTable {
  readonly form: TableForm;
  readonly rows: Iterable<Row>;
}

/** Rows of the table with this name, in the order in which they were written. */
export type ReadTable = (name: string) => Iterable<Row>;
