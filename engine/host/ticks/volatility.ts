/**
 * How an asset's price moves, from its own ticks: the probability that it ends above a price follows from that.
 *
 * Two exponentially weighted means of squared changes: a fast one for the next minutes, and a slow one, to which
 * volatility comes back over hours. A change far beyond the expected is a jump: in the fast mean it counts for little
 * more than the largest usual change, or quotes would be far too wide for minutes after it.
 *
 * An unchanged price is no sample: a source that is asked more often than it changes would seem to stand still. Between
 * changes time adds up. A rounded price is often taken back by its next change, a smoothed one goes on as before. Both
 * show in how much of a change the next one repeats (`#repeated`, below 0 where it is taken back). With that share
 * known, a change's whole course is the sum of a geometric series: it corrects the variance, and says where the price
 * is that the last change is on its way to.
 */
import type { Asset } from '../../model/domain.js';
import type { PriceEstimate } from '../../model/prices.js';

const YEAR_MS = 365.25 * 86_400_000;
const FAST_HALF_LIFE_MS = 90_000;
const SLOW_HALF_LIFE_MS = 48 * 3_600_000;
/** For the products of neighbours: rounding stays the same, and a short mean would be noise itself. */
const REPEATED_HALF_LIFE_MS = 2 * 3_600_000;
/** As if so many changes had been seen that neither repeat nor take back the one before them. */
const REPEATED_PRIOR = 30;
const REPEATED_MAX = 0.95;
/** A window of so many changes has the increment as its least change. */
export const INCREMENT_CHANGES = 64;
/** By then volatility has come back to the slow mean, but for 1/e. */
const REVERSION_MS = 4 * 3_600_000;
/** Faster ticks are passed over: their changes would be mostly rounding. */
const SAMPLE_MS_MIN = 200;
/** After a longer silence (a closed market, a feed that was away) the change says nothing about the ticks to come. */
const SAMPLE_MS_MAX = 60_000;
/** One change weighs no more in a mean, or a few would decide where they come seldom. */
const WEIGHT_MAX = 0.03;
/** In the fast mean a change counts for at most so many standard deviations, and raises it by at most such a part. */
const DEVIATIONS_MAX = 6;
const RISE_MAX = 0.2;
/** The slow mean, where jumps belong, takes at most so many of the changes of twenty minutes. */
const SLOW_DEVIATIONS_MAX = 3;
const SLOW_CHANGE_MS = 1_200_000;
/** The estimate stays within this factor of the configured volatility, either way. */
const FACTOR_MAX = 8;
/**
 * A source is regular where the variance of the intervals between its changes is below this part of their mean's
 * square.
 */
const REGULAR_MAX = 0.01;
/** In intervals: a regular source's change may come this much earlier than usual. */
const EARLY = 0.1;

/** The standard deviation of a year's relative change, of recent years, to begin with. */
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

export class Volatility {
  readonly #configured: number;
  readonly #known: { -readonly [field in keyof PriceEstimate]: number };
  #price = 0;
  #timeMs: number;
  #heardMs = Number.NEGATIVE_INFINITY;
  #lastChange = 0;

  /**
   * `yearly`: the configured standard deviation of a year's relative change, to begin with where nothing is known. `usualMs`
   * says how much usual time a time counts as; all estimates are of usual time. `known` is of `knownMs`.
   */
  constructor(
    yearly: number,
    known: PriceEstimate | null = null,
    private readonly usualMs: (fromMs: number, untilMs: number) => number = (fromMs, untilMs) =>
      untilMs - fromMs,
    knownMs = Number.NEGATIVE_INFINITY,
  ) {
    this.#timeMs = knownMs;
    this.#configured = yearly ** 2 / YEAR_MS;
    this.#known = {
      fast: this.#configured,
      slow: this.#configured,
      products: 0,
      squares: 0,
      changes: 0,
      intervals: 0,
      intervalSquares: 0,
      leastNow: 0,
      leastBefore: 0,
      changesNow: 0,
      ...known,
    };
  }

  /** Everything but the last price: a restart goes on from it. */
  get estimate(): PriceEstimate {
    return { ...this.#known };
  }

  /** A price that is not later than the last is passed over. */
  take(price: number, timeMs: number): void {
    const intervalMs = timeMs - this.#timeMs;
    if (intervalMs < SAMPLE_MS_MIN) return;
    const isSilent = timeMs - this.#heardMs > SAMPLE_MS_MAX;
    this.#heardMs = timeMs;
    if (!isSilent && price === this.#price) return;
    if (isSilent) this.#passOver(intervalMs);
    else this.#count(price, timeMs);
    this.#price = price;
    this.#timeMs = timeMs;
  }

  /** The next prices come from another source: the difference to it is no change. */
  restart(): void {
    this.#heardMs = Number.NEGATIVE_INFINITY;
  }

  /** Volatility has come back meanwhile, as `varianceOver` expects. */
  #passOver(silentMs: number): void {
    const { fast, slow } = this.#known;
    this.#known.fast = slow + (fast - slow) * Math.exp(-silentMs / REVERSION_MS);
    this.#lastChange = 0;
  }

  #count(price: number, timeMs: number): void {
    const known = this.#known;
    const intervalMs = timeMs - this.#timeMs;
    const usualMs = this.usualMs(this.#timeMs, timeMs);
    const moved = Math.log(price / this.#price);
    const fastWeight = weightOf(intervalMs, FAST_HALF_LIFE_MS);
    const deviationsMax = Math.min(DEVIATIONS_MAX, Math.sqrt(RISE_MAX / fastWeight));
    const most = deviationsMax * Math.sqrt(this.#bounded(known.fast) * usualMs);
    const slowMost = SLOW_DEVIATIONS_MAX * Math.sqrt(this.#bounded(known.slow) * SLOW_CHANGE_MS);
    const change = Math.min(Math.max(moved, -most), most);
    const slowChange = Math.min(Math.max(moved, -slowMost), slowMost);
    known.fast += (change ** 2 / usualMs - known.fast) * fastWeight;
    known.slow += (slowChange ** 2 / usualMs - known.slow) * weightOf(intervalMs, SLOW_HALF_LIFE_MS);
    const kept = 2 ** (-intervalMs / REPEATED_HALF_LIFE_MS);
    known.products = known.products * kept + change * this.#lastChange;
    known.squares = known.squares * kept + change * change;
    known.changes = known.changes * kept + 1;
    known.intervals = known.intervals * kept + intervalMs;
    known.intervalSquares = known.intervalSquares * kept + intervalMs * intervalMs;
    this.#lastChange = change;
    this.#measureIncrement(Math.abs(price - this.#price));
  }

  #measureIncrement(change: number): void {
    const known = this.#known;
    known.leastNow = known.changesNow === 0 ? change : Math.min(known.leastNow, change);
    if (++known.changesNow < INCREMENT_CHANGES) return;
    [known.leastBefore, known.leastNow, known.changesNow] = [known.leastNow, 0, 0];
  }

  /** In units of the price; 0 until enough changes were seen. */
  get increment(): number {
    const { leastBefore, leastNow, changesNow } = this.#known;
    return changesNow === 0 ? leastBefore : Math.min(leastBefore, leastNow);
  }

  /**
   * The part of a change that the next one repeats: below 0 where it takes it back, 0 where changes are independent.
   */
  get repeated(): number {
    const { products, squares, changes } = this.#known;
    if (squares === 0) return 0;
    const share = (products / squares) * (changes / (changes + REPEATED_PRIOR));
    return Math.min(Math.max(share, -REPEATED_MAX), REPEATED_MAX);
  }

  /** Where `price`, the latest, is on its way to: itself where changes are independent. */
  ahead(price: number): number {
    const { repeated } = this;
    return price * Math.exp((repeated / (1 - repeated)) * this.#lastChange);
  }

  /**
   * Expected variance of the relative change between the latest price, of `timeMs`, and the last one until `endMs`.
   * Both are as old as their source's last change.
   */
  varianceUntil(endMs: number, timeMs: number): number {
    const sinceMs = timeMs - this.#timeMs > SAMPLE_MS_MAX ? timeMs : Math.min(this.#timeMs, timeMs);
    return this.varianceBetween(sinceMs, sinceMs + this.#movingMs(endMs - sinceMs));
  }

  /** The part of the time since the last change that precedes the last change in it. */
  #movingMs(leftMs: number): number {
    const { changes, intervals, intervalSquares } = this.#known;
    if (changes === 0) return Math.max(leftMs, 1);
    const mean = intervals / changes;
    const square = intervalSquares / changes;
    const isRegular = square / mean ** 2 - 1 < REGULAR_MAX;
    const movingMs = isRegular ? Math.floor(leftMs / mean + EARLY) * mean : leftMs - square / (2 * mean);
    return Math.max(movingMs, Math.min(mean / 2, leftMs), 1);
  }

  /** Expected variance of the price's relative change in a time that begins now or soon. */
  varianceBetween(fromMs: number, untilMs: number): number {
    const leftMs = untilMs - fromMs;
    return (this.varianceOver(leftMs) / leftMs) * this.usualMs(fromMs, untilMs);
  }

  /** The same over the next `leftMs`, if they are usual. */
  varianceOver(leftMs: number): number {
    const [fast, slow] = this.#perMs;
    const share = leftMs > 0 ? (REVERSION_MS / leftMs) * -Math.expm1(-leftMs / REVERSION_MS) : 1;
    return (slow + (fast - slow) * share) * leftMs;
  }

  /** Whether the estimate for the next minutes is as far from the configured volatility as it may be. */
  get isAtBound(): boolean {
    const factor = this.#perMs[0] / this.#configured;
    return factor >= FACTOR_MAX ** 2 || factor <= FACTOR_MAX ** -2;
  }

  get #perMs(): readonly [fast: number, slow: number] {
    const { repeated } = this;
    const final = (1 + repeated) / (1 - repeated);
    return [this.#bounded(this.#known.fast * final), this.#bounded(this.#known.slow * final)];
  }

  #bounded(perMs: number): number {
    const factor = FACTOR_MAX ** 2;
    return Math.min(Math.max(perMs, this.#configured / factor), this.#configured * factor);
  }
}

const weightOf = (intervalMs: number, halfLifeMs: number): number =>
  Math.min(1 - 2 ** (-intervalMs / halfLifeMs), WEIGHT_MAX);
