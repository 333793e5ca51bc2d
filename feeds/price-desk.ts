/**
 * Everything about prices on the engine's thread: feeds, market hours, the ticks that are believed, the quotes that
 * follow from them, and which assets are silent.
 */

import type { RunningConfig } from '../config/setup.js';
import { PriceTracker } from '../engine/host/price-tracker.js';
import { Quoter } from '../engine/host/quoter.js';
import type { EngineReads } from '../engine/model/views.js';
import { type ChosenFeed, chooseFeed, type FeedSurroundings } from './choose-feed.js';
import { MarketHours } from './market-hours.js';
import { type AssetsAt, expectedAssetsOf, silentAssetsOf } from './silent-assets.js';

export interface PriceDesk extends ChosenFeed {
  readonly hours: MarketHours;
  readonly tracker: PriceTracker;
  readonly quoter: Quoter;
  /** Of which ticks are expected now, and which of them have had none for a while. */
  readonly expectedAssets: AssetsAt;
  readonly silentAssets: AssetsAt;
}

export function openPriceDesk(
  config: RunningConfig,
  engine: EngineReads,
  surroundings: Omit<FeedSurroundings, 'hours'>,
): PriceDesk {
  const { closures } = config;
  const hours = new MarketHours(closures);
  const lastMs = Math.max(...closures.map(({ untilMs }) => untilMs));
  if (closures.length > 0 && lastMs < surroundings.clock.nowMs()) {
    surroundings.log.write('holidays_over', { last: new Date(lastMs).toISOString() });
  }
  const jumpLimits = { ratioMax: config.priceRatioMax, agreementMs: config.priceAgreementMs };
  const tracker = new PriceTracker(engine, config.pastPricesMs, jumpLimits);
  const chosen = chooseFeed(config, { ...surroundings, hours });
  return {
    ...chosen,
    hours,
    tracker,
    quoter: new Quoter(engine, tracker, config.volatility),
    expectedAssets: expectedAssetsOf(config, hours, tracker, chosen.liveFeeds),
    silentAssets: silentAssetsOf(config, hours, tracker, chosen.liveFeeds),
  };
}
