/**
 * Decides which prices are believed. A price far from the asset's last one, as a ratio either way, is mostly an error
 * of the feed, and is refused. It is believed once later ticks have agreed with it for a while and none went back to
 * the old price.
 */
import type { PriceTick } from '../../model/ports.js';

/** The last price that was believed. */
export type Reference = Pick<PriceTick, 'price' | 'timeMs'>;

export interface JumpLimits {
  /** Greatest ratio of a price to the last one, or of the last one to it; above 1. */
  readonly ratioMax: number;
  /** How long later ticks must have agreed with a refused price, by engine time of their arrival. */
  readonly agreementMs: number;
}

export const DEFAULT_JUMP_LIMITS: JumpLimits = { ratioMax: 1.5, agreementMs: 30_000 };

/** Neither price is more than `ratioMax` times the other. */
export const agree = (price: number, otherPrice: number, ratioMax = DEFAULT_JUMP_LIMITS.ratioMax): boolean =>
  price <= otherPrice * ratioMax && otherPrice <= price * ratioMax;

/** Errors seldom last as long: after a quarter of an hour without a price any is believed. */
const REFERENCE_AGE_MS_MAX = 900_000;
/** However long the agreement has lasted, so many ticks must have come after the first of it. */
const AGREEING_TICKS_MIN = 3;

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

  constructor(private readonly limits: JumpLimits) {}

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
  isBelieved(tick: PriceTick, last: Reference | null, nowMs: number): boolean {
    if (last === null || this.isNear(tick, last, nowMs)) {
      // A tick that is merely late says nothing of the prices after it.
      if (this.#run !== null && tick.timeMs >= this.#run.firstTimeMs) this.#run = null;
      return true;
    }
    const run = this.#run;
    if (run === null || !this.#agree(tick, run.last.price)) this.#run = runFrom(tick, nowMs);
    else if (tick.timeMs > run.last.timeMs) {
      run.last = tick;
      run.heardMs = nowMs;
      run.agreeing++;
      if (run.agreeing >= AGREEING_TICKS_MIN && nowMs - run.sinceMs >= this.limits.agreementMs) {
        this.#run = null;
        return true;
      }
    }
    return false;
  }

  /** Whether the tick is no jump from `last`, if it is of `timeMs`. */
  isNear(tick: PriceTick, last: Reference, timeMs: number): boolean {
    return timeMs - last.timeMs > REFERENCE_AGE_MS_MAX || this.#agree(tick, last.price);
  }

  #agree({ price }: PriceTick, otherPrice: number): boolean {
    return agree(price, otherPrice, this.limits.ratioMax);
  }
}

const runFrom = (tick: PriceTick, nowMs: number): Run => ({
  firstTimeMs: tick.timeMs,
  sinceMs: nowMs,
  last: tick,
  heardMs: nowMs,
  agreeing: 0,
});
