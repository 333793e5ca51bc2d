/**
 * The archive, for commands that look into the past. It is opened when it is first needed, and used only if it is good.
 */
import { JournalError } from '../../errors.js';
import type { JournalReader } from '../../journal/reader.js';
import type { ArchivedRound } from '../../replay/archived-facts.js';
import type { History } from '../../replay/history.js';
import {
  type ArchivedBet,
  type ArchivedEvent,
  type ArchiveQuery,
  ArchiveReader,
} from '../../replay/history-archive.js';
import type { Context } from '../frame/command.js';
import { startProgress } from '../frame/progress.js';

/** Progress is updated once per this many rows. */
const PROGRESS_EVERY = 1_024;

export class PastArchive {
  #archive: ArchiveReader | null | undefined;

  /** `title` is shown with the progress. */
  constructor(
    private readonly context: Context,
    private readonly journal: Pick<JournalReader, 'chainAt'>,
    private readonly history: History,
    private readonly title: string,
  ) {}

  close(): void {
    this.#archive?.close();
  }

  /**
   * The last command in the archive if it begins at the very beginning, else null. null also if the journal must be
   * used.
   */
  knownTo(): number | null {
    try {
      const archive = this.#upTo(1);
      return archive?.progress.fromSeq === 0 ? archive.progress.seq : null;
    } catch (thrown) {
      if (!(thrown instanceof JournalError) || !this.history.isFromFirst) throw thrown;
      this.context.out.note(`The archive is not used: ${thrown.message}`);
      return null;
    }
  }

  /** Events from the archive, up to `beginningSeq`, where the journal begins. */
  events(query: ArchiveQuery, beginningSeq: number): Iterable<ArchivedEvent> {
    return this.#upTo(beginningSeq)?.events(query, beginningSeq) ?? [];
  }

  /** All events of commands `fromSeq` to `toSeq` in the archive, in order. */
  allEvents(fromSeq: number, toSeq: number): Iterable<ArchivedEvent> {
    const events = this.#upTo(toSeq)?.allEvents(fromSeq, toSeq) ?? [];
    return this.#counted(events, ({ seq }) => seq - fromSeq, toSeq - fromSeq + 1);
  }

  /** As `ArchiveReader.bets`, for the archive up to `archivedTo`. */
  bets(
    which: 'settled' | 'open',
    fromSeq: number,
    toSeq: number,
    archivedTo: number,
    account: number | null,
  ): Iterable<ArchivedBet> {
    // The archive may have grown meanwhile.
    const lastSeq = Math.min(toSeq, archivedTo);
    const bets = this.#upTo(archivedTo)?.bets(which, fromSeq, lastSeq, archivedTo, account) ?? [];
    const seqOf = ({ placedSeq, fate }: ArchivedBet): number => fate?.seq ?? placedSeq;
    return this.#counted(bets, (bet) => seqOf(bet) - fromSeq, archivedTo - fromSeq + 1);
  }

  /** The placement of a bet that is open according to `bets`. */
  placement(bet: number, archivedTo: number): ArchivedBet | null {
    const found = this.#upTo(archivedTo)?.placement(bet) ?? null;
    return found !== null && found.placedSeq <= archivedTo ? found : null;
  }

  rounds(
    beginningSeq: number,
    only: { readonly market: string; readonly roundNumber: number } | null,
  ): Iterable<ArchivedRound> {
    return this.#upTo(beginningSeq)?.rounds(beginningSeq, only) ?? [];
  }

  *#counted<T>(facts: Iterable<T>, done: (fact: T) => number, total: number): Generator<T, void, undefined> {
    const progress = startProgress(this.title, total, 'commands');
    let count = 0;
    for (const fact of facts) {
      yield fact;
      count += 1;
      if (count % PROGRESS_EVERY === 0) progress.update(done(fact));
    }
    progress.end();
  }

  /** Whether the archive has everything that happened before the journal begins. */
  isWhole(beginningSeq: number): boolean {
    if (beginningSeq === 0) return true;
    return this.#upTo(beginningSeq)?.progress.fromSeq === 0;
  }

  #upTo(beginningSeq: number): ArchiveReader | null {
    if (beginningSeq === 0) return null;
    if (this.#archive === undefined) this.#archive = this.#open(beginningSeq);
    return this.#archive;
  }

  #open(beginningSeq: number): ArchiveReader | null {
    const archive = ArchiveReader.open(this.context.dir);
    if (archive === null) {
      if (!this.history.isFromFirst)
        this.context.out.note('There is no archive: what happened before the journal begins is not known.');
      return null;
    }
    const { seq, chain } = archive.progress;
    const isOfJournal = seq > this.history.lastSeq || this.journal.chainAt(seq) === chain;
    if (seq >= beginningSeq && isOfJournal) return archive;
    archive.close();
    this.context.out.note(
      `The archive ${archive.path} is not used: it is not of this journal, or ends at sequence number ${seq}.`,
    );
    return null;
  }
}
