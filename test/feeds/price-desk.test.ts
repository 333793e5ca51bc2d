/** The parts for prices that a server is put together with, by its configuration. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withOverrides } from '../../config/compose.js';
import { readConfig } from '../../config/config.js';
import { resolveSetup } from '../../config/setup.js';
import { Engine } from '../../engine/engine.js';
import { ASSETS, marketOf, NO_FAIR_SHARE, SHARE_SOURCE_CHANGED } from '../../engine/model/domain.js';
import type { PriceTick, TickVerdict } from '../../engine/model/ports.js';
import { defaultRules, RULES_VERSION } from '../../engine/model/rules.js';
import { feedOfYoungest, openPrices } from '../../feeds/prices.js';
import { SeenLog } from './support/seen.js';

const US = fileURLToPath(new URL('../../../docs/calendars/us.json', import.meta.url));
const UK = fileURLToPath(new URL('../../../docs/calendars/uk.json', import.meta.url));

function deskAt(time: string, env: Record<string, string>, engine = new Engine()) {
  const { config } = resolveSetup(readConfig(env), null);
  const log = new SeenLog();
  const fromMs = Date.parse(time);
  const clock = { nowMs: () => fromMs, monotonicMs: () => 0 };
  const desk = openPrices(config, engine, { masterSecret: Buffer.alloc(32), fromMs, clock, log });
  return { desk, engine, fromMs, log };
}

test('feeds are in the order of TOTE_FEED, and one alone needs nobody to stand by', () => {
  const namesOf = (feed: string): readonly string[] => {
    const { desk } = deskAt('2026-06-10T12:00Z', { TOTE_FEED: feed, TOTE_HERMES_API_KEY: 'some-key' });
    return [desk.feed.name, ...desk.liveFeeds.map(({ name }) => name)];
  };
  assert.deepEqual(namesOf('hermes'), ['hermes', 'hermes']);
  assert.deepEqual(namesOf('coinbase, hermes'), ['coinbase,hermes', 'coinbase', 'hermes']);
  assert.deepEqual(namesOf('simulated'), ['simulated']);
  assert.deepEqual(namesOf('push'), ['push']);
});

test('assets that the preferred feed does not price are counted, and prices expected of those with markets', () => {
  const env = { TOTE_FEED: 'coinbase, hermes', TOTE_HERMES_API_KEY: 'some-key' };
  const { desk, engine, fromMs } = deskAt('2026-06-10T12:00Z', env);
  desk.tracker.start(fromMs);
  const switchedBy = (source: string): number => {
    const tick = { asset: ASSETS.indexOf('BTC'), price: 95_000, timeMs: fromMs, source, origin: '' };
    assert.equal(desk.tracker.offer(tick, fromMs).taken, true);
    return desk.switchedAssets();
  };
  assert.deepEqual([desk.switchedAssets(), switchedBy('coinbase'), switchedBy('hermes')], [0, 0, 1]);
  const rules = withOverrides('f'.repeat(64), { markets: ['BTC_ONE_DAY', 'SOL_ONE_MINUTE'] });
  engine.apply({ kind: 'configure', timeMs: fromMs, rulesVersion: RULES_VERSION, rules });
  assert.deepEqual([desk.expectedAssets(fromMs), desk.silentAssets(fromMs)], [['BTC', 'SOL'], ['SOL']]);
});

test('all files of holidays count, and one that is over is told of', () => {
  const env = { TOTE_HOLIDAYS_FILE: `${US}, ${UK}` };
  const { desk, log } = deskAt('2026-06-10T12:00Z', env);
  for (const [time, isOpen] of [
    ['2026-05-25T19:00Z', false],
    ['2026-08-31T12:00Z', false],
    ['2026-08-28T12:00Z', true],
  ] as const) {
    assert.equal(desk.hours.isOpen('METAL', Date.parse(time)), isOpen, time);
  }
  assert.deepEqual(log.all, []);
  const later = deskAt('2027-12-29T00:01Z', env);
  assert.deepEqual(later.log.all, [
    { event: 'holidays_expired', fields: { last: '2027-12-29T00:00:00.000Z' } },
  ]);
  assert.deepEqual(deskAt('2027-12-29T00:01Z', {}).log.all, []);
});

/** A first round of each of BTC's markets is open, at a price of the exchange. */
function deskOfCoinbase(more: Record<string, string> = {}) {
  const opened = deskAt('2026-06-10T12:00Z', { TOTE_FEED: 'coinbase', ...more });
  const { desk, engine, fromMs } = opened;
  const rules = defaultRules('f'.repeat(64));
  engine.apply({ kind: 'configure', timeMs: fromMs, rulesVersion: RULES_VERSION, rules });
  engine.apply({ kind: 'depositHouse', timeMs: fromMs, amountCents: 1_000_000_00, reference: 'capital' });
  desk.tracker.start(fromMs);
  const tick = { asset: 0, price: 95_000, timeMs: fromMs, source: 'coinbase', origin: '' };
  desk.tracker.offer(tick, fromMs);
  for (const command of desk.tracker.lateOpens(fromMs)) engine.apply(command);
  return { ...opened, tick };
}

test('a start goes on with the feed of the youngest open round, and asks Hermes for what it missed', () => {
  const { engine, fromMs, tick } = deskOfCoinbase();
  const timeMs = fromMs + 60_000;
  const deskOf = (feed: string) =>
    deskAt('2026-06-10T12:01Z', { TOTE_FEED: feed, TOTE_HERMES_API_KEY: 'some-key' }, engine).desk;
  engine.apply({ kind: 'advance', timeMs });
  assert.equal(feedOfYoungest(engine, 0), 'coinbase', 'the next round still waits for its price');
  for (const [feed, graceMs] of [['coinbase', 2_000] as const, ['coinbase, hermes', 15_000] as const]) {
    const { tracker } = deskOf(feed);
    tracker.start(timeMs);
    assert.deepEqual(tracker.awaited, [{ asset: 0, boundaryMs: timeMs, untilMs: timeMs + graceMs }]);
  }
  const price = { asset: 0, price: 95_000, source: 'hermes', evidence: '' };
  engine.apply({ kind: 'boundaryPrice', timeMs, boundaryMs: timeMs, priceTimeMs: timeMs, ...price });
  const desk = deskOf('coinbase, hermes');
  const sinks: ((tick: PriceTick) => TickVerdict)[] = [];
  for (const feed of desk.liveFeeds) feed.start = (sink) => sinks.push(sink);
  desk.feed.start(() => ({ taken: true }));
  const taken = [0, 1].map((asset) => sinks.map((sink) => sink({ ...tick, timeMs, asset }).taken));
  assert.deepEqual(taken.flat(), [false, true, true, false], 'ETH has no round');
  const rules = withOverrides('f'.repeat(64), { markets: ['SOL_ONE_DAY'] });
  engine.apply({ kind: 'configure', timeMs, rulesVersion: RULES_VERSION, rules });
  assert.deepEqual(desk.expectedAssets(timeMs), ['BTC', 'SOL'], 'whose rounds run out');
});

test('markets for which prices are too late are counted; orders take no old ones but by TOTE_LATE_FRAMES', () => {
  const lateFor = (latenessMs: number, frames: string) => {
    const { desk, engine, fromMs } = deskOfCoinbase({ TOTE_LATE_FRAMES: frames });
    assert.deepEqual([feedOfYoungest(engine, 0), feedOfYoungest(engine, 1)], ['coinbase', null]);
    for (const feed of desk.liveFeeds) Object.assign(feed, { latenessMs: () => latenessMs });
    const [minute, day] = [marketOf('BTC_ONE_MINUTE'), marketOf('BTC_ONE_DAY')];
    const offered = [minute, day].map((market) => desk.quoter.fairShareE6(market, fromMs + 76) >= 0);
    const atAge = (ms: number) => [minute, day].map((market) => desk.orderShareE6(market, fromMs + ms) >= 0);
    assert.deepEqual(atAge(75), offered);
    offered.push(...atAge(76));
    Object.assign(desk.feed, { isReturning: (asset: number) => asset === 0 });
    assert.equal(desk.orderShareE6(day, fromMs), offered[1] === true ? SHARE_SOURCE_CHANGED : NO_FAIR_SHARE);
    return [desk.lateMarkets(), ...offered];
  };
  assert.deepEqual(lateFor(50, 'none'), [0, true, true, false, true]);
  assert.deepEqual(lateFor(2_000, 'none'), [4, false, true, false, true]);
  assert.deepEqual(lateFor(2_000, 'FOUR_HOURS, ONE_MINUTE'), [4, true, true, true, true]);
  assert.deepEqual(lateFor(9_000, 'FOUR_HOURS'), [5, false, false, false, false]);
  const pushed = deskOfCoinbase({ TOTE_FEED: 'push' });
  assert.ok(pushed.desk.orderShareE6(marketOf('BTC_ONE_MINUTE'), pushed.fromMs + 2_000) >= 0, 'not judged');
});
