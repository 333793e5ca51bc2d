/**
 * Writes the archive. Rows go into an open transaction, which is committed with the progress row: after a crash both
 * agree, and the next start continues after them. Nobody else writes to the file; readers see commits.
 *
 * synchronous=NORMAL: a commit costs no sync, and a power loss may undo the last ones, which the journal can repeat.
 * Retention deletes segments that the archive has only after `makeArchiveDurable`.
 */
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { assert, must } from '../../engine/base/assert.js';
import type { EngineReads } from '../../engine/engine.js';
import type { Command } from '../../engine/model/commands.js';
import type { EngineEvent } from '../../engine/model/events.js';
import type { RefusedAt } from '../../engine/model/operators.js';
import { orClosed } from '../data-dir/closing.js';
import {
  removeDatabase,
  removeSideFiles,
  renameDurably,
  syncPath,
  unfinishedPath,
  walPath,
} from '../data-dir/files.js';
import { type DataDir, openPart } from '../data-dir/layout.js';
import { OpenFiles } from '../data-dir/open-files.js';
import { JournalError } from '../errors.js';
import { noRest, type Rest } from '../thread/pace.js';
import { connectArchive } from './file.js';
import { ArchiveRows, refusalRows } from './rows.js';
import {
  type ArchivePosition,
  type ArchiveProgress,
  createArchiveTables,
  fromArchive,
  NO_ROWS,
  readProgress,
} from './schema.js';
import { ArchiveTables, asWriteFault, beginOnce } from './tables.js';

export class ArchiveWriter {
  readonly #written: ArchiveTables;
  /** null if nothing was refused behind the command. */
  readonly #lastRefusal: Database.Statement<[number], number | null>;
  readonly #files: OpenFiles;
  #progress: ArchiveProgress;
  #rows: ArchiveRows | null = null;
  #isBroken = false;

  private constructor(
    readonly path: string,
    private readonly db: Database.Database,
    progress: ArchiveProgress,
  ) {
    this.#written = new ArchiveTables(db);
    this.#files = new OpenFiles([path, walPath(path)].filter(existsSync), (lost) => {
      // SQLite would write the WAL that is left into what has taken the place of the archive.
      if (lost.every((file) => file.path === path)) removeSideFiles(path);
      return lostArchive(path);
    });
    this.#progress = progress;
    this.#lastRefusal = db
      .prepare<[number], number | null>('SELECT max(item) FROM refusal WHERE seq = ?')
      .pluck();
  }

  /** null if there is no archive. Throws `other_format` and `archive_corrupt`. */
  static open(dir: DataDir): ArchiveWriter | null {
    const path = dir.archiveFile;
    if (!existsSync(path)) return null;
    return fromArchive(path, () =>
      orClosed(connectArchive(path), (db) => new ArchiveWriter(path, db, readProgress(path, db))),
    );
  }

  /**
   * The archive begins after `start`, the position of `engine`. Balances, and bets that are open there, get rows as the
   * engine knows them.
   */
  static create(
    dir: DataDir,
    start: ArchivePosition,
    engine: EngineReads,
    nowMs: number,
    rest: Rest = noRest,
  ): ArchiveWriter {
    openPart(dir.archive);
    const path = dir.archiveFile;
    const unfinished = unfinishedPath(path);
    removeDatabase(unfinished);
    removeSideFiles(path);
    const fresh = { ...start, fromSeq: start.seq, ...NO_ROWS };
    const db = new Database(unfinished);
    try {
      createArchiveTables(db, nowMs);
      const writer = new ArchiveWriter(unfinished, db, fresh);
      if (start.seq > 0) new ArchiveRows(engine).addBeginning(writer.#written, rest);
      writer.commit(start);
      // Under its final name an interrupted switch would leave a rollback journal that only a writer can roll back.
      db.pragma('journal_mode = WAL');
    } finally {
      db.close();
    }
    syncPath(unfinished);
    renameDurably(unfinished, path);
    return must(ArchiveWriter.open(dir), 'the new archive');
  }

  get progress(): ArchiveProgress {
    return this.#progress;
  }
  get pendingRows(): number {
    return this.#written.count;
  }

  /** `engine` gives the events from now on. It must be at the end of the archive. */
  follow(engine: EngineReads): void {
    assert(engine.seq === this.#progress.seq, 'the engine is at the end of the archive');
    this.#rows = new ArchiveRows(engine);
  }

  /**
   * `command` has the number `seq` and is the engine's last. Throws `archive_corrupt` and errors of SQLite. After a
   * throw, also one of `commit`, the file has nothing since the last commit, and the writer can only be closed.
   */
  add(seq: number, command: Command, events: readonly EngineEvent[]): void {
    this.#write(() => this.#rows?.add(this.#written, seq, command, events));
  }

  /** Throws `archive_lost`, after which the writer can only be closed. */
  requireInPlace(): void {
    this.#files.require();
  }

  /** Up to the end of a batch, with the refusals at the operator port until then. */
  commit(end: ArchivePosition, refused: readonly RefusedAt[] = []): void {
    const { seq } = end;
    const progress = this.#write(() => {
      this.requireInPlace();
      beginOnce(this.db);
      let item = refused.length === 0 ? 0 : (this.#lastRefusal.get(seq) ?? 0);
      for (const refusals of refused) {
        for (const row of refusalRows(seq, item, refusals)) {
          this.#written.refusals.push(row);
          item += 1;
        }
      }
      return this.#written.commit(this.#progress, end);
    });
    this.#progress = progress;
    this.#written.clearCounts();
  }

  #write<T>(work: () => T): T {
    assert(!this.#isBroken, 'an archive writer is not used after an error');
    try {
      return work();
    } catch (thrown) {
      this.#isBroken = true;
      throw asWriteFault(this.path, thrown);
    }
  }

  /** Drops uncommitted rows: the next start adds them again. */
  close(): void {
    this.db.close();
  }
}

const lostArchive = (path: string): JournalError =>
  new JournalError(
    'archive_lost',
    `The archive ${path} was deleted or replaced under the running server. Nothing else is affected: it is ` +
      'opened or made anew.',
  );
