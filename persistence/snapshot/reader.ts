/**
 * Reads a snapshot's tables as rows. A start waits for it: SQLite gives a few thousand rows at a time as one JSON
 * array per column, which costs less than half of single rows (docs/decisions.md).
 */
import type Database from 'better-sqlite3';
import type { Cell, Row, TableForm } from '../../engine/snapshot/columns.js';
import { noRest, type Rest } from '../thread/pace.js';

/** More would not be faster, and fewer rows stay in the processor's caches. */
const ROWS_AT_ONCE = 2_048;
const ROWS_PER_REST = 128;

export function readTable(db: Database.Database, form: TableForm, rest: Rest = noRest): Iterable<Row> {
  // The JSON text of a fraction might not give the same number.
  const hasFractions = form.columns.some(({ type }) => type === 'REAL');
  return hasFractions ? singleRows(db, form) : rowsByColumns(db, form, rest);
}

function singleRows(db: Database.Database, { name }: TableForm): Iterable<Row> {
  return db.prepare<[], Row>(`SELECT * FROM ${name} ORDER BY rowid`).raw().iterate();
}

function* rowsByColumns(
  db: Database.Database,
  { name, columns }: TableForm,
  rest: Rest,
): Generator<Row, void, undefined> {
  const arrays = columns.map((column) => `json_group_array(${column.name})`).join(', ');
  const select = db
    .prepare<[number, number], string[]>(`SELECT ${arrays} FROM ${name} WHERE rowid > ? AND rowid <= ?`)
    .raw();
  // Row numbers have gaps, so a count of rows is not a range of numbers. Finding the end of a range reads no cell.
  const findEnd = db
    .prepare<[number], number>(
      `SELECT rowid FROM ${name} WHERE rowid > ? ORDER BY rowid LIMIT 1 OFFSET ${ROWS_AT_ONCE - 1}`,
    )
    .pluck();
  for (let after = -1; after < Number.MAX_SAFE_INTEGER; ) {
    const end = findEnd.get(after) ?? Number.MAX_SAFE_INTEGER;
    const texts = select.get(after, end) ?? [];
    rest();
    const cellsOf = texts.map((text) => JSON.parse(text) as Cell[]);
    const rows = cellsOf[0]?.length ?? 0;
    // Not in a generator of its own: each row would pass through two.
    for (let index = 0; index < rows; index += 1) {
      if (index % ROWS_PER_REST === 0) rest();
      const row: Cell[] = [];
      for (const cells of cellsOf) row.push(cells[index] ?? null);
      yield row;
    }
    after = end;
  }
}
