/**
 * The shadow: a second engine that replays the journal while the server runs. It compares its rolling digest with
 * each row's, a continuous proof that replay gives the served state. It feeds the archive and the snapshots. It knows
 * nothing of threads: `worker.ts` runs it, a slice at a time.
 *
 * Engine and archive advance together. If the archive cannot be written, the shadow ends with an error, and a new one
 * starts later from a snapshot that is not after the end of the archive.
 */
import { AssertionError } from '../../engine/base/assert.js';
import type { Engine } from '../../engine/engine.js';
import type { RefusedAt } from '../../engine/model/operators.js';
import type { StoredBatch } from '../../engine/model/ports.js';
import type { OldRowsState, SnapshotTaken } from '../../engine/model/shadow-status.js';
import type { ArchivePosition } from '../archive/schema.js';
import type { ArchiveWriter } from '../archive/writer.js';
import { orClosed } from '../data-dir/closing.js';
import { JournalError } from '../errors.js';
import { JournalReader } from '../journal/reader.js';
import { ReplayMismatch, replayBatch } from '../replay/replay.js';
import { SnapshotFiles } from '../snapshot/files.js';
import { noRest, type Rest } from '../thread/pace.js';
import type { ShadowNews, ShadowOptions } from './messages.js';
import { OldRowsCheck } from './old-rows.js';
import { type ShadowClock, ShadowSnapshots } from './snapshots.js';
import { findStart } from './start.js';

/**
 * A slice is read in one short transaction, which holds up the reuse of the WAL. Opening the segment for each costs as
 * much as replaying 60 orders.
 */
const SLICE_CHARS_MAX = 1_536 * 1024;
/** The archive's transaction is committed at this many rows, or after `ARCHIVE_EVERY_MS`. */
const ARCHIVE_ROWS_MAX = 50_000;
const ARCHIVE_EVERY_MS = 2_000;
const WANTED_EVERY_MS = 10;
/** By the journal's time. */
const HEAD_EVERY_MS = 60 * 60_000;
/** Counted in commands: each rest reads the clock. */
const RESTS_EVERY = 16;

export class Shadow {
  readonly #reader: JournalReader;
  readonly #snapshots: ShadowSnapshots;
  readonly #engine: Engine;
  readonly #archive: ArchiveWriter;
  readonly #oldRows: OldRowsCheck;
  #position: ArchivePosition;
  #archivedAtMs: number;
  #headMs = Number.NEGATIVE_INFINITY;
  #wantedSeq = 0;
  #sinceRest = 0;
  /** Refusals at the operator port that the archive has not reached yet. */
  #refused: RefusedAt[] = [];

  /** `note` gets sentences for the operator, `onHead` the journal's newest batch, to be signed. Throws the errors of reading and writing. */
  constructor(
    private readonly options: ShadowOptions,
    private readonly clock: ShadowClock,
    note: (text: string) => void,
    private readonly rest: Rest = noRest,
    onNews: (news: ShadowNews) => void = () => undefined,
    private readonly onHead: (head: ArchivePosition) => void = () => undefined,
  ) {
    const { dir } = options;
    const files = new SnapshotFiles(dir.snapshots, rest);
    this.#reader = new JournalReader(dir, SLICE_CHARS_MAX);
    const { endSeq, start } = orClosed(this.#reader, (reader) => ({
      endSeq: reader.lastSeq,
      start: findStart(dir, reader, files, clock.nowMs(), note, rest),
    }));
    const { engine, chain, archive } = start;
    this.#engine = engine;
    this.#archive = archive;
    this.#position = { seq: engine.seq, timeMs: engine.timeMs, digest: engine.rollingDigest(), chain };
    this.#oldRows = new OldRowsCheck(dir, this.#engine.seq, note, rest);
    if (this.#engine.seq === this.#archive.progress.seq) this.#archive.follow(this.#engine);
    this.#snapshots = new ShadowSnapshots(files, endSeq, options, clock, note, rest, onNews);
    this.#archivedAtMs = clock.monotonicMs();
  }

  get appliedSeq(): number {
    return this.#position.seq;
  }
  get archiveSeq(): number {
    return this.#archive.progress.seq;
  }
  /** Someone waits for a command that the archive has not reached. */
  get isWanted(): boolean {
    return this.archiveSeq < this.#wantedSeq;
  }
  get snapshot(): SnapshotTaken | null {
    return this.#snapshots.newest;
  }
  get oldRows(): OldRowsState {
    return this.#oldRows.state;
  }
  /** A failure that will be tried again, or null. */
  get complaint(): string | null {
    return this.#snapshots.complaint;
  }

  /** The archive is committed as soon as it reaches this command, but not in quick succession. */
  want(seq: number): void {
    this.#wantedSeq = Math.max(this.#wantedSeq, seq);
  }

  keepRefusals(refused: RefusedAt): void {
    this.#refused.push(refused);
  }

  /**
   * Does one slice of the journal, one piece of a snapshot, or a chunk of the old rows, and returns the work to do
   * next. Throws `replay_mismatch`, and the errors of reading and writing. After a throw the shadow can only be
   * abandoned.
   */
  step(): 'idle' | 'checking' | 'behind' | 'saving' {
    if (!this.#snapshots.isSaving) {
      const { batches, isEnd } = this.#readSlice();
      for (const batch of batches) this.#apply(batch);
      this.#snapshots.meter(batches.length > 0);
      this.#writeArchiveIfDue();
      this.rest();
      if (!this.#snapshots.shouldBegin(this.#engine.seq)) {
        if (!isEnd) return 'behind';
        this.#tellHeadIfDue();
        return this.#oldRows.step() ? 'checking' : 'idle';
      }
      this.#writeArchive();
      this.#snapshots.begin(this.#engine, this.#position);
    }
    this.#snapshots.goOn();
    return this.#snapshots.isSaving ? 'saving' : 'behind';
  }

  /** At the journal's end: once after the start, then each hour. */
  #tellHeadIfDue(): void {
    const { seq, timeMs } = this.#position;
    if (seq === 0 || timeMs - this.#headMs < HEAD_EVERY_MS) return;
    this.#headMs = timeMs;
    this.onHead(this.#position);
  }

  /** Later batches are not in the replicated log, and may be taken back. */
  #seqMax(): number {
    const { replicatedSeq } = this.options;
    return replicatedSeq === undefined ? Number.POSITIVE_INFINITY : Number(Atomics.load(replicatedSeq, 0));
  }

  #readSlice(): { readonly batches: readonly StoredBatch[]; readonly isEnd: boolean } {
    const batches: StoredBatch[] = [];
    let chars = 0;
    const seqMax = this.#seqMax();
    for (const batch of this.#reader.readBatches(this.#position.seq, this.#position.chain)) {
      if (batch.lastSeq > seqMax) break;
      batches.push(batch);
      chars += batch.commands.length;
      this.rest();
      if (chars >= SLICE_CHARS_MAX) return { batches, isEnd: false };
    }
    return { batches, isEnd: true };
  }

  #apply(batch: StoredBatch): void {
    try {
      replayBatch(this.#engine, batch, ({ seq, events }, command) => {
        this.#archive.add(seq, command, events);
        this.#sinceRest = (this.#sinceRest + 1) % RESTS_EVERY;
        if (this.#sinceRest === 0) this.rest();
      });
    } catch (thrown) {
      throw asDivergence(thrown);
    }
    const { lastSeq: seq, timeMs, digest, chain } = batch;
    this.#position = { seq, timeMs, digest, chain };
    if (seq === this.archiveSeq) this.#archive.follow(this.#engine);
  }

  #writeArchiveIfDue(): void {
    const nowMs = this.clock.monotonicMs();
    const isWanted = this.isWanted && this.#position.seq >= this.#wantedSeq;
    const everyMs = isWanted ? WANTED_EVERY_MS : ARCHIVE_EVERY_MS;
    const isDue = this.#archive.pendingRows >= ARCHIVE_ROWS_MAX || nowMs - this.#archivedAtMs >= everyMs;
    if (isDue) this.#writeArchive();
  }

  #writeArchive(): void {
    const { seq } = this.#position;
    const due = seq < this.archiveSeq ? [] : this.#refused.filter((refused) => refused.seq <= seq);
    if (seq <= this.archiveSeq && due.length === 0) {
      this.#archive.requireInPlace();
      return;
    }
    this.#archive.commit(this.#position, due);
    this.#refused = this.#refused.filter((refused) => !due.includes(refused));
    this.#archivedAtMs = this.clock.monotonicMs();
  }

  close(): void {
    try {
      this.#writeArchive();
    } finally {
      this.abandon();
    }
  }

  abandon(): void {
    this.#snapshots.abandon();
    this.#archive.close();
    this.#reader.close();
  }
}

/**
 * Ends the server. An engine error other than an AssertionError, such as too little memory, says nothing about the
 * journal: it is thrown as it is, and the shadow tries again.
 */
function asDivergence(thrown: unknown): unknown {
  if (!(thrown instanceof ReplayMismatch)) return thrown;
  const { what, cause } = thrown;
  if (cause !== undefined && !(cause instanceof AssertionError)) return cause;
  return new JournalError(
    'replay_mismatch',
    `The shadow does not come to the state that the journal tells of. ${what} Neither is to be trusted before it is known ` +
      'which is wrong: `verify` says what a replay of the journal comes to.',
    { cause },
  );
}
