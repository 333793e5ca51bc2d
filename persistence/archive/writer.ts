/**
 * Writes the archive. Rows go into an open transaction as they come, which is committed with the progress row, so that
 * a crash at any moment leaves rows and progress of one piece, and the next start goes on behind them. Nobody else
 * writes to the file; readers see what was committed.
 *
 * synchronous=NORMAL: a commit costs no sync, and a power loss may take back the last ones, which the journal gives
 * again. What must not be given up for the archive's sake (segments, by retention) waits for `makeArchiveDurable`.
 */
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { assert, must } from '../../engine/base/assert.js';
import type { EngineEvent } from '../../engine/model/events.js';
import type { EngineReads } from '../../engine/model/views.js';
import {
  databaseBytes,
  removeDatabase,
  removeSideFiles,
  unfinishedPath,
} from '../data-dir/database-files.js';
import { renameDurably, syncPath } from '../data-dir/files.js';
import type { DataDir } from '../data-dir/layout.js';
import { noRest, type Rest } from '../thread/pace.js';
import { connectArchive } from './file.js';
import { ArchiveRows } from './rows.js';
import {
  type ArchiveProgress,
  asArchiveDamage,
  createArchiveTables,
  progressWriter,
  readProgress,
} from './schema.js';
import { type ArchiveTables, asWriteFault, openTables, Transaction } from './tables.js';

/** Where the archive follows on: the end of a batch. */
export interface ArchivePosition {
  readonly seq: number;
  readonly timeMs: number;
  readonly digest: string;
  readonly chain: string;
}

export class ArchiveWriter {
  readonly #transaction: Transaction;
  /** The rows of the open transaction. */
  readonly #written: ArchiveTables;
  readonly #writeProgress: (progress: ArchiveProgress) => void;
  #progress: ArchiveProgress;
  #rows: ArchiveRows | null = null;
  #isBroken = false;

  private constructor(
    readonly path: string,
    private readonly db: Database.Database,
    progress: ArchiveProgress,
  ) {
    this.#transaction = new Transaction(db);
    this.#written = openTables(this.#transaction);
    this.#progress = progress;
    this.#writeProgress = progressWriter(db);
  }

  /** Opens an existing archive, or returns null where there is none. Throws `archive_newer_version`, `archive_corrupt`. */
  static open(dir: DataDir): ArchiveWriter | null {
    const path = dir.archiveFile;
    if (!existsSync(path)) return null;
    let db: Database.Database | undefined;
    try {
      db = connectArchive(path);
      return new ArchiveWriter(path, db, readProgress(path, db));
    } catch (thrown) {
      db?.close();
      throw asArchiveDamage(path, thrown);
    }
  }

  /**
   * Makes a new archive that holds what happens after `start`, where `engine` stands; bets that are open there get
   * rows with what the engine still knows of them. Calls `rest` after each.
   */
  static create(
    dir: DataDir,
    start: ArchivePosition,
    engine: EngineReads,
    nowMs: number,
    rest: Rest = noRest,
  ): ArchiveWriter {
    const path = dir.archiveFile;
    const unfinished = unfinishedPath(path);
    removeDatabase(unfinished);
    removeSideFiles(path);
    const fresh = { ...start, fromSeq: start.seq, bets: 0, betsSettled: 0, rounds: 0, transfers: 0 };
    const db = new Database(unfinished);
    try {
      createArchiveTables(db, nowMs);
      const writer = new ArchiveWriter(unfinished, db, fresh);
      if (start.seq > 0) new ArchiveRows(engine).addOpenBets(writer.#written, rest);
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
  /** Rows that `commit` would make visible. */
  get pendingRows(): number {
    const { placed, settled, rounds, transfers } = this.#written;
    return placed.count + settled.count + rounds.count + transfers.count;
  }
  get bytes(): number {
    return databaseBytes(this.path);
  }

  /** From here on events are those of `engine`, which stands where the archive ends. */
  follow(engine: EngineReads): void {
    assert(engine.seq === this.#progress.seq, 'the engine stands where the archive ends');
    this.#rows = new ArchiveRows(engine);
  }

  /**
   * What command `seq`, the engine's last, did. It is in the file after the next `commit`. Throws `archive_corrupt` and
   * what SQLite throws; then, as after a throw of `commit`, nothing since the last commit is in the file, and the writer
   * is only good for `close`.
   */
  add(seq: number, events: readonly EngineEvent[]): void {
    assert(!this.#isBroken, 'an archive writer is not used after an error');
    try {
      this.#rows?.add(this.#written, seq, events);
    } catch (thrown) {
      this.#isBroken = true;
      throw asWriteFault(this.path, thrown);
    }
  }

  /** Commits what was added, up to the end of the batch at `position`. */
  commit({ seq, timeMs, digest, chain }: ArchivePosition): void {
    assert(!this.#isBroken, 'an archive writer is not used after an error');
    const { placed, settled, rounds, transfers } = this.#written;
    const { fromSeq, bets, betsSettled, rounds: roundsBefore, transfers: transfersBefore } = this.#progress;
    const progress: ArchiveProgress = {
      fromSeq,
      seq,
      timeMs,
      digest,
      chain,
      bets: bets + placed.count,
      betsSettled: betsSettled + settled.count,
      rounds: roundsBefore + rounds.count,
      transfers: transfersBefore + transfers.count,
    };
    try {
      this.#transaction.beginOnce();
      this.#writeProgress(progress);
      this.#transaction.commit();
    } catch (thrown) {
      this.#isBroken = true;
      throw asWriteFault(this.path, thrown);
    }
    this.#progress = progress;
    for (const table of Object.values(this.#written)) table.count = 0;
  }

  /** What was not committed is dropped: the next start gives it again. */
  close(): void {
    this.db.close();
  }
}
