/**
 * What few answers to orders have: a client seed, a limit, resting orders that they filled. By rows of a chunk
 * (`idempotency.ts`); a chunk in which no answer has one has no array for it.
 */
import { NO_LIMIT } from '../model/domain.js';
import type { LimitFills, OrderFacts } from '../model/events.js';

export type Optional = Pick<OrderFacts, 'type' | 'clientSeed' | 'limitOddsE4' | 'filled'>;

export class OptionalFacts {
  #clientSeeds: (string | null)[] | null = null;
  /** Negative of limit orders that rested. */
  #limits: Int32Array | null = null;
  #fills: Map<number, LimitFills> | null = null;

  constructor(private readonly rows: number) {}

  write(row: number, { type, clientSeed, limitOddsE4, filled }: Optional): void {
    if (clientSeed !== null) {
      this.#clientSeeds ??= new Array<string | null>(this.rows).fill(null);
      this.#clientSeeds[row] = clientSeed;
    }
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
      clientSeed: this.#clientSeeds?.[row] ?? null,
      limitOddsE4: Math.abs(limit),
      filled: this.#fills?.get(row) ?? null,
    };
  }
}
