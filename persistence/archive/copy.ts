/**
 * Copies an archive into another data directory, up to a sequence number: all of it the first time, later only what is
 * new. Rows are copied with their checksums, each of which is checked. Nothing is recomputed, so an archive keeps a
 * beginning that the journal no longer has.
 *
 * The source is read in one transaction and not changed; its writer may continue. The target is written in one
 * transaction and synced.
 */
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { removeDatabase, unfinishedPath } from '../data-dir/database-files.js';
import { renameDurably, syncPath } from '../data-dir/files.js';
import { codeOf, JournalError } from '../errors.js';
import { type ArchiveTable, faultOfArchiveRow } from './check.js';
import type { ArchiveCell } from './checksum.js';
import {
  assignmentsOf,
  BET,
  type Columns,
  parametersFor,
  placementOf,
  positionsOf,
  ROUND,
  SETTLEMENT,
  settlementOf,
  TRANSFER,
} from './columns.js';
import { openArchive } from './open.js';
import {
  type ArchiveProgress,
  asArchiveDamage,
  createArchiveTables,
  damagedArchive,
  progressWriter,
  readProgress,
} from './schema.js';
import { ArchiveTexts } from './texts.js';
import type { ArchivePosition } from './writer.js';

const BUSY_TIMEOUT_MS = 5_000;
const AT = positionsOf(BET);

export interface ArchiveCopied {
  /** The last command in the copy. */
  readonly seq: number;
  readonly rowsAdded: number;
}

/**
 * Brings the archive at `target` up to the one at `source`, or to `end` if that is earlier. A target that is damaged or
 * does not belong to the source is created anew. Returns null if the source has no archive, or one that begins after
 * `end`. Throws `archive_corrupt`, `archive_newer_version` and what SQLite throws.
 */
export function copyArchive(
  source: string,
  target: string,
  end: ArchivePosition | null,
): ArchiveCopied | null {
  if (!existsSync(source)) return null;
  const from = openArchive(source);
  try {
    from.exec('BEGIN');
    const progress = readProgress(source, from);
    if (end !== null && end.seq < progress.fromSeq) return null;
    const upTo: ArchivePosition = end !== null && end.seq < progress.seq ? end : progress;
    const known = usableProgress(target, progress, upTo.seq);
    const path = known === null ? unfinishedPath(target) : target;
    if (known === null) makeEmpty(path, progress);
    const rowsAdded = addRows(new Source(source, from), path, upTo);
    if (known === null) replace(path, target);
    return { seq: upTo.seq, rowsAdded };
  } catch (thrown) {
    throw asArchiveDamage(source, thrown);
  } finally {
    from.close();
  }
}

/** The progress of the target if it can be continued, else null. */
function usableProgress(target: string, source: ArchiveProgress, upToSeq: number): ArchiveProgress | null {
  if (!existsSync(target)) return null;
  try {
    const progress = withDatabase(target, (db) => readProgress(target, db));
    const isOfOnePiece = progress.fromSeq === source.fromSeq && progress.seq <= upToSeq;
    const isSame = progress.seq < source.seq || progress.chain === source.chain;
    return isOfOnePiece && isSame ? progress : null;
  } catch (thrown) {
    const isDamage = thrown instanceof JournalError || codeOf(thrown).startsWith('SQLITE_');
    if (!isDamage) throw thrown;
    return null;
  }
}

function makeEmpty(path: string, source: ArchiveProgress): void {
  removeDatabase(path);
  const start = { seq: source.fromSeq, bets: 0, betsSettled: 0, rounds: 0, transfers: 0 };
  withDatabase(path, (db) => {
    db.transaction(() => {
      createArchiveTables(db, source.timeMs);
      progressWriter(db)({ ...source, ...start });
    })();
  });
}

function replace(path: string, target: string): void {
  removeDatabase(target);
  syncPath(path);
  renameDurably(path, target);
}

/** The rows of the source, each checked against its checksum. */
class Source {
  readonly #texts: ArchiveTexts;

  constructor(
    readonly path: string,
    readonly db: Database.Database,
  ) {
    this.#texts = new ArchiveTexts(db);
  }

  *rows(table: ArchiveTable, where: string, ...values: number[]): Generator<ArchiveCell[], void, undefined> {
    const query = this.db.prepare<number[], ArchiveCell[]>(
      `SELECT * FROM ${table} NOT INDEXED WHERE ${where}`,
    );
    for (const row of query.raw().iterate(...values)) {
      yield this.#checked(table, this.#texts.asWritten(table, row));
    }
  }

  #checked(table: ArchiveTable, row: ArchiveCell[]): ArchiveCell[] {
    const fault = faultOfArchiveRow(table, row);
    if (fault === null) return row;
    throw damagedArchive(
      this.path,
      `${table} ${row[0]} ${table === 'bet' ? '' : `${row[1]} `}is bad: ${fault}`,
    );
  }
}

/** Adds what the target lacks, up to `upTo`, in one transaction. Returns the number of rows written. */
function addRows(source: Source, path: string, upTo: ArchivePosition): number {
  return withDatabase(path, (db) => {
    const before = readProgress(path, db);
    return db.transaction(() => {
      const betsSettledLater = settleOpenBets(source, db, before.seq, upTo.seq);
      const bets = addBets(source, db, upTo.seq);
      const rounds = addRounds(source, db, before.seq, upTo.seq);
      const transfers = addTransfers(source, db, before.seq, upTo.seq);
      progressWriter(db)({
        ...before,
        seq: upTo.seq,
        timeMs: upTo.timeMs,
        digest: upTo.digest,
        chain: upTo.chain,
        bets: before.bets + bets.added,
        betsSettled: before.betsSettled + bets.settled + betsSettledLater,
        rounds: before.rounds + rounds,
        transfers: before.transfers + transfers,
      });
      return betsSettledLater + bets.added + rounds + transfers;
    })();
  });
}

/** Settles the bets that are open in the copy and have been settled since. */
function settleOpenBets(source: Source, db: Database.Database, afterSeq: number, upToSeq: number): number {
  const settle = db.prepare(`UPDATE bet SET ${assignmentsOf(SETTLEMENT)} WHERE bet = ?`);
  let count = 0;
  const where = 'bet <= ? AND settled_seq > ? AND settled_seq <= ?';
  for (const row of source.rows('bet', where, newestBet(db), afterSeq, upToSeq)) {
    settle.run(...settlementOf(row), row[AT.bet] ?? null);
    count += 1;
  }
  return count;
}

const newestBet = (db: Database.Database): number =>
  db.prepare<[], number>('SELECT coalesce(max(bet), 0) FROM bet').pluck().get() ?? 0;

function addBets(
  source: Source,
  db: Database.Database,
  upToSeq: number,
): { readonly added: number; readonly settled: number } {
  const insert = inserter(db, 'bet', BET);
  const unsettled = Object.keys(SETTLEMENT).map(() => null);
  let added = 0;
  let settled = 0;
  for (const row of source.rows('bet', 'bet > ? ORDER BY bet', newestBet(db))) {
    // A bet without `placed_seq` was open where the archive begins.
    if (Number(row[AT.placed_seq] ?? 0) > upToSeq) break;
    const isSettled = isSettledBy(row, upToSeq);
    insert.run(isSettled ? row : [...placementOf(row), ...unsettled]);
    added += 1;
    if (isSettled) settled += 1;
  }
  return { added, settled };
}

function isSettledBy(bet: readonly ArchiveCell[], seq: number): boolean {
  const settledSeq = bet[AT.settled_seq] ?? null;
  return settledSeq !== null && Number(settledSeq) <= seq;
}

function addRounds(source: Source, db: Database.Database, afterSeq: number, upToSeq: number): number {
  const insert = inserter(db, 'round', ROUND);
  let count = 0;
  for (const row of source.rows('round', 'settled_seq > ? AND settled_seq <= ?', afterSeq, upToSeq)) {
    insert.run(row);
    count += 1;
  }
  return count;
}

function addTransfers(source: Source, db: Database.Database, afterSeq: number, upToSeq: number): number {
  const insert = inserter(db, 'transfer', TRANSFER);
  let count = 0;
  for (const row of source.rows('transfer', 'seq > ? AND seq <= ?', afterSeq, upToSeq)) {
    insert.run(row);
    count += 1;
  }
  return count;
}

function inserter(db: Database.Database, table: ArchiveTable, columns: Columns): Database.Statement {
  return db.prepare(`INSERT INTO ${table} VALUES ${parametersFor(columns)}`);
}

/** Rollback journal and synchronous=FULL: what is committed is on the medium, and no side file is left. */
function withDatabase<T>(path: string, work: (db: Database.Database) => T): T {
  const db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    db.pragma('synchronous = FULL');
    return work(db);
  } finally {
    db.close();
  }
}
