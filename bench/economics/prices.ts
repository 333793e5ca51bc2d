/**
 * The real price of an asset, which nobody rounds, delays or holds back. It knows the probabilities of its own future:
 * the best-informed bettor knows them, too.
 */
import { normalBelow } from '../../engine/host/ticks/fair-share.js';
import { Random } from '../client/random.js';

export interface Profile {
  readonly slotMs: number;
  readonly factors: readonly number[];
}

interface WalkOptions {
  readonly startPrice: number;
  /** The standard deviation of a year's relative change, about which volatility wanders. */
  readonly yearly: number;
  readonly tickMs: number;
  readonly profile?: Profile;
}

const YEAR_MS = 365.25 * 86_400_000;
/** Volatility wanders: the deviation of its logarithm, and how long it takes to come back. */
const LOG_VOLATILITY_DEVIATION = 0.35;
const VOLATILITY_RETURNS_MS = 4 * 3_600_000;
const VOLATILITY_STEP_MS = 4_000;
const JUMPS_PER_MS = 6 / 86_400_000;
/** For an asset with a volatility of 0.5; for others in proportion. */
const JUMP_DEVIATION = 0.004;
const JUMPS_MAX = 40;
const VARIANCE_STEPS = 16;
const STEADY: Profile = { slotMs: YEAR_MS, factors: [1] };

/** Jumps, and a volatility that wanders about the asset's own, disturb an estimate as real markets do. */
export class Walk {
  readonly #random: Random;
  readonly #tickVariance: number;
  readonly #jumpDeviation: number;
  readonly #profile: Profile;
  #logVolatility: number;
  #volatility = 1;
  #movedMs = 0;
  #nowMs = 0;
  #asked = { nowMs: 0, leftMs: 0, variance: 0 };
  logPrice: number;
  readonly tickMs: number;

  constructor(seed: number, { startPrice, yearly, tickMs, profile = STEADY }: WalkOptions) {
    this.#random = new Random(seed, 'restless path');
    this.tickMs = tickMs;
    this.#tickVariance = (yearly ** 2 / YEAR_MS) * tickMs;
    this.#jumpDeviation = (JUMP_DEVIATION * yearly) / 0.5;
    this.#profile = profile;
    this.#logVolatility = LOG_VOLATILITY_DEVIATION * this.#random.normal();
    this.logPrice = Math.log(startPrice);
  }

  get price(): number {
    return Math.exp(this.logPrice);
  }
  get tickDeviation(): number {
    return Math.sqrt(this.#tickVariance) * this.#volatility * this.#factorAt(this.#nowMs);
  }

  move(nowMs: number): void {
    this.#nowMs = nowMs;
    this.#movedMs -= this.tickMs;
    if (this.#movedMs <= 0) this.#moveVolatility();
    this.logPrice += this.tickDeviation * this.#random.normal();
    if (this.#random.next() < JUMPS_PER_MS * this.tickMs)
      this.logPrice += this.#jumpDeviation * this.#random.normal();
  }

  #moveVolatility(): void {
    this.#movedMs += VOLATILITY_STEP_MS;
    const kept = Math.exp(-VOLATILITY_STEP_MS / VOLATILITY_RETURNS_MS);
    const moved = LOG_VOLATILITY_DEVIATION * Math.sqrt(1 - kept * kept) * this.#random.normal();
    this.#logVolatility = this.#logVolatility * kept + moved;
    this.#volatility = Math.exp(this.#logVolatility);
  }

  #factorAt(timeMs: number): number {
    const { slotMs, factors } = this.#profile;
    return factors[Math.floor(timeMs / slotMs) % factors.length] as number;
  }

  /**
   * Probability that the logarithm moves by more than `-distance` within `leftMs` from now: the variance expected in
   * that time, and so many jumps as Poisson says.
   */
  above(distance: number, leftMs: number): number {
    if (leftMs <= 0) return distance > 0 ? 1 : distance < 0 ? 0 : 0.5;
    const variance = this.#expectedVariance(leftMs);
    const jumps = JUMPS_PER_MS * leftMs;
    let weight = Math.exp(-jumps);
    let probability = 0;
    for (let count = 0; count < JUMPS_MAX && weight >= 1e-9; count++) {
      probability += weight * normalBelow(distance / Math.sqrt(variance + count * this.#jumpDeviation ** 2));
      weight *= jumps / (count + 1);
    }
    return probability;
  }

  #expectedVariance(leftMs: number): number {
    if (this.#asked.leftMs !== leftMs || this.#asked.nowMs !== this.#nowMs)
      this.#asked = { nowMs: this.#nowMs, leftMs, variance: this.#varianceOver(leftMs) };
    return this.#asked.variance;
  }

  #varianceOver(leftMs: number): number {
    const spread = LOG_VOLATILITY_DEVIATION ** 2;
    let sum = 0;
    for (let step = 0; step < VARIANCE_STEPS; step++) {
      const kept = Math.exp((-(step + 0.5) * leftMs) / VARIANCE_STEPS / VOLATILITY_RETURNS_MS);
      sum += Math.exp(2 * this.#logVolatility * kept + 2 * spread * (1 - kept * kept));
    }
    return ((this.#tickVariance * (leftMs / this.tickMs) * sum) / VARIANCE_STEPS) * this.#meanSquare(leftMs);
  }

  #meanSquare(leftMs: number): number {
    const { slotMs } = this.#profile;
    const endMs = this.#nowMs + leftMs;
    let sum = 0;
    for (let fromMs = this.#nowMs; fromMs < endMs; ) {
      const untilMs = Math.min(endMs, (Math.floor(fromMs / slotMs) + 1) * slotMs);
      sum += this.#factorAt(fromMs) ** 2 * (untilMs - fromMs);
      fromMs = untilMs;
    }
    return sum / leftMs;
  }
}
