/** The price feed that the configuration asks for. */
import { createHmac } from 'node:crypto';
import type { FeedName } from '../config/price-values.js';
import type { RunningConfig } from '../config/setup.js';
import { ASSETS, type Asset, type AssetClass, assetClassOf, textAt } from '../engine/model/domain.js';
import type { Clock, PriceFeed } from '../engine/model/ports.js';
import type { Log } from '../process/log/log.js';
import { CoinbaseFeed } from './coinbase/coinbase-feed.js';
import { FailoverFeed } from './failover-feed.js';
import { HermesFeed } from './hermes/hermes-feed.js';
import { HERMES_IDS } from './hermes/symbols.js';
import type { LiveFeed } from './live/live-feed.js';
import type { MarketHours } from './market-hours.js';
import { PushFeed } from './push-feed.js';
import { SimulatedFeed } from './simulated-feed.js';

/** An asset whose feed has had no price for so long takes the next feed, where there are several. */
const STALE_MS = 8_000;

/** Half a confidence interval, as a part of the price: several times the usual one while an asset trades. */
const UNSURE_MAX_OF: Readonly<Record<AssetClass, number>> = { CRYPTO: 0.005, METAL: 0.002, FX: 0.001 };
const UNSURE_MAX = Object.fromEntries(
  ASSETS.map((asset) => [asset, UNSURE_MAX_OF[assetClassOf(asset)]]),
) as Readonly<Record<Asset, number>>;

export interface ChosenFeed {
  readonly feed: PriceFeed;
  /** null unless prices come through the operator API. */
  readonly pushFeed: PushFeed | null;
  /** In order of preference. */
  readonly liveFeeds: readonly LiveFeed[];
}

export interface FeedSurroundings {
  readonly masterSecret: Uint8Array;
  readonly hours: MarketHours;
  /** The last journaled time, or now at the first start. */
  readonly fromMs: number;
  readonly clock: Clock;
  readonly log: Pick<Log, 'write'>;
}

export function chooseFeed(config: RunningConfig, surroundings: FeedSurroundings): ChosenFeed {
  const { masterSecret, hours, fromMs } = surroundings;
  if (config.feeds.includes('push')) {
    const pushFeed = new PushFeed();
    return { feed: pushFeed, pushFeed, liveFeeds: [] };
  }
  const liveFeeds = config.feeds.flatMap((name) => liveFeed(name, config, surroundings) ?? []);
  const [first, second] = liveFeeds;
  if (first !== undefined && second === undefined) return { feed: first, pushFeed: null, liveFeeds };
  if (first !== undefined) {
    const { clock, log } = surroundings;
    const feed = new FailoverFeed({
      feeds: liveFeeds,
      staleMs: STALE_MS,
      nowMs: () => clock.nowMs(),
      onSwitch: ({ asset, ...switched }) =>
        log.write('feed_switched', { crypto: textAt(ASSETS, asset), ...switched }),
    });
    return { feed, pushFeed: null, liveFeeds };
  }
  const feed = new SimulatedFeed({ key: secretKey(masterSecret), fromMs, isOpen: hours.isOpen.bind(hours) });
  return { feed, pushFeed: null, liveFeeds: [] };
}

function liveFeed(name: FeedName, config: RunningConfig, { clock, log }: FeedSurroundings): LiveFeed | null {
  const common = { clock, random: Math.random, log };
  if (name === 'hermes') {
    const { hermesUrl: url, hermesApiKey: apiKey } = config;
    return new HermesFeed({ url, apiKey, ids: HERMES_IDS, unsureMax: UNSURE_MAX, ...common });
  }
  return name === 'coinbase' ? new CoinbaseFeed({ url: config.coinbaseUrl, ...common }) : null;
}

/** One key per data directory, so a restart continues the same walk and two directories differ. */
function secretKey(masterSecret: Uint8Array): Uint8Array {
  return createHmac('sha256', masterSecret).update('tote simulated feed 1').digest();
}
