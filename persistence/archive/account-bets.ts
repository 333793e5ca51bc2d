/**
 * The bets that an account has placed, and those that were settled: lists of numbers, one row for each account
 * between two commits of the archive. An index by account would be maintained in random order for every bet; these
 * lists are written once, sorted by account.
 */
import type Database from 'better-sqlite3';
import type { Cell } from '../../engine/base/rows-text.js';
import { ACCOUNT_BETS, parametersFor, withChecksum } from './columns.js';

export class AccountBets {
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
