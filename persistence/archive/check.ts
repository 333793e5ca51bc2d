/**
 * Checks a complete archive: every row and block against its checksum, the number of rows against the progress row,
 * and the lists of accounts against the bets.
 */
import type Database from 'better-sqlite3';
import { messageOf } from '../errors.js';
import { isBlockIntact, settledRowsOf } from './blocks.js';
import { type ArchiveCell, isIntact } from './form/columns.js';
import { rowsOfText } from './form/row-text.js';
import { openArchive } from './open.js';
import { type ArchiveProgress, asArchiveDamage, readProgress } from './schema.js';

const FAULTS_DESCRIBED_MAX = 20;

export interface ArchiveReport {
  readonly progress: ArchiveProgress | null;
  readonly rowsChecked: number;
  readonly faults: readonly string[];
  readonly faultCount: number;
}

export function checkArchive(path: string): ArchiveReport {
  const faults: string[] = [];
  const report = { progress: null as ArchiveProgress | null, rowsChecked: 0, faults, faultCount: 0 };
  const fault = (text: string): void => {
    report.faultCount += 1;
    if (faults.length < FAULTS_DESCRIBED_MAX) faults.push(text);
  };
  let db: Database.Database | undefined;
  try {
    db = openArchive(path);
    db.pragma('cell_size_check = ON');
    db.exec('BEGIN');
    report.progress = readProgress(path, db);
    report.rowsChecked = new Check(db, fault).all(report.progress);
    const verdict = db.pragma('integrity_check(1)', { simple: true });
    if (verdict !== 'ok') fault(String(verdict));
  } catch (thrown) {
    fault(messageOf(asArchiveDamage(path, thrown)));
  } finally {
    db?.close();
  }
  return report;
}

class Check {
  /** Sums over all pairs of account and bet, in any order: the blocks add, the lists subtract. */
  #placedPairs = 0;
  #settledPairs = 0;

  constructor(
    private readonly db: Database.Database,
    private readonly fault: (text: string) => void,
  ) {}

  all({ bets, betsSettled, ...rows }: ArchiveProgress): number {
    const placed = this.#placed();
    const settled = this.#settled();
    this.#accountBets();
    const counts = {
      placed,
      settled,
      rounds: this.#rows('round'),
      transfers: this.#rows('transfer'),
      limitSteps: this.#rows('limit_step'),
      actions: this.#rows('action'),
    };
    const expected = { placed: bets, settled: betsSettled, ...rows };
    for (const kind of Object.keys(counts) as (keyof typeof counts)[]) {
      if (counts[kind] !== expected[kind])
        this.fault(`there are ${counts[kind]} rows of ${kind}; there must be ${expected[kind]}`);
    }
    return Object.values(counts).reduce((sum, count) => sum + count, this.#rows('refusal'));
  }

  #placed(): number {
    let count = 0;
    let before = 0;
    for (const block of this.#table('placed_block')) {
      if (!isBlockIntact(block)) {
        this.fault(`placed_block ${block[0]} is damaged: its checksum does not match its content`);
        continue;
      }
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
    for (const block of this.#table('settled_block')) {
      if (!isBlockIntact(block)) {
        const name = `settled_block ${block[1]} ${block[2]} ${block[4]}`;
        this.fault(`${name} is damaged: its checksum does not match its content`);
        continue;
      }
      for (const [bet, account] of settledRowsOf(block)) {
        this.#settledPairs += pairOf(Number(account), Number(bet));
        count += 1;
      }
    }
    return count;
  }

  #accountBets(): void {
    for (const row of this.#table('account_bets')) {
      if (!isIntact(row)) {
        this.fault(`account_bets ${row[0]} ${row[1]} is damaged: its checksum does not match its content`);
        continue;
      }
      const [account, , placed, settled] = row;
      const sumOf = (list: ArchiveCell | undefined): number =>
        (JSON.parse(String(list)) as number[]).reduce((sum, bet) => sum + pairOf(Number(account), bet), 0);
      this.#placedPairs -= sumOf(placed);
      this.#settledPairs -= sumOf(settled);
    }
    if (this.#placedPairs !== 0) this.fault('the lists of accounts do not name the bets that were placed');
    if (this.#settledPairs !== 0) this.fault('the lists of accounts do not name the bets that were settled');
  }

  #rows(table: 'round' | 'transfer' | 'limit_step' | 'action' | 'refusal'): number {
    let count = 0;
    for (const row of this.#table(table)) {
      if (!isIntact(row))
        this.fault(`${table} ${row[0]} ${row[1]} is damaged: its checksum does not match its content`);
      count += 1;
    }
    return count;
  }

  /** `NOT INDEXED` makes SQLite read the rows themselves, in the order of their keys. */
  #table(name: string): Iterable<ArchiveCell[]> {
    return this.db.prepare<[], ArchiveCell[]>(`SELECT * FROM ${name} NOT INDEXED`).raw().iterate();
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
