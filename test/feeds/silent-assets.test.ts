/** Feeds whose ticks are due are silent, and no others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarketHours } from '../../feeds/market-hours.js';
import { type AssetsAt, expectedAssetsOf, silentAssetsOf } from '../../feeds/prices.js';
import { DAY_MS, pushHost } from '../support/host/feed-hosts.js';

const BTC = 0;
const hours = new MarketHours();
const others = { hours, liveFeeds: [], hasMarket: () => true };
type Setting = Parameters<typeof expectedAssetsOf>;
function silentOf(setup: Setting[0], given: Pick<Setting[1], 'tracker'> & Partial<Setting[1]>): AssetsAt {
  return silentAssetsOf(expectedAssetsOf(setup, { ...others, ...given }), given.tracker);
}

test('after a first pushed price another is expected within 10 s', () => {
  const { host, feed, clock } = pushHost();
  const silent = silentOf({ feed: 'push', clock: 'system' }, { tracker: host.tracker });
  assert.deepEqual(silent(clock.wallMs), [], 'nobody has said that any is pushed');
  assert.equal(feed.offer(BTC, 100, clock.wallMs).taken, true);
  clock.pass(10_000);
  assert.deepEqual(silent(clock.wallMs), []);
  clock.pass(1);
  assert.deepEqual(silent(clock.wallMs), ['BTC']);
  assert.equal(feed.offer(BTC, 100, clock.wallMs).taken, true);
  assert.deepEqual(silent(clock.wallMs), []);
});

test('the simulated feed is expected for every asset whose markets are open, and none on a manual clock', () => {
  const { host, clock } = pushHost();
  const silent = silentOf({ feed: 'simulated', clock: 'system' }, { tracker: host.tracker });
  const onWednesday = silent(clock.wallMs);
  assert.ok(onWednesday.includes('BTC') && onWednesday.includes('GOLD'), onWednesday.join());
  const onSaturday = silent(clock.wallMs + 3 * DAY_MS);
  assert.ok(onSaturday.includes('BTC') && !onSaturday.includes('GOLD'), onSaturday.join());
  const still = silentOf({ feed: 'simulated', clock: 'manual' }, { tracker: host.tracker });
  assert.deepEqual(still(clock.wallMs), []);
});

test('of live prices those that no feed covers are not missed', () => {
  const { host, clock } = pushHost();
  const setup = { feed: 'coinbase', clock: 'system' } as const;
  const covers = (asset: number): boolean => asset === BTC;
  const both = [{ covers }, { covers: (asset: number) => asset === 1 }];
  const silentWith = (liveFeeds: typeof both) =>
    silentOf(setup, { tracker: host.tracker, liveFeeds })(clock.wallMs);
  assert.deepEqual([silentWith(both.slice(0, 1)), silentWith(both)], [['BTC'], ['BTC', 'ETH']]);
});
