/**
 * Fields that few answers to orders have: a client seed, a limit, resting orders that they filled. By rows of a chunk
 * (`idempotency.ts`); a chunk in which no answer has one has no array for it.
 */
import { NO_LIMIT } from '../model/domain.js';
import type { LimitFills, OrderTerms } from '../model/events.js';

type Optional = Pick<OrderTerms, 'type' | 'clientSeed' | 'clientOrderId' | 'limitOddsE4' | 'filled'>;

/** While no row has a text there is no array. */
export class RareTexts {
  #texts: (string | null)[] | null = null;

  constructor(private readonly rows: number) {}

  set(row: number, text: string | null): void {
    if (text !== null) this.#texts ??= new Array<string | null>(this.rows).fill(null);
    if (this.#texts !== null) this.#texts[row] = text;
  }

  at(row: number): string | null {
    return this.#texts?.[row] ?? null;
  }
}

export class OptionalColumns {
  readonly #clientSeeds: RareTexts;
  readonly #clientOrderIds: RareTexts;
  /** Negative for limit orders that rested. */
  #limits: Int32Array | null = null;
  #fills: Map<number, LimitFills> | null = null;

  constructor(private readonly rows: number) {
    this.#clientSeeds = new RareTexts(rows);
    this.#clientOrderIds = new RareTexts(rows);
  }

  write(row: number, { type, clientSeed, clientOrderId, limitOddsE4, filled }: Optional): void {
    this.#clientSeeds.set(row, clientSeed);
    this.#clientOrderIds.set(row, clientOrderId);
    if (limitOddsE4 !== NO_LIMIT) {
      this.#limits ??= new Int32Array(this.rows);
      this.#limits[row] = type === 'orderPending' ? -limitOddsE4 : limitOddsE4;
    }
    if (filled !== null) {
      this.#fills ??= new Map();
      this.#fills.set(row, filled);
    }
  }

  read(row: number): Optional {
    const limit = this.#limits === null ? NO_LIMIT : (this.#limits[row] as number);
    return {
      type: limit < 0 ? 'orderPending' : 'betPlaced',
      clientSeed: this.#clientSeeds.at(row),
      clientOrderId: this.#clientOrderIds.at(row),
      limitOddsE4: Math.abs(limit),
      filled: this.#fills?.get(row) ?? null,
    };
  }
}
