/**
 * The columns of a limit order besides those of its bet, in chunks, and the nodes of the search trees of those that
 * rest (`limit-tree.ts`). Rows are taken with a bet's row and freed with it; links are rows, 0 is none.
 */
import { must } from '../base/assert.js';
import type { PlaceOrder } from '../model/commands.js';
import { NO_END } from '../model/domain.js';

const CHUNK_BITS = 12;
const CHUNK_ROWS = 1 << CHUNK_BITS;
const CHUNK_MASK = CHUNK_ROWS - 1;

class LimitChunk {
  readonly betRow = new Uint32Array(CHUNK_ROWS);
  readonly limitOddsE4 = new Uint32Array(CHUNK_ROWS);
  readonly key = new Uint32Array(CHUNK_ROWS);
  /** 0 until the order has become a bet. */
  readonly filledAtMs = new Float64Array(CHUNK_ROWS);
  /** 0 if the order was placed at once. */
  readonly rested = new Uint8Array(CHUNK_ROWS);
  /** A search reads these at every node. */
  readonly bet = new Float64Array(CHUNK_ROWS);
  readonly stakeCents = new Float64Array(CHUNK_ROWS);
  /** The last millisecond in which the order may rest; Infinity where only its round ends it. */
  readonly validUntilMs = new Float64Array(CHUNK_ROWS);
  /** The least stake and the first of these times in the tree below a node and at it. */
  readonly leastCents = new Float64Array(CHUNK_ROWS);
  readonly firstEndMs = new Float64Array(CHUNK_ROWS);
  readonly left = new Uint32Array(CHUNK_ROWS);
  /** In a free row, the next free row. */
  readonly right = new Uint32Array(CHUNK_ROWS);
  readonly height = new Uint8Array(CHUNK_ROWS);
}

export type LimitFields = Pick<PlaceOrder, 'limitOddsE4' | 'validUntilMs' | 'key'>;

export class LimitTable {
  readonly #chunks: LimitChunk[] = [];
  #freeRow = 0;
  #rowsUsed = 1;

  chunk(row: number): LimitChunk {
    return must(this.#chunks[row >>> CHUNK_BITS], 'chunk of a limit order');
  }
  index(row: number): number {
    return row & CHUNK_MASK;
  }

  take(
    betRow: number,
    bet: number,
    stakeCents: number,
    { limitOddsE4, validUntilMs, key }: LimitFields,
  ): number {
    let row = this.#freeRow;
    if (row !== 0) {
      this.#freeRow = this.chunk(row).right[row & CHUNK_MASK] as number;
    } else {
      row = this.#rowsUsed++;
      if (row >>> CHUNK_BITS >= this.#chunks.length) this.#chunks.push(new LimitChunk());
    }
    const chunk = this.chunk(row);
    const i = row & CHUNK_MASK;
    chunk.betRow[i] = betRow;
    chunk.limitOddsE4[i] = limitOddsE4;
    chunk.key[i] = key;
    chunk.validUntilMs[i] = validUntilMs === NO_END ? Number.POSITIVE_INFINITY : validUntilMs;
    chunk.filledAtMs[i] = 0;
    chunk.rested[i] = 1;
    chunk.bet[i] = bet;
    chunk.stakeCents[i] = stakeCents;
    return row;
  }

  /** `filledAtMs` is null until the order has become a bet, `validUntilMs` where only its round ends it. */
  view(row: number) {
    const chunk = this.chunk(row);
    const i = row & CHUNK_MASK;
    const endMs = chunk.validUntilMs[i] as number;
    return {
      limitOddsE4: chunk.limitOddsE4[i] as number,
      key: chunk.key[i] as number,
      filledAtMs: chunk.filledAtMs[i] || null,
      rested: chunk.rested[i] === 1,
      validUntilMs: endMs === Number.POSITIVE_INFINITY ? null : endMs,
    };
  }

  /** The order in `row` does not rest: it was a bet from the beginning. */
  placeAtOnce(row: number, timeMs: number): void {
    this.chunk(row).filledAtMs[row & CHUNK_MASK] = timeMs;
    this.chunk(row).rested[row & CHUNK_MASK] = 0;
  }

  free(row: number): void {
    this.chunk(row).right[row & CHUNK_MASK] = this.#freeRow;
    this.#freeRow = row;
  }
}
