/**
 * The archive's bets in the order of their numbers, which is that in which they were placed: whoever carries out the
 * journal asks for them in this order, and each page of the table is read once.
 */
import type Database from 'better-sqlite3';
import type { ArchiveCell } from '../../archive/checksum.js';
import { namesOf, PLACEMENT } from '../../archive/columns.js';

/** Read in one short transaction: a running server can shorten its WAL in between. */
const BETS_AT_ONCE = 1_024;

export class PlacedBets {
  readonly #select: Database.Statement<[number], ArchiveCell[]>;
  #rows: ArchiveCell[][] = [];
  #next = 0;

  constructor(db: Database.Database) {
    this.#select = db
      .prepare<[number], ArchiveCell[]>(
        `SELECT ${namesOf(PLACEMENT)} FROM bet WHERE bet >= ? ORDER BY bet LIMIT ${BETS_AT_ONCE}`,
      )
      .raw();
  }

  /** The placement of `bet`, as it is now; undefined where there is none. It is quick where the one before was asked for last. */
  get(bet: number): ArchiveCell[] | undefined {
    while (this.#numberAt(this.#next) < bet && this.#next < this.#rows.length) this.#next += 1;
    if (this.#next >= this.#rows.length || this.#numberAt(0) > bet) {
      this.#rows = this.#select.all(bet);
      this.#next = 0;
    }
    return this.#numberAt(this.#next) === bet ? this.#rows[this.#next] : undefined;
  }

  #numberAt(index: number): number {
    return Number(this.#rows[index]?.[0] ?? Number.POSITIVE_INFINITY);
  }
}
