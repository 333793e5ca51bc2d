/** Everything about prices on the engine's thread: feeds, market hours, believed ticks, quotes, and silent assets. */
import type { RunningConfig } from '../config/setup.js';
import type { EngineReads } from '../engine/engine.js';
import { PriceTracker } from '../engine/host/price-tracker.js';
import { Quoter } from '../engine/host/quoter.js';
import type { FairShareNow } from '../engine/host/resting-orders.js';
import { GRACE_MS } from '../engine/host/ticks/boundary-window.js';
import {
  ASSETS,
  type Asset,
  assetClassOf,
  assetOf,
  MARKET_IDS,
  marketOf,
  NO_FAIR_SHARE,
  SHARE_SOURCE_CHANGED,
  TIME_FRAMES,
  textAt,
  timeFrameOf,
} from '../engine/model/domain.js';
import type { PriceFeed } from '../engine/model/ports.js';
import { unfinishedRounds } from '../engine/reads/round-bets.js';
import { chooseFeed, type FeedSurroundings } from './choose-feed.js';
import { bears } from './live/lateness.js';
import type { LiveFeed } from './live/live-feed.js';
import { MarketHours } from './market-hours.js';

/** How long a service may take after a start to tell its prices at boundaries from before it. */
const RECALL_MS = 15_000;

export function openPrices(
  config: RunningConfig,
  engine: EngineReads,
  surroundings: Omit<FeedSurroundings, 'hours' | 'feedBefore'>,
) {
  const { closures } = config;
  const hours = new MarketHours(closures);
  const lastMs = Math.max(...closures.map(({ untilMs }) => untilMs));
  if (closures.length > 0 && lastMs < surroundings.clock.nowMs()) {
    surroundings.log.write('holidays_expired', { last: new Date(lastMs).toISOString() });
  }
  const feedBefore = (asset: number): string | null => feedOfYoungest(engine, asset);
  const chosen = chooseFeed(config, { ...surroundings, hours, feedBefore });
  const canRecall = chosen.liveFeeds.some(({ recall }) => recall !== undefined);
  const tracker = new PriceTracker(engine, canRecall ? RECALL_MS : GRACE_MS);
  const sourceOf = (asset: number): LiveFeed | undefined => {
    const source = tracker.latest(asset)?.source;
    return chosen.liveFeeds.find(({ name }) => name === source);
  };
  const latenessMs = (asset: number): number | null => sourceOf(asset)?.latenessMs(asset) ?? null;
  const isLate = (market: number): boolean => !bears(market, latenessMs(assetOf(market)));
  const mayBeLate = (market: number): boolean =>
    config.lateFrames.includes(textAt(TIME_FRAMES, timeFrameOf(market)));
  const feed: PriceFeed = chosen.feed;
  const withheld = (market: number): number | null => {
    if (!mayBeLate(market) && isLate(market)) return NO_FAIR_SHARE;
    return feed.isReturning?.(assetOf(market)) === true ? SHARE_SOURCE_CHANGED : null;
  };
  const quoter = new Quoter(engine, tracker, config.volatility, withheld);
  const isOld = (market: number, nowMs: number): boolean => {
    const asset = assetOf(market);
    const timeMs = tracker.latest(asset)?.timeMs ?? nowMs;
    return !bears(market, nowMs - timeMs) && sourceOf(asset) !== undefined && !mayBeLate(market);
  };
  /** As the quoter has it for readers. A source may move between its prices, and whoever sees it waits for an old one. */
  const orderShareE6: FairShareNow = (market, nowMs) => {
    const shareE6 = quoter.fairShareE6(market, nowMs);
    return shareE6 >= 0 && isOld(market, nowMs) ? NO_FAIR_SHARE : shareE6;
  };
  const lateMarkets = (): number =>
    engine.rules?.markets.filter(({ marketId }) => isLate(marketOf(marketId))).length ?? 0;
  const isSwitched = (asset: number): boolean => {
    const source = tracker.latest(asset)?.source ?? null;
    const preferred = chosen.liveFeeds.find((feed) => feed.covers(asset));
    return source !== null && preferred !== undefined && preferred.name !== source;
  };
  // A market that has left the rules runs out its round.
  const hasMarket = (asset: number): boolean =>
    [...MARKET_IDS.keys()].some(
      (market) =>
        assetOf(market) === asset &&
        (engine.marketRules(market) !== null || engine.currentRound(market) !== null),
    );
  const { liveFeeds } = chosen;
  const expectedAssets = expectedAssetsOf(config, { hours, tracker, liveFeeds, hasMarket });
  return {
    ...chosen,
    hours,
    tracker,
    quoter,
    orderShareE6,
    latenessMs,
    lateMarkets,
    switchedAssets: () => [...ASSETS.keys()].filter(isSwitched).length,
    expectedAssets,
    silentAssets: silentAssetsOf(expectedAssets, tracker),
  };
}

/** The source at which the youngest of the asset's open rounds opened. */
export function feedOfYoungest(engine: EngineReads, asset: number): string | null {
  const opened = unfinishedRounds(engine).filter(
    ({ market, proof }) => assetOf(market) === asset && proof.open !== null,
  );
  return opened.sort((a, b) => b.startTimeMs - a.startTimeMs)[0]?.proof.open?.source ?? null;
}

const SILENT_MS = 10_000;

export type AssetsAt = (nowMs: number) => readonly Asset[];

type Setup = Pick<RunningConfig, 'feed' | 'clock'>;
type Latest = Pick<PriceTracker, 'latest'>;

interface Surroundings {
  readonly hours: Pick<MarketHours, 'isOpen'>;
  readonly tracker: Latest;
  readonly liveFeeds: readonly Pick<LiveFeed, 'covers'>[];
  readonly hasMarket: (asset: number) => boolean;
}

/**
 * Assets whose feed is silent: without a new tick their rounds will soon be voided. No tick is expected while an asset's
 * markets are closed, nor with a manual clock. With pushed prices only assets with an earlier tick are expected to have
 * another: the server does not know which ones will be pushed. Live prices are expected only for assets that a feed
 * covers, and any only for assets with a market that is active.
 */
export function expectedAssetsOf(
  { feed, clock }: Setup,
  { hours, tracker, liveFeeds, hasMarket }: Surroundings,
): AssetsAt {
  if (clock === 'manual') return () => [];
  return (nowMs) =>
    ASSETS.filter((name, asset) => {
      const isCovered =
        feed !== 'push' && (liveFeeds.length === 0 || liveFeeds.some((live) => live.covers(asset)));
      const isExpected = isCovered || tracker.latest(asset) !== null;
      return (
        isExpected &&
        hasMarket(asset) &&
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
