/**
 * Replaying a journal, over any store: batches go to the engine in order, and its rolling digest is compared with
 * the one in the row after each. Where the journal ends is compared with the mark, so that one that lost its tail is
 * refused and not taken for a shorter one (design, "The journal").
 *
 * Reading and decoding batches is kept apart from carrying them out (`DecodedBatch`): either can be done elsewhere.
 */
import { fail } from '../../engine/base/assert.js';
import type { Engine } from '../../engine/engine.js';
import type { Command } from '../../engine/model/commands.js';
import type { Clock, Mark, StoredBatch } from '../../engine/model/ports.js';
import { JournalError, messageOf } from '../errors.js';
import { decodeCommands } from './decode-batch.js';

const PROGRESS_EVERY_MS = 500;
/** The clock is looked at once in so many batches. */
const PROGRESS_EVERY_BATCHES = 64;

export interface RecoveryProgress {
  readonly phase: 'copy' | 'check' | 'snapshot' | 'replay';
  readonly commandsDone: number;
  /** Commands that the phase has to do; 0 where that is not known. */
  readonly commandsTotal: number;
  readonly commandsPerSecond: number;
  /** At this rate; null where it is not known. */
  readonly secondsLeft: number | null;
}
export type OnProgress = (progress: RecoveryProgress) => void;

/** Where a journal ended. */
export interface JournalEnd {
  /** 0 in an empty journal. */
  readonly lastSeq: number;
  /** Engine time of the last command; 0 in an empty journal. */
  readonly lastTimeMs: number;
  /** Of the last row; '' in an empty journal. */
  readonly checksum: string;
  /** How many rows were replayed. */
  readonly batches: number;
}

/** Counts commands that go by and reports them at intervals. */
export class ProgressMeter {
  readonly #startMs: number;
  #lastMs: number;
  #batches = 0;

  /** Sequence numbers go from `afterSeq` to `endSeq`, 0 where the end is not known. */
  constructor(
    readonly phase: RecoveryProgress['phase'],
    readonly afterSeq: number,
    readonly endSeq: number,
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
    const commandsDone = lastSeq - this.afterSeq;
    const commandsTotal = Math.max(this.endSeq - this.afterSeq, 0);
    const commandsPerSecond = Math.round((commandsDone * 1_000) / (nowMs - this.#startMs));
    const commandsLeft = commandsTotal - commandsDone;
    const secondsLeft =
      commandsLeft < 0 || commandsPerSecond === 0 ? null : Math.ceil(commandsLeft / commandsPerSecond);
    const { phase } = this;
    this.onProgress({ phase, commandsDone, commandsTotal, commandsPerSecond, secondsLeft });
  }
}

/** What replay needs of a row, and its commands read from their text. */
export interface DecodedBatch {
  readonly row: Pick<StoredBatch, 'firstSeq' | 'lastSeq' | 'digest' | 'checksum'>;
  readonly commands: readonly Command[];
}

/** Decodes each row when its turn comes. Throws `replay_mismatch` where this program does not know a command. */
export function* decodeBatches(rows: Iterable<StoredBatch>): Generator<DecodedBatch, void, undefined> {
  for (const row of rows) yield { row, commands: commandsOf(row, () => decodeCommands(row.commands)) };
}

/** What `decode` makes of the row's text. Throws `replay_mismatch` where it throws. */
export function commandsOf(row: DecodedBatch['row'], decode: () => Command[]): Command[] {
  try {
    return decode();
  } catch (thrown) {
    throw notAgain(row, thrown);
  }
}

/**
 * Carries out the commands of a batch. A journaled command was accepted once; one that is not accepted again was decided
 * by another engine. Throws `replay_mismatch`.
 */
export function applyBatch(engine: Engine, { row, commands }: DecodedBatch): void {
  try {
    for (const command of commands) {
      const { status } = engine.apply(command);
      if (status !== 'accepted') fail(`command ${engine.seq + 1}, ${command.kind}, is ${status}`);
    }
    if (engine.seq !== row.lastSeq) fail(`the batch holds commands up to ${engine.seq}`);
  } catch (thrown) {
    throw notAgain(row, thrown);
  }
  const digest = engine.rollingDigest();
  if (digest === row.digest) return;
  throw new JournalError(
    'replay_mismatch',
    `After sequence number ${row.lastSeq} (batch from ${row.firstSeq}) the engine's rolling digest is ${digest}, ` +
      `the journal's is ${row.digest}: this version decides otherwise than the one that wrote it. Start that version.`,
  );
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
        'later ones were acknowledged. Put the file `mark` back from a backup of the same moment, or make a new data ' +
        'directory: npx tote restore DATA_DIR --out NEW_DIR',
    );
  }
  if (endSeq < mark.lastSeq) {
    const without =
      endSeq === 0
        ? '.'
        : `, or go on without them in a new one: npx tote restore DATA_DIR --to-seq ${endSeq} --out NEW_DIR`;
    throw new JournalError(
      'journal_incomplete',
      `The journal ends at sequence number ${endSeq}, but ${mark.lastSeq} was acknowledged: ${endSeq + 1} to ` +
        `${mark.lastSeq} are missing. Put the data directory back from a backup${without}`,
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

function notAgain(row: DecodedBatch['row'], thrown: unknown): JournalError {
  return new JournalError(
    'replay_mismatch',
    `The commands ${row.firstSeq} to ${row.lastSeq} of the journal cannot be carried out again: ` +
      `${messageOf(thrown)}. Start the version of the server that wrote them.`,
    { cause: thrown },
  );
}
