/**
 * Writes the archive. Rows gather in memory and go to the file in one transaction with the progress row, so that a
 * crash at any moment leaves rows and progress of one piece, and the next start goes on behind them.
 *
 * synchronous=NORMAL: a commit costs no sync, and a power loss may take back the last ones, which the journal gives
 * again. What must not be given up for the archive's sake (segments, by retention) waits for `makeArchiveDurable`.
 */
import { existsSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { assert, must } from '../engine/assert.js';
import type { EngineEvent } from '../engine/events.js';
import type { EngineReads } from '../engine/views.js';
import { ArchiveRows, countOf, noRows, type PendingRows } from './archive-rows.js';
import {
  type ArchiveProgress,
  asArchiveDamage,
  createArchiveTables,
  damagedArchive,
  progressWriter,
  readProgress,
} from './archive-schema.js';
import type { DataDir } from './data-dir.js';
import { JournalError } from './errors.js';
import { fileBytes, renameDurably, syncPath } from './files.js';

/** Page cache: with SQLite's own 2 MB the account index of 100,000 accounts took a fifth more time. */
const CACHE_KIB = 32 * 1024;
const BUSY_TIMEOUT_MS = 1_000;
/** The WAL is moved into the database after so many pages, and then cut back to this size. */
const CHECKPOINT_PAGES = 2_000;
const WAL_BYTES_KEPT = 16 * 1024 * 1024;

/** Where the archive follows on: the end of a batch. */
export interface ArchivePosition {
  readonly seq: number;
  readonly timeMs: number;
  readonly digest: string;
  readonly chain: string;
}

export class ArchiveWriter {
  readonly #db: Database.Database;
  readonly #statements: Readonly<Record<keyof PendingRows, Database.Statement>>;
  readonly #writeProgress: (progress: ArchiveProgress) => void;
  #progress: ArchiveProgress;
  #pending = noRows();
  #rows: ArchiveRows | null = null;

  private constructor(
    readonly path: string,
    db: Database.Database,
    progress: ArchiveProgress,
  ) {
    this.#db = db;
    this.#progress = progress;
    this.#writeProgress = progressWriter(db);
    const values = (count: number): string => `(${Array.from({ length: count }, () => '?').join(', ')})`;
    this.#statements = {
      placed: db.prepare(
        `INSERT INTO bet (bet, account, market, round_number, side, stake_cents, odds_e4, entry_percent_e2,
          payout_cents, placed_seq, placed_ms, balance_after_cents, client_seed, placed_checksum)
          VALUES ${values(14)}`,
      ),
      settled: db.prepare(
        `UPDATE bet SET result = ?, paid_cents = ?, settled_seq = ?, settled_item = ?, settled_ms = ?,
          settled_balance_cents = ?, settled_checksum = ? WHERE bet = ? AND settled_seq IS NULL`,
      ),
      rounds: db.prepare(`INSERT INTO round VALUES ${values(19)}`),
      transfers: db.prepare(`INSERT INTO transfer VALUES ${values(9)}`),
    };
  }

  /** Opens an existing archive, or returns null where there is none. Throws `archive_newer_version`, `archive_corrupt`. */
  static open(dir: DataDir): ArchiveWriter | null {
    const path = dir.archiveFile;
    if (!existsSync(path)) return null;
    let db: Database.Database | undefined;
    try {
      db = connect(path);
      return new ArchiveWriter(path, db, readProgress(path, db));
    } catch (thrown) {
      db?.close();
      throw asArchiveDamage(path, thrown);
    }
  }

  /**
   * Makes a new archive that holds what happens after `start`, where `engine` stands; bets that are open there get
   * rows with what the engine still knows of them.
   */
  static create(dir: DataDir, start: ArchivePosition, engine: EngineReads, nowMs: number): ArchiveWriter {
    const path = dir.archiveFile;
    const unfinished = `${path}.unfinished`;
    for (const file of [unfinished, ...sideFiles(unfinished), ...sideFiles(path)])
      rmSync(file, { force: true });
    const fresh = { ...start, fromSeq: start.seq, bets: 0, betsSettled: 0, rounds: 0, transfers: 0 };
    const db = new Database(unfinished);
    try {
      createArchiveTables(db, nowMs);
      const writer = new ArchiveWriter(unfinished, db, fresh);
      if (start.seq > 0) new ArchiveRows(engine).addOpenBets(writer.#pending);
      writer.commit(start);
      // Under its own name a switch would leave, if it were broken off, a rollback journal that only a writer can undo.
      db.pragma('journal_mode = WAL');
    } finally {
      db.close();
    }
    syncPath(unfinished);
    renameDurably(unfinished, path);
    return must(ArchiveWriter.open(dir), 'the new archive');
  }

  /** How far the file has come. */
  get progress(): ArchiveProgress {
    return this.#progress;
  }
  /** Rows that wait for `commit`. */
  get pendingRows(): number {
    return countOf(this.#pending);
  }
  get bytes(): number {
    return fileBytes(this.path) + fileBytes(`${this.path}-wal`);
  }

  /** From here on events are those of `engine`, which stands where the archive ends. */
  follow(engine: EngineReads): void {
    assert(engine.seq === this.#progress.seq, 'the engine stands where the archive ends');
    this.#rows = new ArchiveRows(engine);
  }

  /** What command `seq`, the engine's last, did. It is in the file after the next `commit`. */
  add(seq: number, events: readonly EngineEvent[]): void {
    this.#rows?.add(this.#pending, seq, events);
  }

  /**
   * Writes what waits, up to the end of the batch at `position`. After a throw nothing of it is in the file and all
   * of it still waits; `archive_corrupt` says that trying again is of no use.
   */
  commit(position: ArchivePosition): void {
    const { placed, settled, rounds, transfers } = this.#pending;
    const { fromSeq, bets, betsSettled, rounds: roundsBefore, transfers: transfersBefore } = this.#progress;
    const progress: ArchiveProgress = {
      fromSeq,
      seq: position.seq,
      timeMs: position.timeMs,
      digest: position.digest,
      chain: position.chain,
      bets: bets + placed.length,
      betsSettled: betsSettled + settled.length,
      rounds: roundsBefore + rounds.length,
      transfers: transfersBefore + transfers.length,
    };
    try {
      this.#db.transaction(() => {
        this.#write();
        this.#writeProgress(progress);
      })();
    } catch (thrown) {
      throw asWriteFault(this.path, thrown);
    }
    this.#progress = progress;
    this.#pending = noRows();
  }

  #write(): void {
    const { placed, settled, rounds, transfers } = this.#statements;
    for (const row of this.#pending.placed) placed.run(row);
    for (const row of this.#pending.settled) {
      if (settled.run(row).changes !== 1) {
        throw damagedArchive(this.path, `bet ${row.at(-1)} is not among its open bets`);
      }
    }
    for (const row of this.#pending.rounds) rounds.run(row);
    for (const row of this.#pending.transfers) transfers.run(row);
  }

  /** What waits is dropped: the next start gives it again. */
  close(): void {
    this.#db.close();
  }
}

/**
 * Makes durable what readers of the archive see, by a checkpoint, which syncs the WAL and then the database. A plain
 * descriptor will not do: closing it would drop the locks that this process's other connections hold on the file.
 */
export function makeArchiveDurable(dir: DataDir): void {
  const db = connect(dir.archiveFile);
  try {
    const [done] = db.pragma('wal_checkpoint(FULL)') as { readonly busy: number }[];
    if (done?.busy === 0) return;
  } finally {
    db.close();
  }
  throw new JournalError(
    'journal_write_failed',
    `The archive ${dir.archiveFile} is being read for long and cannot be made durable now, so nothing was deleted. Try again later.`,
  );
}

/** How far the archive has come; null where there is none. Throws `archive_newer_version` and `archive_corrupt`. */
export function readArchiveProgress(dir: DataDir): ArchiveProgress | null {
  const path = dir.archiveFile;
  if (!existsSync(path)) return null;
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    return readProgress(path, db);
  } catch (thrown) {
    throw asArchiveDamage(path, thrown);
  } finally {
    db?.close();
  }
}

/** Moves an archive that is of no use out of the way, and returns its new name. */
export function setArchiveAside(dir: DataDir, nowMs: number): string {
  const aside = `${dir.archiveFile}.damaged-${nowMs}`;
  for (const file of sideFiles(dir.archiveFile)) {
    if (existsSync(file)) renameDurably(file, file.replace(dir.archiveFile, aside));
  }
  if (existsSync(dir.archiveFile)) renameDurably(dir.archiveFile, aside);
  return aside;
}

function connect(path: string): Database.Database {
  const db = new Database(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('cell_size_check = ON');
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    db.pragma(`journal_size_limit = ${WAL_BYTES_KEPT}`);
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}

/** A copy has a rollback journal where a writer was killed. Beside another archive it would be laid over that one. */
const sideFiles = (path: string): string[] => [`${path}-wal`, `${path}-shm`, `${path}-journal`];

/** A key that is there already is content that is not of this journal. */
function asWriteFault(path: string, thrown: unknown): unknown {
  if (thrown instanceof Database.SqliteError && thrown.code.startsWith('SQLITE_CONSTRAINT')) {
    return damagedArchive(path, `a row is there that should not be (${thrown.message})`, thrown);
  }
  return asArchiveDamage(path, thrown);
}
