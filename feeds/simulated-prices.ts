/** Every asset takes a random walk from a realistic price with a realistic volatility. */
import { must } from '../engine/base/assert.js';
import { YEARLY_VOLATILITY } from '../engine/host/ticks/volatility.js';
import { ASSETS, type Asset } from '../engine/model/domain.js';
import { RandomWalk } from './random-walk.js';

export const TICK_INTERVAL_MS = 250;
/** Every asset has its start price then. Recent, because after many years a walk is no longer realistic. */
const ORIGIN_MS = Date.UTC(2026, 0, 1);
const YEAR_MS = 365.25 * 86_400_000;

interface Course {
  readonly startPrice: number;
  readonly decimals: number;
}

const COURSES: Readonly<Record<Asset, Course>> = {
  BTC: { startPrice: 95_000, decimals: 2 },
  ETH: { startPrice: 3_300, decimals: 2 },
  SOL: { startPrice: 160, decimals: 3 },
  BNB: { startPrice: 900, decimals: 2 },
  XRP: { startPrice: 2.3, decimals: 4 },
  GOLD: { startPrice: 4_100, decimals: 2 },
  SILVER: { startPrice: 50, decimals: 3 },
  EURUSD: { startPrice: 1.16, decimals: 5 },
  GBPUSD: { startPrice: 1.32, decimals: 5 },
  USDJPY: { startPrice: 155, decimals: 3 },
  AUDUSD: { startPrice: 0.65, decimals: 5 },
  USDCAD: { startPrice: 1.4, decimals: 5 },
  HYPE: { startPrice: 38, decimals: 3 },
  TON: { startPrice: 2.2, decimals: 4 },
};

export class SimulatedPrices {
  readonly #walks: readonly RandomWalk[];

  constructor(key: Uint8Array) {
    this.#walks = ASSETS.map((name) => new RandomWalk(key, name));
  }

  at(asset: number, timeMs: number): number {
    const name = must(ASSETS[asset], 'a known asset');
    const { startPrice, decimals } = COURSES[name];
    const tickDeviation = YEARLY_VOLATILITY[name] * Math.sqrt(TICK_INTERVAL_MS / YEAR_MS);
    const height = must(this.#walks[asset], 'its walk').at((timeMs - ORIGIN_MS) / TICK_INTERVAL_MS);
    return Number((startPrice * Math.exp(tickDeviation * height)).toFixed(decimals));
  }
}
