/** Every asset takes a random walk from a realistic price with a realistic volatility. */
import { must } from '../engine/base/assert.js';
import { YEARLY_VOLATILITY } from '../engine/host/ticks/volatility.js';
import { ASSETS, type Asset } from '../engine/model/domain.js';
import { RandomWalk } from './random-walk.js';

export const TICK_INTERVAL_MS = 250;
/** Every asset has its start price then. Recent, because after many years a walk is no longer realistic. */
const ORIGIN_MS = Date.UTC(2026, 0, 1);
const YEAR_MS = 365.25 * 86_400_000;

/** With fewer digits, a price that has walked far down moves in steps too coarse for rounds of a minute. */
const DIGITS = 7;

const START_PRICES: Readonly<Record<Asset, number>> = {
  BTC: 95_000,
  ETH: 3_300,
  SOL: 160,
  BNB: 900,
  XRP: 2.3,
  GOLD: 4_100,
  SILVER: 50,
  EURUSD: 1.16,
  GBPUSD: 1.32,
  USDJPY: 155,
  AUDUSD: 0.65,
  USDCAD: 1.4,
  HYPE: 38,
  TON: 2.2,
};

export class SimulatedPrices {
  readonly #walks: readonly RandomWalk[];

  constructor(key: Uint8Array) {
    this.#walks = ASSETS.map((name) => new RandomWalk(key, name));
  }

  at(asset: number, timeMs: number): number {
    const name = must(ASSETS[asset], 'a known asset');
    const tickDeviation = YEARLY_VOLATILITY[name] * Math.sqrt(TICK_INTERVAL_MS / YEAR_MS);
    const height = must(this.#walks[asset], 'its walk').at((timeMs - ORIGIN_MS) / TICK_INTERVAL_MS);
    return Number((START_PRICES[name] * Math.exp(tickDeviation * height)).toPrecision(DIGITS));
  }
}
