/**
 * The bets that an account has placed, and those that were settled: lists of numbers, one row for each account
 * between two commits of the archive. An index by account would be maintained in random order for every bet; these
 * lists are written once, sorted by account.
 */
import type Database from 'better-sqlite3';
import { ACCOUNT_BETS, type ArchiveCell, archiveChecksum, parametersFor } from './columns.js';

interface Lists {
  readonly placed: number[];
  readonly settled: number[];
}

export class AccountBets {
  readonly #lists = new Map<number, Lists>();
  readonly #insert: Database.Statement<[ArchiveCell[]]>;

  constructor(db: Database.Database, prefix: string) {
    this.#insert = db.prepare<[ArchiveCell[]]>(
      `INSERT INTO ${prefix}account_bets VALUES ${parametersFor(ACCOUNT_BETS)}`,
    );
  }

  /** To which a bet's number is to be added. */
  of(account: number): Lists {
    let lists = this.#lists.get(account);
    if (lists === undefined) {
      lists = { placed: [], settled: [] };
      this.#lists.set(account, lists);
    }
    return lists;
  }

  write(seq: number): void {
    const sorted = [...this.#lists].sort(([one], [other]) => one - other);
    this.#lists.clear();
    for (const [account, { placed, settled }] of sorted) {
      const cells = [account, seq, JSON.stringify(placed), JSON.stringify(settled)];
      this.#insert.run([...cells, archiveChecksum(cells)]);
    }
  }
}
