/**
 * How the tables of a snapshot are declared. A column is declared once: its name, its type, and how a value of the state
 * becomes a cell and is read again. Storage may have damaged a cell, so a value of the wrong type or range is an
 * assertion failure.
 */
import { assert, fail } from '../base/assert.js';
import type { State } from '../state/state.js';

/** INTEGER holds integers up to 2^53, REAL prices, TEXT everything else. */
export type ColumnType = 'INTEGER' | 'REAL' | 'TEXT';
export type Cell = number | string | null;
/** Cells in the order of the table's columns. */
export type Row = readonly Cell[];
type Read = Cell | undefined;

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

/** In the order in which the rows were written. */
export type ReadTable = (name: string) => Iterable<Row>;

/** A value in one or more columns. The name of a single column is empty: the field that holds it gives it one. */
export interface Codec<Value> {
  readonly columns: readonly ColumnForm[];
  read(row: Row, at: number): Value;
  write(value: Value, cells: Cell[]): void;
}

type Fields = Readonly<Record<string, Codec<unknown>>>;
type Value<One> = One extends Codec<infer Of> ? Of : never;
export type ValuesOf<Of extends Fields> = { readonly [name in keyof Of]: Value<Of[name]> };

function cell<Of>(type: ColumnType, read: (cell: Read) => Of, write: (value: Of) => Cell): Codec<Of> {
  return {
    columns: [{ name: '', type, isNullable: false }],
    read: (row, at) => read(row[at]),
    write: (value, cells) => void cells.push(write(value)),
  };
}

const same = <Of>(value: Of): Of => value;

const within = (min: number, max: number): Codec<number> =>
  cell(
    'INTEGER',
    (read) => {
      if (typeof read !== 'number' || !Number.isSafeInteger(read) || read < min || read > max)
        fail(`${read} is not an integer from ${min} to ${max}`);
      return read;
    },
    same,
  );

export const integer = within(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
export const count = within(0, Number.MAX_SAFE_INTEGER);
/** Hundredths of a point, up to all of a pool. */
export const percentE2 = within(0, 10_000);
/** A share in millionths; -1 for none. */
export const shareE6 = within(-1, 1_000_000);

/** Stored as 0 or 1. */
export const either = <Of>(zero: Of, one: Of): Codec<Of> =>
  cell(
    'INTEGER',
    (read) => {
      if (read !== 0 && read !== 1) fail(`${read} is neither 0 nor 1`);
      return read === 1 ? one : zero;
    },
    (value) => (value === one ? 1 : 0),
  );
export const flag = either(false, true);

const above = (min: number): Codec<number> =>
  cell(
    'REAL',
    (read) => {
      if (typeof read !== 'number' || !(read > min)) fail(`${read} is not a number above ${min}`);
      return read;
    },
    same,
  );

export const real = above(Number.NEGATIVE_INFINITY);
export const price = above(0);

function stringOf(read: Read): string {
  if (typeof read !== 'string') fail(`${read} is not a text`);
  return read;
}

/**
 * Text, encoded for UTF-8: a lone surrogate, which JSON can put into a name or a seed, becomes `\udXXX`, and a backslash
 * two.
 */
export const text = cell(
  'TEXT',
  (read) => {
    const encoded = stringOf(read);
    if (!encoded.includes('\\')) return encoded;
    return encoded.replace(/\\(?:\\|u(d[89a-f][0-9a-f]{2}))/g, (_, half: string | undefined) =>
      half === undefined ? '\\' : String.fromCharCode(Number.parseInt(half, 16)),
    );
  },
  (value) =>
    value.replace(/\\|\p{Surrogate}/gu, (found) =>
      found === '\\' ? '\\\\' : `\\u${found.charCodeAt(0).toString(16)}`,
    ),
);

export const hex = (digits: number): Codec<string> =>
  cell(
    'TEXT',
    (read) => {
      const value = stringOf(read);
      assert(value.length === digits && /^[0-9a-f]*$/.test(value), `${value} has not ${digits} hex digits`);
      return value;
    },
    same,
  );

/** The engine wrote this text, and the checksum of the snapshot has been verified. */
export const json = <Of>(): Codec<Of> =>
  cell(
    'TEXT',
    (read) => JSON.parse(stringOf(read)) as Of,
    (value) => JSON.stringify(value),
  );

/** Stored as the name at the index. */
export function oneOf(list: readonly string[]): Codec<number> {
  const indexes = new Map<Read, number>(list.map((word, index) => [word, index]));
  return cell(
    'TEXT',
    (read) => indexes.get(read) ?? fail(`${read} is not one of ${list.slice(0, 5).join(', ')}`),
    (index) => list[index] ?? fail(`${index} is not an index of ${list.slice(0, 5).join(', ')}`),
  );
}

/** A missing value is null in all its cells. */
export function orNull<Of>({ columns, read, write }: Codec<Of>): Codec<Of | null> {
  const width = columns.length;
  return {
    columns: columns.map((column) => ({ ...column, isNullable: true })),
    read: (row, at) => {
      for (let index = 0; index < width; index += 1) if (row[at + index] !== null) return read(row, at);
      return null;
    },
    write: (value, cells) => {
      if (value !== null) write(value, cells);
      else for (let index = 0; index < width; index += 1) cells.push(null);
    },
  };
}

/** Columns are named after the fields, in snake case, each with `prefix` before it. */
export function object<Of extends Fields>(fields: Of, prefix = ''): Codec<ValuesOf<Of>> {
  const { columns, parts } = layoutOf(fields, prefix);
  // Copies of one object share a hidden class.
  const blank: Readonly<Record<string, unknown>> = Object.fromEntries(parts.map(({ name }) => [name, null]));
  return {
    columns,
    read: (row, at) => {
      const value = { ...blank };
      for (const { name, codec, offset } of parts) value[name] = codec.read(row, at + offset);
      return value as ValuesOf<Of>;
    },
    write: (value, cells) => {
      for (const { name, codec } of parts) codec.write(value[name], cells);
    },
  };
}

/**
 * `object` for millions of rows: the same object stands for each row in turn, until the next one is read. Its fields are
 * read, and checked, when they are asked for.
 */
export function view<Of extends Fields>(fields: Of): Codec<ValuesOf<Of>> {
  const { columns, parts } = layoutOf(fields, '');
  let current: Row = [];
  let start = 0;
  const one = {};
  for (const { name, codec, offset } of parts)
    Object.defineProperty(one, name, { get: () => codec.read(current, start + offset), enumerable: true });
  return {
    ...object(fields),
    columns,
    read: (row, at) => {
      current = row;
      start = at;
      return one as ValuesOf<Of>;
    },
  };
}

function layoutOf(fields: Fields, prefix: string) {
  const columns: ColumnForm[] = [];
  const parts = Object.entries(fields).map(([name, codec]) => {
    const offset = columns.length;
    for (const column of codec.columns)
      columns.push({ ...column, name: prefix + (column.name === '' ? snakeCase(name) : column.name) });
    return { name, codec, offset };
  });
  return { columns, parts };
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export class Table<Of> implements TableForm {
  readonly columns: readonly ColumnForm[];

  constructor(
    readonly name: string,
    readonly isNumbered: boolean,
    private readonly codec: Codec<Of>,
  ) {
    this.columns = codec.columns;
  }

  row(value: Of): Row {
    const cells: Cell[] = [];
    this.codec.write(value, cells);
    return cells;
  }

  *values(rows: Iterable<Row>): Generator<Of, void, undefined> {
    for (const row of rows) yield this.codec.read(row, 0);
  }
}

export interface StatePart<Of> {
  from(state: State): Iterable<Of>;
  into(state: State, values: Iterable<Of>): void;
}

/** Tables are read in the order of `TABLES`. */
export class StateTable<Of> extends Table<Of> {
  constructor(
    name: string,
    isNumbered: boolean,
    codec: Codec<Of>,
    private readonly part: StatePart<Of>,
  ) {
    super(name, isNumbered, codec);
  }

  *rows(state: State): Generator<Row, void, undefined> {
    for (const value of this.part.from(state)) yield this.row(value);
  }

  restore(state: State, rows: Iterable<Row>): void {
    this.part.into(state, this.values(rows));
  }
}

/** Rows of a numbered table are in the order of their first column. */
export const numbered = <Of extends Fields>(name: string, fields: Of, part: StatePart<ValuesOf<Of>>) =>
  new StateTable(name, true, view(fields), part);
export const ordered = <Of extends Fields>(name: string, fields: Of, part: StatePart<ValuesOf<Of>>) =>
  new StateTable(name, false, view(fields), part);
