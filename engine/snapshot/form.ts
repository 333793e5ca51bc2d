/**
 * The representation of an exported engine state: named tables of typed columns, as plain data. Where they are stored
 * (an SQLite file, a simulator's memory) does not concern the engine.
 */

/** INTEGER holds integers up to 2^53, REAL prices, TEXT everything else. */
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
  /** Whether the first column is an ascending row number by which rows can be found. */
  readonly isNumbered: boolean;
  readonly columns: readonly ColumnForm[];
}

export interface StateTable {
  readonly form: TableForm;
  readonly rows: Iterable<Row>;
}

/** Rows of the table with this name, in the order in which they were written. */
export type ReadTable = (name: string) => Iterable<Row>;
