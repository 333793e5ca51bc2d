/** Answers questions about what has left the engine's memory, from the archive. Each answer is of one moment. */
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { unreachable } from '../../engine/base/assert.js';
import type { ArchiveAnswer, ArchiveQuestion } from '../../engine/model/archive-reads.js';
import type { BetPathQuestion } from '../../engine/model/proofs/proof-reads.js';
import { ArchiveBlocks } from '../archive/blocks.js';
import { asArchiveDamage, readProgress } from '../archive/schema.js';
import { PastActions } from './actions.js';
import { allBetsOf, betOf, betsOf } from './bets.js';
import { AccountLedger } from './ledger.js';
import { ArchivedRounds } from './rounds.js';
import { RoundTrees } from './trees.js';

const BUSY_TIMEOUT_MS = 1_000;
const CACHE_KIB = 8 * 1024;

export class PastReader {
  readonly #blocks: ArchiveBlocks;
  readonly #ledger: AccountLedger;
  readonly #rounds: ArchivedRounds;
  readonly #trees: RoundTrees;
  readonly #actions: PastActions;
  #isUnfinished = false;
  readonly #seq: Database.Statement<[], number>;

  private constructor(
    readonly path: string,
    private readonly db: Database.Database,
    fromSeq: number,
  ) {
    this.#blocks = new ArchiveBlocks(path, db);
    this.#ledger = new AccountLedger(path, db, this.#blocks, fromSeq);
    this.#rounds = new ArchivedRounds(path, db);
    this.#trees = new RoundTrees(path, this.#blocks, this.#rounds);
    this.#actions = new PastActions(path, db);
    this.#seq = db.prepare<[], number>('SELECT seq FROM progress').pluck();
  }

  /** null if there is no archive yet. Throws `archive_corrupt`, and what SQLite throws. */
  static open(path: string): PastReader | null {
    if (!existsSync(path)) return null;
    let db: Database.Database | undefined;
    try {
      db = new Database(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
      db.pragma(`cache_size = -${CACHE_KIB}`);
      return new PastReader(path, db, readProgress(path, db).fromSeq);
    } catch (thrown) {
      db?.close();
      throw asArchiveDamage(path, thrown);
    }
  }

  /** The answer; null if the archive has not come as far as the question needs. Throws `archive_corrupt`. */
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

  /** Whether an answer since the last call needs more work, and not more of the journal: ask again. */
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

  close(): void {
    this.db.close();
  }
}
