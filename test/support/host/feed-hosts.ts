/** A `TestHost` with one of the real feeds: pushed prices, or the simulated walk with real market hours. */
import type { Command } from '../../../engine/model/commands.js';
import { marketOf } from '../../../engine/model/domain.js';
import type { PriceFeed } from '../../../engine/model/ports.js';
import { defaultRules, type Rules } from '../../../engine/model/rules.js';
import { MarketHours } from '../../../feeds/market-hours.js';
import { PushFeed } from '../../../feeds/push-feed.js';
import { SimulatedFeed, SimulatedPrices } from '../../../feeds/simulated-feed.js';
import { fixedHouse, withHouse } from '../engine/house-rules.js';
import { type HostOptions, NOON_MS, TestClock, TestHost } from './host.js';

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
export const BTC_MINUTE = marketOf('BTC_ONE_MINUTE');

export function rulesOf(...ids: string[]): Rules {
  const rules = withHouse(defaultRules('f'.repeat(64)), fixedHouse());
  return { ...rules, markets: rules.markets.filter(({ marketId }) => ids.includes(marketId)) };
}

export function pushHost(
  options: HostOptions = {},
  clock = new TestClock(),
): { host: TestHost; feed: PushFeed; clock: TestClock } {
  const feed = new PushFeed();
  const host = new TestHost(clock, { rules: rulesOf('BTC_ONE_MINUTE'), feed, ...options });
  host.lifecycle.start();
  host.settle();
  return { host, feed, clock };
}

/** With its first price: a round of BTC is open. */
export function openedHost(options: HostOptions = {}, clock?: TestClock): ReturnType<typeof pushHost> {
  const pushed = pushHost(options, clock);
  pushed.feed.offer(0, 100, NOON_MS);
  pushed.host.run(50);
  return pushed;
}

const SIMULATED_KEY = Buffer.alloc(32, 11);
export const simulatedPrices = new SimulatedPrices(SIMULATED_KEY);

export function simulatedHost(
  clock: TestClock,
  options: HostOptions = {},
  engine?: TestHost['engine'],
): TestHost {
  const hours = new MarketHours();
  const feed: PriceFeed = new SimulatedFeed({
    key: SIMULATED_KEY,
    fromMs: engine === undefined ? clock.wallMs : engine.timeMs,
    isOpen: (assetClass, timeMs) => hours.isOpen(assetClass, timeMs),
  });
  const calendar: HostOptions['calendar'] = (assetClass, nowMs) => hours.sessions(assetClass, nowMs);
  const all: HostOptions = { feed, calendar, ...options };
  const host = engine === undefined ? new TestHost(clock, all) : new TestHost(clock, all, engine);
  host.lifecycle.start();
  host.settle();
  return host;
}

export const statusOf = (host: TestHost, market = BTC_MINUTE): number | undefined =>
  host.engine.currentRound(market)?.status;

export const ofKind = <K extends Command['kind']>(host: TestHost, kind: K): Extract<Command, { kind: K }>[] =>
  host.journal
    .commands()
    .filter((command): command is Extract<Command, { kind: K }> => command.kind === kind);
