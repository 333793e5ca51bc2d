/**
 * The shadow: a second engine that carries out what the journal holds (design, "Snapshots without a pause"). After
 * every batch it holds its rolling digest against the row's, which is a running proof that replay gives the state that
 * is being served; it writes the snapshots and feeds the archive. It knows nothing of threads: `shadow-worker.ts` runs
 * it, a slice at a time.
 *
 * Engine and archive go on together: where the archive cannot be written the shadow ends with an error, and a new one
 * begins later, at a snapshot that is not after the archive's end. A snapshot that cannot be written holds nothing up.
 */
import { statSync } from 'node:fs';
import { AssertionError } from '../engine/assert.js';
import type { Command } from '../engine/commands.js';
import type { Engine } from '../engine/engine.js';
import type { Clock, StoredBatch } from '../engine/ports.js';
import type { SnapshotRef } from '../engine/snapshot/store.js';
import type { ArchivePosition, ArchiveWriter } from './archive-writer.js';
import { decodeCommands } from './decode-batch.js';
import { codeOf, JournalError, messageOf } from './errors.js';
import { fileBytes } from './files.js';
import { type JournalReader, openJournalReader } from './journal-reader.js';
import { noRest, type Rest } from './pace.js';
import { carryOut, planPrune } from './retention.js';
import type { ShadowOptions, SnapshotTaken } from './shadow-messages.js';
import { findStart } from './shadow-start.js';
import { SnapshotFiles } from './snapshot-files.js';

/** Read in one short transaction, which never holds up the writer's checkpoints for long. */
const SLICE_CHARS_MAX = 192 * 1024;
/** The archive's transaction is committed when it has so many rows, or after so long. */
const ARCHIVE_ROWS_MAX = 20_000;
const ARCHIVE_EVERY_MS = 500;
const SNAPSHOT_RETRY_MS = 60_000;
/** After a snapshot the shadow follows for at least so many times as long as that took: it must come on. */
const FOLLOWING_PER_SAVING = 2;

export class Shadow {
  readonly #reader: JournalReader;
  readonly #snapshots: SnapshotFiles;
  readonly #engine: Engine;
  readonly #archive: ArchiveWriter;
  /** Where the engine stands. */
  #position: ArchivePosition;
  #archivedAtMs: number;
  #snapshotSeq: number;
  /** Monotonic time from which the next snapshot's turn is counted. */
  #snapshotAtMs: number;
  #snapshotNotBeforeMs = 0;
  /** A snapshot that is being written: until it is done the engine stands still. */
  #saving: Generator<number, SnapshotRef, undefined> | null = null;
  #savingSinceMs = 0;
  #snapshot: SnapshotTaken | null;
  #complaint: string | null = null;

  /**
   * Finds its beginning; `note` hears what an operator should know of it. `rest` is called here and in every step, again
   * and again between small pieces of work, at moments when the journal is not being read. Throws what reading and
   * writing throw.
   */
  constructor(
    private readonly options: ShadowOptions,
    private readonly clock: Clock,
    private readonly note: (text: string) => void,
    private readonly rest: Rest = noRest,
  ) {
    const { dir } = options;
    this.#reader = openJournalReader(dir, SLICE_CHARS_MAX);
    try {
      this.#snapshots = new SnapshotFiles(dir.snapshots, rest);
      const { engine, chain, archive } = findStart(
        dir,
        this.#reader,
        this.#snapshots,
        clock.nowMs(),
        note,
        rest,
      );
      this.#engine = engine;
      this.#archive = archive;
      this.#position = { seq: engine.seq, timeMs: engine.timeMs, digest: engine.rollingDigest(), chain };
    } catch (thrown) {
      this.#reader.close();
      throw thrown;
    }
    if (this.#engine.seq === this.#archive.progress.seq) this.#archive.follow(this.#engine);
    this.#snapshot = newestSnapshot(this.#snapshots, this.#reader.lastSeq);
    this.#snapshotSeq = this.#snapshot?.seq ?? 0;
    this.#archivedAtMs = clock.monotonicMs();
    this.#snapshotAtMs = clock.monotonicMs();
  }

  get appliedSeq(): number {
    return this.#position.seq;
  }
  get archiveSeq(): number {
    return this.#archive.progress.seq;
  }
  get snapshot(): SnapshotTaken | null {
    return this.#snapshot;
  }
  /** What it could not do and will try again, or null. */
  get complaint(): string | null {
    return this.#complaint;
  }

  /**
   * Goes on by one slice of the journal, or by one piece of a snapshot, and says what there is to do next. Throws
   * `replay_mismatch` where the engine comes to another digest than the journal has, and what reading the journal or
   * writing the archive throws; after a throw the shadow is only good for `abandon`.
   */
  step(): 'idle' | 'behind' | 'saving' {
    if (this.#saving === null) {
      const batches = this.#readSlice();
      for (const batch of batches) this.#apply(batch);
      this.#writeArchiveIfDue();
      this.rest();
      if (!this.#snapshotIsDue) return batches.length > 0 ? 'behind' : 'idle';
      this.#beginSnapshot();
    }
    if (this.#saving !== null) this.#continueSnapshot(this.#saving);
    return this.#saving === null ? 'behind' : 'saving';
  }

  /** As much as the reader reads at once. */
  #readSlice(): StoredBatch[] {
    const batches: StoredBatch[] = [];
    let chars = 0;
    for (const batch of this.#reader.readBatches(this.#position.seq)) {
      batches.push(batch);
      chars += batch.commands.length;
      this.rest();
      if (chars >= SLICE_CHARS_MAX) break;
    }
    return batches;
  }

  #apply(batch: StoredBatch): void {
    for (const command of this.#decode(batch)) {
      this.#applyCommand(command, batch);
      this.rest();
    }
    const digest = this.#engine.rollingDigest();
    if (digest !== batch.digest || this.#engine.seq !== batch.lastSeq) throw diverged(batch, digest);
    this.#position = { seq: batch.lastSeq, timeMs: batch.timeMs, digest, chain: batch.chain };
    if (batch.lastSeq === this.archiveSeq) this.#archive.follow(this.#engine);
  }

  #decode(batch: StoredBatch): Command[] {
    try {
      return decodeCommands(batch.commands);
    } catch (thrown) {
      if (!(thrown instanceof AssertionError)) throw thrown;
      throw diverged(batch, `none: one of its commands is not known (${thrown.message})`);
    }
  }

  #applyCommand(command: Command, batch: StoredBatch): void {
    let refusal = '';
    try {
      const outcome = this.#engine.apply(command);
      if (outcome.status === 'accepted') {
        this.#archive.add(outcome.seq, outcome.events);
        return;
      }
      refusal = outcome.status === 'rejected' ? `${outcome.code} ${outcome.detail}` : outcome.status;
    } catch (thrown) {
      if (!(thrown instanceof AssertionError)) throw thrown;
      refusal = thrown.message;
    }
    throw diverged(batch, `none: command ${this.#engine.seq + 1} is refused (${refusal})`);
  }

  #writeArchiveIfDue(): void {
    const nowMs = this.clock.monotonicMs();
    const isDue =
      this.#archive.pendingRows >= ARCHIVE_ROWS_MAX || nowMs - this.#archivedAtMs >= ARCHIVE_EVERY_MS;
    if (isDue) this.#writeArchive();
  }

  /** Brings the archive's file to where the engine stands. */
  #writeArchive(): void {
    if (this.#position.seq <= this.archiveSeq) return;
    this.#archive.commit(this.#position);
    this.#archivedAtMs = this.clock.monotonicMs();
  }

  get #snapshotIsDue(): boolean {
    const { snapshotCommands, snapshotEveryMs } = this.options;
    const nowMs = this.clock.monotonicMs();
    const commands = this.#position.seq - this.#snapshotSeq;
    const isDue =
      commands >= snapshotCommands || (commands > 0 && nowMs - this.#snapshotAtMs >= snapshotEveryMs);
    return isDue && nowMs >= this.#snapshotNotBeforeMs;
  }

  #beginSnapshot(): void {
    this.#writeArchive();
    this.#savingSinceMs = this.clock.monotonicMs();
    this.#saving = this.#snapshots.saving(this.#engine, this.#position.chain);
  }

  /** The next piece. */
  #continueSnapshot(saving: Generator<number, SnapshotRef, undefined>): void {
    try {
      const piece = saving.next();
      if (piece.done !== true) return;
      this.#saving = null;
      this.#endSnapshot(piece.value);
      this.#complaint = null;
    } catch (thrown) {
      this.#saving = null;
      this.#snapshotNotBeforeMs = this.clock.monotonicMs() + SNAPSHOT_RETRY_MS;
      if (this.#complaint === null) this.note(messageOf(thrown));
      this.#complaint = `no snapshot can be written (${codeOf(thrown)})`;
    }
  }

  #endSnapshot({ seq, name }: SnapshotRef): void {
    const { dir, segmentsKeptMs: segmentsMs, snapshotsKept } = this.options;
    const nowMs = this.clock.monotonicMs();
    const tookMs = nowMs - this.#savingSinceMs;
    this.#snapshot = { seq, atMs: this.clock.nowMs(), bytes: fileBytes(name), tookMs };
    this.#snapshotSeq = seq;
    this.#snapshotAtMs = nowMs;
    this.#snapshotNotBeforeMs = nowMs + FOLLOWING_PER_SAVING * tookMs;
    const plan = planPrune(dir, { segmentsMs, snapshotsKept }, this.#position.timeMs, this.rest);
    carryOut(dir, plan);
    for (const { firstSeq, lastSeq } of plan.segments) {
      this.note(`Sequence numbers ${firstSeq} to ${lastSeq} have left the journal, as TOTE_RETENTION says.`);
    }
  }

  /** Writes what waits for the archive, if it can, and lets go of all files. */
  close(): void {
    try {
      this.#writeArchive();
    } finally {
      this.abandon();
    }
  }

  /** Lets go of all files as they are. */
  abandon(): void {
    this.#saving?.return({ seq: 0, name: '' });
    this.#archive.close();
    this.#reader.close();
  }
}

/** Of those that the journal reaches: one after its end is not of this journal, and puts off no other. */
function newestSnapshot(snapshots: SnapshotFiles, endSeq: number): SnapshotTaken | null {
  const ref = snapshots.list().find(({ seq }) => seq <= endSeq);
  const file = ref === undefined ? undefined : statSync(ref.name, { throwIfNoEntry: false });
  if (ref === undefined || file === undefined) return null;
  return { seq: ref.seq, atMs: file.mtimeMs, bytes: file.size, tookMs: null };
}

function diverged(batch: StoredBatch, digest: string): JournalError {
  return new JournalError(
    'replay_mismatch',
    `The shadow does not come to the state that the journal tells of. Batch ${batch.firstSeq} to ${batch.lastSeq}: the ` +
      `shadow's rolling digest is ${digest}, the journal's is ${batch.digest}. Neither is to be trusted before it is ` +
      'known which is wrong: `verify` says what a replay of the journal comes to.',
  );
}
