/**
 * Copies an archive into another data directory, up to a sequence number: all of it the first time, later only new
 * rows, each checked. Nothing is recomputed from the journal, so an archive keeps a beginning that the journal no
 * longer has.
 *
 * The source is read in one transaction, unchanged; its writer may continue. The target is written in one transaction
 * and synced.
 */
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { attempt } from '../../engine/base/attempt.js';
import type { Cell } from '../../engine/base/rows-text.js';
import { closing } from '../data-dir/closing.js';
import { removeDatabase, renameDurably, syncPath, unfinishedPath } from '../data-dir/files.js';
import { codeOf, JournalError } from '../errors.js';
import { ArchiveBlocks } from './blocks.js';
import { countFault } from './check.js';
import {
  IN_PLACEMENT,
  IN_SETTLEMENT,
  PLACEMENT,
  ROW_KINDS,
  type Rows,
  SETTLEMENT_CELLS,
  SINGLE_KINDS,
  type SingleKind,
  TABLE_OF,
} from './columns.js';
import { LOCKED_MS_MAX, openArchive } from './file.js';
import type { BetTaker } from './rows.js';
import {
  type ArchivePosition,
  type ArchiveProgress,
  asArchiveDamage,
  createArchiveTables,
  damagedArchive,
  fromArchive,
  intact,
  NO_ROWS,
  readProgress,
  rowQuery,
  writeProgress,
} from './schema.js';
import { ArchiveTables, asWriteFault, beginOnce } from './tables.js';

/** Rows between two lists of an account's bets. */
const LISTED_ROWS = 20_000;

/**
 * Brings `target` up to `source`, or to `end` if that is earlier. `isOfJournal` tells of the place where an archive
 * ends: its rows say nothing of their journal. A target that is damaged or not of the source is created anew, but not
 * one that begins before its source or is ahead of it: the source was rebuilt, and nothing else may tell of that
 * beginning. Returns null if the source has no archive, or one that begins after `end`. Throws `archive_corrupt`,
 * `backup_mismatch` if rows between the two are missing, `other_format`, what else the source is at fault for as
 * `JournalError`, and errors of SQLite about the target.
 */
export function copyArchive(
  source: string,
  target: string,
  end: ArchivePosition | null,
  isOfJournal: (end: ArchivePosition) => boolean,
) {
  if (!existsSync(source)) return null;
  try {
    using from = closing(openArchive(source));
    from.exec('BEGIN');
    const progress = readProgress(source, from);
    if (!isOfJournal(progress)) throw damagedArchive(source, 'it is not of this journal');
    if (end !== null && end.seq < progress.fromSeq) return null;
    const upTo: ArchivePosition = end !== null && end.seq < progress.seq ? end : progress;
    const there = existsSync(target) ? readableProgress(target) : null;
    const isSame = there !== null && isOfJournal(there) && isContinued(there, progress, end?.seq ?? upTo.seq);
    const known = isSame ? there : null;
    if (known !== null && known.seq < progress.fromSeq) throw gapBetween(source, progress, target, known);
    if (known !== null && known.seq > upTo.seq) return { seq: known.seq, rowsAdded: 0 };
    return bringUp({ path: source, db: from, progress }, target, known, upTo);
  } catch (thrown) {
    // A disk that is full or fails is told of with the place of the copy.
    const fault = asWriteFault(target, thrown);
    throw ['archive_corrupt', 'data_dir_locked'].includes(codeOf(fault)) ? fault : thrown;
  }
}

/** Without a `known` target it is made. */
function bringUp(
  source: RowSource,
  target: string,
  known: ArchiveProgress | null,
  upTo: ArchivePosition,
): { readonly seq: number; readonly rowsAdded: number } {
  const path = known === null ? unfinishedPath(target) : target;
  if (known === null) makeEmpty(path, source.progress);
  try {
    const rowsAdded = withDatabase(path, (db) => addRows(source, path, db, upTo));
    if (known === null) replace(path, target);
    return { seq: upTo.seq, rowsAdded };
  } catch (thrown) {
    if (known === null) removeDatabase(path);
    const isDamage = codeOf(asWriteFault(target, thrown)) === 'archive_corrupt';
    if (!isDamage || known?.fromSeq !== source.progress.fromSeq) throw thrown;
    // It may be the target that has lost rows.
    return bringUp(source, target, null, upTo);
  }
}

function isContinued(target: ArchiveProgress, source: ArchiveProgress, endSeq: number): boolean {
  const isSame = target.seq !== source.seq || target.chain === source.chain;
  return target.fromSeq <= source.fromSeq && target.seq <= endSeq && isSame;
}

/** null if it is damaged. */
function readableProgress(path: string): ArchiveProgress | null {
  try {
    return fromArchive(path, () => withDatabase(path, (db) => readProgress(path, db)));
  } catch (thrown) {
    if (!['archive_corrupt', 'other_format'].includes(codeOf(thrown))) throw thrown;
    return null;
  }
}

const gapBetween = (
  source: string,
  { fromSeq }: ArchiveProgress,
  target: string,
  { seq }: ArchiveProgress,
): JournalError =>
  new JournalError(
    'backup_mismatch',
    `${source} begins after sequence number ${fromSeq}, and ${target}, which has what came before, ends at ${seq}: it stays ` +
      'as it is. Stop the server and put it in the place of the other, or name a new directory for the backup.',
  );

function makeEmpty(path: string, source: ArchiveProgress): void {
  removeDatabase(path);
  withDatabase(path, (db) => {
    db.transaction(() => {
      createArchiveTables(db, source.timeMs);
      // The balances with which an archive begins have its beginning's number.
      writeProgress(db, { ...source, seq: source.fromSeq - 1, ...NO_ROWS });
    })();
  });
}

function replace(path: string, target: string): void {
  removeDatabase(target);
  syncPath(path);
  renameDurably(path, target);
}

/** Rollback journal and synchronous=FULL: a commit is on the medium, and no side file is left. */
function withDatabase<T>(path: string, work: (db: Database.Database) => T): T {
  using db = closing(new Database(path, { timeout: LOCKED_MS_MAX }));
  db.pragma('synchronous = FULL');
  return work(db);
}

interface RowSource {
  readonly path: string;
  readonly db: Database.Database;
  readonly progress: ArchiveProgress;
}

const seqOf = (table: string): string => (table === TABLE_OF.rounds ? 'settled_seq' : 'seq');

/** For a table with one row for each, in the order of its keys. */
function* singles({ path, db }: RowSource, table: string, afterSeq: number, toSeq: number): Rows {
  const seq = seqOf(table);
  const query = rowQuery(db, `SELECT * FROM ${table} NOT INDEXED WHERE ${seq} > ? AND ${seq} <= ?`);
  for (const row of query.iterate(afterSeq, toSeq)) yield intact(path, table, row);
}

/** An error of SQLite is the source's here, and the target's elsewhere. */
function* ofSource(path: string, rows: Rows): Rows {
  try {
    yield* rows;
  } catch (thrown) {
    throw asArchiveDamage(path, thrown);
  }
}

/** Adds the rows that `db` lacks of `source`, up to `upTo`, in one transaction. Returns the number of rows written. */
function addRows(source: RowSource, path: string, db: Database.Database, upTo: ArchivePosition): number {
  const before = readProgress(path, db);
  beginOnce(db);
  const tables = new ArchiveTables(db);
  const rowsOf = (table: string, afterSeq: number): Rows =>
    ofSource(source.path, singles(source, table, afterSeq, upTo.seq));
  const later = addBets(source, tables, before, newestBet(db), upTo.seq);
  for (const kind of SINGLE_KINDS)
    for (const row of rowsOf(TABLE_OF[kind], before.seq)) tables[kind].push(row);
  // More may have come behind the last command.
  for (const row of rowsOf('refusal', before.seq - 1)) tables.refusals.push(row);
  requireAll(source, tables, before, upTo.seq, later);
  tables.commit(before, upTo);
  return tables.count;
}

type BetCounts = Readonly<Record<'bets' | 'betsSettled', number>>;

/** Rows that a page has lost leave no checksum that does not match. `later` is null if bets behind `toSeq` cannot be read. */
function requireAll(
  { path, db, progress }: RowSource,
  tables: ArchiveTables,
  before: ArchiveProgress,
  toSeq: number,
  later: BetCounts | null,
): void {
  if (later === null || before.fromSeq !== progress.fromSeq) return;
  const laterOf = (kind: SingleKind): number => {
    const count = `SELECT count(*) FROM ${TABLE_OF[kind]} NOT INDEXED WHERE ${seqOf(TABLE_OF[kind])} > ?`;
    return fromArchive(path, () => db.prepare<[number], number>(count).pluck().get(toSeq) ?? 0);
  };
  for (const kind of ROW_KINDS) {
    const rest = kind === 'bets' || kind === 'betsSettled' ? later[kind] : laterOf(kind);
    const count = before[kind] + tables[kind].count + rest;
    const fault = countFault(kind, count, progress);
    if (fault !== null) throw damagedArchive(path, fault);
  }
}

const newestBet = (db: Database.Database): number =>
  db.prepare<[], number>('SELECT coalesce(max(last_bet), 0) FROM placed_block').pluck().get() ?? 0;

/**
 * Merged by command, because a list of an account holds the bets between two commits. Counts the rows behind `toSeq`; null if
 * these cannot be read.
 */
function addBets(
  { path, db, progress }: RowSource,
  tables: ArchiveTables,
  before: ArchiveProgress,
  newest: number,
  toSeq: number,
): BetCounts | null {
  const blocks = new ArchiveBlocks(path, db);
  const settlements = ofSource(path, blocks.settlements(before.seq + 1, toSeq));
  let settlement = settlements.next();
  let lastSeq = before.seq;
  let listed = 0;
  let laterBet = Number.POSITIVE_INFINITY;
  const proceed = (seq: number): void => {
    if (seq > lastSeq && tables.count - listed >= LISTED_ROWS) {
      tables.flush(lastSeq);
      listed = tables.count;
    }
    lastSeq = seq;
  };
  const settleUpTo = (seq: number): void => {
    for (; settlement.done !== true; settlement = settlements.next()) {
      const settledSeq = Number(settlement.value[IN_SETTLEMENT.settled_seq]);
      if (settledSeq > seq) return;
      proceed(settledSeq);
      pushBet(tables.betsSettled, settlement.value, SETTLEMENT_CELLS);
    }
  };
  try {
    for (const row of ofSource(path, blocks.placements(newest + 1))) {
      // A bet without `placed_seq` was open where the archive begins.
      const seq = Number(row[IN_PLACEMENT.placed_seq] ?? before.fromSeq);
      if (seq > toSeq) {
        laterBet = Number(row[IN_PLACEMENT.bet]);
        break;
      }
      settleUpTo(seq);
      proceed(seq);
      pushBet(tables.bets, row, PLACEMENT.length);
    }
    settleUpTo(toSeq);
  } finally {
    settlements.return?.();
  }
  // Damage behind `toSeq` is no fault of the copy.
  return attempt(
    () => ({
      bets: countOf(blocks.placements(laterBet)),
      betsSettled: countOf(blocks.settlements(toSeq + 1, progress.seq)),
    }),
    null,
  );
}

function countOf(rows: Rows): number {
  let count = 0;
  for (const _ of rows) count += 1;
  return count;
}

/** Cells behind the first `ownCells` are those that a block has once. */
function pushBet(bets: BetTaker, row: readonly Cell[], ownCells: number): void {
  const text = bets.begin(Number(row[0]), Number(row[1]), row.slice(ownCells));
  for (const cell of row.slice(2, ownCells)) text.cell(cell);
}
