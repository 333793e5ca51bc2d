/**
 * Archives of former formats, which are converted: for good when a server starts on one, in memory for everybody else.
 *
 * Format 1 had a row for each bet, written when it was placed and completed when it was settled, each part with a checksum.
 * Format 2 had no steps of limit orders, format 3 no proofs of rounds, and otherwise the rows of the present one.
 */
import Database from 'better-sqlite3';
import { type ArchiveSource, addRows } from './add-rows.js';
import { type ArchiveCell, archiveChecksum, isIntact } from './form/checksum.js';
import { ArchiveTexts, type TextTable } from './form/texts.js';
import { RowSource } from './row-source.js';
import {
  createArchiveTables,
  damagedArchive,
  FORMAT_VERSION,
  NO_ROWS,
  progressWriter,
  readProgress,
  versionOf,
} from './schema.js';

/** Whether the archive has a former format. */
export const isFormer = (path: string, db: Database.Database): boolean =>
  versionOf(path, db) < FORMAT_VERSION;

/** Writes all of `former`, at `path`, into `db`, a new database at `target`. */
export function convertFormer(
  path: string,
  former: Database.Database,
  target: string,
  db: Database.Database,
): void {
  const progress = readProgress(path, former);
  createArchiveTables(db, progress.timeMs);
  progressWriter(db)({ ...progress, seq: progress.fromSeq, ...NO_ROWS });
  addRows(sourceOf(path, former), target, db, progress);
}

export function sourceOf(path: string, former: Database.Database): ArchiveSource {
  const version = versionOf(path, former);
  return version === 1 ? new SourceOfFormat1(path, former) : new RowSource(path, former, version);
}

/** The archive in the present format, in memory. Closes `former`. */
export function convertedInMemory(path: string, former: Database.Database): Database.Database {
  const db = new Database(':memory:');
  try {
    convertFormer(path, former, path, db);
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  } finally {
    former.close();
  }
}

/** The columns of a bet: number, account, market, round and nine others, then checksum, then its settlement. */
const PLACEMENT_CELLS = 13;
const SETTLED_CHECKSUM = 20;

export class SourceOfFormat1 implements ArchiveSource {
  readonly #texts: ArchiveTexts;

  constructor(
    readonly path: string,
    readonly db: Database.Database,
  ) {
    this.#texts = new ArchiveTexts(db);
  }

  *placements(fromBet: number): Generator<ArchiveCell[], void, undefined> {
    for (const row of this.#rows('bet', 'bet >= ? ORDER BY bet', fromBet)) yield placementOf(row);
  }

  *settlements(afterSeq: number, toSeq: number): Generator<ArchiveCell[], void, undefined> {
    // Only the numbers of bets are sorted.
    const bets = this.db
      .prepare<[number, number], number>(
        'SELECT bet FROM bet WHERE settled_seq > ? AND settled_seq <= ? ORDER BY settled_seq, settled_item',
      )
      .pluck()
      .all(afterSeq, toSeq);
    for (const bet of bets) for (const row of this.#rows('bet', 'bet = ?', bet)) yield settlementOf(row);
  }

  rounds(afterSeq: number, toSeq: number): Iterable<ArchiveCell[]> {
    return this.#rows('round', 'settled_seq > ? AND settled_seq <= ?', afterSeq, toSeq);
  }

  transfers(afterSeq: number, toSeq: number): Iterable<ArchiveCell[]> {
    return this.#rows('transfer', 'seq > ? AND seq <= ?', afterSeq, toSeq);
  }

  proofs(): Iterable<ArchiveCell[]> {
    return [];
  }

  limitSteps(): Iterable<ArchiveCell[]> {
    return [];
  }

  actions(): Iterable<ArchiveCell[]> {
    return [];
  }

  *#rows(table: TextTable, where: string, ...values: number[]): Generator<ArchiveCell[], void, undefined> {
    const query = this.db.prepare<number[], ArchiveCell[]>(
      `SELECT * FROM ${table} NOT INDEXED WHERE ${where}`,
    );
    for (const found of query.raw().iterate(...values)) {
      const row = this.#texts.asWritten(table, found);
      const isGood = table === 'bet' ? isBetIntact(row) : isIntact(row);
      if (!isGood) {
        const name = table === 'bet' ? `bet ${row[0]}` : `${table} ${row[0]} ${row[1]}`;
        throw damagedArchive(this.path, `${name} does not match its checksum`);
      }
      yield row;
    }
  }
}

const placementOf = (bet: readonly ArchiveCell[]): ArchiveCell[] => bet.slice(0, PLACEMENT_CELLS);

/** The cells of `SETTLEMENT`. */
function settlementOf(row: readonly ArchiveCell[]): ArchiveCell[] {
  const [bet = null, account = null, market = null, roundNumber = null] = row;
  const [result = null, paid = null, seq = null, item = null, timeMs = null, balance = null] = row.slice(
    PLACEMENT_CELLS + 1,
  );
  return [bet, account, result, paid, item, balance, seq, market, roundNumber, timeMs];
}

/** Its settlement's checksum also covers its number. */
function isBetIntact(row: readonly ArchiveCell[]): boolean {
  if (!isIntact(row.slice(0, PLACEMENT_CELLS + 1))) return false;
  const settlement = row.slice(PLACEMENT_CELLS + 1);
  if (settlement.every((cell) => cell === null)) return true;
  const covered = [row[0] ?? null, ...settlement.slice(0, -1)];
  return row[SETTLED_CHECKSUM] === archiveChecksum(covered);
}
