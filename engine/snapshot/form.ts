/**
 * The representation of an exported engine state: named tables of typed columns, as plain data. Where they are stored
 * (an SQLite file, a simulator's memory) does not concern the engine.
 */

/** INTEGER holds integers up to 2^53, REAL prices, TEXT everything else. */
export type ColumnType = 'INTEGER' | 'REAL' | 'TEXT';
export type Cell = number | string | null;
/** Cells in the order of the table's columns. */
export type Row = readonly Cell[];

export interface ColumnForm<Name extends string = string> {
  readonly name: Name;
  readonly type: ColumnType;
  readonly isNullable: boolean;
}

export interface TableForm<Column extends string = string> {
  readonly name: string;
  /** Whether the first column is an ascending row number by which rows can be found. */
  readonly isNumbered: boolean;
  readonly columns: readonly ColumnForm<Column>[];
}

/** Each column's position in a row, by its name. */
export function positionsOf<Column extends string>({
  columns,
}: TableForm<Column>): Readonly<Record<Column, number>> {
  const positions = columns.map(({ name }, position) => [name, position]);
  return Object.fromEntries(positions) as Record<Column, number>;
}

export interface StateTable {
  readonly form: TableForm;
  readonly rows: Iterable<Row>;
}

/** Rows of the table with this name, in the order in which they were written. */
export type ReadTable = (name: string) => Iterable<Row>;

const column =
  (type: ColumnType, isNullable: boolean) =>
  <Name extends string>(name: Name): ColumnForm<Name> => ({ name, type, isNullable });
export const integer = column('INTEGER', false);
export const integerOrNull = column('INTEGER', true);
export const real = column('REAL', false);
export const realOrNull = column('REAL', true);
export const text = column('TEXT', false);
export const textOrNull = column('TEXT', true);

/** Rows of a numbered table are in the order of their first column. */
export const numbered = <Column extends string>(
  name: string,
  columns: readonly ColumnForm<Column>[],
): TableForm<Column> => ({
  name,
  isNumbered: true,
  columns,
});
export const ordered = <Column extends string>(
  name: string,
  columns: readonly ColumnForm<Column>[],
): TableForm<Column> => ({
  name,
  isNumbered: false,
  columns,
});
