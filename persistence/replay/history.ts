/**
 * What a journal tells of the past: the engine as it was at any sequence number, and every command with what it
 * did. Snapshots shorten the way; where retention has deleted the beginning, the oldest usable one is the beginning.
 */
import { assert } from '../../engine/base/assert.js';
import { Engine } from '../../engine/engine.js';
import type { SnapshotRef, SnapshotStore } from '../../engine/host/snapshot-store.js';
import type { Command } from '../../engine/model/commands.js';
import type { EngineEvent } from '../../engine/model/events.js';
import type { JournalStore, StoredBatch } from '../../engine/model/ports.js';
import { JournalError } from '../errors.js';
import { decodeCommands } from './decode-batch.js';
import { checkReplayed, type DecodedBatch, decodeBatches, replayCommand } from './replay.js';
import { firstUsable } from './usable-snapshot.js';

/** One accepted command. `engine` stands right behind it, until the next step is asked for. */
export interface Step {
  readonly seq: number;
  readonly command: Command;
  readonly events: readonly EngineEvent[];
  readonly engine: Engine;
}

/** As `JournalReader` has it. */
export interface HistoryJournal extends Pick<JournalStore, 'readBatches' | 'chainAt'> {
  readonly firstSeq: number;
  readonly lastSeq: number;
}

export interface HistoryOptions {
  /** The journal's batches after `afterSeq`, up to about `endSeq`; read as they are asked for where absent. */
  readonly batchesAfter?: (afterSeq: number, endSeq: number) => Iterable<DecodedBatch>;
  /** Called with the last sequence number of every replayed batch. */
  readonly onSeq?: (seq: number) => void;
  /** Called with a sentence about each unusable snapshot. */
  readonly onNote?: (sentence: string) => void;
}

export class History {
  /** First command of the journal, and the last one at the time of opening. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly #journal: HistoryJournal;
  readonly #snapshots: Pick<SnapshotStore, 'list' | 'load'>;
  readonly #options: HistoryOptions;

  constructor(
    journal: HistoryJournal,
    snapshots: Pick<SnapshotStore, 'list' | 'load'>,
    options: HistoryOptions = {},
  ) {
    this.firstSeq = journal.firstSeq;
    this.lastSeq = journal.lastSeq;
    this.#journal = journal;
    this.#snapshots = snapshots;
    this.#options = options;
  }

  /** Whether the journal still has its beginning. */
  get isFromFirst(): boolean {
    return this.firstSeq === 1;
  }

  /** The oldest state that can be had: nothing at all, or the oldest usable snapshot of a journal without its beginning. */
  beginning(): Engine {
    if (this.isFromFirst) return new Engine();
    const oldestFirst = [...this.#snapshots.list()].reverse();
    const reachable = oldestFirst.filter(({ seq }) => seq >= this.firstSeq - 1);
    return this.#firstUsable(reachable) ?? this.#refuse(this.firstSeq - 1);
  }

  /** The engine right after command `seq`; 0 is before the first. Throws `not_found` and what reading throws. */
  engineAt(seq: number): Engine {
    const engine = this.startFor(seq);
    for (const step of this.carryOn(engine, seq)) assert(step.seq <= seq, 'a step too many');
    return engine;
  }

  /** Commands `fromSeq` to `toSeq`, in order. Throws `not_found` and what reading throws. */
  *walk(fromSeq: number, toSeq: number): Generator<Step, void, undefined> {
    const engine = this.startFor(fromSeq - 1);
    for (const step of this.carryOn(engine, toSeq)) if (step.seq >= fromSeq) yield step;
  }

  /** Whether there is something from which the state at `seq` can be worked out; whether it is good is not looked at. */
  hasStateFor(seq: number): boolean {
    return this.isFromFirst || this.#snapshotsFor(seq).length > 0;
  }

  /** The newest state that can be had at or before `seq`, without carrying out anything. */
  startFor(seq: number): Engine {
    if (seq > this.lastSeq) {
      throw new JournalError(
        'not_found',
        `Sequence number ${seq} does not exist: the journal ends at ${this.lastSeq}.`,
      );
    }
    const engine = this.#firstUsable(this.#snapshotsFor(seq));
    if (engine !== null) return engine;
    return this.isFromFirst ? new Engine() : this.#refuse(seq);
  }

  /**
   * Carries `engine`, which stands at the end of a batch, on to command `toSeq`. After each whole batch its rolling
   * digest must be the row's. Throws `replay_mismatch` and what reading throws.
   */
  *carryOn(engine: Engine, toSeq: number): Generator<Step, void, undefined> {
    if (engine.seq >= toSeq) return;
    const { batchesAfter = (seq) => decodeBatches(this.#journal.readBatches(seq)) } = this.#options;
    for (const batch of batchesAfter(engine.seq, toSeq)) {
      assert(batch.row.firstSeq === engine.seq + 1, 'the engine stands at the end of a batch');
      yield* carryOut(engine, batch, toSeq);
      this.#options.onSeq?.(engine.seq);
      if (engine.seq >= toSeq) return;
    }
    throw missingAfter(engine.seq);
  }

  /** The last command at or before `timeMs`; where there is none, the number before the first. Time never goes back. */
  seqAt(timeMs: number): number {
    let low = this.firstSeq - 1;
    let high = this.lastSeq;
    while (low < high) {
      const batch = this.#batchAfter(Math.floor((low + high) / 2));
      const earlier = batch.timeMs <= timeMs ? batch.lastSeq : batch.firstSeq - 1 + countUpTo(batch, timeMs);
      if (earlier >= batch.firstSeq && earlier < batch.lastSeq) return earlier;
      if (earlier === batch.lastSeq) low = earlier;
      else high = earlier;
    }
    return low;
  }

  /** The batch that holds the command after `seq`, which is there. */
  #batchAfter(seq: number): StoredBatch {
    for (const batch of this.#journal.readBatches(seq)) return batch;
    throw missingAfter(seq);
  }

  /** Those from which the journal leads to `seq`, newest first. */
  #snapshotsFor(seq: number): readonly SnapshotRef[] {
    return this.#snapshots.list().filter((ref) => ref.seq <= seq && ref.seq >= this.firstSeq - 1);
  }

  #firstUsable(refs: readonly SnapshotRef[]): Engine | null {
    const note = this.#options.onNote ?? (() => {});
    return firstUsable(refs, this.#snapshots, this.#journal, note)?.engine ?? null;
  }

  #refuse(seq: number): never {
    throw new JournalError(
      'not_found',
      `The state at sequence number ${seq} cannot be worked out any more: the journal begins at ${this.firstSeq}, ` +
        'and there is no good snapshot between the two.',
    );
  }
}

function* carryOut(
  engine: Engine,
  { row, commands }: DecodedBatch,
  toSeq: number,
): Generator<Step, void, undefined> {
  for (const command of commands) {
    if (engine.seq >= toSeq) return;
    const { seq, events } = replayCommand(engine, command, row);
    yield { seq, command, events, engine };
  }
  checkReplayed(engine, row);
}

/** Retention may delete a segment while a long read is on its way to it. */
const missingAfter = (seq: number): JournalError =>
  new JournalError(
    'journal_incomplete',
    `The journal's batches after sequence number ${seq} are not there any more. Try again.`,
  );

function countUpTo(batch: StoredBatch, timeMs: number): number {
  const later = decodeCommands(batch.commands).findIndex((command) => command.timeMs > timeMs);
  return later < 0 ? batch.lastSeq - batch.firstSeq + 1 : later;
}
