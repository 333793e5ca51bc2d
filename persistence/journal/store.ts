/** The journal's store on files: a chain of SQLite segments, the mark, and the `in-use` file. */
import { rmSync } from 'node:fs';
import { AssertionError, assert, must } from '../../engine/base/assert.js';
import type { Batch, JournalStore, Mark, StoredBatch } from '../../engine/model/ports.js';
import { fileBytes, syncPath, walPath, writeFileDurably } from '../data-dir/files.js';
import type { DataDir } from '../data-dir/layout.js';
import { OpenFiles } from '../data-dir/open-files.js';
import { isDiskFull, JournalError, reasonOf } from '../errors.js';
import { JournalLost } from './journal-lost.js';
import { MarkFile } from './mark.js';
import type { SealedSegment } from './messages.js';
import { type ChainPosition, sealBatch } from './segment/batch-row.js';
import { findSegments } from './segment/names.js';
import { configure, type Durability, inUseText, type OpenSegment, prepare } from './segment/open.js';
import { createSegment, type OnRollStep, sealSegment } from './segment/roll.js';
import { Segment } from './segment/segment.js';

/**
 * The WAL is checkpointed after about this many pages, never inside a commit. Fewer pages sync the database more
 * often; more stall the next commit for longer.
 */
const CHECKPOINT_PAGES = 256;
const PAGE_BYTES = 4_096;
/** A commit writes these besides its text: the leaf, its parents, the rest of the last page. */
const PAGES_PER_COMMIT = 3;

const SEGMENT_BYTES_MAX = 256 * 1024 * 1024;
/** A postponed roll is tried again after this much more text. */
const ROLL_RETRY_BYTES = 64 * 1024;
const ROW_BYTES = 200;

export class SqliteStore implements JournalStore {
  #open: OpenSegment;
  #files: OpenFiles;
  #position: ChainPosition;
  #last: StoredBatch | null;
  #bytes: number;
  #rollAtBytes: number;
  /** After the first throw nothing is written, and the `in-use` file stays. */
  #broken = false;
  #walPages = 0;

  private constructor(
    readonly dir: DataDir,
    segment: Segment,
    private readonly markFile: MarkFile,
    private readonly durability: Durability,
    private readonly segmentBytesMax: number,
  ) {
    this.#open = prepare(segment);
    this.#last = segment.tail();
    this.#files = this.#openFiles();
    this.#position = this.#last ?? segment.start;
    this.#bytes = fileBytes(segment.path);
    this.#rollAtBytes = segmentBytesMax;
  }

  /** The directory is recovered (`recovery/prepare.ts`), and the caller holds its lock. */
  static open(dir: DataDir, durability: Durability, segmentBytesMax = SEGMENT_BYTES_MAX): SqliteStore {
    const segment = Segment.open(must(findSegments(dir.journal).at(-1), 'a segment of the journal'), 'write');
    try {
      assert(segment.seal === null, 'the last segment is open');
      configure(segment, durability);
      const store = new SqliteStore(dir, segment, new MarkFile(dir.markFile), durability, segmentBytesMax);
      writeFileDurably(dir.inUseFile, inUseText(durability));
      return store;
    } catch (thrown) {
      segment.close();
      throw asWriteFailure(segment.path, 'open', thrown);
    }
  }

  /** 0 before the first. */
  get lastSeq(): number {
    return this.#position.lastSeq;
  }

  get synchronous(): unknown {
    return this.#open.segment.db.pragma('synchronous', { simple: true });
  }

  get mark(): Mark {
    return this.markFile.mark;
  }

  /** Files that are gone by now are noticed before anything is written, so that clients can be told. */
  write(batches: readonly Batch[]): StoredBatch {
    return this.#attempt('write to', () => {
      this.#files.require();
      // A row alone is a transaction of its own: two statements more were a fifth of the thread's CPU time.
      const isAlone = batches.length === 1;
      if (!isAlone) this.#open.begin.run();
      for (const batch of batches) this.#append(batch);
      if (!isAlone) this.#open.commit.run();
      return must(this.#last, 'a batch that was written');
    });
  }

  #append(batch: Batch): void {
    const row = sealBatch(this.#position, batch);
    this.#open.insert(row);
    this.#position = row;
    this.#last = row;
    this.#bytes += row.commands.length + ROW_BYTES;
    this.#walPages += PAGES_PER_COMMIT + Math.floor(row.commands.length / PAGE_BYTES);
  }

  writeMark(mark: Mark): void {
    this.#attempt('write the mark of', () => {
      this.#files.require();
      this.markFile.write(mark);
    });
  }

  /** Throws `JournalLost`. */
  requireFiles(): void {
    this.#attempt('look at', () => this.#files.require());
  }

  /** Call it after an acknowledgement, never inside a commit. */
  checkpointIfDue(): void {
    if (this.#walPages < CHECKPOINT_PAGES) return;
    this.#walPages = 0;
    this.#attempt('checkpoint', () => this.#open.checkpoint.get());
  }

  /** Begins the next segment if this one is full. Call it after an acknowledgement. Returns the sealed one, or null. */
  rollIfDue(nowMs: number, onStep: OnRollStep = () => {}): SealedSegment | null {
    const last = this.#last;
    if (this.#bytes < this.#rollAtBytes || last === null) return null;
    return this.#attempt('begin the next segment after', () => {
      const sealed = this.#open.segment;
      const onSealStep: OnRollStep = (step) => {
        // The seal has removed the WAL. After the close that follows nobody could save the segment's file.
        if (step === 'sealed') this.#files.require(walPath(sealed.path));
        onStep(step);
      };
      this.#files.require();
      if (!sealSegment(sealed, last, onSealStep)) {
        this.#rollAtBytes = this.#bytes + ROLL_RETRY_BYTES;
        return null;
      }
      const path = createSegment(this.dir.journal, last, nowMs, onStep);
      const segment = Segment.open(path, 'write');
      this.#open = prepare(segment);
      configure(segment, this.durability);
      this.#files = this.#openFiles();
      this.#last = null;
      this.#bytes = fileBytes(path);
      this.#rollAtBytes = this.segmentBytesMax;
      this.#walPages = 0;
      return { firstSeq: sealed.meta.firstSeq, lastSeq: last.lastSeq, bytes: fileBytes(sealed.path) };
    });
  }

  /** A clean close leaves no WAL and no `in-use` file. After a failure both stay for recovery. */
  close(): void {
    if (this.#broken) {
      this.markFile.close();
      this.#open.segment.close();
      return;
    }
    this.#attempt('close', () => {
      this.#files.require();
      this.markFile.sync();
      this.markFile.close();
      this.#open.segment.close();
      rmSync(this.dir.inUseFile);
      syncPath(this.dir.journal);
    });
  }

  #openFiles(): OpenFiles {
    const { path } = this.#open.segment;
    return new OpenFiles([path, walPath(path), this.markFile.path], (lost) => new JournalLost(lost));
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

/** Programming errors stay as they are. */
function asWriteFailure(path: string, what: string, thrown: unknown): unknown {
  if (thrown instanceof AssertionError || thrown instanceof JournalError) return thrown;
  const isFull = isDiskFull(thrown);
  const advice = isFull
    ? 'Free some space and start again: the restart recovers every acknowledged order.'
    : 'Check the disk, its quota and the system log, then start again: the restart recovers every acknowledged order.';
  return new JournalError(
    isFull ? 'disk_full' : 'journal_write_failed',
    `The server could not ${what} the journal ${path}: ${reasonOf(thrown)}. ${advice}`,
    { cause: thrown },
  );
}
