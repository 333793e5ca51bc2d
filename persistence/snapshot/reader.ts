/** Reads a snapshot's tables as rows. */
import type Database from 'better-sqlite3';
import { rowsOfText } from '../../engine/base/rows-text.js';
import type { Row, TableForm } from '../../engine/snapshot/columns.js';
import { noRest, type Rest } from '../thread/pace.js';
import { blockTable } from './schema.js';

/** In the order in which they were written. Text that is no JSON is a SyntaxError. */
export function* readTable(
  db: Database.Database,
  form: TableForm,
  rest: Rest = noRest,
): Generator<Row, void, undefined> {
  const blocks = db.prepare<[], string>(`SELECT rows FROM ${blockTable(form)} ORDER BY rowid`).pluck();
  for (const text of blocks.iterate()) {
    yield* rowsOfText(text);
    rest();
  }
}
