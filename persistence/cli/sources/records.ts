/**
 * The journal, the snapshots and the archive, opened for reading, for the commands that show what happened. Events
 * are read from the archive, each row checked, and after its end from the journal. A state is that of a snapshot with
 * the journal's commands after it; the two must agree.
 */
import { existsSync } from 'node:fs';
import type { Engine } from '../../../engine/engine.js';
import type { Rules } from '../../../engine/model/rules.js';
import { lostRows } from '../../archive/check.js';
import { openArchive } from '../../archive/file.js';
import { ArchiveReader } from '../../archive/reader/reader.js';
import { asArchiveDamage, readProgress } from '../../archive/schema.js';
import { ArchiveTail } from '../../archive/tail.js';
import { closing, orClosed } from '../../data-dir/closing.js';
import { JournalError } from '../../errors.js';
import { readMarkFile } from '../../journal/mark.js';
import { JournalReader } from '../../journal/reader.js';
import { History } from '../../replay/history.js';
import { checkMark } from '../../replay/replay.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import type { Context } from '../frame/command.js';
import { EXIT, type ExitCode } from '../frame/exit-codes.js';
import { showProgress } from '../frame/progress.js';

/** A journal begins with the rules, at the latest by this command. */
const FIRST_RULES_SEQ_MAX = 100;
const CACHE_KIB = 2_048;

/**
 * By default engines lack the Idempotency-Keys (`SnapshotFiles.withoutKeys`). Closes the journal after `work`. If it ends
 * below its mark, or nothing tells, the end is faulty: the newest facts may not be among those that are shown.
 */
export function withHistory(
  { dir, out }: Context,
  title: string,
  work: (history: History, journal: JournalReader) => ExitCode,
  snapshots = SnapshotFiles.withoutKeys(dir.snapshots),
): ExitCode {
  const faults: string[] = [];
  const orFault = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (thrown) {
      if (!(thrown instanceof JournalError)) throw thrown;
      faults.push(thrown.message);
      return undefined;
    }
  };
  // Read first: the journal may grow.
  const mark = orFault(() => readMarkFile(dir.markFile));
  using journal = closing(new JournalReader(dir));
  const history = new History(journal, snapshots, {
    onSeq: showProgress(title, journal.lastSeq),
    onNote: (sentence) => out.note(sentence),
  });
  if (mark !== undefined) orFault(() => checkMark(mark, journal.lastSeq, mark?.checksum ?? null));
  for (const fault of faults) out.note(fault);
  const exitCode = work(history, journal);
  return faults.length === 0 ? exitCode : EXIT.faulty;
}

type OpenArchive = Extract<ReturnType<typeof openedArchive>, { readonly db: unknown }>;

/** Closes everything after `work`. */
export function withRecords(context: Context, title: string, work: (records: Records) => ExitCode): ExitCode {
  const path = context.dir.archiveFile;
  // Opened first: the journal has all that the archive has.
  const opened = openedArchive(path);
  using _db = opened !== null && 'db' in opened ? closing(opened.db) : null;
  return withHistory(context, title, (history, journal) => {
    const archive = usableArchive(opened, path, history, journal, (sentence) => context.out.note(sentence));
    return work(new Records(path, history, archive));
  });
}

export class Records {
  constructor(
    private readonly path: string,
    readonly history: History,
    private readonly opened: OpenArchive | null,
  ) {}

  /** Works out no state. The archive may end before the journal. null if `upTo` uses no archive, either. */
  archived(): ArchiveReader | null {
    const { path, opened } = this;
    return opened === null ? null : new ArchiveReader(path, opened.db, opened.progress.fromSeq);
  }

  get lastSeq(): number {
    return this.history.lastSeq;
  }

  /** The last command at or before the time. Where the journal has lost that, a later one may stand in, with no rows until then. */
  seqAt(timeMs: number): number {
    const seq = this.history.seqAt(timeMs);
    if (this.history.isFromFirst || seq >= this.history.firstSeq) return seq;
    const archive = this.archived();
    // Without an archive, a lost command may be later.
    return archive === null ? seq - 1 : Math.min(seq, archive.seqAfter(timeMs) - 1);
  }

  /** Sentences on rows that the archive has lost. */
  lostRows(): readonly string[] {
    const { path, opened } = this;
    return opened === null ? [] : lostRows(path, opened.db, opened.progress);
  }

  /** With the sources in words. Call it once. Throws `not_found` and `archive_corrupt`, and so may `state`. */
  upTo(toSeq: number) {
    const { path, history, opened } = this;
    if (toSeq > history.lastSeq) history.startFor(toSeq); // throws that it does not exist
    if (opened === null) return this.#fromJournal(toSeq);
    const { db, progress } = opened;
    const from = `the archive up to sequence number ${Math.min(progress.seq, toSeq)}, and the journal`;
    if (toSeq <= progress.seq) {
      const archive = new ArchiveReader(path, db, progress.fromSeq);
      return { archive, state: () => history.engineAt(toSeq), from };
    }
    const engine = history.engineAt(progress.seq);
    const tail = ArchiveTail.behind(db, engine);
    const archive = new ArchiveReader(path, db, progress.fromSeq, tail.settledBlocks);
    this.#fill(tail, engine, toSeq);
    return { archive, state: () => engine, from };
  }

  /** null in a journal without any. */
  firstRules(): Rules | null {
    const engine = this.history.beginning();
    const steps = this.history.replay(engine, Math.min(this.history.lastSeq, FIRST_RULES_SEQ_MAX));
    while (engine.rules === null && steps.next().done !== true);
    return engine.rules;
  }

  #fromJournal(toSeq: number) {
    const engine = this.history.beginning();
    const fromSeq = engine.seq;
    if (toSeq < fromSeq) {
      const sentence = `The state at sequence number ${toSeq} cannot be worked out any more: the records that are left begin at ${fromSeq}.`;
      throw new JournalError('not_found', sentence);
    }
    const tail = ArchiveTail.alone(engine);
    const archive = new ArchiveReader(this.path, tail.db, fromSeq, tail.settledBlocks);
    this.#fill(tail, engine, toSeq);
    const from = `the journal, replayed from ${fromSeq === 0 ? 'its beginning' : `the snapshot at ${fromSeq}`}`;
    return { archive, state: () => engine, from };
  }

  #fill(tail: ArchiveTail, engine: Engine, toSeq: number): void {
    for (const { seq, command, events } of this.history.replay(engine, toSeq)) tail.add(seq, command, events);
    tail.end(toSeq);
  }
}

/** null if there is none. */
function openedArchive(path: string) {
  if (!existsSync(path)) return null;
  try {
    return orClosed(openArchive(path), (db) => {
      db.pragma(`cache_size = -${CACHE_KIB}`);
      // All reads are from one moment, whatever a server adds meanwhile.
      db.exec('BEGIN');
      return { db, progress: readProgress(path, db) };
    });
  } catch (thrown) {
    return { fault: asArchiveDamage(path, thrown) };
  }
}

/** null, with a note, if it is not good or of another journal. Throws if nothing else tells what it told. */
function usableArchive(
  opened: ReturnType<typeof openedArchive>,
  path: string,
  history: History,
  journal: JournalReader,
  note: (sentence: string) => void,
): OpenArchive | null {
  if (opened === null) {
    if (!history.isFromFirst)
      note('There is no archive: what happened before the journal begins is not known.');
    return null;
  }
  if ('fault' in opened) {
    const { fault } = opened;
    if (!(fault instanceof JournalError) || !history.isFromFirst) throw fault;
    note(`The archive is not used: ${fault.message}`);
    return null;
  }
  const { seq, chain } = opened.progress;
  if (seq <= history.lastSeq && journal.chainAt(seq) === chain) return opened;
  note(`The archive ${path} is not used: it is not of this journal, or ends at sequence number ${seq}.`);
  return null;
}
