/** The simulated walk and the feeds that carry ticks to the tracker. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INCREMENT_CHANGES, Volatility, YEARLY_VOLATILITY } from '../../engine/host/ticks/volatility.js';
import { ASSETS } from '../../engine/model/domain.js';
import type { PriceTick, TickVerdict } from '../../engine/model/ports.js';
import { MarketHours } from '../../feeds/market-hours.js';
import { PushFeed } from '../../feeds/push-feed.js';
import { SimulatedFeed, SimulatedPrices, TICK_INTERVAL_MS } from '../../feeds/simulated-feed.js';

const NOON_MS = Date.UTC(2026, 5, 10, 12);
const DAY_MS = 86_400_000;
/** From the close of betting to the lock of a round. */
const CUTOFF_MS = 20_000;

const keyOf = (byte: number): Buffer => Buffer.alloc(32, byte);
const pricesOf = (byte: number): SimulatedPrices => new SimulatedPrices(keyOf(byte));

function feedAt(fromMs: number): { feed: SimulatedFeed; ticks: PriceTick[] } {
  const hours = new MarketHours();
  const feed = new SimulatedFeed({
    key: keyOf(7),
    fromMs,
    isOpen: (assetClass, timeMs) => hours.isOpen(assetClass, timeMs),
  });
  const ticks: PriceTick[] = [];
  feed.start((tick) => {
    ticks.push(tick);
    return { taken: true };
  });
  feed.poll(fromMs);
  ticks.length = 0;
  return { feed, ticks };
}

test('four ticks a second for every asset, in the order of time, none twice', () => {
  const { feed, ticks } = feedAt(NOON_MS);
  for (let nowMs = NOON_MS; nowMs <= NOON_MS + 7_000; nowMs += 70) feed.poll(nowMs);
  assert.equal(ticks.length, 28 * ASSETS.length);
  assert.equal(new Set(ticks.map(({ asset, timeMs }) => `${asset} ${timeMs}`)).size, ticks.length);
  ticks.forEach(({ timeMs }, i) => {
    assert.ok(timeMs % TICK_INTERVAL_MS === 0 && timeMs >= (ticks[i - 1]?.timeMs ?? 0));
  });
});

test('the price is a function of key and time, whatever the polls', () => {
  const often = feedAt(NOON_MS);
  for (let nowMs = NOON_MS; nowMs <= NOON_MS + 60_000; nowMs += 250) often.feed.poll(nowMs);
  const once = feedAt(NOON_MS);
  once.feed.poll(NOON_MS + 60_000);
  const key = ({ asset, timeMs }: PriceTick): string => `${asset} ${timeMs}`;
  const prices = new Map(often.ticks.map((tick) => [key(tick), tick.price]));
  assert.ok(once.ticks.length > 0);
  for (const tick of once.ticks) assert.equal(prices.get(key(tick)), tick.price);
});

test('a restart gives the price at a boundary that a round waited for', () => {
  const ticks: PriceTick[] = [];
  const feed = new SimulatedFeed({ key: keyOf(7), fromMs: NOON_MS + 800, isOpen: () => true });
  feed.start((tick) => {
    ticks.push(tick);
    return { taken: true };
  });
  feed.poll(NOON_MS + 7_200_000);
  const times = new Set(ticks.map(({ timeMs }) => timeMs));
  for (const wanted of [NOON_MS, NOON_MS + 60_000, NOON_MS + 300_000, NOON_MS + 900_000])
    assert.ok(times.has(wanted), String(wanted - NOON_MS));
});

test('outside market hours FX and metals are silent, crypto is not; the last instant has its tick', () => {
  const closeMs = Date.UTC(2026, 5, 12, 21);
  const { feed, ticks } = feedAt(closeMs - 500);
  feed.poll(closeMs + 1_000);
  const last = (asset: (typeof ASSETS)[number]): number | undefined =>
    ticks.filter((tick) => tick.asset === ASSETS.indexOf(asset)).at(-1)?.timeMs;
  assert.deepEqual([last('EURUSD'), last('GOLD'), last('BTC')], [closeMs, closeMs, closeMs + 1_000]);
});

test('walks match their volatility at every scale', () => {
  const yearlyVolatility = 0.5;
  const prices = pricesOf(3);
  for (const stepMs of [250, 60_000, 3_600_000, DAY_MS]) {
    const count = 1_500;
    let squares = 0;
    for (let i = 0; i < count; i++) {
      const fromMs = NOON_MS + i * (stepMs + 7_750);
      const change = Math.log(prices.at(0, fromMs + stepMs) / prices.at(0, fromMs));
      squares += change * change;
    }
    const ratio = squares / count / (yearlyVolatility ** 2 * (stepMs / (365.25 * DAY_MS)));
    assert.ok(ratio > 0.85 && ratio < 1.15, `variance at ${stepMs} ms is ${ratio} of what it should be`);
  }
});

test('past moves do not predict later ones, at any scale', () => {
  const prices = pricesOf(4);
  for (const stepMs of [60_000, 3_600_000, DAY_MS, 6 * DAY_MS]) {
    const count = 1_500;
    const sums = { before: 0, after: 0, both: 0 };
    for (let i = 1; i <= count; i++) {
      const atMs = NOON_MS + i * (stepMs + 7_750);
      const height = Math.log(prices.at(0, atMs));
      const before = height - Math.log(prices.at(0, atMs - stepMs));
      const after = Math.log(prices.at(0, atMs + stepMs)) - height;
      sums.before += before * before;
      sums.after += after * after;
      sums.both += before * after;
    }
    const correlation = sums.both / Math.sqrt(sums.before * sums.after);
    assert.ok(Math.abs(correlation) < 0.08, `${correlation} from ${stepMs} ms to the next`);
  }
});

/** The house takes no orders where a price moves fewer than six of its steps until the end (`price_too_coarse`). */
test('prices have steps fine enough for the shortest rounds, however far they have walked', () => {
  for (let byte = 1; byte <= 8; byte++) {
    const prices = pricesOf(byte);
    for (const [asset, name] of ASSETS.entries()) {
      const volatility = new Volatility(YEARLY_VOLATILITY[name]);
      for (let tick = 0; tick <= 2 * INCREMENT_CHANGES; tick++) {
        const timeMs = NOON_MS + tick * TICK_INTERVAL_MS;
        volatility.take(prices.at(asset, timeMs), timeMs);
      }
      const deviation = prices.at(asset, NOON_MS) * Math.sqrt(volatility.varianceOver(CUTOFF_MS));
      assert.ok(6 * volatility.increment < deviation, `${name}: ${volatility.increment} in ${deviation}`);
    }
  }
});

test('the push feed passes on its ticks, and returns the verdict', () => {
  const feed = new PushFeed();
  assert.equal(feed.offer(0, 1, NOON_MS).taken, false, 'not started');
  const seen: PriceTick[] = [];
  const verdict: TickVerdict = { taken: false, detail: 'no' };
  feed.start((tick) => {
    seen.push(tick);
    return verdict;
  });
  assert.equal(feed.offer(3, 900, NOON_MS), verdict);
  assert.deepEqual(seen, [{ asset: 3, price: 900, timeMs: NOON_MS, source: 'push', origin: '' }]);
  feed.stop();
  assert.equal(feed.offer(3, 900, NOON_MS).taken, false);
});
