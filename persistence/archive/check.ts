/**
 * Reads a complete archive and reports what is wrong with it: every row against its checksum, and the number of rows
 * against the progress row.
 */
import type Database from 'better-sqlite3';
import { messageOf } from '../errors.js';
import { type ArchiveCell, isIntact } from './checksum.js';
import { BET, placementOf, positionsOf, settlementOf } from './columns.js';
import { openArchive } from './open.js';
import { type ArchiveProgress, asArchiveDamage, readProgress } from './schema.js';
import { ArchiveTexts } from './texts.js';

/** A row of `SELECT * FROM` the table. */
export type ArchiveRow = readonly ArchiveCell[];
export type ArchiveTable = 'bet' | 'round' | 'transfer';

const AT = positionsOf(BET);
/** Faults that are described; the rest are counted. */
const FAULTS_DESCRIBED_MAX = 20;

export interface ArchiveReport {
  readonly progress: ArchiveProgress | null;
  readonly rowsChecked: number;
  /** The first faults, as sentences. If there is none, the archive is as it was written. */
  readonly faults: readonly string[];
  readonly faultCount: number;
}

/** What is wrong with a row, or null. */
export function faultOfArchiveRow(table: ArchiveTable, row: ArchiveRow): string | null {
  if (table !== 'bet') return isIntact(row) ? null : 'its checksum does not match its content';
  return faultOfPlacement(row) ?? (isSettled(row) ? faultOfSettlement(row) : null);
}

/** What is wrong with the placement of a bet, or null. */
export function faultOfPlacement(bet: ArchiveRow): string | null {
  return isIntact(placementOf(bet)) ? null : 'the checksum of its placement does not match';
}

/** What is wrong with the settlement of a settled bet, or null. */
export function faultOfSettlement(bet: ArchiveRow): string | null {
  const covered = [bet[AT.bet] ?? null, ...settlementOf(bet)];
  return isIntact(covered) ? null : 'the checksum of its settlement does not match';
}

const isSettled = (bet: ArchiveRow): boolean => settlementOf(bet).some((cell) => cell !== null);

/** Checks the archive at `path` without changing it. */
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
    report.rowsChecked = checkRows(db, report.progress, fault);
    const verdict = db.pragma('integrity_check(1)', { simple: true });
    if (verdict !== 'ok') fault(String(verdict));
  } catch (thrown) {
    fault(messageOf(asArchiveDamage(path, thrown)));
  } finally {
    db?.close();
  }
  return report;
}

function checkRows(db: Database.Database, progress: ArchiveProgress, fault: (text: string) => void): number {
  const { bets, betsSettled, rounds, transfers } = progress;
  const expected = { bet: bets, round: rounds, transfer: transfers };
  const texts = new ArchiveTexts(db);
  let settled = 0;
  let total = 0;
  for (const table of ['bet', 'round', 'transfer'] as const) {
    let count = 0;
    // `NOT INDEXED` makes SQLite read the rows themselves, in the order of their keys.
    for (const row of db.prepare<[], ArchiveCell[]>(`SELECT * FROM ${table} NOT INDEXED`).raw().iterate()) {
      const found = faultOfArchiveRow(table, texts.asWritten(table, row));
      if (found !== null)
        fault(`${table} ${row[0]} ${table === 'bet' ? '' : `${row[1]} `}is damaged: ${found}`);
      if (table === 'bet' && row[AT.result] !== null) settled += 1;
      count += 1;
    }
    if (count !== expected[table])
      fault(`there are ${count} rows in ${table}; there must be ${expected[table]}`);
    total += count;
  }
  if (settled !== betsSettled) fault(`${settled} bets are settled; there must be ${betsSettled}`);
  return total;
}
