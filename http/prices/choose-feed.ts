/** The price feed that the configuration asks for. */
import { createHash } from 'node:crypto';
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
  const seed = config.feedSeed ?? seedOf(masterSecret);
  const feed = new SimulatedFeed({ seed, fromMs, isOpen: hours.isOpen.bind(hours) });
  return { feed, pushFeed: null };
}

/** The walk goes on after a restart where it would be by then, and differs between data directories. */
function seedOf(masterSecret: Uint8Array): number {
  return createHash('sha256').update('feed seed').update(masterSecret).digest().readUInt32BE();
}
