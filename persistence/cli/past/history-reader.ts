/**
 * What the commands that look into the past share: the journal, the snapshots and, where retention has deleted the
 * journal's beginning, the archive, opened for reading and closed again; the options that name a moment; progress.
 */
import { InvalidArgumentError, Option } from 'commander';
import type { Engine } from '../../../engine/engine.js';
import { JournalError, messageOf } from '../../errors.js';
import { type JournalReader, openJournalReader } from '../../journal/reader.js';
import { History, type Step } from '../../replay/history.js';
import {
  type ArchivedEvent,
  type ArchivedRound,
  type ArchiveQuery,
  ArchiveReader,
} from '../../replay/history-archive.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import type { Context } from '../frame/command.js';
import { parseSeq, parseTimeMs } from '../frame/options.js';
import { type Progress, startProgress } from '../frame/progress.js';

/** A point of the past: a sequence number, or the last one at or before a time. */
export type Moment = { readonly seq: number } | { readonly timeMs: number };

const SEQ_DIGITS_MAX = 10;

/** A sequence number has at most ten digits; anything else is a time. */
export function parseMoment(text: string): Moment {
  if (/^\d+$/.test(text) && text.length <= SEQ_DIGITS_MAX) return { seq: parseSeq(text) };
  try {
    return { timeMs: parseTimeMs(text) };
  } catch (thrown) {
    throw new InvalidArgumentError(`Expected a sequence number, or else: ${messageOf(thrown)}`);
  }
}

export interface AtOptions {
  readonly atSeq?: number;
  readonly atTime?: number;
}

export const AT_OPTIONS: readonly Option[] = [
  new Option('--at-seq <N>', 'as it was right after this sequence number').argParser(parseSeq),
  new Option('--at-time <TIME>', 'as it was at this time').argParser(parseTimeMs).conflicts('atSeq'),
];

/** A read-only look into a data directory. */
export class HistoryReader {
  readonly history: History;
  #progress: Progress | null = null;
  #fromSeq = 0;
  #archive: ArchiveReader | null | undefined;

  private constructor(
    readonly context: Context,
    readonly journal: JournalReader,
    private readonly title: string,
  ) {
    this.history = new History(journal, new SnapshotFiles(context.dir.snapshots), {
      onSeq: (seq) => this.#progress?.update(seq - this.#fromSeq),
      onNote: (sentence) => context.out.note(sentence),
    });
  }

  /** Opens, does `work`, and closes whatever comes of it. `title` stands before the progress. */
  static look<T>(context: Context, title: string, work: (past: HistoryReader) => T): T {
    const past = new HistoryReader(context, openJournalReader(context.dir), title);
    try {
      return work(past);
    } finally {
      past.#close();
    }
  }

  #close(): void {
    this.#progress?.end();
    this.#archive?.close();
    this.journal.close();
  }

  get lastSeq(): number {
    return this.history.lastSeq;
  }

  /** The sequence number that the options name; the last one without any. */
  atSeq({ atSeq, atTime }: AtOptions): number {
    if (atTime !== undefined) return this.history.seqAt(atTime);
    return atSeq ?? this.lastSeq;
  }

  /** The first command of a range that begins at `moment`. */
  firstOf(moment: Moment): number {
    return 'seq' in moment ? moment.seq : this.history.seqAt(moment.timeMs - 1) + 1;
  }

  /** The last command of a range that ends with `moment`. */
  lastOf(moment: Moment): number {
    return 'seq' in moment ? Math.min(moment.seq, this.lastSeq) : this.history.seqAt(moment.timeMs);
  }

  /** Carries `engine` on to `toSeq`, with progress. */
  carryOn(engine: Engine, toSeq: number): Generator<Step, void, undefined> {
    if (toSeq > this.lastSeq) this.history.startFor(toSeq); // says that it does not exist
    if (toSeq < engine.seq) throw tooEarly(toSeq, engine.seq);
    this.#fromSeq = engine.seq;
    this.#progress = startProgress(this.title, toSeq - engine.seq, 'commands');
    return this.history.carryOn(engine, toSeq);
  }

  /** What the archive knows of the time up to `beginningSeq`, where the journal's past begins. */
  archived(query: ArchiveQuery, beginningSeq: number): Iterable<ArchivedEvent> {
    return this.#archiveUpTo(beginningSeq)?.events(query, beginningSeq) ?? [];
  }

  archivedRounds(
    beginningSeq: number,
    only: { readonly market: string; readonly roundNumber: number } | null,
  ): Iterable<ArchivedRound> {
    return this.#archiveUpTo(beginningSeq)?.rounds(beginningSeq, only) ?? [];
  }

  /** Whether all that happened before the journal's past begins is in the archive. */
  isWhole(beginningSeq: number): boolean {
    if (beginningSeq === 0) return true;
    return this.#archiveUpTo(beginningSeq)?.progress.fromSeq === 0;
  }

  #archiveUpTo(beginningSeq: number): ArchiveReader | null {
    if (beginningSeq === 0) return null;
    if (this.#archive === undefined) this.#archive = this.#openArchive(beginningSeq);
    return this.#archive;
  }

  #openArchive(beginningSeq: number): ArchiveReader | null {
    const archive = ArchiveReader.open(this.context.dir);
    if (archive === null) {
      this.context.out.note('There is no archive: what happened before the journal begins is not known.');
      return null;
    }
    const { seq, chain } = archive.progress;
    const isOfJournal = seq > this.lastSeq || this.journal.chainAt(seq) === chain;
    if (seq >= beginningSeq && isOfJournal) return archive;
    archive.close();
    this.context.out.note(
      `The archive ${archive.path} is not used: it is not of this journal, or ends at sequence number ${seq}.`,
    );
    return null;
  }
}

const tooEarly = (seq: number, beginningSeq: number): JournalError =>
  new JournalError(
    'not_found',
    `The state at sequence number ${seq} cannot be worked out any more: the past that is left begins at ${beginningSeq}.`,
  );
