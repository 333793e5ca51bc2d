/**
 * What the commands that look into the past share: the journal, the snapshots and the archive, opened for reading and
 * closed again, and progress.
 *
 * There are two ways to an answer. By look-up: what happened is read from the archive, each row checked, and the state
 * is that of the newest snapshot with the journal's commands after it; the two must agree. By replay: everything comes
 * from a replay of the journal, as far back as it goes.
 */
import { Engine } from '../../../engine/engine.js';
import { JournalError } from '../../errors.js';
import { type JournalReader, openJournalReader } from '../../journal/reader.js';
import { History, type Step } from '../../replay/history.js';
import { batchesAfter } from '../../replay/read-ahead.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import type { Context } from '../frame/command.js';
import { type Progress, startProgress } from '../frame/progress.js';
import { PastArchive } from './archive.js';

/** A journal begins with the rules, at the latest by this command. */
const FIRST_RULES_SEQ_MAX = 100;

/** Where a look into the past starts. */
export interface Origin {
  readonly engine: Engine;
  /** What happened up to this command is read from the archive, the rest from the journal. */
  readonly archivedTo: number;
  /** Which of the two ways was taken. */
  readonly source: Source;
}

export interface Source {
  readonly kind: 'archive' | 'journal';
  /** For people. */
  readonly words: string;
}

/** Where the reading of a range starts. */
export interface RangeOrigin {
  /** What happened up to this command is read from the archive, the rest from the journal. */
  readonly archivedTo: number;
  /**
   * The state from which the journal continues, not after `archivedTo`; null if only the archive reaches so far back.
   */
  readonly start: () => Engine | null;
}

/** A read-only look into the past of a data directory. */
export class HistoryReader {
  readonly history: History;
  #progress: Progress | null = null;
  #fromSeq = 0;
  readonly archive: PastArchive;

  private constructor(
    readonly context: Context,
    readonly journal: JournalReader,
    private readonly title: string,
    isComplete: boolean,
  ) {
    const { snapshots } = context.dir;
    const files = isComplete ? new SnapshotFiles(snapshots) : SnapshotFiles.withoutKeys(snapshots);
    this.history = new History(journal, files, {
      batchesAfter: (afterSeq, endSeq) => batchesAfter(context.dir, journal, afterSeq, endSeq),
      onSeq: (seq) => this.#progress?.update(seq - this.#fromSeq),
      onNote: (sentence) => context.out.note(sentence),
    });
    this.archive = new PastArchive(context, journal, this.history, title);
  }

  /**
   * Opens, does `work`, and closes whatever comes of it. `title` stands before the progress. Without `isComplete`
   * engines lack the Idempotency-Keys (`SnapshotFiles.withoutKeys`).
   */
  static look<T>(context: Context, title: string, work: (past: HistoryReader) => T, isComplete = false): T {
    const past = new HistoryReader(context, openJournalReader(context.dir), title, isComplete);
    try {
      return work(past);
    } finally {
      past.#close();
    }
  }

  #close(): void {
    this.#progress?.end();
    this.archive.close();
    this.journal.close();
  }

  get lastSeq(): number {
    return this.history.lastSeq;
  }

  /** Replays the journal from `engine` to `toSeq`, with progress. */
  replay(engine: Engine, toSeq: number): Generator<Step, void, undefined> {
    if (toSeq > this.lastSeq) this.history.startFor(toSeq); // throws that it does not exist
    if (toSeq < engine.seq) throw tooEarly(toSeq, engine.seq);
    this.#fromSeq = engine.seq;
    this.#progress = startProgress(this.title, toSeq - engine.seq, 'commands');
    return this.history.replay(engine, toSeq);
  }

  /** Where to start for what is known at command `toSeq`. Throws `not_found` if its state is not available. */
  origin(toSeq: number, isReplay: boolean): Origin {
    const knownTo = isReplay ? null : this.archive.knownTo();
    if (knownTo === null) return this.#beginning();
    const archivedTo = Math.min(knownTo, toSeq);
    const engine = this.history.startFor(archivedTo);
    const from = engine.seq === 0 ? 'the journal' : `the snapshot at ${engine.seq} with the journal after it`;
    const words = `the archive up to sequence number ${archivedTo}, and ${from}`;
    return { engine, archivedTo, source: { kind: 'archive', words } };
  }

  /** Where to start for what commands `fromSeq` to `toSeq` did. Throws `not_found` if that is not available. */
  rangeOrigin(fromSeq: number, toSeq: number, isReplay: boolean): RangeOrigin {
    const { history } = this;
    const knownTo = isReplay ? null : this.archive.knownTo();
    if (knownTo !== null) {
      const archivedTo = Math.min(knownTo, toSeq);
      if (history.hasStateFor(archivedTo)) return { archivedTo, start: () => history.startFor(archivedTo) };
      if (archivedTo === toSeq) return { archivedTo, start: () => null };
    }
    const beginning = history.beginning();
    if (fromSeq > beginning.seq) return { archivedTo: 0, start: () => history.startFor(fromSeq - 1) };
    return { archivedTo: beginning.seq, start: () => (toSeq < beginning.seq ? null : beginning) };
  }

  /** `engine`, or, if it has no rules yet, one with the first rules. */
  withRules(engine: Engine): Engine {
    if (engine.rules !== null) return engine;
    for (const step of this.history.replay(new Engine(), Math.min(this.lastSeq, FIRST_RULES_SEQ_MAX))) {
      if (step.engine.rules !== null) return step.engine;
    }
    return engine;
  }

  #beginning(): Origin {
    const engine = this.history.beginning();
    const words =
      engine.seq === 0
        ? 'the journal, replayed from its beginning'
        : `the journal, replayed from the snapshot at ${engine.seq}, and the archive before it`;
    return { engine, archivedTo: engine.seq, source: { kind: 'journal', words } };
  }
}

const tooEarly = (seq: number, beginningSeq: number): JournalError =>
  new JournalError(
    'not_found',
    `The state at sequence number ${seq} cannot be worked out any more: the past that is left begins at ${beginningSeq}.`,
  );
