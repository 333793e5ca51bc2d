/**
 * An archive with its tail in temporary tables, which readers see as one. A running server commits its archive up to
 * two seconds behind the journal; one that was killed leaves it further behind. Without an archive all of it is in
 * memory.
 */
import Database from 'better-sqlite3';
import type { EngineReads } from '../../engine/engine.js';
import type { Command } from '../../engine/model/commands.js';
import type { EngineEvent } from '../../engine/model/events.js';
import { noRest } from '../thread/pace.js';
import { ArchiveRows } from './rows.js';
import { createArchiveTables, createTailTables } from './schema.js';
import { ArchiveTables } from './tables.js';

const SETTLED_BLOCKS = ['main.settled_block', 'tail_settled_block'];

export class ArchiveTail {
  readonly #tables: ArchiveTables;
  readonly #rows: ArchiveRows;

  private constructor(
    readonly db: Database.Database,
    readonly settledBlocks: readonly string[],
    engine: EngineReads,
    prefix: string,
  ) {
    this.#tables = new ArchiveTables(db, prefix);
    this.#rows = new ArchiveRows(engine);
  }

  /** `db` is open for reading, in a transaction. `engine` is at its end. */
  static behind(db: Database.Database, engine: EngineReads): ArchiveTail {
    createTailTables(db);
    return new ArchiveTail(db, SETTLED_BLOCKS, engine, 'tail_');
  }

  /** Balances, and bets that are open in `engine`, get rows as it knows them. */
  static alone(engine: EngineReads): ArchiveTail {
    const db = new Database(':memory:');
    createArchiveTables(db, 0);
    db.exec('BEGIN');
    const tail = new ArchiveTail(db, ['settled_block'], engine, '');
    if (engine.seq > 0) tail.#rows.addBeginning(tail.#tables, noRest);
    return tail;
  }

  add(seq: number, command: Command, events: readonly EngineEvent[]): void {
    this.#rows.add(this.#tables, seq, command, events);
  }

  end(seq: number): void {
    this.#tables.flush(seq);
  }
}
