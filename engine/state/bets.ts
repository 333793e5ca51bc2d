/**
 * Bets, in columns: one chunk holds 32,768 bets as typed arrays, a freed row is used again, and growing adds a
 * chunk, so that no bet ever waits for a copy of the others. About 90 bytes a bet.
 */
import { fail, must } from '../base/assert.js';

const CHUNK_BITS = 15;
const CHUNK_ROWS = 1 << CHUNK_BITS;
const CHUNK_MASK = CHUNK_ROWS - 1;

/** Why a bet is still in memory: a bet without any of these is freed. */
export const BET_OPEN = 1;
export const BET_RECENTLY_PLACED = 2;
export const BET_RECENTLY_SETTLED = 4;

/** Links are rows; 0 is none. */
export class BetChunk {
  /** The bet's number, which its id is made of. */
  readonly bet = new Float64Array(CHUNK_ROWS);
  readonly stakeCents = new Float64Array(CHUNK_ROWS);
  readonly oddsE4 = new Float64Array(CHUNK_ROWS);
  readonly payoutCents = new Float64Array(CHUNK_ROWS);
  readonly placedAtMs = new Float64Array(CHUNK_ROWS);
  readonly settledAtMs = new Float64Array(CHUNK_ROWS);
  /** Number of the command that changed the bet last. */
  readonly changedSeq = new Float64Array(CHUNK_ROWS);
  readonly account = new Uint32Array(CHUNK_ROWS);
  readonly roundNumber = new Uint32Array(CHUNK_ROWS);
  readonly market = new Uint8Array(CHUNK_ROWS);
  readonly side = new Uint8Array(CHUNK_ROWS);
  /** Index into `BET_RESULTS`. */
  readonly result = new Uint8Array(CHUNK_ROWS);
  /** Union of the `BET_...` bits. */
  readonly flags = new Uint8Array(CHUNK_ROWS);
  /** Neighbours among the account's retained bets in the order of placement. */
  readonly newer = new Uint32Array(CHUNK_ROWS);
  readonly older = new Uint32Array(CHUNK_ROWS);
  /** Neighbours among the account's last settled bets in the order of settlement. */
  readonly settledNewer = new Uint32Array(CHUNK_ROWS);
  readonly settledOlder = new Uint32Array(CHUNK_ROWS);
  /** Next bet of the same round in the order of placement; next free row where the row is free. */
  readonly next = new Uint32Array(CHUNK_ROWS);
}

export class BetTable {
  readonly #chunks: BetChunk[] = [new BetChunk()];
  #freeRow = 0;
  /** Row 0 is never a bet. */
  #rowsUsed = 1;
  #placedCount = 0;
  #retainedCount = 0;

  /** How many bets were ever placed: the number of the last one. */
  get placedCount(): number {
    return this.#placedCount;
  }
  get retainedCount(): number {
    return this.#retainedCount;
  }
  /** Rows from 1 up to, not including, this one hold a bet or are free. */
  get rowsEnd(): number {
    return this.#rowsUsed;
  }

  chunk(row: number): BetChunk {
    return must(this.#chunks[row >>> CHUNK_BITS], 'chunk of a bet row');
  }
  index(row: number): number {
    return row & CHUNK_MASK;
  }

  /** Takes a row for the next bet and gives it its number. The caller fills the other columns. */
  take(): number {
    let row = this.#freeRow;
    if (row !== 0) {
      this.#freeRow = this.chunk(row).next[row & CHUNK_MASK] as number;
    } else {
      row = this.#rowsUsed++;
      if (row >>> CHUNK_BITS >= this.#chunks.length) this.#chunks.push(new BetChunk());
    }
    this.chunk(row).bet[row & CHUNK_MASK] = ++this.#placedCount;
    this.#retainedCount++;
    return row;
  }

  /** The next bet's number will be above `bet`: those up to it are used. For bets that come from a snapshot. */
  skipNumbersTo(bet: number): void {
    if (!(bet >= this.#placedCount)) fail(`bet ${bet} comes after bet ${this.#placedCount}`);
    this.#placedCount = bet;
  }

  free(row: number): void {
    const chunk = this.chunk(row);
    const i = row & CHUNK_MASK;
    chunk.bet[i] = 0;
    chunk.next[i] = this.#freeRow;
    this.#freeRow = row;
    this.#retainedCount--;
  }
}
