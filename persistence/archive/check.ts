/**
 * Checks a complete archive: every row and block against its checksum, the number of rows against the progress row,
 * and the lists of accounts against the bets.
 */
import type Database from 'better-sqlite3';
import { type Cell, rowsOfText } from '../../engine/base/rows-text.js';
import { closing } from '../data-dir/closing.js';
import { isPassing, JournalError } from '../errors.js';
import { settledRowsOf } from './blocks.js';
import { isBlockIntact, isIntact, ROW_KINDS, type RowKind, TABLE_OF } from './columns.js';
import { openArchive } from './file.js';
import {
  type ArchiveProgress,
  asArchiveDamage,
  damagedArchive,
  fromArchive,
  readProgress,
} from './schema.js';

const FAULTS_DESCRIBED_MAX = 20;

export type ArchiveReport = ReturnType<typeof checkArchive>;

export function checkArchive(path: string) {
  const faults: string[] = [];
  const report = { progress: null as ArchiveProgress | null, rowsChecked: 0, faults };
  const fault = (text: string): void => {
    if (faults.length < FAULTS_DESCRIBED_MAX) faults.push(text);
  };
  try {
    using db = closing(openArchive(path));
    db.pragma('cell_size_check = ON');
    db.exec('BEGIN');
    report.progress = readProgress(path, db);
    report.rowsChecked = new Check(db, fault).all(report.progress);
    const verdict = db.pragma('integrity_check(1)', { simple: true });
    if (verdict !== 'ok') fault(String(verdict));
  } catch (thrown) {
    const found = asArchiveDamage(path, thrown);
    if (!(found instanceof JournalError) || isPassing(found)) throw found;
    fault(found.message);
  }
  return report;
}

/**
 * Sentences on rows that pages of the archive have lost: no checksum tells of these. They are counted without being read,
 * in the transaction that `db` is in. Throws as `fromArchive`.
 */
export const lostRows = (path: string, db: Database.Database, progress: ArchiveProgress): string[] =>
  fromArchive(path, () =>
    ROW_KINDS.flatMap((kind) => {
      const count = db.prepare<[], number>(COUNTS[kind]).pluck().get() ?? 0;
      const fault = countFault(kind, count, progress);
      return fault === null ? [] : [damagedArchive(path, fault).message];
    }),
  );

const countOf = (table: string, count = 'count(*)'): string =>
  `SELECT ${count} FROM main.${table} NOT INDEXED`;
const IN_BLOCKS = 'sum(json_array_length(rows))';
const COUNTS: Readonly<Record<RowKind, string>> = {
  bets: countOf('placed_block', IN_BLOCKS),
  betsSettled: countOf('settled_block', IN_BLOCKS),
  rounds: countOf(TABLE_OF.rounds),
  transfers: countOf(TABLE_OF.transfers),
  limitSteps: countOf(TABLE_OF.limitSteps),
  actions: countOf(TABLE_OF.actions),
};

/** null if the archive has as many rows as it says. */
export const countFault = (kind: RowKind, count: number, progress: ArchiveProgress): string | null =>
  count === progress[kind] ? null : `there are ${count} rows of ${kind}; there must be ${progress[kind]}`;

class Check {
  /** Sums over all pairs of account and bet, in any order: the blocks add, the lists subtract. */
  #placedPairs = 0;
  #settledPairs = 0;

  constructor(
    private readonly db: Database.Database,
    private readonly fault: (text: string) => void,
  ) {}

  all(progress: ArchiveProgress): number {
    const counts = {
      bets: this.#placed(),
      betsSettled: this.#settled(),
      rounds: this.#rows(TABLE_OF.rounds),
      transfers: this.#rows(TABLE_OF.transfers),
      limitSteps: this.#rows(TABLE_OF.limitSteps),
      actions: this.#rows(TABLE_OF.actions),
    };
    this.#accountBets();
    for (const kind of ROW_KINDS) {
      const fault = countFault(kind, counts[kind], progress);
      if (fault !== null) this.fault(fault);
    }
    return Object.values(counts).reduce((sum, count) => sum + count, this.#rows('refusal'));
  }

  #placed(): number {
    let count = 0;
    let before = 0;
    for (const block of this.#intact('placed_block', isBlockIntact)) {
      for (const [bet, account] of rowsOfText(String(block[2]))) {
        if (Number(bet) <= before) this.fault(`bet ${bet} comes after bet ${before}`);
        before = Number(bet);
        this.#placedPairs += pairOf(Number(account), Number(bet));
        count += 1;
      }
    }
    return count;
  }

  #settled(): number {
    let count = 0;
    for (const block of this.#intact('settled_block', isBlockIntact)) {
      for (const [bet, account] of settledRowsOf(block)) {
        this.#settledPairs += pairOf(Number(account), Number(bet));
        count += 1;
      }
    }
    return count;
  }

  #accountBets(): void {
    for (const [account, , placed, settled] of this.#intact('account_bets', isIntact)) {
      const sumOf = (list: Cell | undefined): number =>
        (JSON.parse(String(list)) as number[]).reduce((sum, bet) => sum + pairOf(Number(account), bet), 0);
      this.#placedPairs -= sumOf(placed);
      this.#settledPairs -= sumOf(settled);
    }
    if (this.#placedPairs !== 0) this.fault('the lists of accounts do not name the bets that were placed');
    if (this.#settledPairs !== 0) this.fault('the lists of accounts do not name the bets that were settled');
  }

  #rows(table: string): number {
    let count = 0;
    for (const row of this.#all(table)) {
      if (!isIntact(row)) this.#damaged(table, row);
      count += 1;
    }
    return count;
  }

  *#intact(table: string, isGood: (row: Cell[]) => boolean): Generator<Cell[], void, undefined> {
    for (const row of this.#all(table)) {
      if (isGood(row)) yield row;
      else this.#damaged(table, row);
    }
  }

  /** `NOT INDEXED` makes SQLite read the rows themselves, in the order of their keys. */
  #all(table: string): Iterable<Cell[]> {
    return this.db.prepare<[], Cell[]>(`SELECT * FROM ${table} NOT INDEXED`).raw().iterate();
  }

  #damaged(table: string, row: Cell[]): void {
    this.fault(`${table} ${row[0]} ${row[1]} is damaged: its checksum does not match its content`);
  }
}

/** A whole number of 32 bits, so that sums of millions of them are exact. */
function pairOf(account: number, bet: number): number {
  let mixed =
    Math.imul(account, 0x9e3779b1) ^ (bet % 2 ** 32) ^ Math.imul(Math.floor(bet / 2 ** 32), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
