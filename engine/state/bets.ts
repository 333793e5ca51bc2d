/**
 * Bets, stored by column in chunks of 32,768 typed-array rows. Freed rows are reused, and growing adds a chunk, so
 * nothing is ever copied.
 */
import { fail, must } from '../base/assert.js';
import { type LimitFields, LimitTable } from './limit-table.js';
import { RareTexts } from './optional-columns.js';
import { WideColumn } from './wide-column.js';

const CHUNK_BITS = 15;
const CHUNK_ROWS = 1 << CHUNK_BITS;
const CHUNK_MASK = CHUNK_ROWS - 1;

/** Reasons to keep a bet in memory; a bet with none of them is freed. */
export const BET_OPEN = 1;
export const BET_RECENTLY_PLACED = 2;
export const BET_RECENTLY_SETTLED = 4;

/** Links are rows; 0 is none. */
export class BetChunk {
  readonly bet = new WideColumn(CHUNK_ROWS);
  readonly stakeCents = new WideColumn(CHUNK_ROWS);
  readonly oddsE4 = new WideColumn(CHUNK_ROWS);
  readonly payoutCents = new WideColumn(CHUNK_ROWS);
  readonly placedAtMs = new WideColumn(CHUNK_ROWS);
  /** Is left as it was while the bet is open. */
  readonly settledAtMs = new WideColumn(CHUNK_ROWS);
  /** The command that placed the bet or, once it is settled, settled it. */
  readonly changedSeq = new WideColumn(CHUNK_ROWS);
  readonly account = new Uint32Array(CHUNK_ROWS);
  readonly roundNumber = new Uint32Array(CHUNK_ROWS);
  /** Share of the pool after the stake joined it, 1e-2 of a point; 0 for an order that rests. */
  readonly entryPercentE2 = new Uint16Array(CHUNK_ROWS);
  readonly market = new Uint8Array(CHUNK_ROWS);
  readonly side = new Uint8Array(CHUNK_ROWS);
  readonly result = new Uint8Array(CHUNK_ROWS);
  /** Union of the `BET_...` bits. */
  readonly flags = new Uint8Array(CHUNK_ROWS);
  /** Neighbours in the account's list of retained bets, by placement. */
  readonly newer = new Uint32Array(CHUNK_ROWS);
  readonly older = new Uint32Array(CHUNK_ROWS);
  /** Neighbours in the account's list of recently settled bets, by settlement. */
  readonly settledNewer = new Uint32Array(CHUNK_ROWS);
  readonly settledOlder = new Uint32Array(CHUNK_ROWS);
  /** Next bet of the same round, by placement; in a free row, the next free row. */
  readonly next = new Uint32Array(CHUNK_ROWS);
  readonly clientSeeds = new RareTexts(CHUNK_ROWS);
  readonly clientOrderIds = new RareTexts(CHUNK_ROWS);
  /** The bet's row in `LimitTable` if it is a limit order, else 0. A chunk without one has no array. */
  limitRows: Uint32Array | null = null;

  isOpen(i: number): boolean {
    return ((this.flags[i] as number) & BET_OPEN) !== 0;
  }

  limitRowOf(i: number): number {
    return this.limitRows === null ? 0 : (this.limitRows[i] as number);
  }
}

export class BetTable {
  readonly limits = new LimitTable();
  readonly #chunks: BetChunk[] = [new BetChunk()];
  #freeRow = 0;
  /** Row 0 is never a bet. */
  #rowsUsed = 1;
  #placedCount = 0;
  #retainedCount = 0;

  get placedCount(): number {
    return this.#placedCount;
  }
  get retainedCount(): number {
    return this.#retainedCount;
  }
  /** Rows from 1 to below this one hold a bet or are free. */
  get rowsEnd(): number {
    return this.#rowsUsed;
  }

  chunk(row: number): BetChunk {
    return must(this.#chunks[row >>> CHUNK_BITS], 'chunk of a bet row');
  }
  index(row: number): number {
    return row & CHUNK_MASK;
  }

  betOf(row: number): number {
    return this.chunk(row).bet.at(row & CHUNK_MASK);
  }

  /** Numbers the bet. The caller fills the other columns. */
  take(): number {
    let row = this.#freeRow;
    if (row !== 0) {
      this.#freeRow = this.chunk(row).next[row & CHUNK_MASK] as number;
    } else {
      row = this.#rowsUsed++;
      if (row >>> CHUNK_BITS >= this.#chunks.length) this.#chunks.push(new BetChunk());
    }
    this.chunk(row).bet.set(row & CHUNK_MASK, ++this.#placedCount);
    this.#retainedCount++;
    return row;
  }

  /** The bet's stake must be known. Returns the resting order's row in `limits`. */
  limit(row: number, fields: LimitFields): number {
    const chunk = this.chunk(row);
    const i = row & CHUNK_MASK;
    chunk.limitRows ??= new Uint32Array(CHUNK_ROWS);
    const [bet, stakeCents] = [chunk.bet.at(i), chunk.stakeCents.at(i)];
    const taken = this.limits.take(row, bet, stakeCents, fields);
    chunk.limitRows[i] = taken;
    return taken;
  }

  /** Whether the bet is an order that rests or, once it has ended, one that was never filled. */
  isUnfilled(row: number): boolean {
    const limitRow = this.chunk(row).limitRowOf(row & CHUNK_MASK);
    return limitRow !== 0 && this.limits.chunk(limitRow).filledAtMs[this.limits.index(limitRow)] === 0;
  }

  /** The bet must be a limit order. */
  keyOf(row: number): number {
    const limitRow = this.chunk(row).limitRowOf(row & CHUNK_MASK);
    return this.limits.chunk(limitRow).key[this.limits.index(limitRow)] as number;
  }

  hasRested(row: number): boolean {
    const limitRow = this.chunk(row).limitRowOf(row & CHUNK_MASK);
    return limitRow !== 0 && this.limits.chunk(limitRow).rested[this.limits.index(limitRow)] === 1;
  }

  /** For bets imported from a snapshot. */
  skipNumbersTo(bet: number): void {
    if (!(bet >= this.#placedCount)) fail(`bet ${bet} comes after bet ${this.#placedCount}`);
    this.#placedCount = bet;
  }

  free(row: number): void {
    const chunk = this.chunk(row);
    const i = row & CHUNK_MASK;
    chunk.bet.set(i, 0);
    chunk.clientSeeds.set(i, null);
    chunk.clientOrderIds.set(i, null);
    if (chunk.limitRows !== null && chunk.limitRows[i] !== 0) {
      this.limits.free(chunk.limitRows[i] as number);
      chunk.limitRows[i] = 0;
    }
    chunk.next[i] = this.#freeRow;
    this.#freeRow = row;
    this.#retainedCount--;
  }
}
