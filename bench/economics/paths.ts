/**
 * Prices to bet on: what the simulated feed hands out, and a path with jumps and changing volatility, which is nearer to
 * real markets. Each knows the probabilities of its own future, as no bettor can: what an all-knowing one knows.
 */
import { normalBelow } from '../../engine/host/ticks/fair-share.js';
import { YEARLY_VOLATILITY } from '../../engine/host/ticks/volatility.js';
import { ASSETS, type Asset } from '../../engine/model/domain.js';
import { SimulatedPrices, TICK_INTERVAL_MS } from '../../feeds/simulated-prices.js';
import { Random } from './random.js';

const YEAR_MS = 365.25 * 86_400_000;

export interface PricePath {
  readonly tickMs: number;
  /** The price one tick later. */
  next(): number;
  /** Probability that the price is above `openPrice` `leftMs` from now; half of that of a draw included. */
  probabilityUp(openPrice: number, leftMs: number): number;
}

const variancePerMs = (asset: Asset): number => YEARLY_VOLATILITY[asset] ** 2 / YEAR_MS;

/** The simulated feed's own prices. */
export class SimulatedPath implements PricePath {
  readonly tickMs = TICK_INTERVAL_MS;
  readonly #prices: SimulatedPrices;
  readonly #asset: number;
  readonly #variancePerMs: number;
  #timeMs = Date.UTC(2026, 0, 1);
  #price = 0;

  constructor(seed: number, asset: Asset) {
    this.#prices = new SimulatedPrices(Buffer.alloc(32, `economics ${seed}`));
    this.#asset = ASSETS.indexOf(asset);
    this.#variancePerMs = variancePerMs(asset);
  }

  next(): number {
    this.#timeMs += this.tickMs;
    this.#price = this.#prices.at(this.#asset, this.#timeMs);
    return this.#price;
  }

  probabilityUp(openPrice: number, leftMs: number): number {
    return normalBelow(Math.log(this.#price / openPrice) / Math.sqrt(this.#variancePerMs * leftMs));
  }
}

/** What the simulated feed's prices are like, drawn faster: for rounds of hours. */
export class SteadyPath implements PricePath {
  readonly #random: Random;
  readonly #variancePerMs: number;
  readonly #tickDeviation: number;
  #logPrice = Math.log(95_000);

  constructor(
    seed: number,
    asset: Asset,
    readonly tickMs: number,
  ) {
    this.#random = new Random(seed, 'steady path');
    this.#variancePerMs = variancePerMs(asset);
    this.#tickDeviation = Math.sqrt(this.#variancePerMs * tickMs);
  }

  next(): number {
    this.#logPrice += this.#tickDeviation * this.#random.normal();
    return Math.round(Math.exp(this.#logPrice) * 100) / 100;
  }

  probabilityUp(openPrice: number, leftMs: number): number {
    const distance = this.#logPrice - Math.log(openPrice);
    return normalBelow(distance / Math.sqrt(this.#variancePerMs * leftMs));
  }
}

/** Volatility that wanders: the deviation of its logarithm, and how long it takes to come back. */
const LOG_VOLATILITY_DEVIATION = 0.35;
const VOLATILITY_RETURNS_MS = 4 * 3_600_000;
const VOLATILITY_STEP_MS = 4_000;
const JUMPS_PER_MS = 6 / 86_400_000;
const JUMP_DEVIATION = 0.004;
const JUMPS_MAX = 40;

/** Jumps, and a volatility that wanders about the asset's own: what real markets do to an estimate. */
export class RestlessPath implements PricePath {
  readonly #random: Random;
  readonly #tickDeviation: number;
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
    this.#tickDeviation = Math.sqrt(variancePerMs(asset) * tickMs);
    this.#logVolatility = LOG_VOLATILITY_DEVIATION * this.#random.normal();
  }

  next(): number {
    this.#movedMs -= this.tickMs;
    if (this.#movedMs <= 0) this.#moveVolatility();
    this.#logPrice += this.#tickDeviation * this.#volatility * this.#random.normal();
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
    for (let count = 0; count < JUMPS_MAX; count++) {
      probability += weight * normalBelow(distance / Math.sqrt(variance + count * JUMP_DEVIATION ** 2));
      weight *= jumps / (count + 1);
      if (weight < 1e-9) break;
    }
    return probability;
  }

  #expectedVariance(leftMs: number): number {
    const steps = 16;
    const spread = LOG_VOLATILITY_DEVIATION ** 2;
    let sum = 0;
    for (let step = 0; step < steps; step++) {
      const kept = Math.exp((-(step + 0.5) * leftMs) / steps / VOLATILITY_RETURNS_MS);
      sum += Math.exp(2 * this.#logVolatility * kept + 2 * spread * (1 - kept * kept));
    }
    return (this.#tickDeviation ** 2 * (leftMs / this.tickMs) * sum) / steps;
  }
}
