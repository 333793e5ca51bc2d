/**
 * The journal's history: the engine at any sequence number, and every command with its events. Snapshots shorten
 * the replay. Without the beginning of the journal, the oldest usable snapshot is the beginning.
 */
import { assert } from '../../engine/base/assert.js';
import { Engine } from '../../engine/engine.js';
import type { SnapshotRef, SnapshotStore } from '../../engine/host/snapshot-store.js';
import type { Command } from '../../engine/model/commands.js';
import type { EngineEvent } from '../../engine/model/events.js';
import type { ReadableJournal, StoredBatch } from '../../engine/model/ports.js';
import { JournalError } from '../errors.js';
import { checkReplayed, commandsOf, replayCommand } from './replay.js';
import { firstUsable } from './usable-snapshot.js';

export interface Step {
  readonly seq: number;
  readonly command: Command;
  readonly events: readonly EngineEvent[];
}

export interface HistoryJournal extends ReadableJournal {
  readonly firstSeq: number;
  readonly lastSeq: number;
}

interface HistoryOptions {
  /** Called with the last sequence number of every replayed batch. */
  readonly onSeq?: (seq: number) => void;
  readonly onNote?: (sentence: string) => void;
}

export class History {
  /** The last command is as of the opening. */
  readonly firstSeq: number;
  readonly lastSeq: number;

  constructor(
    private readonly journal: HistoryJournal,
    private readonly snapshots: SnapshotStore,
    private readonly options: HistoryOptions = {},
  ) {
    this.firstSeq = journal.firstSeq;
    this.lastSeq = journal.lastSeq;
  }

  get isFromFirst(): boolean {
    return this.firstSeq === 1;
  }

  /** The oldest state from which the journal can be replayed. It is not checked. */
  get oldestSeq(): number {
    return this.isFromFirst ? 0 : (this.#snapshotsFor(this.lastSeq).at(-1)?.seq ?? this.firstSeq - 1);
  }

  beginning(): Engine {
    if (this.isFromFirst) return new Engine();
    const oldestFirst = [...this.snapshots.list()].reverse();
    const reachable = oldestFirst.filter(({ seq }) => seq >= this.firstSeq - 1);
    return this.#firstUsable(reachable) ?? this.#refuse(this.firstSeq - 1);
  }

  /** Right after command `seq`, which may be 0. Throws `not_found` and the errors of reading. */
  engineAt(seq: number): Engine {
    const engine = this.startFor(seq);
    for (const step of this.replay(engine, seq)) assert(step.seq <= seq, 'a step too many');
    return engine;
  }

  /** The journal's beginning, or a snapshot, leads to `seq`. The snapshot is not checked. */
  hasStateFor(seq: number): boolean {
    return this.isFromFirst || this.#snapshotsFor(seq).length > 0;
  }

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
   * `engine` is at the end of a batch, and has just applied the command of each step. After each whole batch its rolling
   * digest is compared with the row's. Throws `replay_mismatch` and the errors of reading.
   */
  *replay(engine: Engine, toSeq: number): Generator<Step, void, undefined> {
    if (engine.seq >= toSeq) return;
    for (const row of this.journal.readBatches(engine.seq)) {
      assert(row.firstSeq === engine.seq + 1, 'the engine is at the end of a batch');
      yield* replaySteps(engine, row, toSeq);
      this.options.onSeq?.(engine.seq);
      if (engine.seq >= toSeq) return;
    }
    throw missingAfter(engine.seq);
  }

  /** Without events, which only an engine gives. Throws the errors of reading. */
  *commands(afterSeq: number, toSeq: number): Generator<Step, void, undefined> {
    if (afterSeq >= toSeq) return;
    for (const row of this.journal.readBatches(afterSeq)) {
      for (const [at, command] of commandsOf(row).entries()) {
        const seq = row.firstSeq + at;
        if (seq > toSeq) return;
        if (seq > afterSeq) yield { seq, command, events: [] };
      }
    }
  }

  /** The last command at or before `timeMs`; the number before the first if there is none. Time never goes back. */
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

  /** The command after `seq` must exist. */
  #batchAfter(seq: number): StoredBatch {
    for (const batch of this.journal.readBatches(seq)) return batch;
    throw missingAfter(seq);
  }

  #snapshotsFor(seq: number): readonly SnapshotRef[] {
    return this.snapshots.list().filter((ref) => ref.seq <= seq && ref.seq >= this.firstSeq - 1);
  }

  #firstUsable(refs: readonly SnapshotRef[]): Engine | null {
    const note = this.options.onNote ?? (() => {});
    return firstUsable(refs, this.snapshots, this.journal, note)?.engine ?? null;
  }

  #refuse(seq: number): never {
    throw new JournalError(
      'not_found',
      `The state at sequence number ${seq} cannot be worked out any more: the journal begins at ${this.firstSeq}, ` +
        'and there is no good snapshot between the two.',
    );
  }
}

function* replaySteps(engine: Engine, row: StoredBatch, toSeq: number): Generator<Step, void, undefined> {
  for (const command of commandsOf(row)) {
    if (engine.seq >= toSeq) return;
    const { seq, events } = replayCommand(engine, command, row);
    yield { seq, command, events };
  }
  checkReplayed(engine, row);
}

/** Retention may delete a segment before a long read gets to it. */
const missingAfter = (seq: number): JournalError =>
  new JournalError(
    'journal_incomplete',
    `The journal's batches after sequence number ${seq} are not there any more. Try again.`,
  );

function countUpTo(batch: StoredBatch, timeMs: number): number {
  const later = commandsOf(batch).findIndex((command) => command.timeMs > timeMs);
  return later < 0 ? batch.lastSeq - batch.firstSeq + 1 : later;
}
