/**
 * Replaying a journal, over any store: batches go to the engine in order, and its rolling digest is compared with
 * the one in the row after each. The end is compared with the mark, so that a journal that lost its tail is
 * refused and not taken for a shorter one (design, "The journal").
 */
import type { Clock, JournalStore, Mark, StoredBatch } from '../engine/ports.js';
import { JournalError, messageOf } from './errors.js';

const PROGRESS_EVERY_MS = 500;
/** The clock is looked at once in so many batches. */
const PROGRESS_EVERY_BATCHES = 64;

export interface RecoveryProgress {
  readonly phase: 'copy' | 'check' | 'replay';
  readonly commandsDone: number;
  /** Commands in the journal; 0 where that is not known yet. */
  readonly commandsTotal: number;
  readonly commandsPerSecond: number;
}
export type OnProgress = (progress: RecoveryProgress) => void;

/** Where a journal ended. */
export interface JournalEnd {
  /** 0 in an empty journal. */
  readonly lastSeq: number;
  /** Engine time of the last command; 0 in an empty journal. */
  readonly lastTimeMs: number;
  readonly checksum: string;
  readonly batches: number;
}

/** Counts commands that go by and reports them at intervals. */
export class ProgressMeter {
  readonly #startMs: number;
  #lastMs: number;
  #batches = 0;

  constructor(
    readonly phase: RecoveryProgress['phase'],
    readonly commandsTotal: number,
    readonly clock: Pick<Clock, 'monotonicMs'>,
    readonly onProgress: OnProgress,
  ) {
    this.#startMs = clock.monotonicMs();
    this.#lastMs = this.#startMs;
  }

  /** To be called after each batch. */
  count(lastSeq: number): void {
    this.#batches += 1;
    if (this.#batches % PROGRESS_EVERY_BATCHES !== 0) return;
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.#lastMs < PROGRESS_EVERY_MS) return;
    this.#lastMs = nowMs;
    const commandsPerSecond = Math.round((lastSeq * 1_000) / (nowMs - this.#startMs));
    const { phase, commandsTotal } = this;
    this.onProgress({ phase, commandsDone: lastSeq, commandsTotal, commandsPerSecond });
  }
}

/**
 * Hands every batch of `store` to `apply`, which carries out its commands and returns the engine's rolling digest
 * after them. Throws `replay_mismatch` where that is not the row's, `journal_incomplete` and
 * `mark_unreadable` as `checkMark` does, and what the store's reading throws.
 */
export function replayJournal(
  store: Pick<JournalStore, 'readBatches' | 'readMark'>,
  apply: (batch: StoredBatch) => string,
  meter: ProgressMeter,
): JournalEnd {
  const mark = store.readMark();
  let checksumAtMark: string | null = null;
  let end: JournalEnd = { lastSeq: 0, lastTimeMs: 0, checksum: '', batches: 0 };
  for (const batch of store.readBatches(0)) {
    const digest = applyBatch(batch, apply);
    if (digest !== batch.digest) throw mismatch(batch, digest);
    if (batch.lastSeq === mark?.lastSeq) checksumAtMark = batch.checksum;
    const { lastSeq, timeMs: lastTimeMs, checksum } = batch;
    end = { lastSeq, lastTimeMs, checksum, batches: end.batches + 1 };
    meter.count(lastSeq);
  }
  checkMark(mark, end.lastSeq, checksumAtMark);
  return end;
}

/**
 * Compares the mark with a journal that ends at `endSeq` and whose row that ends at the mark's sequence number,
 * if any, has `checksumAtMark`. Throws `mark_unreadable` where a journal with batches has no mark,
 * `journal_incomplete` where acknowledged batches are missing, `journal_corrupt` where they are others.
 */
export function checkMark(mark: Mark | null, endSeq: number, checksumAtMark: string | null): void {
  if (mark === null) {
    if (endSeq === 0) return;
    throw new JournalError(
      'mark_unreadable',
      `The journal has batches up to sequence number ${endSeq}, but its mark is missing, so nothing says whether ` +
        'later ones were acknowledged. Put the file `mark` back from a backup, or make a new data directory with `restore`.',
    );
  }
  if (endSeq < mark.lastSeq) {
    throw new JournalError(
      'journal_incomplete',
      `The journal ends at sequence number ${endSeq}, but ${mark.lastSeq} was acknowledged: ${endSeq + 1} to ` +
        `${mark.lastSeq} are missing. Put the data directory back from a backup, or go on without them by making a ` +
        `new one with \`restore\` to sequence number ${endSeq}.`,
    );
  }
  if (mark.lastSeq > 0 && checksumAtMark !== mark.checksum) {
    throw new JournalError(
      'journal_corrupt',
      `The journal's batch that ends at sequence number ${mark.lastSeq} is not the one that was acknowledged ` +
        `(checksum ${checksumAtMark ?? 'none: no batch ends there'}, acknowledged ${mark.checksum}). ` +
        'Journal and mark are not of one data directory: put both back from one backup.',
    );
  }
}

function applyBatch(batch: StoredBatch, apply: (batch: StoredBatch) => string): string {
  try {
    return apply(batch);
  } catch (thrown) {
    throw new JournalError(
      'replay_mismatch',
      `The commands ${batch.firstSeq} to ${batch.lastSeq} of the journal cannot be carried out again: ` +
        `${messageOf(thrown)}. Start the version of the server that wrote them.`,
      { cause: thrown },
    );
  }
}

function mismatch(batch: StoredBatch, digest: string): JournalError {
  return new JournalError(
    'replay_mismatch',
    `After sequence number ${batch.lastSeq} (batch from ${batch.firstSeq}) the engine's rolling digest is ${digest}, ` +
      `the journal's is ${batch.digest}: this version decides otherwise than the one that wrote it. Start that version.`,
  );
}
