/**
 * The tables of the archive for writing, and the transaction for the rows of all of them. It begins with the first row,
 * so that an archive to which nothing is added is not locked.
 */
import Database from 'better-sqlite3';
import type { ArchiveCell } from './checksum.js';
import { assignmentsOf, namesOf, PLACEMENT, parametersFor, ROUND, SETTLEMENT, TRANSFER } from './columns.js';
import type { RowTaker, RowTakers } from './rows.js';
import { asArchiveDamage, damagedArchive } from './schema.js';

const SETTLE = `UPDATE bet SET ${assignmentsOf(SETTLEMENT)} WHERE bet = ? AND settled_seq IS NULL`;

/** The destination of each kind of rows. */
export type ArchiveTables = Readonly<Record<keyof RowTakers, Table>>;

/** The transaction in which rows and progress are written. */
export class Transaction {
  #isOpen = false;

  constructor(readonly db: Database.Database) {}

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

/** Writes rows, each of which must change one row of the database. */
class Table implements RowTaker {
  /** Rows written since the last commit. */
  count = 0;
  readonly #statement: Database.Statement<[ArchiveCell[]]>;

  constructor(
    readonly transaction: Transaction,
    sql: string,
  ) {
    this.#statement = transaction.db.prepare<[ArchiveCell[]]>(sql);
  }

  push(row: ArchiveCell[]): void {
    this.transaction.beginOnce();
    if (this.#statement.run(row).changes !== 1) {
      throw damagedArchive(this.transaction.db.name, `bet ${row.at(-1)} is not among its open bets`);
    }
    this.count += 1;
  }
}

export function openTables(transaction: Transaction): ArchiveTables {
  return {
    placed: new Table(
      transaction,
      `INSERT INTO bet (${namesOf(PLACEMENT)}) VALUES ${parametersFor(PLACEMENT)}`,
    ),
    settled: new Table(transaction, SETTLE),
    rounds: new Table(transaction, `INSERT INTO round VALUES ${parametersFor(ROUND)}`),
    transfers: new Table(transaction, `INSERT INTO transfer VALUES ${parametersFor(TRANSFER)}`),
  };
}

/** What writing threw, as a `JournalError`. A key that exists already means that the archive is not of this journal. */
export function asWriteFault(path: string, thrown: unknown): unknown {
  if (thrown instanceof Database.SqliteError && thrown.code.startsWith('SQLITE_CONSTRAINT')) {
    return damagedArchive(path, `a row is there that should not be (${thrown.message})`, thrown);
  }
  return asArchiveDamage(path, thrown);
}
