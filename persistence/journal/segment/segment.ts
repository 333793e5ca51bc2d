/**
 * Reads one segment of the journal (`schema.ts`). Rows come in chunks, so that a journal of any length takes little
 * memory and no transaction stays open while the caller works on them. Each is checked when it is handed out.
 */
import { existsSync, lstatSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { closing, orClosed } from '../../data-dir/closing.js';
import { codeOf, JournalError } from '../../errors.js';
import { type ChainPosition, faultOfRow, isIntact } from './batch-row.js';
import { findSegments, firstSeqOf, sourceOf } from './names.js';
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

/** The writer locks a segment only while it seals it, which takes less than this. */
const BUSY_TIMEOUT_MS = 5_000;
/** The row at which the text reaches this length ends the chunk. */
export const CHUNK_CHARS = 256 * 1024;

/**
 * `read` changes nothing, not even after an unclean stop, but has SQLite take back a half-written seal. SQLite may
 * create a `-shm` file and an empty WAL beside a segment in WAL mode.
 */
type OpenMode = 'read' | 'write';

export class Segment {
  private constructor(
    readonly path: string,
    readonly db: Database.Database,
    readonly meta: SegmentMeta,
    readonly seal: SegmentSeal | null,
  ) {}

  /**
   * Throws `other_format`, `journal_corrupt`, `data_dir_locked`, `segment_gone`, and `data_dir_invalid` if the
   * segment cannot be read without changing it.
   */
  static open(path: string, mode: OpenMode): Segment {
    // SQLite would delete the WAL beside it, also for a reader.
    if (statSync(path, { throwIfNoEntry: false })?.size === 0) throw damaged(path, 'it is empty');
    try {
      return Segment.#over(path, openDatabase(path, mode));
    } catch (thrown) {
      if (!existsSync(path)) throw missing(path, thrown);
      if (codeOf(thrown) !== 'SQLITE_READONLY_ROLLBACK') throw asDamage(path, 'it cannot be opened', thrown);
    }
    try {
      // The server was killed while it sealed the segment. SQLite takes that back for a user who may write.
      Segment.#over(path, openDatabase(path, 'write')).close();
      return Segment.#over(path, openDatabase(path, mode));
    } catch (thrown) {
      throw asDamage(path, 'it cannot be opened', thrown);
    }
  }

  static #over(path: string, db: Database.Database): Segment {
    return orClosed(db, () => {
      db.pragma('cell_size_check = ON');
      const meta = readMeta(path, db);
      return new Segment(path, db, meta, readSeal(path, db, meta));
    });
  }

  get start(): ChainPosition {
    return { lastSeq: this.meta.firstSeq - 1, chain: this.meta.previousChain };
  }

  /** null in a segment without rows. The checksum is checked, the position in the chain is not. */
  tail(): StoredBatch | null {
    return this.rowUpTo(Number.MAX_SAFE_INTEGER);
  }

  rowAt(lastSeq: number): StoredBatch | null {
    const row = this.rowUpTo(lastSeq);
    return row?.lastSeq === lastSeq ? row : null;
  }

  /** Chain hash after `seq`, where a row ends there or the segment begins there; else null. */
  chainAt(seq: number): string | null {
    return seq === this.start.lastSeq ? this.start.chain : (this.rowAt(seq)?.chain ?? null);
  }

  rowUpTo(seq: number): StoredBatch | null {
    return this.#lastRow(`up to sequence number ${seq}`, 'last_seq <= ?', seq);
  }

  /** The last row after `seq` whose commands contain `text`. */
  rowWith(text: string, seq: number): StoredBatch | null {
    return this.#lastRow(`with ${text}`, 'last_seq > ? AND instr(commands, ?) > 0', seq, text);
  }

  #lastRow(which: string, where: string, ...values: (number | string)[]): StoredBatch | null {
    try {
      const columns = this.db
        .prepare<(number | string)[], unknown[]>(
          `SELECT ${BATCH_COLUMNS} FROM batch WHERE ${where} ORDER BY last_seq DESC LIMIT 1`,
        )
        .raw()
        .get(...values);
      if (columns === undefined) return null;
      const row = toStoredBatch(this.path, this.start, columns);
      if (!isIntact(row)) throw damaged(this.path, `the checksum of row ${row.lastSeq} does not match`);
      return row;
    } catch (thrown) {
      throw asDamage(this.path, `finding the last row ${which} failed`, thrown);
    }
  }

  /**
   * Rows after `position`, which must be in this segment; none at the end. They are not checked yet (`checkedRows`).
   * A row that cannot be read ends the chunk before it; the next call throws `journal_corrupt`.
   */
  chunkAfter(position: ChainPosition, chunkChars = CHUNK_CHARS) {
    const chunk: StoredBatch[] = [];
    let previous = position;
    let chars = 0;
    let isEnd = false;
    try {
      for (const columns of this.#rowsAfter(position.lastSeq)) {
        const row = toStoredBatch(this.path, previous, columns);
        chunk.push(row);
        previous = row;
        chars += row.commands.length;
        if (chars >= chunkChars) break;
      }
      isEnd = chars < chunkChars;
    } catch (thrown) {
      if (chunk.length === 0) {
        throw asDamage(this.path, `reading failed after sequence number ${previous.lastSeq}`, thrown);
      }
    }
    if (chunk.length === 0) this.#checkEnd(position);
    return { rows: chunk, isEnd };
  }

  #rowsAfter(lastSeq: number): Iterable<unknown[]> {
    return this.db
      .prepare<[number], unknown[]>(`SELECT ${BATCH_COLUMNS} FROM batch WHERE last_seq > ? ORDER BY last_seq`)
      .raw()
      .iterate(lastSeq);
  }

  /** All rows, checked, and the seal. Throws `journal_corrupt`, which names the first bad row. */
  *batches(): Generator<StoredBatch, void, undefined> {
    let position = this.start;
    for (;;) {
      const chunk = this.chunkAfter(position);
      yield* checkedRows(this.path, position, chunk.rows);
      const last = chunk.rows.at(-1);
      if (last === undefined) return;
      position = last;
    }
  }

  /** Appending relies on the structure of the pages, which rows do not reveal. Throws `journal_corrupt`. */
  checkStructure(): void {
    let verdict: unknown;
    try {
      verdict = this.db.pragma('quick_check(1)', { simple: true });
    } catch (thrown) {
      throw asDamage(this.path, 'its pages cannot be checked', thrown);
    }
    if (verdict !== 'ok') throw damaged(this.path, String(verdict));
  }

  /** In mode `write`, the last connection to close moves the WAL into the database and removes it. */
  close(): void {
    this.db.close();
  }

  #checkEnd({ lastSeq, chain }: ChainPosition): void {
    const { seal, path } = this;
    if (seal === null || (seal.lastSeq === lastSeq && seal.chain === chain)) return;
    throw damaged(path, `its rows end at sequence number ${lastSeq}, but it was sealed at ${seal.lastSeq}`);
  }
}

/** Checks each row before it is handed out. Throws `journal_corrupt`, which names the first bad row. */
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

function missing(path: string, cause: unknown): JournalError {
  const isLink = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  if (!isLink) {
    const sentence = `The segment ${path} of the journal is not there any more: a server deletes what its retention lets go of. Try again.`;
    return new JournalError('segment_gone', sentence, { cause });
  }
  const sentence = `The segment ${path} of the journal is a link to a file that is not there. Put the file back.`;
  return new JournalError('data_dir_invalid', sentence, { cause });
}

/**
 * Checked rows of one segment, which is open for one chunk at a time, so that its writer can truncate the WAL and seal it
 * meanwhile. Throws `journal_corrupt` at the first bad row.
 */
export function* rowsOfSegment(path: string): Generator<StoredBatch, void, undefined> {
  let position: ChainPosition | null = null;
  for (;;) {
    const { from, rows } = onSegment(path, (segment) => {
      const start = position ?? segment.start;
      return { from: start, rows: segment.chunkAfter(start).rows };
    });
    yield* checkedRows(path, from, rows);
    const last = rows.at(-1);
    if (last === undefined) return;
    position = { lastSeq: last.lastSeq, chain: last.chain };
  }
}

/** Opens the file for `look` alone. */
export function onSegment<T>(path: string, look: (segment: Segment) => T): T {
  using segment = closing(Segment.open(path, 'read'));
  return look(segment);
}

/** null if no row of the journal ends at `seq`. */
export function rowOfJournal(journalDir: string, seq: number): StoredBatch | null {
  const path = findSegments(journalDir).findLast((candidate) => firstSeqOf(candidate) <= seq);
  return path === undefined ? null : onSegment(sourceOf(path), (segment) => segment.rowAt(seq));
}
