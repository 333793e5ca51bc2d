/** The price feed that the configuration asks for. */
import { createHash, createHmac } from 'node:crypto';
import type { RunningConfig } from '../process/setup.js';
import type { MarketHours } from './market-hours.js';
import { PushFeed } from './push-feed.js';
import { SimulatedFeed } from './simulated-feed.js';

export interface ChosenFeed {
  readonly feed: PushFeed | SimulatedFeed;
  /** The same where prices come through the operator API; else null. */
  readonly pushFeed: PushFeed | null;
}

/** `fromMs` is the last journaled time; at the first start, now. */
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
  const key = config.feedSeed === null ? secretKey(masterSecret) : foretoldKey(config.feedSeed);
  const feed = new SimulatedFeed({ key, fromMs, isOpen: hours.isOpen.bind(hours) });
  return { feed, pushFeed: null };
}

/** The walk goes on after a restart where it would be by then, and differs between data directories. */
function secretKey(masterSecret: Uint8Array): Uint8Array {
  return createHmac('sha256', masterSecret).update('tote simulated feed 1').digest();
}

/** For tests: there are so few seeds that some prices tell which it was, and with it all that are to come. */
function foretoldKey(seed: number): Uint8Array {
  return createHash('sha256').update(`tote simulated feed 1 seed ${seed}`).digest();
}
