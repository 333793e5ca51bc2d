/**
 * One segment of the journal, for reading: `segment-schema.ts` says what is in it. Rows come out in chunks, so that a
 * journal of any length is read in little memory, and so that no transaction stays open while somebody works on what
 * was read. Each is checked against its checksum and the chain when its turn comes.
 */
import { lstatSync } from 'node:fs';
import Database from 'better-sqlite3';
import { must } from '../../../engine/base/assert.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { isMissing } from '../../data-dir/files.js';
import { codeOf, JournalError } from '../../errors.js';
import { type ChainPosition, faultOfRow, isIntact } from './batch-row.js';
import { canReadInMemory, readInMemory } from './memory.js';
import {
  asDamage,
  BATCH_COLUMNS,
  badRow,
  damaged,
  readMeta,
  readSeal,
  type SegmentMeta,
  type SegmentSeal,
  toStoredBatch,
} from './schema.js';

/** The writer holds its lock this long at most: while it seals the segment. */
const BUSY_TIMEOUT_MS = 5_000;
/** A chunk of rows ends with the row that reaches so much text. */
export const CHUNK_CHARS = 256 * 1024;

/**
 * `read` changes nothing, not even after an unclean stop: SQLite puts a `-shm` file and, where there is none, an empty WAL
 * beside a segment in WAL mode.
 */
export type OpenMode = 'read' | 'write';

export class Segment {
  private constructor(
    readonly path: string,
    readonly db: Database.Database,
    readonly meta: SegmentMeta & { readonly formatVersion: number },
    /** null while the segment is open. */
    readonly seal: SegmentSeal | null,
  ) {}

  /**
   * Opens an existing segment. Throws `journal_newer_version`, `journal_corrupt`, `data_dir_locked`, `segment_gone`
   * where one that is to be read is not there any more, and `data_dir_invalid` where it cannot be read without being
   * changed.
   */
  static open(path: string, mode: OpenMode): Segment {
    for (;;) {
      try {
        return Segment.#over(path, openDatabase(path, mode));
      } catch (thrown) {
        const isForMemory = mode === 'read' && canReadInMemory(path, codeOf(thrown));
        if (!isForMemory) throw asDamage(path, 'it cannot be opened', thrown);
      }
      const segment = Segment.#inMemory(path);
      if (segment !== null) return segment;
    }
  }

  /** null: its files have changed meanwhile. */
  static #inMemory(path: string): Segment | null {
    try {
      const db = readInMemory(path);
      return db === null ? null : Segment.#over(path, db);
    } catch (thrown) {
      throw isMissing(thrown) ? missing(path, thrown) : asDamage(path, 'it cannot be read', thrown);
    }
  }

  static #over(path: string, db: Database.Database): Segment {
    try {
      db.pragma('cell_size_check = ON');
      const meta = readMeta(path, db);
      return new Segment(path, db, meta, readSeal(path, db, meta));
    } catch (thrown) {
      closeDatabase(db);
      throw thrown;
    }
  }

  /** Where the first row follows on. */
  get start(): ChainPosition {
    return { lastSeq: this.meta.firstSeq - 1, chain: this.meta.previousChain };
  }

  /** The newest row, or null in a segment without rows. Its checksum is checked, its place in the chain is not. */
  tail(): StoredBatch | null {
    return this.rowUpTo(Number.MAX_SAFE_INTEGER);
  }

  /** The row that ends at `lastSeq`, its checksum checked, or null where none does. */
  rowAt(lastSeq: number): StoredBatch | null {
    const row = this.rowUpTo(lastSeq);
    return row?.lastSeq === lastSeq ? row : null;
  }

  /** Chain hash after sequence number `seq`: that of the row that ends there, or the one it begins with, or null. */
  chainAt(seq: number): string | null {
    return seq === this.start.lastSeq ? this.start.chain : (this.rowAt(seq)?.chain ?? null);
  }

  /** The last row that ends at `seq` or before it, its checksum checked, or null. */
  rowUpTo(seq: number): StoredBatch | null {
    try {
      const columns = this.db
        .prepare<[number], unknown[]>(
          `SELECT ${BATCH_COLUMNS} FROM batch WHERE last_seq <= ? ORDER BY last_seq DESC LIMIT 1`,
        )
        .raw()
        .get(seq);
      if (columns === undefined) return null;
      const row = toStoredBatch(this.path, this.start, columns);
      if (!isIntact(row)) throw damaged(this.path, `the checksum of row ${row.lastSeq} does not match`);
      return row;
    } catch (thrown) {
      throw asDamage(this.path, `finding the last row up to sequence number ${seq} failed`, thrown);
    }
  }

  /**
   * The rows after `position`, which is one of this segment, as far as a chunk reaches; [] at the end. It ends with
   * the row that reaches `chunkChars` characters of commands. They are for
   * `checkedRows` to check; one that cannot even be read ends the chunk before it, and is thrown when the next one
   * begins with it: `journal_corrupt`.
   */
  chunkAfter(position: ChainPosition, chunkChars = CHUNK_CHARS): StoredBatch[] {
    const chunk: StoredBatch[] = [];
    let previous = position;
    let chars = 0;
    try {
      for (const columns of this.#rowsAfter(position.lastSeq)) {
        const row = toStoredBatch(this.path, previous, columns);
        chunk.push(row);
        previous = row;
        chars += row.commands.length;
        if (chars >= chunkChars) break;
      }
    } catch (thrown) {
      if (chunk.length === 0) {
        throw asDamage(this.path, `reading failed after sequence number ${previous.lastSeq}`, thrown);
      }
    }
    if (chunk.length === 0) this.#checkEnd(position);
    return chunk;
  }

  #rowsAfter(lastSeq: number): Iterable<unknown[]> {
    return this.db
      .prepare<[number], unknown[]>(`SELECT ${BATCH_COLUMNS} FROM batch WHERE last_seq > ? ORDER BY last_seq`)
      .raw()
      .iterate(lastSeq);
  }

  /**
   * Rows with `lastSeq` above `afterSeq` in order, each checked, and at the end the seal. Throws `journal_corrupt`,
   * naming the first bad row.
   */
  *batches(afterSeq: number): Generator<StoredBatch, void, undefined> {
    yield* this.batchesFrom(this.rowUpTo(afterSeq) ?? this.start);
  }

  /** The same for the rows after `from`, on which the first one must follow. */
  *batchesFrom(from: ChainPosition): Generator<StoredBatch, void, undefined> {
    let position = from;
    for (;;) {
      const chunk = this.chunkAfter(position);
      yield* checkedRows(this.path, position, chunk);
      const last = chunk.at(-1);
      if (last === undefined) return;
      position = last;
    }
  }

  /** How many rows it has. */
  count(): number {
    return must(this.db.prepare<[], number>('SELECT count(*) FROM batch').pluck().get(), 'a count');
  }

  /** Checks the structure of the pages, which rows do not show and appending relies on. Throws `journal_corrupt`. */
  checkStructure(): void {
    let verdict: unknown;
    try {
      verdict = this.db.pragma('quick_check(1)', { simple: true });
    } catch (thrown) {
      throw asDamage(this.path, 'its pages cannot be checked', thrown);
    }
    if (verdict !== 'ok') throw damaged(this.path, String(verdict));
  }

  /** In mode `write` the last connection to close moves the WAL into the database and removes it. */
  close(): void {
    closeDatabase(this.db);
  }

  /** The rows end at `position`: so must the seal. */
  #checkEnd({ lastSeq, chain }: ChainPosition): void {
    const { seal, path } = this;
    if (seal === null || (seal.lastSeq === lastSeq && seal.chain === chain)) return;
    throw damaged(path, `its rows end at sequence number ${lastSeq}, but it was sealed at ${seal.lastSeq}`);
  }
}

/**
 * `rows`, which follow on `position` in the segment at `path`, each checked before it is handed out. Throws
 * `journal_corrupt`, naming the first bad one.
 */
export function* checkedRows(
  path: string,
  position: ChainPosition,
  rows: readonly StoredBatch[],
): Generator<StoredBatch, void, undefined> {
  let previous = position;
  for (const row of rows) {
    const fault = faultOfRow(previous, row);
    if (fault !== null) throw badRow(path, previous, fault);
    yield row;
    previous = row;
  }
}

function openDatabase(path: string, mode: OpenMode): Database.Database {
  return new Database(path, { readonly: mode === 'read', fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
}

/** What to say where no file is found behind a name that was listed. */
function missing(path: string, cause: unknown): JournalError {
  const isLink = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  if (!isLink) {
    const sentence = `The segment ${path} of the journal is not there any more: a server deletes what its retention lets go of. Try again.`;
    return new JournalError('segment_gone', sentence, { cause });
  }
  const sentence = `The segment ${path} of the journal is a link to a file that is not there. Put the file back.`;
  return new JournalError('data_dir_invalid', sentence, { cause });
}

/** One in memory is shared, and nothing of it is open on disk. */
function closeDatabase(db: Database.Database): void {
  if (!db.memory) db.close();
}
