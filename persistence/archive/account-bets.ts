/**
 * The bets that an account has placed, and those that were settled: lists of numbers, one row for each account
 * between two commits of the archive. An index by account would be maintained in random order for every bet; these
 * lists are written once, sorted by account.
 */
import type Database from 'better-sqlite3';
import { ACCOUNT_BETS, type ArchiveCell, archiveChecksum, parametersFor } from './form/columns.js';

const FIRST_ENTRIES = 1_024;

class Entries {
  #accounts = new Float64Array(FIRST_ENTRIES);
  #bets = new Float64Array(FIRST_ENTRIES);
  #count = 0;

  add(account: number, bet: number): void {
    if (this.#count === this.#bets.length) {
      this.#accounts = doubled(this.#accounts);
      this.#bets = doubled(this.#bets);
    }
    this.#accounts[this.#count] = account;
    this.#bets[this.#count] = bet;
    this.#count += 1;
  }

  /** Removes all entries and hands them out by account in ascending order, each account's as they were added. */
  *take(): Generator<{ readonly account: number; readonly bets: number[] }, void, undefined> {
    const count = this.#count;
    this.#count = 0;
    // Account and position as one number, which typed arrays sort without a comparison function.
    const keys = Float64Array.from(
      { length: count },
      (_, at) => (this.#accounts[at] as number) * count + at,
    ).sort();
    for (let at = 0; at < count; ) {
      const account = Math.floor((keys[at] as number) / count);
      const bets: number[] = [];
      for (; at < count && Math.floor((keys[at] as number) / count) === account; at++) {
        bets.push(this.#bets[(keys[at] as number) - account * count] as number);
      }
      yield { account, bets };
    }
  }
}

function doubled(from: Float64Array): Float64Array<ArrayBuffer> {
  const to = new Float64Array(from.length * 2);
  to.set(from);
  return to;
}

export class AccountBets {
  readonly #placed = new Entries();
  readonly #settled = new Entries();
  readonly #insert: Database.Statement<[ArchiveCell[]]>;

  constructor(db: Database.Database, prefix: string) {
    this.#insert = db.prepare<[ArchiveCell[]]>(
      `INSERT INTO ${prefix}account_bets VALUES ${parametersFor(ACCOUNT_BETS)}`,
    );
  }

  placed(account: number, bet: number): void {
    this.#placed.add(account, bet);
  }

  settled(account: number, bet: number): void {
    this.#settled.add(account, bet);
  }

  write(seq: number): void {
    const placed = this.#placed.take();
    const settled = this.#settled.take();
    let nextPlaced = placed.next();
    let nextSettled = settled.next();
    for (;;) {
      const ofPlaced = nextPlaced.done === true ? Number.POSITIVE_INFINITY : nextPlaced.value.account;
      const ofSettled = nextSettled.done === true ? Number.POSITIVE_INFINITY : nextSettled.value.account;
      const account = Math.min(ofPlaced, ofSettled);
      if (account === Number.POSITIVE_INFINITY) return;
      let placedText = '[]';
      let settledText = '[]';
      if (nextPlaced.done !== true && ofPlaced === account) {
        placedText = JSON.stringify(nextPlaced.value.bets);
        nextPlaced = placed.next();
      }
      if (nextSettled.done !== true && ofSettled === account) {
        settledText = JSON.stringify(nextSettled.value.bets);
        nextSettled = settled.next();
      }
      const cells = [account, seq, placedText, settledText];
      this.#insert.run([...cells, archiveChecksum(cells)]);
    }
  }
}
