/**
 * The schema of a snapshot file: an SQLite database with the engine's tables (`engine/snapshot/tables.ts`) and the
 * table `meta`, one row about the file. An operator can query it with `sqlite3`:
 *
 *     sqlite3 snapshot-….db "select * from account order by balance_cents desc limit 10"
 */
import type Database from 'better-sqlite3';
import type { SnapshotMeta } from '../../engine/host/snapshot-store.js';
import type { ColumnForm, TableForm } from '../../engine/snapshot/form.js';
import { PROOF, QUOTE } from '../../engine/snapshot/market-tables.js';
import { BET, IDEMPOTENCY, LATE_BET, LIMIT_ORDER, SETUP, TABLES } from '../../engine/snapshot/tables.js';
import { JournalError } from '../errors.js';

/** Whatever a later version changes, its `meta` has this column. */
const FORMAT_VERSION = 6;

/**
 * The format version that introduced a table; all others are from the first. In an older file the table counts as
 * empty.
 */
const CAME_WITH: ReadonlyMap<TableForm, number> = new Map<TableForm, number>([
  [SETUP, 2],
  [QUOTE, 3],
  [PROOF, 5],
  [LIMIT_ORDER, 6],
  [LATE_BET, 6],
]);

/** The same of columns. They stand at the end of their table; in an older file they are missing from its rows. */
const COLUMN_CAME_WITH: ReadonlyMap<ColumnForm, number> = new Map([
  ...cameWith(4, BET.columns, ['entry_percent_e2', 'client_seed']),
  ...cameWith(6, IDEMPOTENCY.columns, ['limit_odds_e4', 'rested', 'filled']),
]);

function cameWith<Name extends string>(
  version: number,
  columns: readonly ColumnForm<Name>[],
  names: readonly Name[],
): (readonly [ColumnForm, number])[] {
  return columns.filter(({ name }) => names.includes(name)).map((column) => [column, version]);
}

const META = `CREATE TABLE meta (
  format_version INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  time_ms INTEGER NOT NULL,
  digest TEXT NOT NULL,
  chain TEXT NOT NULL
) STRICT`;

/** Names and statements of the tables, in the order of creation. */
const schemaOf = (version: number): readonly (readonly [name: string, sql: string])[] => [
  ['meta', META],
  ...tablesOf(version).map((form): [string, string] => [form.name, createTableSql(form)]),
];

const tablesOf = (version: number): readonly TableForm[] =>
  TABLES.filter((form) => (CAME_WITH.get(form) ?? 1) <= version).map((form) => ({
    ...form,
    columns: form.columns.filter((column) => (COLUMN_CAME_WITH.get(column) ?? 1) <= version),
  }));

function createTableSql({ name, isNumbered, columns }: TableForm): string {
  const lines = columns.map((column, index) => `  ${columnSql(column, isNumbered && index === 0)}`);
  return `CREATE TABLE ${name} (\n${lines.join(',\n')}\n) STRICT`;
}

function columnSql({ name, type, isNullable }: ColumnForm, isKey: boolean): string {
  if (isKey) return `${name} INTEGER PRIMARY KEY`;
  return isNullable ? `${name} ${type}` : `${name} ${type} NOT NULL`;
}

export function createTables(db: Database.Database, { seq, timeMs, digest, chain }: SnapshotMeta): void {
  for (const [, sql] of schemaOf(FORMAT_VERSION)) db.exec(sql);
  db.prepare('INSERT INTO meta VALUES (?, ?, ?, ?, ?)').run(FORMAT_VERSION, seq, timeMs, digest, chain);
}

/** A statement that inserts a row, its cells in the order of the form's columns. */
export function insertInto(
  db: Database.Database,
  { name, columns }: TableForm,
): Database.Statement<unknown[]> {
  return db.prepare(`INSERT INTO ${name} VALUES (${columns.map(() => '?').join(', ')})`);
}

/**
 * Reads `meta` and compares the tables word for word. Throws `journal_newer_version`; anything else it throws is
 * damage.
 */
export function readMeta(path: string, db: Database.Database): SnapshotMeta {
  const version = formatVersionOf(db);
  if (version > FORMAT_VERSION) {
    throw new JournalError(
      'journal_newer_version',
      `The snapshot ${path} has format version ${version}; this version of the server knows ${FORMAT_VERSION}. ` +
        'Start the version that wrote it, or a newer one.',
    );
  }
  const found = db.prepare<[], unknown[]>('SELECT name, sql FROM sqlite_schema ORDER BY rowid').raw().all();
  if (version < 1 || JSON.stringify(found) !== JSON.stringify(schemaOf(version))) {
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

/** The table with this name as in the file; null if the format version of the file is older than the table. */
export function tableIn(db: Database.Database, name: string): TableForm | null {
  return tablesOf(formatVersionOf(db)).find((form) => form.name === name) ?? null;
}

/** 0 if there is none. */
function formatVersionOf(db: Database.Database): number {
  const version = db.prepare('SELECT format_version FROM meta').pluck().get();
  return typeof version === 'number' && Number.isSafeInteger(version) ? version : 0;
}
