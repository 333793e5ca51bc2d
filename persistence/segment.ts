/**
 * One segment of the journal, for reading: `segment-schema.ts` says what is in it. Rows come out in chunks, so that a
 * journal of any length is read in little memory, and so that no transaction stays open while somebody works on what
 * was read. Each is checked against its checksum and the chain when its turn comes.
 */
import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { must } from '../engine/assert.js';
import type { StoredBatch } from '../engine/ports.js';
import { type ChainPosition, faultOfRow, isIntact } from './batch-row.js';
import { codeOf } from './errors.js';
import { fileBytes } from './files.js';
import { walPath } from './segment-files.js';
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
} from './segment-schema.js';

/** The writer holds its lock this long at most: while it seals the segment. */
const BUSY_TIMEOUT_MS = 5_000;
/** A chunk of rows ends with the row that reaches so much text. */
export const CHUNK_CHARS = 256 * 1024;
/** Where an SQLite file says in which journal mode it is, two bytes: 1 a rollback journal, 2 WAL. */
const MODE_OFFSET = 18;
/** Errors of a directory in which the side files of a WAL cannot be made. */
const READ_ONLY_CODES = ['SQLITE_CANTOPEN', 'SQLITE_READONLY_DIRECTORY', 'SQLITE_READONLY_CANTINIT'];

/** `read` changes nothing on disk but the `-shm` file, not even after an unclean stop. */
export type OpenMode = 'read' | 'write';

export class Segment {
  private constructor(
    readonly path: string,
    readonly db: Database.Database,
    readonly meta: SegmentMeta & { readonly formatVersion: number },
    /** null while the segment is open. */
    readonly seal: SegmentSeal | null,
  ) {}

  /** Opens an existing segment. Throws `journal_newer_version` and `journal_corrupt`. */
  static open(path: string, mode: OpenMode): Segment {
    try {
      return Segment.#over(path, openDatabase(path, mode));
    } catch (thrown) {
      const isReadOnly = mode === 'read' && READ_ONLY_CODES.includes(codeOf(thrown));
      if (!isReadOnly || fileBytes(walPath(path)) > 0) throw asDamage(path, 'it cannot be opened', thrown);
      return Segment.#inMemory(path);
    }
  }

  /** A segment without a WAL on a medium on which SQLite cannot make one, not even to see that it is empty. */
  static #inMemory(path: string): Segment {
    try {
      const content = readFileSync(path);
      content.fill(1, MODE_OFFSET, MODE_OFFSET + 2);
      return Segment.#over(path, new Database(content, { readonly: true }));
    } catch (thrown) {
      throw asDamage(path, 'it cannot be read', thrown);
    }
  }

  static #over(path: string, db: Database.Database): Segment {
    try {
      db.pragma('cell_size_check = ON');
      const meta = readMeta(path, db);
      return new Segment(path, db, meta, readSeal(path, db, meta));
    } catch (thrown) {
      db.close();
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
    let position: ChainPosition = this.rowUpTo(afterSeq) ?? this.start;
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
    this.db.close();
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
