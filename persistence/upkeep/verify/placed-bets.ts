/**
 * The placements of the archive, read in the order of bet numbers, which is the order of placement. A replay asks for
 * them in this order, so each page of the table is read once.
 */
import type Database from 'better-sqlite3';
import type { ArchiveCell } from '../../archive/checksum.js';
import { namesOf, PLACEMENT } from '../../archive/columns.js';

/** Read in one short transaction, so that a running server can truncate its WAL in between. */
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

  /** The placement of `bet`, or undefined. Fast if bets are requested in ascending order. */
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
