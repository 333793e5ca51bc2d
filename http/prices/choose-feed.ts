/** The price feed that the configuration asks for. */
import { createHash, createHmac } from 'node:crypto';
import type { RunningConfig } from '../process/setup.js';
import type { MarketHours } from './market-hours.js';
import { PushFeed } from './push-feed.js';
import { SimulatedFeed } from './simulated-feed.js';

export interface ChosenFeed {
  readonly feed: PushFeed | SimulatedFeed;
  /** The same feed if prices come through the operator API; else null. */
  readonly pushFeed: PushFeed | null;
}

/** `fromMs` is the last journaled time, or now at the first start. */
export function chooseFeed(
  config: Pick<RunningConfig, 'feed' | 'feedSeed'>,
  masterSecret: Uint8Array,
  hours: MarketHours,
  fromMs: number,
): ChosenFeed {
  if (config.feed === 'push') {
    const pushFeed = new PushFeed();
    return { feed: pushFeed, pushFeed };
  }
  const key = config.feedSeed === null ? secretKey(masterSecret) : seedKey(config.feedSeed);
  const feed = new SimulatedFeed({ key, fromMs, isOpen: hours.isOpen.bind(hours) });
  return { feed, pushFeed: null };
}

/** One key per data directory, so a restart continues the same walk and two directories differ. */
function secretKey(masterSecret: Uint8Array): Uint8Array {
  return createHmac('sha256', masterSecret).update('tote simulated feed 1').digest();
}

/** For tests: there are so few seeds that a few prices reveal the seed, and with it all later prices. */
function seedKey(seed: number): Uint8Array {
  return createHash('sha256').update(`tote simulated feed 1 seed ${seed}`).digest();
}
