/**
 * The schema of a snapshot file: an SQLite database with the engine's tables (`engine/snapshot/tables.ts`), in blocks of
 * rows, and the table `meta`, one row about the file. An operator can query it with `sqlite3`:
 *
 *     sqlite3 snapshot-….db "select * from account order by balance_cents desc limit 10"
 */
import type Database from 'better-sqlite3';
import { must } from '../../engine/base/assert.js';
import { rowsOfText } from '../../engine/base/rows-text.js';
import type { SnapshotMeta } from '../../engine/host/snapshot-store.js';
import type { Row, TableForm } from '../../engine/snapshot/columns.js';
import { TABLES } from '../../engine/snapshot/tables.js';
import { otherFormat } from '../errors.js';
import { noRest, type Rest } from '../thread/pace.js';

/** Every later version's `meta` has the column `format_version`. */
const FORMAT_VERSION = 1;

const META = `CREATE TABLE meta (
  format_version INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  time_ms INTEGER NOT NULL,
  digest TEXT NOT NULL,
  chain TEXT NOT NULL
) STRICT`;

const blockTable = ({ name }: TableForm): string => `${name}_block`;

/** A row of SQLite for each row of the state takes twice the time to write. The views show them one by one. */
const createBlocksSql = (form: TableForm): string =>
  `CREATE TABLE ${blockTable(form)} (rows TEXT NOT NULL) STRICT`;

function createViewSql(form: TableForm): string {
  const cells = form.columns.map((name, index) => `  row.value ->> ${index} AS ${name}`);
  const blocks = blockTable(form);
  return `CREATE VIEW ${form.name} AS SELECT\n${cells.join(',\n')}\n  FROM ${blocks}, json_each(${blocks}.rows) AS row`;
}

const SCHEMA: readonly (readonly [name: string, sql: string])[] = [
  ['meta', META],
  ...TABLES.flatMap((form): [string, string][] => [
    [blockTable(form), createBlocksSql(form)],
    [form.name, createViewSql(form)],
  ]),
];

export function createTables(db: Database.Database, { seq, timeMs, digest, chain }: SnapshotMeta): void {
  for (const [, sql] of SCHEMA) db.exec(sql);
  db.prepare('INSERT INTO meta VALUES (?, ?, ?, ?, ?)').run(FORMAT_VERSION, seq, timeMs, digest, chain);
}

/** UTF-8 of a JSON array of rows, whose cells are in the order of the form's columns. */
export const insertBlock = (db: Database.Database, form: TableForm): Database.Statement<[Uint8Array]> =>
  db.prepare(`INSERT INTO ${blockTable(form)} VALUES (CAST(? AS TEXT))`);

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

/** Compares the tables word for word. Throws `other_format`; any other error is damage. */
export function readMeta(path: string, db: Database.Database): SnapshotMeta {
  const version = db.prepare('SELECT format_version FROM meta').pluck().get();
  if (typeof version === 'number' && version !== FORMAT_VERSION)
    throw otherFormat('snapshot', path, version, FORMAT_VERSION);
  const found = db.prepare<[], unknown[]>('SELECT name, sql FROM sqlite_schema ORDER BY rowid').raw().all();
  if (JSON.stringify(found) !== JSON.stringify(SCHEMA)) {
    throw new Error('its tables are not those of a snapshot');
  }
  const rows = db.prepare<[], unknown[]>('SELECT seq, time_ms, digest, chain FROM meta').raw().all();
  const [seq, timeMs, digest, chain] = rows[0] ?? [];
  if (
    rows.length !== 1 ||
    typeof seq !== 'number' ||
    typeof timeMs !== 'number' ||
    typeof digest !== 'string' ||
    typeof chain !== 'string'
  ) {
    throw new Error('its meta table does not hold one good row');
  }
  return { seq, timeMs, digest, chain };
}

export const tableNamed = (name: string): TableForm =>
  must(
    TABLES.find((form) => form.name === name),
    name,
  );
