/**
 * The tables of the archive for writing, and the transaction for all their rows. It begins with the first row, so
 * that an archive to which nothing is added is not locked.
 */
import Database from 'better-sqlite3';
import { crcHex } from '../journal/segment/batch-row.js';
import { AccountBets } from './account-bets.js';
import {
  ACTION,
  type ArchiveCell,
  type Columns,
  LIMIT_STEP,
  PLACED_BLOCK,
  PLACEMENT,
  parametersFor,
  positionsOf,
  ROUND,
  SETTLED_BLOCK,
  SETTLEMENT,
  SETTLEMENT_CELLS,
  TRANSFER,
} from './form/columns.js';
import { RowText } from './form/row-text.js';
import type { RowTaker } from './rows.js';
import { type ArchiveProgress, asArchiveDamage, damagedArchive } from './schema.js';

/** A row is found in a block this small as fast as the block, and blocks cost little beside their rows. */
const BLOCK_ROWS_MAX = 128;

const IN_PLACEMENT = positionsOf(PLACEMENT);
const IN_SETTLEMENT = positionsOf(SETTLEMENT);

export class Transaction {
  #isOpen: boolean;

  constructor(readonly db: Database.Database) {
    this.#isOpen = db.inTransaction;
  }

  beginOnce(): void {
    if (this.#isOpen) return;
    this.db.exec('BEGIN IMMEDIATE');
    this.#isOpen = true;
  }

  commit(): void {
    this.db.exec('COMMIT');
    this.#isOpen = false;
  }
}

class Table implements RowTaker {
  count = 0;
  readonly #statement: Database.Statement<[ArchiveCell[]]>;

  constructor(
    readonly transaction: Transaction,
    table: string,
    columns: Columns,
    orElse = '',
  ) {
    const sql = `INSERT ${orElse} INTO ${table} VALUES ${parametersFor(columns)}`;
    this.#statement = transaction.db.prepare<[ArchiveCell[]]>(sql);
  }

  push(row: ArchiveCell[]): void {
    this.transaction.beginOnce();
    this.count += this.#statement.run(row).changes;
  }
}

class PlacedBlocks implements RowTaker {
  count = 0;
  readonly #text = new RowText();
  #rows = 0;
  #firstBet = 0;
  #lastBet = 0;
  readonly #statement: Database.Statement<[ArchiveCell[]]>;

  constructor(
    readonly transaction: Transaction,
    private readonly accountBets: AccountBets,
    prefix: string,
  ) {
    this.#statement = transaction.db.prepare<[ArchiveCell[]]>(
      `INSERT INTO ${prefix}placed_block VALUES ${parametersFor(PLACED_BLOCK)}`,
    );
  }

  push(row: ArchiveCell[]): void {
    this.transaction.beginOnce();
    const bet = row[IN_PLACEMENT.bet] as number;
    if (this.#rows === 0) this.#firstBet = bet;
    this.#lastBet = bet;
    this.#text.add(row);
    this.accountBets.placed(row[IN_PLACEMENT.account] as number, bet);
    this.count += 1;
    this.#rows += 1;
    if (this.#rows === BLOCK_ROWS_MAX) this.flush();
  }

  flush(): void {
    if (this.#rows === 0) return;
    this.#rows = 0;
    this.#statement.run(sealed([this.#firstBet, this.#lastBet, this.#text.take()]));
  }
}

class SettledBlocks implements RowTaker {
  count = 0;
  readonly #text = new RowText();
  #rows = 0;
  #head: ArchiveCell[] = [];
  #lastBet = 0;
  readonly #statement: Database.Statement<[ArchiveCell[]]>;

  constructor(
    readonly transaction: Transaction,
    private readonly accountBets: AccountBets,
    prefix: string,
  ) {
    this.#statement = transaction.db.prepare<[ArchiveCell[]]>(
      `INSERT INTO ${prefix}settled_block VALUES ${parametersFor(SETTLED_BLOCK)}`,
    );
  }

  push(row: ArchiveCell[]): void {
    this.transaction.beginOnce();
    const bet = row[IN_SETTLEMENT.bet] as number;
    const seq = row[IN_SETTLEMENT.settled_seq] as number;
    const market = row[IN_SETTLEMENT.market] as string;
    const roundNumber = row[IN_SETTLEMENT.round_number] as number;
    const [blockSeq, blockMarket, blockRound] = this.#head;
    const isOfBlock = blockSeq === seq && blockRound === roundNumber && blockMarket === market;
    if (!isOfBlock) this.flush();
    if (this.#rows === 0) this.#head = [seq, market, roundNumber, row[IN_SETTLEMENT.settled_ms] ?? null, bet];
    this.#lastBet = bet;
    this.#text.add(row, SETTLEMENT_CELLS);
    this.accountBets.settled(row[IN_SETTLEMENT.account] as number, bet);
    this.count += 1;
    this.#rows += 1;
    if (this.#rows === BLOCK_ROWS_MAX) this.flush();
  }

  flush(): void {
    if (this.#rows === 0) return;
    this.#rows = 0;
    this.#statement.run(sealed([...this.#head, this.#lastBet, this.#text.take()]));
  }
}

function sealed(cells: ArchiveCell[]): ArchiveCell[] {
  return [...cells, blockChecksum(cells)];
}

/** CRC-32, 8 hex digits. The last cell is the text. */
export const blockChecksum = (cells: readonly ArchiveCell[]): string => crcHex(cells.join('\n'));

export class ArchiveTables {
  readonly #accountBets: AccountBets;
  readonly placed: PlacedBlocks;
  readonly settled: SettledBlocks;
  readonly rounds: Table;
  readonly transfers: Table;
  readonly limitSteps: Table;
  readonly actions: Table;
  /** A row that is there already is not written again. */
  readonly refusals: Table;

  constructor(transaction: Transaction, prefix = '') {
    this.#accountBets = new AccountBets(transaction.db, prefix);
    this.placed = new PlacedBlocks(transaction, this.#accountBets, prefix);
    this.settled = new SettledBlocks(transaction, this.#accountBets, prefix);
    this.rounds = new Table(transaction, `${prefix}round`, ROUND);
    this.transfers = new Table(transaction, `${prefix}transfer`, TRANSFER);
    this.limitSteps = new Table(transaction, `${prefix}limit_step`, LIMIT_STEP);
    this.actions = new Table(transaction, `${prefix}action`, ACTION);
    this.refusals = new Table(transaction, `${prefix}refusal`, ACTION, 'OR IGNORE');
  }

  get count(): number {
    return this.#all.reduce((sum, { count }) => sum + count, 0);
  }

  get #all(): (Table | PlacedBlocks | SettledBlocks)[] {
    const { placed, settled, rounds, transfers, limitSteps, actions, refusals } = this;
    return [placed, settled, rounds, transfers, limitSteps, actions, refusals];
  }

  /** `before` with the rows taken since `clearCounts`. */
  counted(before: ArchiveProgress): ArchiveProgress {
    return {
      ...before,
      bets: before.bets + this.placed.count,
      betsSettled: before.betsSettled + this.settled.count,
      rounds: before.rounds + this.rounds.count,
      transfers: before.transfers + this.transfers.count,
      limitSteps: before.limitSteps + this.limitSteps.count,
      actions: before.actions + this.actions.count,
    };
  }

  flush(seq: number): void {
    this.placed.flush();
    this.settled.flush();
    this.#accountBets.write(seq);
  }

  clearCounts(): void {
    for (const table of this.#all) table.count = 0;
  }
}

/** A key that exists already means that the archive is not of this journal. */
export function asWriteFault(path: string, thrown: unknown): unknown {
  if (thrown instanceof Database.SqliteError && thrown.code.startsWith('SQLITE_CONSTRAINT')) {
    return damagedArchive(path, `a row is there that should not be (${thrown.message})`, thrown);
  }
  return asArchiveDamage(path, thrown);
}
