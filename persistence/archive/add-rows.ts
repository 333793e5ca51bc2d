/** Adds rows of one archive to another, in the order in which they came about. */
import type Database from 'better-sqlite3';
import type { Cell } from '../../engine/base/rows-text.js';
import { ArchiveBlocks } from './blocks.js';
import {
  IN_PLACEMENT,
  IN_SETTLEMENT,
  PLACEMENT,
  type Rows,
  SETTLEMENT_CELLS,
  SINGLE_KINDS,
  TABLE_OF,
} from './columns.js';
import type { BetTaker } from './rows.js';
import { type ArchivePosition, type ArchiveProgress, intact, readProgress, rowQuery } from './schema.js';
import { ArchiveTables, beginOnce } from './tables.js';

const LISTED_ROWS = 20_000;

interface RowSource {
  readonly path: string;
  readonly db: Database.Database;
}

/** Of a table with one row for each, in the order of its keys. */
function* singles({ path, db }: RowSource, table: string, afterSeq: number, toSeq: number): Rows {
  const seq = table === TABLE_OF.rounds ? 'settled_seq' : 'seq';
  const query = rowQuery(db, `SELECT * FROM ${table} NOT INDEXED WHERE ${seq} > ? AND ${seq} <= ?`);
  for (const row of query.iterate(afterSeq, toSeq)) yield intact(path, table, row);
}

/** Adds the rows that `db` lacks of `source`, up to `upTo`, in one transaction. Returns the number of rows written. */
export function addRows(
  source: RowSource,
  path: string,
  db: Database.Database,
  upTo: ArchivePosition,
): number {
  const before = readProgress(path, db);
  beginOnce(db);
  const tables = new ArchiveTables(db);
  addBets(source, tables, before, newestBet(db), upTo.seq);
  for (const kind of SINGLE_KINDS)
    for (const row of singles(source, TABLE_OF[kind], before.seq, upTo.seq)) tables[kind].push(row);
  // More may have come behind the last command.
  for (const row of singles(source, 'refusal', before.seq - 1, upTo.seq)) tables.refusals.push(row);
  tables.commit(before, upTo);
  return tables.count;
}

const newestBet = (db: Database.Database): number =>
  db.prepare<[], number>('SELECT coalesce(max(last_bet), 0) FROM placed_block').pluck().get() ?? 0;

/** Merged by command, because a list of an account holds the bets between two commits. */
function addBets(
  { path, db }: RowSource,
  tables: ArchiveTables,
  before: ArchiveProgress,
  newest: number,
  toSeq: number,
): void {
  const blocks = new ArchiveBlocks(path, db);
  const settlements = blocks.settlements(before.seq + 1, toSeq);
  let settlement = settlements.next();
  let lastSeq = before.seq;
  let listed = 0;
  const proceed = (seq: number): void => {
    if (seq > lastSeq && tables.count - listed >= LISTED_ROWS) {
      tables.flush(lastSeq);
      listed = tables.count;
    }
    lastSeq = seq;
  };
  const settleUpTo = (seq: number): void => {
    for (; settlement.done !== true; settlement = settlements.next()) {
      const settledSeq = Number(settlement.value[IN_SETTLEMENT.settled_seq]);
      if (settledSeq > seq) return;
      proceed(settledSeq);
      pushBet(tables.betsSettled, settlement.value, SETTLEMENT_CELLS);
    }
  };
  try {
    for (const row of blocks.placements(newest + 1)) {
      // A bet without `placed_seq` was open where the archive begins.
      const seq = Number(row[IN_PLACEMENT.placed_seq] ?? before.fromSeq);
      if (seq > toSeq) break;
      settleUpTo(seq);
      proceed(seq);
      pushBet(tables.bets, row, PLACEMENT.length);
    }
    settleUpTo(toSeq);
  } finally {
    settlements.return?.();
  }
}

/** Cells behind the first `ownCells` are those that a block has once. */
function pushBet(bets: BetTaker, row: readonly Cell[], ownCells: number): void {
  const text = bets.begin(Number(row[0]), Number(row[1]), row.slice(ownCells));
  for (const cell of row.slice(2, ownCells)) text.cell(cell);
}
