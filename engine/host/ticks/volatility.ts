/**
 * How much an asset's price moves, from its own ticks: what is needed to say how probable it is that the price stays
 * above where it is.
 *
 * Two exponentially weighted means of squared changes: a fast one, for what the next minutes are like, and a slow one, to
 * which volatility comes back over hours. A change far beyond what was expected is a jump: in the fast mean it counts for
 * little more than the largest usual change, or quotes would be far too wide for minutes after it. Prices are rounded, so
 * a change is often taken back by the next one; the mean product of neighbours shows how much of the squares that is.
 */
import type { Asset } from '../../model/domain.js';

const YEAR_MS = 365.25 * 86_400_000;
const FAST_HALF_LIFE_MS = 90_000;
const SLOW_HALF_LIFE_MS = 48 * 3_600_000;
/** Of the mean product of neighbours: rounding stays the same, and a short mean would be noise itself. */
const TAKEN_BACK_HALF_LIFE_MS = 2 * 3_600_000;
/** How long it takes until volatility has come back to the slow mean, but for 1/e. */
const REVERSION_MS = 4 * 3_600_000;
/** Ticks that follow faster are passed over: their changes would be mostly rounding. */
const SAMPLE_MS_MIN = 200;
/** After a longer silence (a closed market, a feed that was away) the change says nothing about the ticks to come. */
const SAMPLE_MS_MAX = 60_000;
/** In the fast mean a change counts for at most so many standard deviations. */
const DEVIATIONS_MAX = 6;
/** In the slow mean, where jumps belong, for at most so many of the changes of twenty minutes. */
const SLOW_DEVIATIONS_MAX = 3;
const SLOW_CHANGE_MS = 1_200_000;
/** The estimate stays within this factor of the configured volatility, either way. */
const FACTOR_MAX = 4;

/** What to begin with: the standard deviation of a year's relative change, of recent years. */
export const YEARLY_VOLATILITY: Readonly<Record<Asset, number>> = {
  BTC: 0.5,
  ETH: 0.7,
  SOL: 0.85,
  BNB: 0.55,
  XRP: 0.8,
  GOLD: 0.18,
  SILVER: 0.32,
  EURUSD: 0.08,
  GBPUSD: 0.085,
  USDJPY: 0.1,
  AUDUSD: 0.1,
  USDCAD: 0.065,
  HYPE: 1,
  TON: 0.8,
};

/** A mean of changes per millisecond in which older ones fade. */
class Fading {
  #sum: number;
  #weightMs: number;
  #intervalMs = 0;
  #kept = 1;

  constructor(
    private readonly halfLifeMs: number,
    beginning: number,
  ) {
    this.#weightMs = halfLifeMs / Math.LN2;
    this.#sum = beginning * this.#weightMs;
  }

  add(change: number, intervalMs: number): void {
    if (intervalMs !== this.#intervalMs) {
      this.#intervalMs = intervalMs;
      this.#kept = 2 ** (-intervalMs / this.halfLifeMs);
    }
    this.#sum = this.#sum * this.#kept + change;
    this.#weightMs = this.#weightMs * this.#kept + intervalMs;
  }

  get perMs(): number {
    return this.#sum / this.#weightMs;
  }
}

/** Of one asset. */
export class Volatility {
  readonly #configured: number;
  readonly #fast: Fading;
  readonly #slow: Fading;
  readonly #takenBack = new Fading(TAKEN_BACK_HALF_LIFE_MS, 0);
  #logPrice = 0;
  #timeMs = Number.NEGATIVE_INFINITY;
  #lastChange = 0;

  /** `yearly`: the configured standard deviation of a year's relative change, to begin with. */
  constructor(yearly: number) {
    this.#configured = yearly ** 2 / YEAR_MS;
    this.#fast = new Fading(FAST_HALF_LIFE_MS, this.#configured);
    this.#slow = new Fading(SLOW_HALF_LIFE_MS, this.#configured);
  }

  /** A price of the asset. One that is not later than the last is passed over. */
  take(price: number, timeMs: number): void {
    const intervalMs = timeMs - this.#timeMs;
    if (intervalMs < SAMPLE_MS_MIN) return;
    const logPrice = Math.log(price);
    if (intervalMs <= SAMPLE_MS_MAX) this.#count(logPrice - this.#logPrice, intervalMs);
    else this.#lastChange = 0;
    this.#logPrice = logPrice;
    this.#timeMs = timeMs;
  }

  #count(moved: number, intervalMs: number): void {
    const most = DEVIATIONS_MAX * Math.sqrt(this.#bounded(this.#fast.perMs) * intervalMs);
    const slowMost = SLOW_DEVIATIONS_MAX * Math.sqrt(this.#bounded(this.#slow.perMs) * SLOW_CHANGE_MS);
    const change = Math.min(Math.max(moved, -most), most);
    const slowChange = Math.min(Math.max(moved, -slowMost), slowMost);
    this.#fast.add(change * change, intervalMs);
    this.#slow.add(slowChange * slowChange, intervalMs);
    this.#takenBack.add(change * this.#lastChange, intervalMs);
    this.#lastChange = change;
  }

  /** Expected variance of the price's relative change over the next `leftMs`. */
  varianceOver(leftMs: number): number {
    const noise = 2 * this.#takenBack.perMs;
    const fast = this.#bounded(this.#fast.perMs + noise);
    const slow = this.#bounded(this.#slow.perMs + noise);
    const share = leftMs > 0 ? (REVERSION_MS / leftMs) * -Math.expm1(-leftMs / REVERSION_MS) : 1;
    return (slow + (fast - slow) * share) * leftMs;
  }

  #bounded(perMs: number): number {
    const factor = FACTOR_MAX ** 2;
    return Math.min(Math.max(perMs, this.#configured / factor), this.#configured * factor);
  }
}
