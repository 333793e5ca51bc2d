/**
 * Reads the blocks of bets in an archive, each against its checksum. Throws `archive_corrupt`, and errors of SQLite.
 */
import type Database from 'better-sqlite3';
import { must } from '../../engine/base/assert.js';
import { type Cell, rowsOfText } from '../../engine/base/rows-text.js';
import {
  IN_PLACEMENT,
  isBlockIntact,
  positionsOf,
  type Rows,
  rowOfText,
  rowStarts,
  SETTLED_BLOCK,
} from './columns.js';
import { damagedArchive, intact, type RowQuery, rowQuery } from './schema.js';

/** Placed blocks whose texts are kept: settlements of a minute's rounds ask for the same ones again and again. */
const TEXTS_KEPT_MAX = 1_024;
/** Blocks read in one short transaction, so that a running server can truncate its WAL in between. */
const BLOCKS_AT_ONCE = 16;

const IN_SETTLED_BLOCK = positionsOf(SETTLED_BLOCK);

interface PlacedText {
  readonly firstBet: number;
  readonly lastBet: number;
  readonly text: string;
  /** Where each row begins; null until one is looked up. */
  starts: readonly number[] | null;
}

export class ArchiveBlocks {
  readonly #placedFrom: RowQuery;
  readonly #placedAt: RowQuery;
  readonly #settledFrom: readonly RowQuery[];
  readonly #settledAt: RowQuery;
  readonly #settledOfRound: RowQuery;
  readonly #betsOfAccount: RowQuery;
  readonly #listWith: RowQuery;
  readonly #texts = new Map<number, PlacedText>();
  #last: PlacedText | null = null;
  readonly limitSteps: LimitSteps;

  constructor(
    readonly path: string,
    db: Database.Database,
    settledBlocks: readonly string[] = ['settled_block'],
  ) {
    this.limitSteps = new LimitSteps(path, db);
    const query = (sql: string): RowQuery => rowQuery(db, sql);
    this.#placedFrom = query('SELECT * FROM placed_block WHERE first_bet >= ? ORDER BY first_bet LIMIT ?');
    this.#placedAt = query('SELECT * FROM placed_block WHERE first_bet <= ? ORDER BY first_bet DESC LIMIT 1');
    this.#settledFrom = settledBlocks.map((table) =>
      query(`SELECT rowid, * FROM ${table} WHERE rowid > ? AND seq >= ? AND seq <= ? ORDER BY rowid LIMIT ?`),
    );
    const ofRound = 'SELECT * FROM settled_block WHERE market = ? AND round_number = ?';
    this.#settledAt = query(`${ofRound} AND first_bet <= ? ORDER BY first_bet DESC LIMIT 1`);
    this.#settledOfRound = query(`${ofRound} ORDER BY first_bet`);
    this.#betsOfAccount = query(
      'SELECT * FROM account_bets WHERE account = ? AND seq <= ? ORDER BY seq DESC LIMIT 1',
    );
    this.#listWith = query('SELECT min(seq) FROM account_bets WHERE account = ? AND seq >= ?');
  }

  *placements(fromBet: number): Rows {
    if (!Number.isSafeInteger(fromBet)) return;
    let from = Number(this.#placedAt.get(fromBet)?.[0] ?? fromBet);
    for (;;) {
      const blocks = this.#placedFrom.all(from, BLOCKS_AT_ONCE);
      for (const block of blocks) {
        const { firstBet, text } = this.#placedText(block);
        for (const row of rowsOfText(text)) if (Number(row[IN_PLACEMENT.bet]) >= fromBet) yield row;
        from = firstBet + 1;
      }
      if (blocks.length < BLOCKS_AT_ONCE) return;
    }
  }

  *placementsBefore(beforeBet: number): Rows {
    let before = Math.min(beforeBet, Number.MAX_SAFE_INTEGER);
    for (;;) {
      const block = this.#placedAt.get(before - 1);
      if (block === undefined) return;
      const { firstBet, text } = this.#placedText(block);
      for (const row of rowsOfText(text).reverse()) if (Number(row[IN_PLACEMENT.bet]) < before) yield row;
      before = firstBet;
    }
  }

  /** `isLate` must hold for all bets after the first for which it holds. Infinity if there is none. */
  firstBet(isLate: (placement: readonly Cell[]) => boolean): number {
    // The blocks whose first bets are early come first; the bet is in the last of these, or begins the next one.
    let low = 0;
    let high = Number(this.#placedAt.get(Number.MAX_SAFE_INTEGER)?.[1] ?? 0) + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const block = this.#placedAt.get(middle);
      const first = block === undefined ? null : (rowsOfText(this.#placedText(block).text)[0] ?? null);
      if (block === undefined || first === null) low = middle + 1;
      else if (isLate(first)) high = Number(block[0]);
      else low = Math.max(middle, Number(block[1])) + 1;
    }
    const before = this.#placedAt.get(low - 1);
    for (const row of this.placements(Number(before?.[0] ?? 0)))
      if (isLate(row)) return Number(row[IN_PLACEMENT.bet]);
    return Number.POSITIVE_INFINITY;
  }

  placement(bet: number): Cell[] | null {
    const block = this.#textWith(bet);
    if (block === null || bet > block.lastBet) return null;
    const { firstBet, lastBet, text } = block;
    block.starts ??= rowStarts(text);
    // Bets are numbered without gaps, but an archive that begins at a snapshot has only those that were open there.
    const place = bet - firstBet;
    const rows = block.starts.length - 1;
    if (lastBet - firstBet + 1 === rows) return rowOfText(text, block.starts, place);
    return rowsOfText(text).find((row) => row[IN_PLACEMENT.bet] === bet) ?? null;
  }

  /** Lacks settlements of limit orders that have rested: these are steps. */
  *settlements(fromSeq: number, toSeq: number): Rows {
    for (const query of this.#settledFrom) yield* this.#settlementsIn(query, fromSeq, toSeq);
  }

  *#settlementsIn(query: RowQuery, fromSeq: number, toSeq: number): Rows {
    let after = 0;
    for (;;) {
      const blocks = query.all(after, fromSeq, toSeq, BLOCKS_AT_ONCE);
      for (const [rowid, ...block] of blocks) {
        yield* this.#settledRows(block);
        after = Number(rowid);
      }
      if (blocks.length < BLOCKS_AT_ONCE) return;
    }
  }

  settlement(market: string, roundNumber: number, bet: number): Cell[] | null {
    const block = this.#settledAt.get(market, roundNumber, bet);
    return (block === undefined ? [] : this.#settledRows(block)).find(([of]) => of === bet) ?? null;
  }

  /** In the order of the bets' numbers. Lacks those of limit orders that have rested: these are steps. */
  *settlementsOfRound(market: string, roundNumber: number): Rows {
    for (const block of this.#settledOfRound.iterate(market, roundNumber)) yield* this.#settledRows(block);
  }

  *settlementsOfRoundBefore(market: string, roundNumber: number, beforeBet: number): Rows {
    let before = Math.min(beforeBet, Number.MAX_SAFE_INTEGER);
    for (;;) {
      const block = this.#settledAt.get(market, roundNumber, before - 1);
      if (block === undefined) return;
      for (const row of this.#settledRows(block).reverse()) if (Number(row[0]) < before) yield row;
      before = Number(block[IN_SETTLED_BLOCK.first_bet]);
    }
  }

  /**
   * The account's lists, newest first, from the one that has the effect of command `fromSeq`: its bets between two commits
   * of the archive, in the order of placement and of settlement.
   */
  *betsOfAccount(account: number, fromSeq = Number.MAX_SAFE_INTEGER) {
    const [first = null] = this.#listWith.get(account, fromSeq) ?? [];
    for (let upTo = Number(first ?? Number.MAX_SAFE_INTEGER); ; ) {
      const cells = this.#betsOfAccount.get(account, upTo);
      if (cells === undefined) return;
      const row = this.#accountBets(cells);
      yield row;
      upTo = row.seq - 1;
    }
  }

  #accountBets(cells: Cell[]) {
    const [, seq, placed, settled] = intact(this.path, 'account_bets', cells);
    const numbers = (list: Cell | undefined): number[] => JSON.parse(String(list)) as number[];
    return { seq: Number(seq), placed: numbers(placed), settled: numbers(settled) };
  }

  #textWith(bet: number): PlacedText | null {
    const last = this.#last;
    if (last !== null && bet >= last.firstBet && bet <= last.lastBet) return last;
    const found = this.#placedAt.get(bet);
    if (found === undefined) return null;
    const firstBet = Number(found[0]);
    const block = this.#texts.get(firstBet) ?? this.#placedText(found);
    this.#texts.delete(firstBet);
    this.#texts.set(firstBet, block);
    if (this.#texts.size > TEXTS_KEPT_MAX)
      this.#texts.delete(must(this.#texts.keys().next().value, 'a text'));
    this.#last = block;
    return block;
  }

  #placedText(block: Cell[]): PlacedText {
    if (!isBlockIntact(block)) throw this.#damaged(`placed_block ${block[0]}`);
    const [firstBet, lastBet, text] = block;
    return { firstBet: Number(firstBet), lastBet: Number(lastBet), text: String(text), starts: null };
  }

  #settledRows(block: Cell[]): Cell[][] {
    if (!isBlockIntact(block)) throw this.#damaged(`settled_block ${block[1]} ${block[2]} ${block[4]}`);
    return settledRowsOf(block);
  }

  #damaged(what: string): Error {
    return damagedArchive(this.path, `the checksum of ${what} does not match`);
  }
}

export function settledRowsOf(block: readonly Cell[]): Cell[][] {
  const [seq = null, market = null, roundNumber = null, timeMs = null, , , text] = block;
  const rows = rowsOfText(String(text));
  for (const row of rows) row.push(seq, market, roundNumber, timeMs);
  return rows;
}

class LimitSteps {
  constructor(
    private readonly path: string,
    private readonly db: Database.Database,
  ) {}

  ofBet(bet: number): Cell[][] {
    return [...this.#where('bet = ? ORDER BY seq, item', bet)];
  }

  downOfAccount(account: number, seq: number, item: number): Rows {
    return this.#where(
      'account = ? AND (seq, item) <= (?, ?) ORDER BY seq DESC, item DESC',
      account,
      seq,
      item,
    );
  }

  ofRound(market: string, roundNumber: number): Rows {
    return this.#where('market = ? AND round_number = ? ORDER BY seq, item', market, roundNumber);
  }

  between(fromSeq: number, toSeq: number): Rows {
    return this.#where('seq BETWEEN ? AND ? ORDER BY seq, item', fromSeq, toSeq);
  }

  *#where(where: string, ...values: Cell[]): Rows {
    const query = rowQuery(this.db, `SELECT * FROM limit_step WHERE ${where}`);
    for (const row of query.iterate(...values)) yield intact(this.path, 'limit_step', row);
  }
}
