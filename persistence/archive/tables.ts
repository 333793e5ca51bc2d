/**
 * The tables of the archive for writing. A transaction begins with the first row that is written, so that an
 * archive to which nothing is added is not locked.
 */
import Database from 'better-sqlite3';
import { type Cell, ROWS_PER_BLOCK, RowsText } from '../../engine/base/rows-text.js';
import {
  ACCOUNT_BETS,
  ACTION,
  blockChecksum,
  byKind,
  type Columns,
  LIMIT_STEP,
  PLACED_BLOCK,
  parametersFor,
  ROUND,
  ROW_KINDS,
  SETTLED_BLOCK,
  TABLE_OF,
  TRANSFER,
  withChecksum,
} from './columns.js';
import type { BetTaker, RowTakers } from './rows.js';
import {
  type ArchivePosition,
  type ArchiveProgress,
  asArchiveDamage,
  damagedArchive,
  writeProgress,
} from './schema.js';

export function beginOnce(db: Database.Database): void {
  if (!db.inTransaction) db.exec('BEGIN IMMEDIATE');
}

class Table {
  count = 0;
  readonly #insert: Database.Statement<[(Cell | Uint8Array)[]]>;

  constructor(
    private readonly db: Database.Database,
    table: string,
    columns: Columns,
    orElse = '',
  ) {
    const sql = `INSERT ${orElse} INTO ${table} VALUES ${parametersFor(columns)}`;
    this.#insert = db.prepare<[(Cell | Uint8Array)[]]>(sql);
  }

  push(row: Cell[]): void {
    this.count += this.insert(row);
  }

  /** Returns the number of rows that are new. */
  protected insert(cells: (Cell | Uint8Array)[]): number {
    beginOnce(this.db);
    return this.#insert.run(cells).changes;
  }
}

/** Many rows of bets to one of the table: what they have in common, the first and the last bet, and their text. */
class Blocks extends Table implements BetTaker {
  readonly #text = new RowsText();
  #rows = 0;
  #first = 0;
  #last = 0;
  #common: readonly Cell[] = [];

  constructor(
    db: Database.Database,
    table: string,
    columns: Columns,
    private readonly accountBets: number[],
  ) {
    super(db, table, columns);
  }

  begin(bet: number, account: number, common: readonly Cell[]): RowsText {
    if (this.#rows === ROWS_PER_BLOCK || !this.#isOfBlock(common)) this.flush();
    if (this.#rows === 0) {
      this.#first = bet;
      this.#common = common;
    }
    this.#last = bet;
    this.#rows += 1;
    this.accountBets.push(account, bet);
    this.count += 1;
    this.#text.begin();
    this.#text.cell(bet);
    this.#text.cell(account);
    return this.#text;
  }

  flush(): void {
    if (this.#rows === 0) return;
    this.#rows = 0;
    const cells = [...this.#common, this.#first, this.#last];
    const text = this.#text.take();
    this.insert([...cells, text, blockChecksum(cells, text)]);
  }

  #isOfBlock(common: readonly Cell[]): boolean {
    for (let at = 0; at < common.length; at++) if (common[at] !== this.#common[at]) return false;
    return true;
  }
}

/**
 * The bets that an account has placed, and those that were settled: lists of numbers, one row for each account
 * between two commits of the archive. An index by account would be maintained in random order for every bet; these
 * lists are written once, sorted by account.
 */
class AccountBets {
  /** Account and bet in turn: to find an account's list for each bet would miss the processor's caches. */
  readonly placed: number[] = [];
  readonly settled: number[] = [];
  readonly #insert: Database.Statement<[Cell[]]>;

  constructor(db: Database.Database, prefix: string) {
    this.#insert = db.prepare<[Cell[]]>(
      `INSERT INTO ${prefix}account_bets VALUES ${parametersFor(ACCOUNT_BETS)}`,
    );
  }

  write(seq: number): void {
    const [placed, settled] = [byAccount(this.placed), byAccount(this.settled)];
    const accounts = new Set([...placed.keys(), ...settled.keys()]);
    for (const account of [...accounts].sort((one, other) => one - other)) {
      const lists = [placed, settled].map((bets) => JSON.stringify(bets.get(account) ?? []));
      this.#insert.run(withChecksum([account, seq, ...lists]));
    }
  }
}

/** Empties `pairs`. */
function byAccount(pairs: number[]): Map<number, number[]> {
  const lists = new Map<number, number[]>();
  for (let at = 0; at < pairs.length; at += 2) {
    const [account, bet] = [pairs[at] as number, pairs[at + 1] as number];
    const list = lists.get(account);
    if (list === undefined) lists.set(account, [bet]);
    else list.push(bet);
  }
  pairs.length = 0;
  return lists;
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

  constructor(
    private readonly db: Database.Database,
    prefix = '',
  ) {
    const lists = new AccountBets(db, prefix);
    const table = (name: string, columns: Columns): Table => new Table(db, prefix + name, columns);
    this.#accountBets = lists;
    this.bets = new Blocks(db, `${prefix}placed_block`, PLACED_BLOCK, lists.placed);
    this.betsSettled = new Blocks(db, `${prefix}settled_block`, SETTLED_BLOCK, lists.settled);
    this.rounds = table(TABLE_OF.rounds, ROUND);
    this.transfers = table(TABLE_OF.transfers, TRANSFER);
    this.limitSteps = table(TABLE_OF.limitSteps, LIMIT_STEP);
    this.actions = table(TABLE_OF.actions, ACTION);
    this.refusals = new Table(db, `${prefix}refusal`, ACTION, 'OR IGNORE');
  }

  get count(): number {
    return ROW_KINDS.reduce((sum, kind) => sum + this[kind].count, this.refusals.count);
  }

  /** With the rows since `clearCounts`, up to `end`. Returns the progress from now on. */
  commit(before: ArchiveProgress, { seq, timeMs, digest, chain }: ArchivePosition): ArchiveProgress {
    const counts = byKind((kind) => before[kind] + this[kind].count);
    const progress = { ...before, ...counts, seq, timeMs, digest, chain };
    this.flush(seq);
    writeProgress(this.db, progress);
    this.db.exec('COMMIT');
    return progress;
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
