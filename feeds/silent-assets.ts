/** Assets whose feed is silent. Without a new tick their rounds will soon be voided. */
import type { RunningConfig } from '../config/setup.js';
import type { PriceTracker } from '../engine/host/price-tracker.js';
import { ASSETS, type Asset, assetClassOf } from '../engine/model/domain.js';
import type { LiveFeed } from './live/live-feed.js';
import type { MarketHours } from './market-hours.js';

const SILENT_MS = 10_000;

export type AssetsAt = (nowMs: number) => readonly Asset[];

type Setup = Pick<RunningConfig, 'feed' | 'clock'>;
type Hours = Pick<MarketHours, 'isOpen'>;
type Latest = Pick<PriceTracker, 'latest'>;
type Covering = readonly Pick<LiveFeed, 'covers'>[];

/**
 * No tick is expected while an asset's markets are closed, nor with a manual clock. With pushed prices only assets with
 * an earlier tick are expected to have another: the server does not know which ones will be pushed. Live prices are
 * expected only for assets that a feed covers, and any only for assets with a market that is active.
 */
export function expectedAssetsOf(
  { feed, clock }: Setup,
  hours: Hours,
  tracker: Latest,
  liveFeeds: Covering = [],
  isOffered: (asset: number) => boolean = () => true,
): AssetsAt {
  if (clock === 'manual') return () => [];
  return (nowMs) =>
    ASSETS.filter((name, asset) => {
      const isCovered =
        feed !== 'push' && (liveFeeds.length === 0 || liveFeeds.some((live) => live.covers(asset)));
      const isExpected = isCovered || tracker.latest(asset) !== null;
      return (
        isExpected &&
        isOffered(asset) &&
        [nowMs - SILENT_MS, nowMs].every((timeMs) => hours.isOpen(assetClassOf(name), timeMs))
      );
    });
}

export const silentAssetsOf =
  (expected: AssetsAt, tracker: Latest): AssetsAt =>
  (nowMs) =>
    expected(nowMs).filter((name) => {
      const latest = tracker.latest(ASSETS.indexOf(name));
      return latest === null || nowMs - latest.timeMs > SILENT_MS;
    });
