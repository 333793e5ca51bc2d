/** Assets whose feed is silent: without a new tick their rounds are about to be voided. */

import type { PriceTracker } from '../../engine/host/price-tracker.js';
import { ASSETS, type Asset, assetClassOf } from '../../engine/model/domain.js';
import type { RunningConfig } from '../process/setup.js';
import type { MarketHours } from './market-hours.js';

const SILENT_MS = 10_000;

/** Those that have been silent for 10 s at `nowMs`, engine time. */
export type SilentAssets = (nowMs: number) => readonly Asset[];

/**
 * No tick is expected while the asset's markets are closed, nor where the clock is moved by hand. Of pushed prices only
 * those are expected that have come before: nobody says for which assets they are pushed.
 */
export function silentAssetsOf(
  { feed, clock }: Pick<RunningConfig, 'feed' | 'clock'>,
  hours: Pick<MarketHours, 'isOpen'>,
  tracker: Pick<PriceTracker, 'latest'>,
): SilentAssets {
  if (clock === 'manual') return () => [];
  return (nowMs) =>
    ASSETS.filter((name, asset) => {
      const latest = tracker.latest(asset);
      const isSilent = latest === null ? feed !== 'push' : nowMs - latest.timeMs > SILENT_MS;
      return (
        isSilent && [nowMs - SILENT_MS, nowMs].every((timeMs) => hours.isOpen(assetClassOf(name), timeMs))
      );
    });
}
