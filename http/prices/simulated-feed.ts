/**
 * A feed that needs no network: every asset walks at random from a realistic price with a realistic volatility,
 * four ticks a second. The price at an instant depends on the seed and the instant only, so a restart with the
 * same seed goes on where the walk is by then, and a manual clock may jump.
 *
 * Assets with market hours are silent outside them, as a real feed would be.
 */
import {
  ASSETS,
  type Asset,
  type AssetClass,
  assetClassOf,
  TIME_FRAME_MS,
} from '../../engine/model/domain.js';
import type { PriceFeed, PriceTick, TickVerdict } from '../../engine/model/ports.js';
import { pathAt } from './random-path.js';

export const TICK_INTERVAL_MS = 250;
/** After a longer gap only this many of the latest ticks are handed over... */
export const TAIL_TICKS_MAX = 8;
/** ...and one at these next boundaries of every time frame: where the rounds that were open before the gap ended. */
const BOUNDARIES_AFTER_GAP = 2;
/** Ticks begin this long before the last journaled time: a round may have waited for a price when the server stopped. */
const REMEMBERED_MS = 5_000;

const YEAR_MS = 365.25 * 86_400_000;

interface Walk {
  readonly startPrice: number;
  /** Standard deviation of a year's relative change. */
  readonly volatility: number;
  readonly decimals: number;
}

const WALKS: Readonly<Record<Asset, Walk>> = {
  BTC: { startPrice: 95_000, volatility: 0.5, decimals: 2 },
  ETH: { startPrice: 3_300, volatility: 0.7, decimals: 2 },
  SOL: { startPrice: 160, volatility: 0.85, decimals: 3 },
  BNB: { startPrice: 900, volatility: 0.55, decimals: 2 },
  XRP: { startPrice: 2.3, volatility: 0.8, decimals: 4 },
  GOLD: { startPrice: 4_100, volatility: 0.18, decimals: 2 },
  SILVER: { startPrice: 50, volatility: 0.32, decimals: 3 },
  EURUSD: { startPrice: 1.16, volatility: 0.08, decimals: 5 },
  GBPUSD: { startPrice: 1.32, volatility: 0.085, decimals: 5 },
  USDJPY: { startPrice: 155, volatility: 0.1, decimals: 3 },
  AUDUSD: { startPrice: 0.65, volatility: 0.1, decimals: 5 },
  USDCAD: { startPrice: 1.4, volatility: 0.065, decimals: 5 },
  HYPE: { startPrice: 38, volatility: 1, decimals: 3 },
  TON: { startPrice: 2.2, volatility: 0.8, decimals: 4 },
};

export interface SimulatedFeedOptions {
  /** 0 to 2^32 - 1. */
  readonly seed: number;
  /** The last journaled time, so that rounds that were open before a downtime get their price; at the first start, now. */
  readonly fromMs: number;
  readonly isOpen: (assetClass: AssetClass, timeMs: number) => boolean;
}

export class SimulatedFeed implements PriceFeed {
  readonly name = 'simulated';
  #sink: ((tick: PriceTick) => TickVerdict) | null = null;
  /** Time of the last tick that was due, a multiple of the interval. */
  #lastMs: number;

  constructor(private readonly options: SimulatedFeedOptions) {
    this.#lastMs = tickAtOrBefore(options.fromMs - REMEMBERED_MS);
  }

  start(sink: (tick: PriceTick) => TickVerdict): void {
    this.#sink = sink;
  }

  poll(nowMs: number): void {
    const sink = this.#sink;
    if (sink === null) return;
    for (const timeMs of this.#dueTimes(tickAtOrBefore(nowMs))) {
      ASSETS.forEach((name, asset) => {
        if (!this.options.isOpen(assetClassOf(name), timeMs)) return;
        const price = simulatedPrice(this.options.seed, asset, timeMs);
        sink({ asset, price, timeMs, source: this.name, origin: '' });
      });
    }
  }

  /** Times of the ticks up to `untilMs` that are handed over now, in order. */
  #dueTimes(untilMs: number): number[] {
    const afterMs = this.#lastMs;
    if (untilMs <= afterMs) return [];
    this.#lastMs = untilMs;
    const tailFromMs = Math.max(
      afterMs + TICK_INTERVAL_MS,
      untilMs - (TAIL_TICKS_MAX - 1) * TICK_INTERVAL_MS,
    );
    const times = new Set<number>();
    for (const frameMs of TIME_FRAME_MS) {
      for (let step = 1; step <= BOUNDARIES_AFTER_GAP; step++) {
        const boundaryMs = (Math.floor(afterMs / frameMs) + step) * frameMs;
        if (boundaryMs < tailFromMs) times.add(boundaryMs);
      }
    }
    for (let timeMs = tailFromMs; timeMs <= untilMs; timeMs += TICK_INTERVAL_MS) times.add(timeMs);
    return [...times].sort((a, b) => a - b);
  }

  nextDueMs(): number {
    return this.#lastMs + TICK_INTERVAL_MS;
  }

  stop(): void {
    this.#sink = null;
  }
}

const tickAtOrBefore = (timeMs: number): number => Math.floor(timeMs / TICK_INTERVAL_MS) * TICK_INTERVAL_MS;

/** Price of the asset (index into `ASSETS`) at a tick's time, rounded to its decimals. */
export function simulatedPrice(seed: number, asset: number, timeMs: number): number {
  const { startPrice, volatility, decimals } = WALKS[ASSETS[asset] ?? 'BTC'];
  const tickDeviation = volatility * Math.sqrt(TICK_INTERVAL_MS / YEAR_MS);
  const price = startPrice * Math.exp(tickDeviation * pathAt(seed, asset, timeMs / TICK_INTERVAL_MS));
  return Number(price.toFixed(decimals));
}
