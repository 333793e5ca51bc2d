/**
 * The events before the beginning of a pruned journal, from the archive: the same ones that the journal's commands
 * caused, with their sequence numbers, so that readers of events continue without a gap. Every row is checked.
 */
import { existsSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { must } from '../../engine/base/assert.js';
import { marketId, timeFrameMs } from '../../engine/model/domain.js';
import type { BalanceMoved, BetPlaced, BetSettled } from '../../engine/model/events.js';
import { faultOfArchiveRow, faultOfPlacement, faultOfSettlement } from '../archive/check.js';
import type { ArchiveCell } from '../archive/checksum.js';
import { BET, countOf, TRANSFER } from '../archive/columns.js';
import { openArchive } from '../archive/open.js';
import {
  type ArchiveQuery,
  EVENTS_IN_ORDER,
  eventsSql,
  ONE_BET,
  OPEN_BETS,
  SETTLED_BETS,
} from '../archive/queries.js';
import { type ArchiveProgress, asArchiveDamage, damagedArchive, readProgress } from '../archive/schema.js';
import { ArchiveTexts } from '../archive/texts.js';
import type { DataDir } from '../data-dir/layout.js';
import { type ArchivedRound, movedOf, placedOf, roundOf, settledOf, settledSeqOf } from './archived-facts.js';
import { mergedRows } from './merged-rows.js';

const BET_CELLS = countOf(BET);
const TRANSFER_CELLS = countOf(TRANSFER);
/** Rows are read in about the order in which they are stored, so more would not help; sorting takes as much again. */
const CACHE_KIB = 2_048;

/** An event that moved money. `seq` is 0 if the archive began after the bet was placed. */
export interface ArchivedEvent {
  readonly seq: number;
  readonly event: BetPlaced | BetSettled | BalanceMoved;
}

/** A bet whose placement is known, and its settlement up to some command. */
export interface ArchivedBet {
  readonly placedSeq: number;
  readonly placed: BetPlaced;
  readonly fate: { readonly seq: number; readonly settled: BetSettled } | null;
}

export class ArchiveReader {
  readonly #texts: ArchiveTexts;
  #oneBet: Database.Statement<unknown[], ArchiveCell[]> | null = null;

  private constructor(
    readonly path: string,
    readonly progress: ArchiveProgress,
    private readonly db: Database.Database,
  ) {
    this.#texts = new ArchiveTexts(db);
  }

  /** null if there is no archive. Throws `archive_newer_version` and `archive_corrupt`. */
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
  *events(query: ArchiveQuery, toSeq: number): Generator<ArchivedEvent, void, undefined> {
    try {
      const { sql, values } = eventsSql(query, (timeMs) => this.#firstBetFrom(timeMs));
      const rows = this.db.prepare<unknown[], ArchiveCell[]>(sql).raw();
      for (const row of rows.iterate(...values, toSeq)) yield this.#eventOf(row);
    } catch (thrown) {
      throw asArchiveDamage(this.path, thrown);
    }
  }

  /** All events of commands `fromSeq` to `toSeq`, in order. Throws `archive_corrupt`. */
  *allEvents(fromSeq: number, toSeq: number): Generator<ArchivedEvent, void, undefined> {
    try {
      const streams = EVENTS_IN_ORDER.map((sql) => this.#select(sql).iterate(fromSeq, toSeq));
      for (const row of mergedRows(streams)) yield this.#eventOf(row);
    } catch (thrown) {
      throw asArchiveDamage(this.path, thrown);
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
      const rows = this.#select(which === 'settled' ? SETTLED_BETS : OPEN_BETS);
      for (const row of rows.iterate(fromSeq, toSeq, knownTo, account, account)) yield this.#betOf(row);
    } catch (thrown) {
      throw asArchiveDamage(this.path, thrown);
    }
  }

  /** The placement of the bet; null if it is not known. Throws `archive_corrupt`. */
  placement(bet: number): ArchivedBet | null {
    try {
      this.#oneBet ??= this.#select(ONE_BET);
      const row = this.#oneBet.get(bet);
      return row === undefined ? null : this.#betOf(row);
    } catch (thrown) {
      throw asArchiveDamage(this.path, thrown);
    }
  }

  #select(sql: string): Database.Statement<unknown[], ArchiveCell[]> {
    return this.db.prepare<unknown[], ArchiveCell[]>(sql).raw();
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
        const round = this.#roundOf(row);
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
    const place = (sql: string, ...values: (number | string)[]): number | null =>
      this.db
        .prepare<unknown[], number | null>(sql)
        .pluck()
        .get(settledSeq, ...values) ?? null;
    const ofHouse = place(
      'SELECT max(item) FROM transfer WHERE seq = ? AND reference = ?',
      `${id}_${roundNumber}`,
    );
    if (ofHouse !== null) return ofHouse;
    const windowMs = timeFrameMs(market);
    const [first, end] = [roundNumber, roundNumber + 1].map((number) =>
      this.#firstBetFrom(number * windowMs),
    );
    const ofBets = place(
      'SELECT max(settled_item) FROM bet WHERE settled_seq = ? AND market = ? AND round_number = ? AND bet >= ? AND bet < ?',
      id,
      roundNumber,
      must(first, 'first bet'),
      must(end, 'end of bets'),
    );
    return ofBets ?? 0;
  }

  /** The number of the first bet placed at `timeMs` or later. Numbers and times both increase. */
  #firstBetFrom(timeMs: number): number {
    const at = this.db.prepare<[number], [bet: number, placedMs: number]>(
      'SELECT bet, placed_ms FROM bet WHERE bet >= ? ORDER BY bet LIMIT 1',
    );
    let low = 0;
    let high = this.db.prepare<[], number>('SELECT coalesce(max(bet), 0) + 1 FROM bet').pluck().get() ?? 0;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const found = at.raw().get(middle);
      if (found !== undefined && found[1] < timeMs) low = found[0] + 1;
      else high = middle;
    }
    return low;
  }

  close(): void {
    this.db.close();
  }

  #eventOf(row: ArchiveCell[]): ArchivedEvent {
    const [seq, what, ...cells] = row;
    if (what === 'transfer')
      return { seq: Number(seq), event: this.#movedOf(cells.slice(0, TRANSFER_CELLS)) };
    const bet = this.#betCells(cells, what === 'settled');
    return { seq: Number(seq), event: what === 'placed' ? placedOf(bet) : settledOf(bet) };
  }

  #betOf(row: ArchiveCell[]): ArchivedBet {
    const [placedSeq, what, ...cells] = row;
    const isSettled = what === 'settled';
    const bet = this.#betCells(cells, isSettled);
    const fate = isSettled ? { seq: settledSeqOf(bet), settled: settledOf(bet) } : null;
    return { placedSeq: Number(placedSeq), placed: placedOf(bet), fate };
  }

  /** The row of a bet. Its settlement is checked only if it is needed. */
  #betCells(cells: ArchiveCell[], isSettled: boolean): ArchiveCell[] {
    const bet = this.#texts.asWritten('bet', cells.slice(0, BET_CELLS));
    this.#refuse(bet, faultOfPlacement(bet) ?? (isSettled ? faultOfSettlement(bet) : null));
    return bet;
  }

  #movedOf(row: ArchiveCell[]): BalanceMoved {
    return movedOf(this.#checked('transfer', row));
  }

  #roundOf(row: ArchiveCell[]): ArchivedRound {
    return roundOf(this.#checked('round', row));
  }

  #checked(table: 'round' | 'transfer', found: ArchiveCell[]): ArchiveCell[] {
    const row = this.#texts.asWritten(table, found);
    this.#refuse(row, faultOfArchiveRow(table, row));
    return row;
  }

  #refuse([key]: readonly ArchiveCell[], fault: string | null): void {
    if (fault !== null) throw damagedArchive(this.path, `in the row of ${JSON.stringify(key)} ${fault}`);
  }
}
