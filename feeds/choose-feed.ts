/** The price feed that the configuration asks for. */
import { createHmac } from 'node:crypto';
import type { RunningConfig } from '../config/setup.js';
import { ASSETS, textAt } from '../engine/model/domain.js';
import type { Clock } from '../engine/model/ports.js';
import type { Log } from '../process/log/log.js';
import { CoinbaseFeed } from './coinbase/coinbase-feed.js';
import { FailoverFeed } from './failover-feed.js';
import { HermesFeed } from './hermes/hermes-feed.js';
import type { LiveFeed } from './live/live-feed.js';
import type { MarketHours } from './market-hours.js';
import { PushFeed } from './push-feed.js';
import { SimulatedFeed } from './simulated-feed.js';

export interface FeedSurroundings {
  readonly masterSecret: Uint8Array;
  readonly hours: MarketHours;
  /** The last journaled time, or now at the first start. */
  readonly fromMs: number;
  readonly feedBefore: (asset: number) => string | null;
  readonly clock: Clock;
  readonly log: Pick<Log, 'write'>;
}

/** `pushFeed` is null unless prices come through the operator API; `liveFeeds` are in order of preference. */
export function chooseFeed(config: RunningConfig, surroundings: FeedSurroundings) {
  const { masterSecret, hours, fromMs, feedBefore, clock, log } = surroundings;
  const common = { clock, random: Math.random, log };
  const liveFeeds: LiveFeed[] = [];
  for (const name of config.feeds) {
    if (name === 'push') {
      const pushFeed = new PushFeed();
      return { feed: pushFeed, pushFeed, liveFeeds };
    }
    if (name === 'simulated') {
      const isOpen = hours.isOpen.bind(hours);
      const feed = new SimulatedFeed({ key: secretKey(masterSecret), fromMs, isOpen });
      return { feed, pushFeed: null, liveFeeds };
    }
    const { hermesUrl: url, hermesApiKey: apiKey, coinbaseUrl } = config;
    liveFeeds.push(
      name === 'hermes'
        ? new HermesFeed({ url, apiKey, ...common })
        : new CoinbaseFeed({ url: coinbaseUrl, ...common }),
    );
  }
  const feed = new FailoverFeed({
    feeds: liveFeeds,
    feedBefore,
    nowMs: () => clock.nowMs(),
    onSwitch: ({ asset, ...switched }) =>
      log.write('feed_switched', { crypto: textAt(ASSETS, asset), ...switched }),
  });
  return { feed, pushFeed: null, liveFeeds };
}

/** One key per data directory, so a restart continues the same walk and two directories differ. */
function secretKey(masterSecret: Uint8Array): Uint8Array {
  return createHmac('sha256', masterSecret).update('tote simulated feed 1').digest();
}
