/** Prices of the simulated feed: every asset takes a random walk from a realistic price with a realistic volatility. */
import { must } from '../../engine/base/assert.js';
import { ASSETS, type Asset } from '../../engine/model/domain.js';
import { RandomWalk } from './random-walk.js';

export const TICK_INTERVAL_MS = 250;
/**
 * The time at which every asset has its start price. Recent, because after many years a walk is no longer realistic.
 */
const ORIGIN_MS = Date.UTC(2026, 0, 1);
const YEAR_MS = 365.25 * 86_400_000;

interface Course {
  readonly startPrice: number;
  /** Standard deviation of the relative change in a year. */
  readonly volatility: number;
  readonly decimals: number;
}

const COURSES: Readonly<Record<Asset, Course>> = {
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

export class SimulatedPrices {
  readonly #walks: readonly RandomWalk[];

  /** `key` is a secret of 32 bytes: whoever knows it can compute every price. */
  constructor(key: Uint8Array) {
    this.#walks = ASSETS.map((name) => new RandomWalk(key, name));
  }

  /** Price of the asset (index into `ASSETS`) at a tick's time, rounded to its decimals. */
  at(asset: number, timeMs: number): number {
    const { startPrice, volatility, decimals } = COURSES[must(ASSETS[asset], 'a known asset')];
    const tickDeviation = volatility * Math.sqrt(TICK_INTERVAL_MS / YEAR_MS);
    const height = must(this.#walks[asset], 'its walk').at((timeMs - ORIGIN_MS) / TICK_INTERVAL_MS);
    return Number((startPrice * Math.exp(tickDeviation * height)).toFixed(decimals));
  }
}
