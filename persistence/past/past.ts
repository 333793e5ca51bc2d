/**
 * The one reader of the past, over the archive: answers to the API's questions, and streams of events for the
 * commands that look into the past.
 */
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { unreachable } from '../../engine/base/assert.js';
import type { ArchiveAnswer, ArchiveQuestion } from '../../engine/model/archive-reads.js';
import type { BetPathQuestion } from '../../engine/model/proofs/proof-reads.js';
import { ArchiveBlocks } from '../archive/blocks.js';
import { asArchiveDamage, readProgress } from '../archive/schema.js';
import { PastActions } from './actions.js';
import { allBetsOf, betOf, betsOf } from './bets.js';
import type { LedgerEntry } from './entries.js';
import type { ArchivedBet, ArchivedRound } from './facts.js';
import { AccountLedger, type Balance } from './ledger.js';
import { ArchivedRounds } from './rounds.js';
import {
  type ArchivedEvent,
  type ArchivedEvents,
  eventsOfAll,
  eventsOfBet,
  eventsOfRound,
  merged,
  openBets,
  settledBets,
} from './streams.js';
import { RoundTrees } from './trees.js';

const BUSY_TIMEOUT_MS = 1_000;
const CACHE_KIB = 8 * 1024;

export class Past {
  readonly #blocks: ArchiveBlocks;
  readonly #ledger: AccountLedger;
  readonly #rounds: ArchivedRounds;
  readonly #trees: RoundTrees;
  readonly #actions: PastActions;
  #isUnfinished = false;
  readonly #seq: Database.Statement<[], number>;

  /** Closes `db` at the end. `settledBlocks`: see `archive/tail.ts`. */
  constructor(
    readonly path: string,
    private readonly db: Database.Database,
    readonly fromSeq: number,
    settledBlocks?: readonly string[],
  ) {
    this.#blocks = new ArchiveBlocks(path, db, settledBlocks);
    this.#ledger = new AccountLedger(path, db, this.#blocks, fromSeq);
    this.#rounds = new ArchivedRounds(path, db, this.#blocks);
    this.#trees = new RoundTrees(path, this.#blocks, this.#rounds);
    this.#actions = new PastActions(path, db);
    this.#seq = db.prepare<[], number>('SELECT seq FROM progress').pluck();
  }

  /** null if there is no archive yet. Throws `archive_corrupt`, and errors of SQLite. */
  static open(path: string): Past | null {
    if (!existsSync(path)) return null;
    let db: Database.Database | undefined;
    try {
      db = new Database(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
      db.pragma(`cache_size = -${CACHE_KIB}`);
      return new Past(path, db, readProgress(path, db).fromSeq);
    } catch (thrown) {
      db?.close();
      throw asArchiveDamage(path, thrown);
    }
  }

  /** null if the archive has not come as far as the question needs. Throws `archive_corrupt`. */
  answer(question: ArchiveQuestion): { readonly answer: ArchiveAnswer } | null {
    try {
      return this.db.transaction(() => {
        const seq = this.#seq.get() ?? 0;
        if (seq < question.reachedSeq) return null;
        if (question.kind !== 'betPath') return { answer: this.#answer(question) };
        const made = this.#trees.answer(question);
        this.#isUnfinished ||= made === 'unfinished';
        return made === 'unfinished' ? null : { answer: made.found };
      })();
    } catch (thrown) {
      throw asArchiveDamage(this.path, thrown);
    }
  }

  /** An answer since the last call needs more work, and not more of the journal: ask again. */
  takeUnfinished(): boolean {
    const isUnfinished = this.#isUnfinished;
    this.#isUnfinished = false;
    return isUnfinished;
  }

  #answer(question: Exclude<ArchiveQuestion, BetPathQuestion>): ArchiveAnswer {
    switch (question.kind) {
      case 'bets':
        return betsOf(this.#blocks, question);
      case 'allBets':
        return allBetsOf(this.#blocks, this.#rounds, question);
      case 'bet':
        return betOf(this.#blocks, question);
      case 'ledger':
        return this.#ledger.answer(question);
      case 'rounds':
        return this.#rounds.answer(question);
      case 'earnings':
        return this.#rounds.earnings(question);
      case 'actions':
        return this.#actions.answer(question);
      case 'roundProof':
        return this.#rounds.withProof(question.market, question.roundNumber);
      default:
        return unreachable(question);
    }
  }

  /** Movements of money by commands `fromSeq` to `toSeq`. Throws `archive_corrupt`, as all of these do. */
  *events(fromSeq: number, toSeq: number): ArchivedEvents {
    yield* this.#upTo(toSeq, merged<ArchivedEvent>(eventsOfAll(this.#blocks, this.#ledger, fromSeq, toSeq)));
  }

  *accountEvents(account: number, toSeq: number): ArchivedEvents {
    yield* this.#checked(this.#ledger.events(account, { seq: toSeq, item: Number.MAX_SAFE_INTEGER }));
  }

  forwardOf(oldest: Balance): LedgerEntry | null {
    return this.#ledger.forwardOf(oldest);
  }

  *betEvents(bet: number, toSeq: number): ArchivedEvents {
    yield* this.#upTo(toSeq, merged<ArchivedEvent>(eventsOfBet(this.#blocks, bet)));
  }

  /** With the seeds and the settlement of the house. */
  *roundEvents(market: number, roundNumber: number, toSeq: number): ArchivedEvents {
    const ofHouse = this.#ledger.houseEvents(market, roundNumber);
    const streams = [...eventsOfRound(this.#blocks, market, roundNumber), ofHouse];
    yield* this.#upTo(toSeq, merged<ArchivedEvent>(streams));
  }

  round(market: number, roundNumber: number, toSeq: number): ArchivedRound | null {
    const round = this.#rounds.find(market, roundNumber);
    return round !== null && round.settledSeq <= toSeq ? round : null;
  }

  *rounds(fromSeq: number, toSeq: number): Generator<ArchivedRound, void, undefined> {
    yield* this.#checked(this.#rounds.settledBy(fromSeq, toSeq));
  }

  /** The settled bets in the order of settlement, then the others in the order of their numbers. */
  *bets(fromSeq: number, toSeq: number): Generator<ArchivedBet, void, undefined> {
    const isMeant = ({ placedSeq }: ArchivedBet): boolean => placedSeq >= fromSeq && placedSeq <= toSeq;
    for (const bet of this.#checked(settledBets(this.path, this.#blocks, fromSeq)))
      if (isMeant(bet)) yield bet;
    for (const bet of this.#checked(openBets(this.#blocks, fromSeq))) {
      if (bet.placedSeq > toSeq) return;
      if (isMeant(bet)) yield bet;
    }
  }

  *#upTo(toSeq: number, events: ArchivedEvents): ArchivedEvents {
    for (const event of this.#checked(events)) {
      if (event.seq > toSeq) return;
      yield event;
    }
  }

  *#checked<T>(facts: Iterable<T>): Generator<T, void, undefined> {
    try {
      yield* facts;
    } catch (thrown) {
      throw asArchiveDamage(this.path, thrown);
    }
  }

  close(): void {
    this.db.close();
  }
}
