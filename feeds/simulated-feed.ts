/**
 * A feed without a network: every asset takes a random walk from a realistic price with a realistic volatility, four
 * ticks a second. The price depends only on the key and the time, so a restart continues the same walk, and a manual
 * clock may jump. Assets with market hours are silent outside them, as a real feed would be.
 */
import { must } from '../engine/base/assert.js';
import { YEARLY_VOLATILITY } from '../engine/host/ticks/volatility.js';
import { ASSETS, type Asset, type AssetClass, assetClassOf, TIME_FRAME_MS } from '../engine/model/domain.js';
import type { PriceFeed, PriceTick, TickVerdict } from '../engine/model/ports.js';
import { RandomWalk } from './random-walk.js';

/**
 * After a longer gap only this many of the latest ticks are passed on, and one at each of the next boundaries of every
 * time frame, where rounds that were open before the gap ended.
 */
const TAIL_TICKS_MAX = 8;
const BOUNDARIES_AFTER_GAP = 2;
/**
 * Ticks start this long before the last journaled time: a round may have waited for a price when the server stopped.
 */
const REMEMBERED_MS = 5_000;

interface SimulatedFeedOptions {
  readonly key: Uint8Array;
  /** The last journaled time, so that rounds open before a downtime get their price; now at the first start. */
  readonly fromMs: number;
  readonly isOpen: (assetClass: AssetClass, timeMs: number) => boolean;
}

export class SimulatedFeed implements PriceFeed {
  readonly name = 'simulated';
  readonly #prices: SimulatedPrices;
  #sink: ((tick: PriceTick) => TickVerdict) | null = null;
  /** The last tick that was due; a multiple of the interval. */
  #lastMs: number;

  constructor(private readonly options: SimulatedFeedOptions) {
    this.#prices = new SimulatedPrices(options.key);
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
        const price = this.#prices.at(asset, timeMs);
        sink({ asset, price, timeMs, source: this.name, origin: '' });
      });
    }
  }

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

/** Every asset takes a random walk from a realistic price with a realistic volatility. */
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
