/**
 * An archive with what came after its end, in temporary tables: a running server commits its archive up to half a second
 * behind the journal, and one that was killed leaves it further behind. Readers see both as one. Without an archive all of
 * it is in memory.
 */
import Database from 'better-sqlite3';
import type { Command } from '../../engine/model/commands.js';
import type { EngineEvent } from '../../engine/model/events.js';
import type { EngineReads } from '../../engine/model/views.js';
import { noRest } from '../thread/pace.js';
import { ArchiveRows } from './rows.js';
import { createArchiveTables, createTailTables } from './schema.js';
import { ArchiveTables, Transaction } from './tables.js';

/** Tables with settlements once there is a tail, in the order of what happened. */
const SETTLED_BLOCKS = ['main.settled_block', 'tail_settled_block'];

export class ArchiveTail {
  readonly #tables: ArchiveTables;
  readonly #rows: ArchiveRows;

  private constructor(
    readonly db: Database.Database,
    /** Tables with settlements, in the order of what happened. */
    readonly settledBlocks: readonly string[],
    engine: EngineReads,
    prefix: string,
  ) {
    this.#tables = new ArchiveTables(new Transaction(db), prefix);
    this.#rows = new ArchiveRows(engine);
  }

  /** Behind the archive `db`, which is open for reading, in a transaction. `engine` is at its end. */
  static behind(db: Database.Database, engine: EngineReads): ArchiveTail {
    createTailTables(db);
    return new ArchiveTail(db, SETTLED_BLOCKS, engine, 'tail_');
  }

  /** Without an archive. Bets that are open in `engine` get rows with what it knows of them. */
  static alone(engine: EngineReads): ArchiveTail {
    const db = new Database(':memory:');
    createArchiveTables(db, 0);
    db.exec('BEGIN');
    const tail = new ArchiveTail(db, ['settled_block'], engine, '');
    if (engine.seq > 0) tail.#rows.addOpenBets(tail.#tables, noRest);
    return tail;
  }

  /** Adds `command`, number `seq` and the engine's last. */
  add(seq: number, command: Command, events: readonly EngineEvent[]): void {
    this.#rows.add(this.#tables, seq, command, events);
  }

  /** To be called after the last command, number `seq`. */
  end(seq: number): void {
    this.#tables.flush(seq);
  }
}
