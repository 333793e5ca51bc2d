/**
 * The journal's store on files: a chain of SQLite segments of which the last one is written, the mark beside them, and
 * the `in-use` file, which exists from opening to a clean close.
 */
import { rmSync } from 'node:fs';
import { AssertionError, assert, must } from '../../engine/base/assert.js';
import type { Batch, JournalStore, Mark, StoredBatch } from '../../engine/model/ports.js';
import { fileBytes, syncPath, walPath, writeFileDurably } from '../data-dir/files.js';
import type { DataDir } from '../data-dir/layout.js';
import { codeOf, isDiskFull, JournalError, messageOf } from '../errors.js';
import { MarkFile } from './mark.js';
import type { SealedSegment } from './messages.js';
import { OpenFiles } from './open-files.js';
import { openJournalReader } from './reader.js';
import { type ChainPosition, sealBatch } from './segment/batch-row.js';
import { findSegments } from './segment/names.js';
import { configure, type Durability, type OpenSegment, prepare } from './segment/open.js';
import { createSegment, type OnRollStep, sealSegment } from './segment/roll.js';
import { Segment } from './segment/segment.js';

/**
 * The WAL is checkpointed after about this many pages, by `checkpointIfDue`, never inside a commit. Fewer pages sync
 * the database more often; more of them stall the next commit for longer.
 */
const CHECKPOINT_PAGES = 256;
const PAGE_BYTES = 4_096;
/** Pages that a commit writes besides those its text fills: the leaf, its parents, the rest of the last page. */
const PAGES_PER_COMMIT = 3;

/** Default size at which the open segment is sealed. */
export const SEGMENT_BYTES_MAX = 256 * 1024 * 1024;
/** A postponed roll is tried again after this much more. */
const ROLL_RETRY_BYTES = 64 * 1024;
/** Size of a row besides its text. */
const ROW_BYTES = 200;

export class SqliteStore implements JournalStore {
  readonly #mark: MarkFile;
  readonly #durability: Durability;
  readonly #segmentBytesMax: number;
  #open: OpenSegment;
  /** The open segment, its WAL and the mark. */
  #files: OpenFiles;
  #position: ChainPosition;
  /** The last row of the open segment; null while it has none. */
  #last: StoredBatch | null;
  #batches: number;
  #bytes: number;
  #rollAtBytes: number;
  #inTransaction = false;
  /** Set by the first throw. From then on nothing is written, and the `in-use` file stays. */
  #broken = false;
  #walPages = 0;

  private constructor(
    readonly dir: DataDir,
    segment: Segment,
    mark: MarkFile,
    durability: Durability,
    segmentBytesMax: number,
  ) {
    this.#durability = durability;
    this.#segmentBytesMax = segmentBytesMax;
    this.#mark = mark;
    this.#open = prepare(segment);
    this.#last = segment.tail();
    this.#files = this.#openFiles();
    this.#position = this.#last ?? segment.start;
    this.#batches = segment.count();
    this.#bytes = fileBytes(segment.path);
    this.#rollAtBytes = segmentBytesMax;
  }

  /**
   * Opens the journal of a recovered data directory (`recovery/prepare.ts`) for writing. The caller holds its lock. The
   * open segment is sealed at about `segmentBytesMax`.
   */
  static open(dir: DataDir, durability: Durability, segmentBytesMax = SEGMENT_BYTES_MAX): SqliteStore {
    const segment = Segment.open(must(findSegments(dir.journal).at(-1), 'a segment of the journal'), 'write');
    try {
      assert(segment.seal === null, 'the last segment is open');
      configure(segment, durability);
      const store = new SqliteStore(dir, segment, new MarkFile(dir.markFile), durability, segmentBytesMax);
      writeFileDurably(dir.inUseFile, `${process.pid} ${durability}\n`, 0o600);
      return store;
    } catch (thrown) {
      segment.close();
      throw asWriteFailure(segment.path, 'open', thrown);
    }
  }

  /** The last sequence number of the journal, appended rows included; 0 before the first. */
  get lastSeq(): number {
    return this.#position.lastSeq;
  }

  /** `PRAGMA synchronous` of the writing connection: 2 (FULL) or 1 (NORMAL). */
  get synchronous(): unknown {
    return this.#open.segment.db.pragma('synchronous', { simple: true });
  }

  /** Reads what is durable, from the files, as any other reader. */
  *readBatches(afterSeq: number): Generator<StoredBatch, void, undefined> {
    const reader = openJournalReader(this.dir);
    try {
      yield* reader.readBatches(afterSeq);
    } finally {
      reader.close();
    }
  }

  chainAt(seq: number): string | null {
    const reader = openJournalReader(this.dir);
    try {
      return reader.chainAt(seq);
    } finally {
      reader.close();
    }
  }

  readMark(): Mark | null {
    return this.#mark.mark;
  }

  /** What is lost by now is lost before the batch is written: whoever waits for it can be told so. */
  append(batch: Batch): StoredBatch {
    return this.#attempt('append to', () => {
      if (!this.#inTransaction) this.#files.require();
      const row = sealBatch(this.#position, batch);
      if (!this.#inTransaction) this.#open.begin.run();
      this.#inTransaction = true;
      this.#open.insert(row);
      this.#position = row;
      this.#last = row;
      this.#batches += 1;
      this.#bytes += row.commands.length + ROW_BYTES;
      this.#walPages += PAGES_PER_COMMIT + Math.floor(row.commands.length / PAGE_BYTES);
      return row;
    });
  }

  sync(): void {
    this.#attempt('commit to', () => {
      this.#open.commit.run();
      this.#inTransaction = false;
    });
  }

  writeMark(mark: Mark): void {
    this.#attempt('write the mark of', () => {
      this.#files.require();
      this.#mark.write(mark);
    });
  }

  /** Throws `JournalLost` if files of the journal were deleted or replaced. */
  requireFiles(): void {
    this.#attempt('look at', () => this.#files.require());
  }

  /** Keeps the WAL short. To be called after an acknowledgement. */
  checkpointIfDue(): void {
    if (this.#walPages < CHECKPOINT_PAGES) return;
    this.#walPages = 0;
    this.#attempt('checkpoint', () => this.#open.checkpoint.get());
  }

  /**
   * Begins the next segment if this one is full (`segment/roll.ts`). To be called after an acknowledgement. `nowMs` is
   * the creation time of the next segment. Returns the sealed one, or null.
   */
  rollIfDue(nowMs: number, onStep: OnRollStep = () => {}): SealedSegment | null {
    const last = this.#last;
    if (this.#bytes < this.#rollAtBytes || last === null || this.#inTransaction) return null;
    return this.#attempt('begin the next segment after', () => {
      const sealed = this.#open.segment;
      const onSealStep: OnRollStep = (step) => {
        // The seal has removed the WAL. The segment is about to be closed, which nobody could undo.
        if (step === 'sealed') this.#files.require(walPath(sealed.path));
        onStep(step);
      };
      this.#files.require();
      if (!sealSegment(sealed, last, this.#batches, onSealStep)) {
        this.#rollAtBytes = this.#bytes + ROLL_RETRY_BYTES;
        return null;
      }
      const path = createSegment(this.dir.journal, last, nowMs, onStep);
      const segment = Segment.open(path, 'write');
      this.#open = prepare(segment);
      configure(segment, this.#durability);
      this.#files = this.#openFiles();
      this.#last = null;
      this.#batches = 0;
      this.#bytes = fileBytes(path);
      this.#rollAtBytes = this.#segmentBytesMax;
      this.#walPages = 0;
      return { firstSeq: sealed.meta.firstSeq, lastSeq: last.lastSeq, bytes: fileBytes(sealed.path) };
    });
  }

  /** A clean close leaves no WAL and no `in-use` file. After a failure both stay for recovery to find. */
  close(): void {
    assert(!this.#inTransaction || this.#broken, 'no appended batch may be left without a sync');
    if (this.#broken) {
      this.#mark.close();
      this.#open.segment.close();
      return;
    }
    this.#attempt('close', () => {
      this.#files.require();
      this.#mark.sync();
      this.#mark.close();
      this.#open.segment.close();
      rmSync(this.dir.inUseFile);
      syncPath(this.dir.journal);
    });
  }

  #openFiles(): OpenFiles {
    const { path } = this.#open.segment;
    return new OpenFiles([path, walPath(path), this.#mark.path]);
  }

  #attempt<T>(what: string, operation: () => T): T {
    assert(!this.#broken, 'a store that failed is not used again');
    try {
      return operation();
    } catch (thrown) {
      this.#broken = true;
      throw asWriteFailure(this.#open.segment.path, what, thrown);
    }
  }
}

/** What writing threw, as an error for operators. Programming errors stay as they are. */
function asWriteFailure(path: string, what: string, thrown: unknown): unknown {
  if (thrown instanceof AssertionError || thrown instanceof JournalError) return thrown;
  const isFull = isDiskFull(thrown);
  const advice = isFull
    ? 'Free some space and start again: the restart recovers every acknowledged order.'
    : 'Check the disk and the system log, then start again: the restart recovers every acknowledged order.';
  return new JournalError(
    isFull ? 'disk_full' : 'journal_write_failed',
    `The server could not ${what} the journal ${path}: ${codeOf(thrown)} ${messageOf(thrown)}. ${advice}`,
    { cause: thrown },
  );
}
