/**
 * Replays a journal, from any store, and compares the engine's rolling digest with each row's. Recovery, shadow,
 * history and `verify` all replay by these functions. The mark shows that a journal has lost its tail.
 */
import { messageOf } from '../../engine/base/attempt.js';
import type { Engine } from '../../engine/engine.js';
import type { Command } from '../../engine/model/commands.js';
import type { Accepted, Outcome } from '../../engine/model/events.js';
import type { Clock, Mark, StoredBatch } from '../../engine/model/ports.js';
import { JournalError } from '../errors.js';
import { decodeCommands } from './decode-batch.js';

const PROGRESS_EVERY_MS = 500;
const PROGRESS_EVERY_BATCHES = 64;

export interface RecoveryProgress {
  readonly phase: 'copy' | 'check' | 'snapshot' | 'replay';
  readonly commandsDone: number;
  readonly commandsTotal: number;
  readonly commandsPerSecond: number;
  /** At the present rate; null if not known. */
  readonly secondsLeft: number | null;
}
export type OnProgress = (progress: RecoveryProgress) => void;

export class ProgressMeter {
  readonly #startMs: number;
  #lastMs: number;
  #batches = 0;

  /** `endSeq` is 0 if not known. */
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

type Row = Pick<StoredBatch, 'firstSeq' | 'lastSeq' | 'digest'>;

/** The engine gives another outcome than the one that wrote the journal, or does not know one of its commands. */
export class ReplayMismatch extends JournalError {
  /** `what` names the batch and what is wrong with it, in a sentence. */
  constructor(
    readonly what: string,
    options?: ErrorOptions,
  ) {
    super('replay_mismatch', `${what} Start the version of the server that wrote the journal.`, options);
  }
}

/** Throws `ReplayMismatch` if this program does not know a command. */
export function commandsOf(row: Row & Pick<StoredBatch, 'commands'>): Command[] {
  try {
    return decodeCommands(row.commands);
  } catch (thrown) {
    throw notReplayed(row, messageOf(thrown), { cause: thrown });
  }
}

/** Throws `ReplayMismatch`, and the errors of `onApplied`. */
export function replayBatch(
  engine: Engine,
  row: Row & Pick<StoredBatch, 'commands'>,
  onApplied: (outcome: Accepted, command: Command) => void = () => {},
): void {
  for (const command of commandsOf(row)) onApplied(replayCommand(engine, command, row), command);
  checkReplayed(engine, row);
}

/** The command was accepted before; throws `ReplayMismatch` if it is not now. */
export function replayCommand(engine: Engine, command: Command, row: Row): Accepted {
  const outcome = applyCommand(engine, command, row);
  if (outcome.status === 'accepted') return outcome;
  const why = outcome.status === 'rejected' ? ` (${outcome.code} ${outcome.detail})` : '';
  throw notReplayed(row, `command ${engine.seq + 1}, ${command.kind}, is ${outcome.status}${why}`);
}

function applyCommand(engine: Engine, command: Command, row: Row): Outcome {
  try {
    return engine.apply(command);
  } catch (thrown) {
    const what = `command ${engine.seq + 1}, ${command.kind}: ${messageOf(thrown)}`;
    throw notReplayed(row, what, { cause: thrown });
  }
}

export function checkReplayed(engine: Engine, row: Row): void {
  if (engine.seq !== row.lastSeq) throw notReplayed(row, `it holds commands up to ${engine.seq}`);
  const digest = engine.rollingDigest();
  if (digest === row.digest) return;
  throw new ReplayMismatch(
    `Batch ${row.firstSeq} to ${row.lastSeq}: the engine's rolling digest is ${digest}, the journal's is ${row.digest}.`,
  );
}

function notReplayed(row: Row, why: string, options?: ErrorOptions): ReplayMismatch {
  return new ReplayMismatch(`Batch ${row.firstSeq} to ${row.lastSeq} cannot be replayed: ${why}.`, options);
}

/** `journal_incomplete` */
function endMissing(endSeq: number, acknowledgedSeq: number): JournalError {
  const without =
    endSeq === 0
      ? '.'
      : `, or go on without them in a new one: npx tote restore DATA_DIR --to ${endSeq} --out NEW_DIR`;
  return new JournalError(
    'journal_incomplete',
    `The journal ends at sequence number ${endSeq}, but ${acknowledgedSeq} was acknowledged: ${endSeq + 1} to ` +
      `${acknowledgedSeq} are missing. Put the data directory back from a backup${without}`,
  );
}

/**
 * `checksumAtMark` is that of the row that ends at the mark, or null. Throws `mark_unreadable` if a journal with
 * batches has no mark, `journal_incomplete` if acknowledged batches are missing, and `journal_corrupt` if the
 * acknowledged batch is another one.
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
  if (endSeq < mark.lastSeq) throw endMissing(endSeq, mark.lastSeq);
  if (mark.lastSeq > 0 && checksumAtMark !== mark.checksum) {
    throw new JournalError(
      'journal_corrupt',
      `The journal's batch that ends at sequence number ${mark.lastSeq} is not the one that was acknowledged ` +
        `(checksum ${checksumAtMark ?? 'none: no batch ends there'}, acknowledged ${mark.checksum}). ` +
        'Journal and mark are not of one data directory: put both back from one backup.',
    );
  }
}
