/**
 * Prices to bet on. A path knows the probabilities of its own future, as no bettor can: that is what an all-knowing one
 * knows.
 */
import { normalBelow } from '../../engine/host/ticks/fair-share.js';
import { YEARLY_VOLATILITY } from '../../engine/host/ticks/volatility.js';
import type { Asset } from '../../engine/model/domain.js';
import { Random } from '../client/random.js';

export interface PricePath {
  readonly tickMs: number;
  /** The price one tick later. */
  next(): number;
  /** Probability that the price is above `openPrice` `leftMs` from now; half of that of a draw included. */
  probabilityUp(openPrice: number, leftMs: number): number;
}

const YEAR_MS = 365.25 * 86_400_000;
/** Volatility that wanders: the deviation of its logarithm, and how long it takes to come back. */
const LOG_VOLATILITY_DEVIATION = 0.35;
const VOLATILITY_RETURNS_MS = 4 * 3_600_000;
const VOLATILITY_STEP_MS = 4_000;
const JUMPS_PER_MS = 6 / 86_400_000;
const JUMP_DEVIATION = 0.004;
const JUMPS_MAX = 40;
const VARIANCE_STEPS = 16;

/** Jumps, and a volatility that wanders about the asset's own: what real markets do to an estimate. */
export class RestlessPath implements PricePath {
  readonly #random: Random;
  readonly #tickVariance: number;
  #logPrice = Math.log(95_000);
  #logVolatility: number;
  #volatility = 1;
  #movedMs = 0;

  constructor(
    seed: number,
    asset: Asset,
    readonly tickMs: number,
  ) {
    this.#random = new Random(seed, 'restless path');
    this.#tickVariance = (YEARLY_VOLATILITY[asset] ** 2 / YEAR_MS) * tickMs;
    this.#logVolatility = LOG_VOLATILITY_DEVIATION * this.#random.normal();
  }

  next(): number {
    this.#movedMs -= this.tickMs;
    if (this.#movedMs <= 0) this.#moveVolatility();
    this.#logPrice += Math.sqrt(this.#tickVariance) * this.#volatility * this.#random.normal();
    if (this.#random.next() < JUMPS_PER_MS * this.tickMs) {
      this.#logPrice += JUMP_DEVIATION * this.#random.normal();
    }
    return Math.round(Math.exp(this.#logPrice) * 100) / 100;
  }

  #moveVolatility(): void {
    this.#movedMs += VOLATILITY_STEP_MS;
    const kept = Math.exp(-VOLATILITY_STEP_MS / VOLATILITY_RETURNS_MS);
    const moved = LOG_VOLATILITY_DEVIATION * Math.sqrt(1 - kept * kept) * this.#random.normal();
    this.#logVolatility = this.#logVolatility * kept + moved;
    this.#volatility = Math.exp(this.#logVolatility);
  }

  /** The expected variance of what is left, and so many jumps as Poisson says. */
  probabilityUp(openPrice: number, leftMs: number): number {
    const distance = this.#logPrice - Math.log(openPrice);
    const variance = this.#expectedVariance(leftMs);
    const jumps = JUMPS_PER_MS * leftMs;
    let weight = Math.exp(-jumps);
    let probability = 0;
    for (let count = 0; count < JUMPS_MAX && weight >= 1e-9; count++) {
      probability += weight * normalBelow(distance / Math.sqrt(variance + count * JUMP_DEVIATION ** 2));
      weight *= jumps / (count + 1);
    }
    return probability;
  }

  #expectedVariance(leftMs: number): number {
    const spread = LOG_VOLATILITY_DEVIATION ** 2;
    let sum = 0;
    for (let step = 0; step < VARIANCE_STEPS; step++) {
      const kept = Math.exp((-(step + 0.5) * leftMs) / VARIANCE_STEPS / VOLATILITY_RETURNS_MS);
      sum += Math.exp(2 * this.#logVolatility * kept + 2 * spread * (1 - kept * kept));
    }
    return (this.#tickVariance * (leftMs / this.tickMs) * sum) / VARIANCE_STEPS;
  }
}
