/**
 * The tables of the archive for writing. A transaction begins with the first row that is written, so that an
 * archive to which nothing is added is not locked.
 */
import Database from 'better-sqlite3';
import { AccountBets } from './account-bets.js';
import {
  ACTION,
  type ArchiveCell,
  blockChecksum,
  byKind,
  type Columns,
  LIMIT_STEP,
  PLACED_BLOCK,
  PLACEMENT,
  parametersFor,
  ROUND,
  ROW_KINDS,
  RowsText,
  SETTLED_BLOCK,
  SETTLEMENT_CELLS,
  TABLE_OF,
  TRANSFER,
} from './columns.js';
import type { RowTakers } from './rows.js';
import { type ArchiveProgress, asArchiveDamage, damagedArchive } from './schema.js';

/** A row is found in a block this small as fast as the block, and blocks cost little beside their rows. */
const BLOCK_ROWS_MAX = 128;

export function beginOnce(db: Database.Database): void {
  if (!db.inTransaction) db.exec('BEGIN IMMEDIATE');
}

class Table {
  count = 0;
  readonly #insert: Database.Statement<[ArchiveCell[]]>;

  constructor(
    private readonly db: Database.Database,
    table: string,
    columns: Columns,
    orElse = '',
  ) {
    const sql = `INSERT ${orElse} INTO ${table} VALUES ${parametersFor(columns)}`;
    this.#insert = db.prepare<[ArchiveCell[]]>(sql);
  }

  push(row: ArchiveCell[]): void {
    this.count += this.insert(row);
  }

  /** Returns the number of rows that are new. */
  protected insert(cells: ArchiveCell[]): number {
    beginOnce(this.db);
    return this.#insert.run(cells).changes;
  }
}

/** Many rows of bets to one of the table: what they have in common, the first and the last bet, and their text. */
class Blocks extends Table {
  readonly #text = new RowsText();
  #rows = 0;
  #first: ArchiveCell = null;
  #last: ArchiveCell = null;
  #common: ArchiveCell[] = [];

  /** Cells of a row behind `ownCells` are those that a block's rows have in common. */
  constructor(
    db: Database.Database,
    table: string,
    columns: Columns,
    private readonly ownCells: number,
    private readonly betsOf: (account: number) => number[],
  ) {
    super(db, table, columns);
  }

  override push(row: ArchiveCell[]): void {
    if (this.#rows === BLOCK_ROWS_MAX || !this.#isOfBlock(row)) this.flush();
    const [bet, account] = row as [number, number];
    if (this.#rows === 0) {
      this.#first = bet;
      this.#common = row.slice(this.ownCells);
    }
    this.#text.add(row, this.ownCells);
    this.#last = bet;
    this.#rows += 1;
    this.betsOf(account).push(bet);
    this.count += 1;
  }

  flush(): void {
    if (this.#rows === 0) return;
    this.#rows = 0;
    const cells = [...this.#common, this.#first, this.#last, this.#text.take()];
    this.insert([...cells, blockChecksum(cells)]);
  }

  #isOfBlock(row: readonly ArchiveCell[]): boolean {
    for (let at = this.ownCells; at < row.length; at++)
      if (row[at] !== this.#common[at - this.ownCells]) return false;
    return true;
  }
}

export class ArchiveTables implements RowTakers {
  readonly #accountBets: AccountBets;
  readonly bets: Blocks;
  readonly betsSettled: Blocks;
  readonly rounds: Table;
  readonly transfers: Table;
  readonly limitSteps: Table;
  readonly actions: Table;
  /** A row that is there already is not written again. */
  readonly refusals: Table;

  constructor(db: Database.Database, prefix = '') {
    const lists = new AccountBets(db, prefix);
    const blocks = (name: string, columns: Columns, ownCells: number, list: 'placed' | 'settled'): Blocks =>
      new Blocks(db, prefix + name, columns, ownCells, (account) => lists.of(account)[list]);
    const table = (name: string, columns: Columns): Table => new Table(db, prefix + name, columns);
    this.#accountBets = lists;
    this.bets = blocks('placed_block', PLACED_BLOCK, PLACEMENT.length, 'placed');
    this.betsSettled = blocks('settled_block', SETTLED_BLOCK, SETTLEMENT_CELLS, 'settled');
    this.rounds = table(TABLE_OF.rounds, ROUND);
    this.transfers = table(TABLE_OF.transfers, TRANSFER);
    this.limitSteps = table(TABLE_OF.limitSteps, LIMIT_STEP);
    this.actions = table(TABLE_OF.actions, ACTION);
    this.refusals = new Table(db, `${prefix}refusal`, ACTION, 'OR IGNORE');
  }

  get count(): number {
    return ROW_KINDS.reduce((sum, kind) => sum + this[kind].count, this.refusals.count);
  }

  /** `before` with the rows taken since `clearCounts`. */
  counted(before: ArchiveProgress): ArchiveProgress {
    return { ...before, ...byKind((kind) => before[kind] + this[kind].count) };
  }

  flush(seq: number): void {
    this.bets.flush();
    this.betsSettled.flush();
    this.#accountBets.write(seq);
  }

  clearCounts(): void {
    for (const kind of ROW_KINDS) this[kind].count = 0;
    this.refusals.count = 0;
  }
}

/** A key that exists already means that the archive is not of this journal. */
export function asWriteFault(path: string, thrown: unknown): unknown {
  if (thrown instanceof Database.SqliteError && thrown.code.startsWith('SQLITE_CONSTRAINT')) {
    return damagedArchive(path, `a row is there that should not be (${thrown.message})`, thrown);
  }
  return asArchiveDamage(path, thrown);
}
