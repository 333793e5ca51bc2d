/**
 * How the tables of a snapshot are declared. A column is declared once: its name, its type, and how a value of the state
 * becomes a cell and is read again. Storage may have damaged a cell, so a value of the wrong type or range is an
 * assertion failure.
 */
import { assert, fail } from '../base/assert.js';
import { type Cell, ROWS_PER_BLOCK, RowsText, wordsOf } from '../base/rows-text.js';
import type { State } from '../state/state.js';

/** Cells in the order of the table's columns. Those at the end are missing where they are null. */
export type Row = readonly Cell[];
type Read = Cell | undefined;

/** In the order in which the rows were written. */
export type ReadTable = (name: string) => Iterable<Row>;

/** A value in one or more columns. The name of a single column is empty: the field that holds it gives it one. */
interface Codec<Value> {
  readonly columns: readonly string[];
  read(row: Row, at: number): Value;
  write(value: Value, into: RowsText): void;
}

type Fields = Readonly<Record<string, Codec<unknown>>>;
type Value<One> = One extends Codec<infer Of> ? Of : never;
export type ValuesOf<Of extends Fields> = { readonly [name in keyof Of]: Value<Of[name]> };

function cell<Of>(read: (cell: Read) => Of, write: (value: Of) => Cell): Codec<Of> {
  return {
    columns: [''],
    read: (row, at) => read(row[at]),
    write: (value, into) => into.cell(write(value)),
  };
}

const same = <Of>(value: Of): Of => value;

const within = (min: number, max: number): Codec<number> =>
  cell((read) => {
    if (typeof read !== 'number' || !Number.isSafeInteger(read) || read < min || read > max)
      fail(`${read} is not an integer from ${min} to ${max}`);
    return read;
  }, same);

export const integer = within(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
export const count = within(0, Number.MAX_SAFE_INTEGER);
/** Hundredths of a point, up to all of a pool. */
export const percentE2 = within(0, 10_000);
/** A share in millionths; -1 for none. */
export const shareE6 = within(-1, 1_000_000);

/** Stored as 0 or 1. */
export const either = <Of>(zero: Of, one: Of): Codec<Of> =>
  cell(
    (read) => {
      if (read !== 0 && read !== 1) fail(`${read} is neither 0 nor 1`);
      return read === 1 ? one : zero;
    },
    (value) => (value === one ? 1 : 0),
  );
export const flag = either(false, true);

const above = (min: number): Codec<number> =>
  cell((read) => {
    if (typeof read !== 'number' || !(read > min)) fail(`${read} is not a number above ${min}`);
    return read;
  }, same);

export const real = above(Number.NEGATIVE_INFINITY);
export const price = above(0);

function stringOf(read: Read): string {
  if (typeof read !== 'string') fail(`${read} is not a text`);
  return read;
}

export const text = cell(stringOf, same);

export const hex = (digits: number): Codec<string> =>
  cell((read) => {
    const value = stringOf(read);
    assert(value.length === digits && /^[0-9a-f]*$/.test(value), `${value} has not ${digits} hex digits`);
    return value;
  }, same);

/** The engine wrote this text, and the checksum of the snapshot has been verified. */
export const json = <Of>(): Codec<Of> =>
  cell(
    (read) => JSON.parse(stringOf(read)) as Of,
    (value) => JSON.stringify(value),
  );

/** Stored as the name at the index. */
export function oneOf(list: readonly string[]): Codec<number> {
  const indexes = new Map<Read, number>(list.map((word, index) => [word, index]));
  const words = wordsOf(list);
  return {
    columns: [''],
    read: (row, at) =>
      indexes.get(row[at]) ?? fail(`${row[at]} is not one of ${list.slice(0, 5).join(', ')}`),
    write: (index, into) => into.word(words, index),
  };
}

/** A missing value is null in all its cells. */
export function orNull<Of>({ columns, read, write }: Codec<Of>): Codec<Of | null> {
  const width = columns.length;
  return {
    columns,
    read: (row, at) => {
      for (let index = 0; index < width; index += 1)
        if ((row[at + index] ?? null) !== null) return read(row, at);
      return null;
    },
    write: (value, into) => {
      if (value !== null) write(value, into);
      else for (let index = 0; index < width; index += 1) into.skip();
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
    write: (value, into) => {
      for (const { name, codec } of parts) codec.write(value[name], into);
    },
  };
}

/**
 * `object` for millions of rows: the same object stands for each row in turn, until the next one is read. Its fields are
 * read, and checked, when they are asked for.
 */
export function view<Of extends Fields>(fields: Of): Codec<ValuesOf<Of>> {
  const { parts } = layoutOf(fields, '');
  let current: Row = [];
  let start = 0;
  const one = {};
  for (const { name, codec, offset } of parts)
    Object.defineProperty(one, name, { get: () => codec.read(current, start + offset), enumerable: true });
  return {
    ...object(fields),
    read: (row, at) => {
      current = row;
      start = at;
      return one as ValuesOf<Of>;
    },
  };
}

function layoutOf(fields: Fields, prefix: string) {
  const columns: string[] = [];
  const parts = Object.entries(fields).map(([name, codec]) => {
    const offset = columns.length;
    for (const column of codec.columns) columns.push(prefix + (column === '' ? snakeCase(name) : column));
    return { name, codec, offset };
  });
  return { columns, parts };
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export type TableForm = Pick<Table<unknown>, 'name' | 'columns'>;

export class Table<Of> {
  /** Their names. */
  readonly columns: readonly string[];

  constructor(
    readonly name: string,
    private readonly codec: Codec<Of>,
  ) {
    this.columns = codec.columns;
  }

  /** Each is the text of a JSON array of rows, in UTF-8, and holds until the next one is asked for. */
  *blocksOf(values: Iterable<Of>): Generator<Uint8Array, void, undefined> {
    const text = new RowsText();
    let rows = 0;
    for (const value of values) {
      text.begin();
      this.codec.write(value, text);
      rows += 1;
      if (rows % ROWS_PER_BLOCK === 0) yield text.take();
    }
    if (rows % ROWS_PER_BLOCK > 0) yield text.take();
  }

  *values(rows: Iterable<Row>): Generator<Of, void, undefined> {
    for (const row of rows) yield this.codec.read(row, 0);
  }
}

interface StatePart<Of> {
  from(state: State): Iterable<Of>;
  into(state: State, values: Iterable<Of>): void;
}

/** Tables are read in the order of `TABLES`. */
export class StateTable<Of> extends Table<Of> {
  constructor(
    name: string,
    codec: Codec<Of>,
    private readonly part: StatePart<Of>,
  ) {
    super(name, codec);
  }

  blocks(state: State): Generator<Uint8Array, void, undefined> {
    return this.blocksOf(this.part.from(state));
  }

  restore(state: State, rows: Iterable<Row>): void {
    this.part.into(state, this.values(rows));
  }
}

export const table = <Of extends Fields>(name: string, fields: Of, part: StatePart<ValuesOf<Of>>) =>
  new StateTable(name, view(fields), part);
