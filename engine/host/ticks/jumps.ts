/**
 * Decides which prices are believed. A price far from the asset's last one, as a ratio either way, is mostly an error
 * of the feed, and is refused. It is believed once later ticks have agreed with it for a while and none went back to
 * the old price.
 */
import type { PriceTick } from '../../model/ports.js';

/** Greatest ratio of a price to the last one, or of the last one to it. */
export const RATIO_MAX = 1.5;
/** How long later ticks must have agreed with a refused price, by engine time of their arrival. */
export const AGREEMENT_MS = 30_000;
/** However long the agreement has lasted, so many ticks must have come after the first of it. */
const AGREEING_TICKS_MIN = 3;

/** The last price that was believed, however old: after a silence a wrong one decides as much. */
export type LastPrice = Pick<PriceTick, 'price'>;

/** Neither price is more than `ratioMax` times the other. */
export const agree = (price: number, otherPrice: number, ratioMax = RATIO_MAX): boolean =>
  price <= otherPrice * ratioMax && otherPrice <= price * ratioMax;

/** Ticks that were refused one after the other and agree among themselves. */
interface Run {
  readonly firstTimeMs: number;
  readonly sinceMs: number;
  last: PriceTick;
  /** When `last` arrived, in engine time. */
  heardMs: number;
  agreeing: number;
}
export type HeldPrice = Readonly<Run>;

export class Jumps {
  #run: Run | null = null;

  constructor(private readonly ratioMax: number) {}

  get held(): HeldPrice | null {
    return this.#run;
  }

  /** Somebody vouches for the price that is held back. Returns it, or null. */
  release(): HeldPrice | null {
    const held = this.#run;
    this.#run = null;
    return held;
  }

  /** For a tick that arrives at engine time `nowMs`, after `last`. A refused one is remembered. */
  isBelieved(tick: PriceTick, last: LastPrice | null, nowMs: number): boolean {
    if (last === null || this.isNear(tick, last)) {
      // A tick that is merely late says nothing of the prices after it.
      if (this.#run !== null && tick.timeMs >= this.#run.firstTimeMs) this.#run = null;
      return true;
    }
    const run = this.#run;
    if (run === null || !this.isNear(tick, run.last)) this.#run = runFrom(tick, nowMs);
    else if (tick.timeMs > run.last.timeMs) {
      run.last = tick;
      run.heardMs = nowMs;
      run.agreeing++;
      if (run.agreeing >= AGREEING_TICKS_MIN && nowMs - run.sinceMs >= AGREEMENT_MS) {
        this.#run = null;
        return true;
      }
    }
    return false;
  }

  isNear({ price }: LastPrice, last: LastPrice): boolean {
    return agree(price, last.price, this.ratioMax);
  }
}

const runFrom = (tick: PriceTick, nowMs: number): Run => ({
  firstTimeMs: tick.timeMs,
  sinceMs: nowMs,
  last: tick,
  heardMs: nowMs,
  agreeing: 0,
});
