/** Assets whose feed is silent. Without a new tick their rounds will soon be voided. */

import type { PriceTracker } from '../../engine/host/price-tracker.js';
import { ASSETS, type Asset, assetClassOf } from '../../engine/model/domain.js';
import type { RunningConfig } from '../process/setup.js';
import type { LiveFeed } from './live/live-feed.js';
import type { MarketHours } from './market-hours.js';

const SILENT_MS = 10_000;

/** The assets that have been silent for 10 s at engine time `nowMs`. */
export type SilentAssets = (nowMs: number) => readonly Asset[];

/**
 * No tick is expected while the asset's markets are closed, nor with a manual clock. With pushed prices only assets
 * that had a tick before can be silent: the server does not know which ones will be pushed. Of live prices none is
 * expected for assets that no feed covers.
 */
export function silentAssetsOf(
  { feed, clock }: Pick<RunningConfig, 'feed' | 'clock'>,
  hours: Pick<MarketHours, 'isOpen'>,
  tracker: Pick<PriceTracker, 'latest'>,
  liveFeeds: readonly Pick<LiveFeed, 'covers'>[] = [],
): SilentAssets {
  if (clock === 'manual') return () => [];
  return (nowMs) =>
    ASSETS.filter((name, asset) => {
      const latest = tracker.latest(asset);
      const isExpected =
        feed !== 'push' && (liveFeeds.length === 0 || liveFeeds.some((live) => live.covers(asset)));
      const isSilent = latest === null ? isExpected : nowMs - latest.timeMs > SILENT_MS;
      return (
        isSilent && [nowMs - SILENT_MS, nowMs].every((timeMs) => hours.isOpen(assetClassOf(name), timeMs))
      );
    });
}
