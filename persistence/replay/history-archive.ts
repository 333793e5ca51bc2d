/**
 * The events before the beginning of a pruned journal, from the archive: the same ones that the journal's commands
 * caused, with their sequence numbers, so that readers of events continue without a gap. Every row is checked.
 */
import { existsSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { marketId } from '../../engine/model/domain.js';
import { ArchiveBlocks } from '../archive/blocks.js';
import { type ArchiveCell, isIntact } from '../archive/form/checksum.js';
import { openArchive } from '../archive/open.js';
import { type ArchiveProgress, asArchiveDamage, damagedArchive, readProgress } from '../archive/schema.js';
import type { DataDir } from '../data-dir/layout.js';
import {
  type ArchivedEvent,
  type ArchivedEvents,
  betOf,
  eventsOfAccount,
  eventsOfBet,
  eventsOfPlacements,
  eventsOfRound,
  eventsOfSettlements,
  eventsOfSteps,
  eventsOfTransfers,
  openBets,
  placementsFrom,
  settledBets,
} from './archived-events.js';
import {
  type ArchivedBet,
  type ArchivedRound,
  placedSeqOf,
  roundOf,
  settledItemOf,
  settledSeqOf,
  stepPlaceOf,
} from './archived-facts.js';
import { merged } from './merged-rows.js';

const CACHE_KIB = 2_048;

/** The events of one account, bet or round. Those of a round are its bets and the seeds and settlement of the house. */
export type ArchiveQuery =
  | { readonly of: 'account'; readonly account: number }
  | { readonly of: 'bet'; readonly bet: number }
  | { readonly of: 'round'; readonly market: string; readonly roundNumber: number };

export type { ArchivedEvent } from './archived-events.js';
export type { ArchivedBet } from './archived-facts.js';

export class ArchiveReader {
  readonly #blocks: ArchiveBlocks;

  private constructor(
    readonly path: string,
    readonly progress: ArchiveProgress,
    private readonly db: Database.Database,
  ) {
    this.#blocks = new ArchiveBlocks(path, db);
  }

  /** null if there is no archive. Throws `other_format` and `archive_corrupt`. */
  static open(dir: DataDir): ArchiveReader | null {
    const path = dir.archiveFile;
    if (!existsSync(path)) return null;
    let db: Database.Database | undefined;
    try {
      db = openArchive(path);
      db.pragma(`cache_size = -${CACHE_KIB}`);
      return new ArchiveReader(path, readProgress(path, db), db);
    } catch (thrown) {
      db?.close();
      throw asArchiveDamage(path, thrown);
    }
  }

  /** The events up to command `toSeq`, in the order in which they happened. Throws `archive_corrupt`. */
  events(query: ArchiveQuery, toSeq: number): ArchivedEvents {
    return this.#merged(() => this.#streamsOf(query), toSeq);
  }

  /** All events of commands `fromSeq` to `toSeq`, in order. Throws `archive_corrupt`. */
  allEvents(fromSeq: number, toSeq: number): ArchivedEvents {
    const streams = (): ArchivedEvents[] => [
      eventsOfPlacements(placementsFrom(this.#blocks, fromSeq)),
      eventsOfSettlements(this.#blocks.settlements(fromSeq, toSeq)),
      eventsOfSteps(this.#blocks, this.#blocks.limitSteps.between(fromSeq, toSeq)),
      this.#transfers('seq BETWEEN ? AND ?', fromSeq, toSeq),
    ];
    return this.#merged(streams, toSeq);
  }

  *#merged(streams: () => ArchivedEvents[], toSeq: number): ArchivedEvents {
    try {
      for (const event of merged<ArchivedEvent>(streams())) {
        if (event.seq > toSeq) return;
        yield event;
      }
    } catch (thrown) {
      throw asArchiveDamage(this.path, thrown);
    }
  }

  #streamsOf(query: ArchiveQuery): ArchivedEvents[] {
    switch (query.of) {
      case 'account': {
        const { account } = query;
        return [...eventsOfAccount(this.#blocks, account), this.#transfers('account = ?', account)];
      }
      case 'bet':
        return eventsOfBet(this.#blocks, query.bet);
      case 'round': {
        const { market, roundNumber } = query;
        const ofHouse = "account = 0 AND reason IN ('seed', 'settlement') AND reference = ?";
        const bets = eventsOfRound(this.#blocks, market, roundNumber);
        return [...bets, this.#transfers(ofHouse, `${market}_${roundNumber}`)];
      }
    }
  }

  /**
   * Bets placed by commands `fromSeq` to `toSeq`: those settled up to `knownTo`, in the order of settlement, or the
   * others, in the order of their numbers. Only those of `account`, unless it is null. Throws `archive_corrupt`.
   */
  *bets(
    which: 'settled' | 'open',
    fromSeq: number,
    toSeq: number,
    knownTo: number,
    account: number | null,
  ): Generator<ArchivedBet, void, undefined> {
    try {
      const isSettled = which === 'settled';
      for (const bet of isSettled
        ? settledBets(this.path, this.#blocks, fromSeq, knownTo)
        : openBets(this.#blocks, fromSeq, knownTo)) {
        const isOfAccount = account === null || bet.placed.account === account;
        if (isOfAccount && bet.placedSeq >= fromSeq && bet.placedSeq <= toSeq) yield bet;
        else if (!isSettled && bet.placedSeq > toSeq) return;
      }
    } catch (thrown) {
      throw asArchiveDamage(this.path, thrown);
    }
  }

  /** The placement of the bet; null if it is not known. Throws `archive_corrupt`. */
  placement(bet: number): ArchivedBet | null {
    try {
      const row = this.#blocks.placement(bet);
      if (row === null || placedSeqOf(row) === 0) return null;
      return { ...betOf(this.#blocks, row), fate: null };
    } catch (thrown) {
      throw asArchiveDamage(this.path, thrown);
    }
  }

  /** Rounds settled up to command `toSeq`, in that order; only one of them, unless `only` is null. */
  *rounds(
    toSeq: number,
    only: { readonly market: string; readonly roundNumber: number } | null,
  ): Generator<ArchivedRound, void, undefined> {
    const where = only === null ? '' : 'AND market = ? AND round_number = ?';
    const values = only === null ? [] : [only.market, only.roundNumber];
    try {
      const rows = this.#select(`SELECT * FROM round WHERE settled_seq <= ? ${where} ORDER BY settled_seq`);
      let together: ArchivedRound[] = [];
      for (const row of rows.iterate(toSeq, ...values)) {
        const round = roundOf(this.#intact(row));
        if (together[0]?.settledSeq !== round.settledSeq) {
          yield* this.#inOrder(together);
          together = [];
        }
        together.push(round);
      }
      yield* this.#inOrder(together);
    } catch (thrown) {
      throw asArchiveDamage(this.path, thrown);
    }
  }

  /** Rounds settled by one command, in the order in which it settled them. */
  #inOrder(rounds: ArchivedRound[]): ArchivedRound[] {
    if (rounds.length < 2) return rounds;
    const places = new Map(rounds.map((round) => [round, this.#placeOf(round)]));
    return rounds.sort((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0));
  }

  /**
   * The position of the round's last movement of money in the command that settled it: the house's, or of its last bet.
   */
  #placeOf({ market, roundNumber, settledSeq }: ArchivedRound): number {
    const id = marketId(market);
    const ofHouse = this.db
      .prepare<[number, string], number | null>(
        'SELECT max(item) FROM transfer WHERE seq = ? AND reference = ?',
      )
      .pluck()
      .get(settledSeq, `${id}_${roundNumber}`);
    if (typeof ofHouse === 'number') return ofHouse;
    let last = 0;
    for (const settlement of this.#blocks.settlementsOfRound(id, roundNumber)) {
      if (settledSeqOf(settlement) === settledSeq) last = settledItemOf(settlement);
    }
    for (const step of this.#blocks.limitSteps.ofRound(id, roundNumber)) {
      const { seq, item } = stepPlaceOf(step);
      if (seq === settledSeq) last = Math.max(last, item);
    }
    return last;
  }

  close(): void {
    this.db.close();
  }

  #select(sql: string): Database.Statement<unknown[], ArchiveCell[]> {
    return this.db.prepare<unknown[], ArchiveCell[]>(sql).raw();
  }

  #transfers(where: string, ...values: (number | string)[]): ArchivedEvents {
    const rows = this.#select(`SELECT * FROM transfer WHERE ${where} ORDER BY seq, item`);
    return eventsOfTransfers(this.#eachIntact(rows.iterate(...values)));
  }

  *#eachIntact(rows: Iterable<ArchiveCell[]>): Generator<ArchiveCell[], void, undefined> {
    for (const row of rows) yield this.#intact(row);
  }

  #intact(row: ArchiveCell[]): ArchiveCell[] {
    if (isIntact(row)) return row;
    throw damagedArchive(this.path, `in the row of ${JSON.stringify(row[0])} its checksum does not match`);
  }
}
