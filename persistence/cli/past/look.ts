/**
 * The journal, the snapshots and the archive, opened for reading, for the commands that look into the past. Events
 * are read from the archive, each row checked, and after its end from the journal. A state is that of a snapshot with
 * the journal's commands after it; the two must agree.
 */

import { existsSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { assert } from '../../../engine/base/assert.js';
import type { Engine } from '../../../engine/engine.js';
import { openArchive } from '../../archive/open.js';
import { type ArchiveProgress, asArchiveDamage, readProgress } from '../../archive/schema.js';
import { ArchiveTail } from '../../archive/tail.js';
import { JournalError } from '../../errors.js';
import { type JournalReader, openJournalReader } from '../../journal/reader.js';
import { Past } from '../../past/past.js';
import { History, type Step } from '../../replay/history.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import type { Context } from '../frame/command.js';
import { type Progress, startProgress } from '../frame/progress.js';

/** A journal begins with the rules, at the latest by this command. */
const FIRST_RULES_SEQ_MAX = 100;
const CACHE_KIB = 2_048;

export interface Known {
  readonly past: Past;
  /** Throws `not_found` if the state cannot be worked out any more. */
  readonly state: () => Engine;
  readonly words: string;
}

interface OpenArchive {
  readonly db: Database.Database;
  readonly progress: ArchiveProgress;
}

export class Look {
  readonly history: History;
  #progress: Progress | null = null;
  #fromSeq = 0;
  #past: Past | null = null;
  #archive: OpenArchive | null | undefined;

  private constructor(
    readonly context: Context,
    readonly journal: JournalReader,
    private readonly title: string,
    isComplete: boolean,
  ) {
    const { snapshots } = context.dir;
    const files = isComplete ? new SnapshotFiles(snapshots) : SnapshotFiles.withoutKeys(snapshots);
    this.history = new History(journal, files, {
      onSeq: (seq) => this.#progress?.update(seq - this.#fromSeq),
      onNote: (sentence) => context.out.note(sentence),
    });
  }

  /**
   * Closes everything after `work`. `title` stands before the progress. Without `isComplete` engines lack the
   * Idempotency-Keys (`SnapshotFiles.withoutKeys`).
   */
  static at<T>(context: Context, title: string, work: (look: Look) => T, isComplete = false): T {
    const look = new Look(context, openJournalReader(context.dir), title, isComplete);
    try {
      return work(look);
    } finally {
      look.#progress?.end();
      look.#past?.close();
      look.journal.close();
    }
  }

  get lastSeq(): number {
    return this.history.lastSeq;
  }

  replay(engine: Engine, toSeq: number): Generator<Step, void, undefined> {
    this.#fromSeq = engine.seq;
    this.#progress = startProgress(this.title, toSeq - engine.seq, 'commands');
    return this.history.replay(engine, toSeq);
  }

  /** Works out no state. The archive may end before the journal. null if `upTo` uses no archive, either. */
  archived(): Past | null {
    const archive = this.#archiveOnce();
    return archive === null ? null : this.#pastOf(archive);
  }

  /** Call it once. Throws `not_found` and `archive_corrupt`. */
  upTo(toSeq: number): Known {
    if (toSeq > this.lastSeq) this.history.startFor(toSeq); // throws that it does not exist
    const archive = this.#archiveOnce();
    if (archive === null) return this.#fromJournal(toSeq);
    const { db, progress } = archive;
    const words = `the archive up to sequence number ${Math.min(progress.seq, toSeq)}, and the journal`;
    if (toSeq <= progress.seq) {
      return {
        past: this.#pastOf(archive),
        state: () => this.#moved(this.history.startFor(toSeq), toSeq),
        words,
      };
    }
    const engine = this.#moved(this.history.startFor(progress.seq), progress.seq);
    const tail = ArchiveTail.behind(db, engine);
    const past = this.#pastOf(archive, tail.settledBlocks);
    this.#fill(tail, engine, toSeq);
    return { past, state: () => engine, words };
  }

  /** `engine` if it has rules, else one with the first rules. */
  withRules(engine: Engine | null): Engine {
    if (engine !== null && engine.rules !== null) return engine;
    const first = this.history.beginning();
    for (const _ of this.history.replay(first, Math.min(this.lastSeq, FIRST_RULES_SEQ_MAX)))
      if (first.rules !== null) break;
    return first;
  }

  #pastOf({ db, progress }: OpenArchive, settledBlocks?: readonly string[]): Past {
    this.#past = new Past(this.#path, db, progress.fromSeq, settledBlocks);
    return this.#past;
  }

  get #path(): string {
    return this.context.dir.archiveFile;
  }

  #fromJournal(toSeq: number): Known {
    const engine = this.history.beginning();
    if (toSeq < engine.seq) throw tooEarly(toSeq, engine.seq);
    const fromSeq = engine.seq;
    const tail = ArchiveTail.alone(engine);
    this.#past = new Past(this.#path, tail.db, fromSeq, tail.settledBlocks);
    this.#fill(tail, engine, toSeq);
    const from = fromSeq === 0 ? 'its beginning' : `the snapshot at ${fromSeq}`;
    return { past: this.#past, state: () => engine, words: `the journal, replayed from ${from}` };
  }

  #fill(tail: ArchiveTail, engine: Engine, toSeq: number): void {
    for (const { seq, command, events } of this.replay(engine, toSeq)) tail.add(seq, command, events);
    tail.end(toSeq);
  }

  #moved(engine: Engine, toSeq: number): Engine {
    for (const { seq } of this.replay(engine, toSeq)) assert(seq <= toSeq, 'a step too many');
    return engine;
  }

  #archiveOnce(): OpenArchive | null {
    if (this.#archive === undefined) this.#archive = this.#openArchive();
    return this.#archive;
  }

  /** null, with a note, if no archive is good and of this journal. */
  #openArchive(): OpenArchive | null {
    const { out } = this.context;
    if (!existsSync(this.#path)) {
      if (!this.history.isFromFirst)
        out.note('There is no archive: what happened before the journal begins is not known.');
      return null;
    }
    let db: Database.Database | undefined;
    try {
      db = openArchive(this.#path);
      db.pragma(`cache_size = -${CACHE_KIB}`);
      // All reads are from one moment, whatever a server adds meanwhile.
      db.exec('BEGIN');
      const progress = readProgress(this.#path, db);
      if (this.#isOfJournal(progress)) return { db, progress };
      db.close();
      const end = `ends at sequence number ${progress.seq}`;
      out.note(`The archive ${this.#path} is not used: it is not of this journal, or ${end}.`);
    } catch (thrown) {
      db?.close();
      const damage = asArchiveDamage(this.#path, thrown);
      if (!(damage instanceof JournalError) || !this.history.isFromFirst) throw damage;
      out.note(`The archive is not used: ${damage.message}`);
    }
    return null;
  }

  #isOfJournal({ seq, chain }: ArchiveProgress): boolean {
    return seq > this.lastSeq || this.journal.chainAt(seq) === chain;
  }
}

const tooEarly = (seq: number, beginningSeq: number): JournalError =>
  new JournalError(
    'not_found',
    `The state at sequence number ${seq} cannot be worked out any more: the past that is left begins at ${beginningSeq}.`,
  );
