/** The one reader of the archive: answers to the API's questions, and streams of events for the command line. */
import { existsSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { unreachable } from '../../../engine/base/assert.js';
import type { ArchiveAnswer, ArchiveQuestion, BetPathQuestion } from '../../../engine/model/archive-reads.js';
import { orClosed } from '../../data-dir/closing.js';
import { ArchiveBlocks } from '../blocks.js';
import { openArchive } from '../file.js';
import { asArchiveDamage, fromArchive, readProgress } from '../schema.js';
import { ArchivedActions } from './actions.js';
import { betOf, betsOf } from './bets.js';
import { AccountLedger } from './ledger.js';
import { ArchivedRounds } from './rounds.js';
import type { ArchivedRound } from './row-events.js';
import {
  type ArchivedBet,
  type ArchivedEvents,
  archivedBet,
  betsFrom,
  betsOfRound,
  eventsOfAll,
  firstPlacedSeqAfter,
} from './streams.js';
import { RoundTrees } from './trees.js';

const BUSY_TIMEOUT_MS = 1_000;
const CACHE_KIB = 8 * 1024;
/** Placements have no index by time, but are in its order. */
const SEQ_AFTER = `WITH late (seq, time_ms) AS (
  SELECT seq, time_ms FROM transfer UNION ALL SELECT seq, time_ms FROM limit_step
  UNION ALL SELECT seq, time_ms FROM settled_block UNION ALL SELECT settled_seq, settled_ms FROM round
) SELECT min(seq) FROM late WHERE time_ms > ?`;

export class ArchiveReader {
  readonly #blocks: ArchiveBlocks;
  readonly #ledger: AccountLedger;
  readonly #rounds: ArchivedRounds;
  readonly #trees: RoundTrees;
  readonly #actions: ArchivedActions;
  #isUnfinished = false;
  readonly #seq: Database.Statement<[], number>;
  readonly #seqAfter: Database.Statement<[number], number | null>;

  /** Closes `db` at the end. `settledBlocks`: see `archive/tail.ts`. */
  constructor(
    readonly path: string,
    private readonly db: Database.Database,
    readonly fromSeq: number,
    settledBlocks?: readonly string[],
  ) {
    this.#blocks = new ArchiveBlocks(path, db, settledBlocks);
    this.#ledger = new AccountLedger(path, db, this.#blocks);
    this.#rounds = new ArchivedRounds(path, db);
    this.#trees = new RoundTrees(path, this.#blocks, this.#rounds);
    this.#actions = new ArchivedActions(path, db);
    this.#seq = db.prepare<[], number>('SELECT seq FROM progress').pluck();
    this.#seqAfter = db.prepare<[number], number | null>(SEQ_AFTER).pluck();
  }

  /** null if there is no archive yet. Throws `archive_corrupt`, and errors of SQLite. */
  static open(path: string): ArchiveReader | null {
    if (!existsSync(path)) return null;
    return orClosed(openArchive(path, BUSY_TIMEOUT_MS), (db) => {
      db.pragma(`cache_size = -${CACHE_KIB}`);
      return new ArchiveReader(path, db, readProgress(path, db).fromSeq);
    });
  }

  /** null if the archive has not come as far as the question needs. Throws `archive_corrupt`. */
  answer(question: ArchiveQuestion): { readonly answer: ArchiveAnswer } | null {
    return this.#read(() =>
      this.db.transaction(() => {
        const seq = this.#seq.get() ?? 0;
        if (seq < question.reachedSeq) return null;
        if (question.kind !== 'betPath') return { answer: this.#answer(question) };
        const made = this.#trees.answer(question);
        this.#isUnfinished ||= made === 'unfinished';
        return made === 'unfinished' ? null : { answer: made.found };
      })(),
    );
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
        return betsOf(this.#blocks, this.#rounds, question);
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

  /** The first command after the time that has left rows; Infinity if none has. Throws `archive_corrupt`. */
  seqAfter(timeMs: number): number {
    return this.#read(() => {
      const seqs = [firstPlacedSeqAfter(this.#blocks, timeMs), this.#seqAfter.get(timeMs)];
      return Math.min(...seqs.map((seq) => seq ?? Number.POSITIVE_INFINITY));
    });
  }

  /** Movements of money by commands `fromSeq` to `toSeq`. Throws `archive_corrupt`, as all of these do. */
  *events(fromSeq: number, toSeq: number): ArchivedEvents {
    for (const event of this.#checked(eventsOfAll(this.#blocks, this.#ledger, fromSeq, toSeq))) {
      if (event.seq > toSeq) return;
      yield event;
    }
  }

  /** The last first. */
  *accountEvents(account: number, toSeq: number): ArchivedEvents {
    yield* this.#checked(this.#ledger.events(account, { seq: toSeq, item: Number.MAX_SAFE_INTEGER }));
  }

  bet(bet: number): ArchivedBet | null {
    return this.#read(() => {
      const placement = this.#blocks.placement(bet);
      return placement === null ? null : archivedBet(this.#blocks, placement);
    });
  }

  /** In the order in which they joined it. */
  betsOfRound(market: number, roundNumber: number): ArchivedBet[] {
    return this.#read(() => betsOfRound(this.#blocks, market, roundNumber));
  }

  /** The seeds and the settlement of the house. */
  *houseEvents(market: number, roundNumber: number): ArchivedEvents {
    yield* this.#checked(this.#ledger.houseEvents(market, roundNumber));
  }

  /** null if it is not settled. */
  round(market: number, roundNumber: number): ArchivedRound | null {
    return this.#read(() => this.#rounds.find(market, roundNumber));
  }

  *rounds(fromSeq: number, toSeq: number): Generator<ArchivedRound, void, undefined> {
    yield* this.#checked(this.#rounds.settledBy(fromSeq, toSeq));
  }

  /** Those placed in the range: the settled ones in the order of settlement, then the others in that of their numbers. */
  *bets(fromSeq: number, toSeq: number, account: number | null): Generator<ArchivedBet, void, undefined> {
    for (const bet of this.#checked(betsFrom(this.path, this.#blocks, fromSeq, account))) {
      const { seq } = bet.order;
      if (seq >= fromSeq && seq <= toSeq) yield bet;
      else if (seq > toSeq && bet.settled === null) return;
    }
  }

  *#checked<T>(items: Iterable<T>): Generator<T, void, undefined> {
    try {
      yield* items;
    } catch (thrown) {
      throw asArchiveDamage(this.path, thrown);
    }
  }

  #read<T>(read: () => T): T {
    return fromArchive(this.path, read);
  }

  close(): void {
    this.db.close();
  }
}
