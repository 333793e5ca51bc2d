/**
 * The schema of the archive: everything that has left the engine's memory, or will, for queries with `sqlite3`. It is
 * a projection of events, so losing it loses nothing that the journal has. Only `refusal` is nowhere else but in the
 * log.
 *
 *     sqlite3 archive.db "select * from ledger where account = 7 order by seq, item"
 *
 * Bets are stored in blocks, and `bet`, `placement`, `settlement` and `ledger` are views that show
 * them row by row. Markets, sides and results are words. Accounts and bets are numbers (7 is `acc_7`), account 0 is
 * the house. Every row of a table has a CRC-32 of its cells, because nothing else detects a flipped bit in it.
 */
import type Database from 'better-sqlite3';
import type { Cell } from '../../engine/base/rows-text.js';
import type { SnapshotMeta } from '../../engine/host/snapshot-store.js';
import { asFileFault, JournalError, otherFormat } from '../errors.js';
import {
  ACCOUNT_BETS,
  ACTION,
  archiveChecksum,
  byKind,
  declarationsOf,
  isIntact,
  LIMIT_STEP,
  PLACED_BLOCK,
  PLACEMENT,
  parametersFor,
  ROUND,
  ROW_KINDS,
  type RowKind,
  SETTLED_BLOCK,
  SETTLEMENT,
  SETTLEMENT_CELLS,
  TRANSFER,
  withChecksum,
} from './columns.js';

/** Its digest is '' at 0. */
export interface ArchiveProgress extends SnapshotMeta, Readonly<Record<RowKind, number>> {
  /** The archive has the effects of later commands only; 0 for all. */
  readonly fromSeq: number;
}

export type ArchivePosition = Pick<ArchiveProgress, 'seq' | 'timeMs' | 'digest' | 'chain'>;

export const NO_ROWS: Readonly<Record<RowKind, number>> = byKind(() => 0);

const PROGRESS = {
  from_seq: 'INTEGER NOT NULL',
  seq: 'INTEGER NOT NULL',
  time_ms: 'INTEGER NOT NULL',
  digest: 'TEXT NOT NULL',
  chain: 'TEXT NOT NULL',
  bets: 'INTEGER NOT NULL',
  bets_settled: 'INTEGER NOT NULL',
  rounds: 'INTEGER NOT NULL',
  transfers: 'INTEGER NOT NULL',
  limit_steps: 'INTEGER NOT NULL',
  actions: 'INTEGER NOT NULL',
  checksum: 'TEXT NOT NULL',
} as const;

/** In the order of the columns. */
const PROGRESS_FIELDS = ['fromSeq', 'seq', 'timeMs', 'digest', 'chain', ...ROW_KINDS] as const;

const cellsOfProgress = (progress: ArchiveProgress): Cell[] =>
  PROGRESS_FIELDS.map((field) => progress[field]);

/** The table is strict, so its cells have the types of their columns. */
const progressOf = (cells: readonly Cell[]): ArchiveProgress =>
  Object.fromEntries(PROGRESS_FIELDS.map((field, at) => [field, cells[at]])) as unknown as ArchiveProgress;

const FORMAT_VERSION = 1;

const cellsAs = (names: readonly string[]): string =>
  names.map((name, position) => `row.value ->> ${position} AS ${name}`).join(', ');

const OF_SETTLEMENT_ALONE = SETTLEMENT.filter((name) => !(PLACEMENT as readonly string[]).includes(name));

const actionTable = <Name extends string>(name: Name): Record<Name, string> =>
  ({
    [name]: `CREATE TABLE ${name} (\n${declarationsOf(ACTION)},\n  PRIMARY KEY (seq, item)\n) STRICT, WITHOUT ROWID`,
    [`${name}_by_time`]: `CREATE INDEX ${name}_by_time ON ${name} (time_ms, seq)`,
    [`${name}_of_operator`]: `CREATE INDEX ${name}_of_operator ON ${name} (operator, seq, item)`,
    [`${name}_of_kind`]: `CREATE INDEX ${name}_of_kind ON ${name} (kind, seq, item)`,
  }) as Record<Name, string>;

const TABLES = {
  placed_block: `CREATE TABLE placed_block (\n${declarationsOf(PLACED_BLOCK)}\n) STRICT`,
  settled_block: `CREATE TABLE settled_block (\n${declarationsOf(SETTLED_BLOCK)}\n) STRICT`,
  settled_block_of_round:
    'CREATE UNIQUE INDEX settled_block_of_round ON settled_block (market, round_number, first_bet)',
  account_bets: `CREATE TABLE account_bets (\n${declarationsOf(ACCOUNT_BETS)},\n  PRIMARY KEY (account, seq)\n) STRICT, WITHOUT ROWID`,
  round: `CREATE TABLE round (\n${declarationsOf(ROUND)},\n  PRIMARY KEY (market, round_number)\n) STRICT, WITHOUT ROWID`,
  round_by_start: 'CREATE INDEX round_by_start ON round (start_ms, market)',
  transfer: `CREATE TABLE transfer (\n${declarationsOf(TRANSFER)},\n  PRIMARY KEY (seq, item)\n) STRICT, WITHOUT ROWID`,
  transfer_of_account: 'CREATE INDEX transfer_of_account ON transfer (account, seq, item)',
  limit_step: `CREATE TABLE limit_step (\n${declarationsOf(LIMIT_STEP)},\n  PRIMARY KEY (seq, item)\n) STRICT, WITHOUT ROWID`,
  limit_step_of_bet: 'CREATE INDEX limit_step_of_bet ON limit_step (bet, seq, item)',
  limit_step_of_account: 'CREATE INDEX limit_step_of_account ON limit_step (account, seq, item)',
  limit_step_of_round: 'CREATE INDEX limit_step_of_round ON limit_step (market, round_number, seq, item)',
  ...actionTable('action'),
  ...actionTable('refusal'),
  placement: `CREATE VIEW placement AS
SELECT ${cellsAs(PLACEMENT)}
  FROM placed_block, json_each(placed_block.rows) AS row`,
  settlement: `CREATE VIEW settlement AS
SELECT ${cellsAs(SETTLEMENT.slice(0, SETTLEMENT_CELLS))},
  seq AS settled_seq, market, round_number, time_ms AS settled_ms
  FROM settled_block, json_each(settled_block.rows) AS row
UNION ALL
SELECT bet, account, kind, payout_cents, item, balance_cents, seq, market, round_number, time_ms
  FROM limit_step WHERE kind <> 'FILLED'`,
  bet: `CREATE VIEW bet AS
SELECT ${PLACEMENT.map((name) => `placement.${name}`).join(', ')},
  ${OF_SETTLEMENT_ALONE.map((name) => `settlement.${name}`).join(', ')}
  FROM placement LEFT JOIN settlement ON settlement.bet = placement.bet`,
  /** Every change of every balance: each `balance_cents` is the previous one plus `amount_cents`. */
  ledger: `CREATE VIEW ledger AS
SELECT account, placed_seq AS seq, 0 AS item, placed_ms AS time_ms, iif(rested = 1, 'reserve', 'stake') AS kind, -stake_cents AS amount_cents,
  balance_after_cents AS balance_cents, 'bet_' || bet AS reference
  FROM placement WHERE placed_seq IS NOT NULL
UNION ALL
SELECT account, settled_seq, settled_item, settled_ms, iif(result = 'WIN', 'payout', 'refund'), paid_cents, settled_balance_cents, 'bet_' || bet
  FROM settlement WHERE paid_cents > 0
UNION ALL
SELECT account, seq, item, time_ms, 'fill', 0, balance_cents, 'bet_' || bet FROM limit_step WHERE kind = 'FILLED'
UNION ALL
SELECT account, seq, item, time_ms, reason, amount_cents, balance_cents, reference FROM transfer`,
  progress: `CREATE TABLE progress (\n${declarationsOf(PROGRESS)}\n) STRICT`,
  meta: `CREATE TABLE meta (
  format_version INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  checksum TEXT NOT NULL
) STRICT`,
} as const;

export function createArchiveTables(db: Database.Database, createdMs: number): void {
  for (const statement of Object.values(TABLES)) db.exec(statement);
  db.prepare('INSERT INTO meta VALUES (?, ?, ?)').run(...withChecksum([FORMAT_VERSION, createdMs]));
}

const ROW_TABLES = [
  'placed_block',
  'settled_block',
  'account_bets',
  'round',
  'transfer',
  'limit_step',
  'action',
  'refusal',
] as const;

/**
 * Temporary tables for rows after the end of an archive that is open for reading: its tables' names mean both from
 * then on.
 */
export function createTailTables(db: Database.Database): void {
  db.pragma('temp_store = MEMORY');
  for (const table of ROW_TABLES) db.exec(TABLES[table].replace('TABLE ', 'TEMP TABLE tail_'));
  const indexes = Object.values(TABLES).filter((sql) => / INDEX /.test(sql));
  for (const sql of indexes) db.exec(sql.replace(/INDEX (\w+) ON /, 'INDEX temp.tail_$1 ON tail_'));
  for (const table of ROW_TABLES) {
    const both = `SELECT * FROM main.${table} UNION ALL SELECT * FROM tail_${table}`;
    db.exec(`CREATE TEMP VIEW ${table} AS ${both}`);
  }
}

export function writeProgress(db: Database.Database, progress: ArchiveProgress): void {
  db.exec('DELETE FROM progress');
  const insert = db.prepare(`INSERT INTO progress VALUES ${parametersFor(PROGRESS)}`);
  insert.run(...withChecksum(cellsOfProgress(progress)));
}

/** Checks version, tables word for word, and checksums. Throws `other_format` and `archive_corrupt`. */
export function readProgress(path: string, db: Database.Database): ArchiveProgress {
  return fromArchive(path, () => {
    checkVersion(path, db);
    checkTables(path, db);
    const rows = rowQuery(db, 'SELECT * FROM progress').all();
    const [cells] = rows;
    if (cells === undefined || rows.length !== 1) {
      throw damagedArchive(path, 'it does not say how far it has come');
    }
    if (!isIntact(cells)) {
      throw damagedArchive(path, 'the checksum of its progress does not match');
    }
    return progressOf(cells);
  });
}

export type RowQuery = Database.Statement<Cell[], Cell[]>;

export const rowQuery = (db: Database.Database, sql: string): RowQuery =>
  db.prepare<Cell[], Cell[]>(sql).raw();

/** The row, once it matches its checksum. */
export function intact(path: string, table: string, row: Cell[]): Cell[] {
  if (isIntact(row)) return row;
  throw damagedArchive(path, `${table} ${row[0]} ${row[1]} does not match its checksum`);
}

export function damagedArchive(path: string, what: string, cause?: unknown): JournalError {
  return new JournalError(
    'archive_corrupt',
    `The archive ${path} is damaged: ${what}. Stop the server and put a backup's in its place, or move it away: it is then ` +
      'rebuilt as far back as the journal reaches, without the refused actions of operators.',
    { cause },
  );
}

/** Throws `archive_corrupt` where the content of the archive is at fault. */
export function fromArchive<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw asArchiveDamage(path, thrown);
  }
}

/** `archive_corrupt` if the content is at fault. */
export const asArchiveDamage = (path: string, thrown: unknown): unknown =>
  asFileFault(`The archive ${path}`, thrown, {
    disk: (reason) =>
      new JournalError(
        'data_dir_invalid',
        `The disk of the archive ${path} does not read or write (${reason}). Check the disk and the system log.`,
        { cause: thrown },
      ),
    damage: (reason) => damagedArchive(path, reason, thrown),
  });

function checkVersion(path: string, db: Database.Database): void {
  const rows = db.prepare<[], unknown[]>('SELECT * FROM meta').raw().all();
  const [version, createdMs, checksum] = rows[0] ?? [];
  const isRow = rows.length === 1 && typeof version === 'number' && typeof createdMs === 'number';
  if (!isRow || checksum !== archiveChecksum([version, createdMs]))
    throw damagedArchive(path, 'its meta table does not hold one good row');
  if (version === FORMAT_VERSION) return;
  throw otherFormat('archive', path, version, FORMAT_VERSION);
}

function checkTables(path: string, db: Database.Database): void {
  const found = db
    .prepare<[], unknown[]>('SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name')
    .raw()
    .all();
  const expected = Object.entries(TABLES).sort(([a], [b]) => (a < b ? -1 : 1));
  if (JSON.stringify(found) !== JSON.stringify(expected)) {
    throw damagedArchive(path, 'its tables are not those of an archive');
  }
}
