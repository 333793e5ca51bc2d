/**
 * Replaying a journal, over any store: batches go to the engine in order, and its rolling digest is compared with
 * the row's after each. Whoever replays (recovery, shadow, history, `verify`) does it here. Where the journal ends
 * is compared with the mark, so that a journal that lost its tail is refused, not taken for a shorter one (design, "The journal").
 *
 * Reading and decoding batches is separate from applying them (`DecodedBatch`): either can be done elsewhere.
 */
import type { Engine } from '../../engine/engine.js';
import type { Command } from '../../engine/model/commands.js';
import type { Accepted, Outcome } from '../../engine/model/events.js';
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

/**
 * This engine decides otherwise than the one that wrote the journal, or does not know a command of it. `cause` is what was
 * thrown, where anything was.
 */
export class ReplayMismatch extends JournalError {
  /** `what` names the batch and what is wrong with it, in a sentence. */
  constructor(
    readonly what: string,
    options?: ErrorOptions,
  ) {
    super('replay_mismatch', `${what} Start the version of the server that wrote the journal.`, options);
  }
}

/** Decodes each row when its turn comes. Throws `ReplayMismatch` where this program does not know a command. */
export function* decodeBatches(rows: Iterable<StoredBatch>): Generator<DecodedBatch, void, undefined> {
  for (const row of rows) yield decodeBatch(row);
}

/** Throws `ReplayMismatch` where this program does not know a command. */
export function decodeBatch(row: StoredBatch): DecodedBatch {
  return { row, commands: commandsOf(row, () => decodeCommands(row.commands)) };
}

/** What `decode` makes of the row's text. Throws `ReplayMismatch` where it throws. */
export function commandsOf(row: DecodedBatch['row'], decode: () => Command[]): Command[] {
  try {
    return decode();
  } catch (thrown) {
    throw notReplayed(row, messageOf(thrown), { cause: thrown });
  }
}

/**
 * Replays a batch: applies its commands in order, tells `onApplied` of each, and compares the engine with the row at the
 * end. Throws `ReplayMismatch`, and what `onApplied` throws.
 */
export function replayBatch(
  engine: Engine,
  { row, commands }: DecodedBatch,
  onApplied: (outcome: Accepted) => void = () => {},
): void {
  for (const command of commands) onApplied(replayCommand(engine, command, row));
  checkReplayed(engine, row);
}

/** Applies the next command of the batch `row`. It was accepted once; throws `ReplayMismatch` where it is not now. */
export function replayCommand(engine: Engine, command: Command, row: DecodedBatch['row']): Accepted {
  const outcome = applyCommand(engine, command, row);
  if (outcome.status === 'accepted') return outcome;
  const why = outcome.status === 'rejected' ? ` (${outcome.code} ${outcome.detail})` : '';
  throw notReplayed(row, `command ${engine.seq + 1}, ${command.kind}, is ${outcome.status}${why}`);
}

function applyCommand(engine: Engine, command: Command, row: DecodedBatch['row']): Outcome {
  try {
    return engine.apply(command);
  } catch (thrown) {
    const what = `command ${engine.seq + 1}, ${command.kind}: ${messageOf(thrown)}`;
    throw notReplayed(row, what, { cause: thrown });
  }
}

/** Compares `engine`, which has replayed the commands of the batch `row`, with it. Throws `ReplayMismatch`. */
export function checkReplayed(engine: Engine, row: DecodedBatch['row']): void {
  if (engine.seq !== row.lastSeq) throw notReplayed(row, `it holds commands up to ${engine.seq}`);
  const digest = engine.rollingDigest();
  if (digest === row.digest) return;
  throw new ReplayMismatch(
    `Batch ${row.firstSeq} to ${row.lastSeq}: the engine's rolling digest is ${digest}, the journal's is ${row.digest}.`,
  );
}

function notReplayed(row: DecodedBatch['row'], why: string, options?: ErrorOptions): ReplayMismatch {
  return new ReplayMismatch(`Batch ${row.firstSeq} to ${row.lastSeq} cannot be replayed: ${why}.`, options);
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
