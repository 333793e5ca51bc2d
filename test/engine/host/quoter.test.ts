/** The fair share that an order takes into the engine, and the reasons for none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Engine } from '../../../engine/engine.js';
import { PriceTracker } from '../../../engine/host/price-tracker.js';
import { Quoter } from '../../../engine/host/quoter.js';
import {
  NO_FAIR_SHARE,
  SHARE_PRICE_HELD,
  SHARE_SOURCE_CHANGED,
  SHARE_SUSPENDED,
} from '../../../engine/model/domain.js';
import type { Outcome } from '../../../engine/model/events.js';
import { defaultRules, type NewsRule } from '../../../engine/model/rules.js';
import { fairHouse, fixedHouse, withHouse } from '../../support/engine/house-rules.js';
import { plainOrder } from '../../support/engine/plain-order.js';
import { rowsOf } from '../../support/engine/snapshots.js';
import { codeOf, NOON_MS, TestClock, TestHost, tickAt } from '../../support/host/host.js';
import { Rng } from '../../support/reference/random/rng.js';

const MINUTE = 0;
const FIFTEEN_MINUTES = 2;

function quoting(house = fairHouse()): { host: TestHost; quoter: Quoter; tick: (price: number) => void } {
  const host = new TestHost(new TestClock(), { rules: withHouse(defaultRules('f'.repeat(64)), house) });
  const { quoter } = host;
  const tick = (price: number): void => {
    const timeMs = host.clock.wallMs;
    assert.equal(host.tracker.offer(tickAt(timeMs, price), timeMs).taken, true);
  };
  host.lifecycle.start();
  assert.equal(quoter.fairShareE6(MINUTE, NOON_MS), NO_FAIR_SHARE, 'no round is open');
  tick(100);
  host.run(50);
  return { host, quoter, tick };
}

/** At the quote of this moment. */
function ordered(host: TestHost): Outcome {
  const timeMs = host.sequencer.stampMs();
  const fairShareE6 = host.quoter.fairShareE6(MINUTE, timeMs);
  return host.sequencer.submit(plainOrder({ timeMs, account: 1, market: MINUTE, fairShareE6 }));
}

test('it is even where the price has not moved, and follows the next tick at once', () => {
  const { host, quoter, tick } = quoting();
  assert.equal(quoter.fairShareE6(MINUTE, host.clock.wallMs), 500_000);
  host.clock.pass(1_000);
  tick(100.05);
  const up = quoter.fairShareE6(MINUTE, host.clock.wallMs);
  assert.ok(up > 600_000, `${up}`);
  const longer = quoter.fairShareE6(FIFTEEN_MINUTES, host.clock.wallMs);
  assert.ok(longer > 500_000 && longer < up, 'with more time left the same move says less');
  host.clock.pass(1_000);
  tick(99.95);
  assert.ok(quoter.fairShareE6(MINUTE, host.clock.wallMs) < 400_000);
});

test('there is none without a round, or with fixed seeds', () => {
  const { host, quoter, tick } = quoting();
  tick(100.01);
  for (const market of [-1, 5]) assert.equal(quoter.fairShareE6(market, host.clock.wallMs), NO_FAIR_SHARE);
  const fixed = quoting(fixedHouse());
  assert.equal(fixed.quoter.fairShareE6(MINUTE, fixed.host.clock.wallMs), NO_FAIR_SHARE);
});

test('there is none from 2 s after the last newer price has arrived, or once it is older than prices may be', () => {
  const { host, quoter, tick } = quoting();
  const atMs = host.clock.wallMs;
  tick(100.01);
  assert.ok(quoter.fairShareE6(MINUTE, atMs + 2_000) >= 0);
  assert.equal(quoter.fairShareE6(MINUTE, atMs + 2_001), NO_FAIR_SHARE);
  host.clock.pass(1_500);
  const nowMs = host.clock.wallMs;
  const offer = (timeMs: number) => host.tracker.offer(tickAt(timeMs, 100.02), nowMs);
  offer(atMs);
  const afterwards = quoter.fairShareE6(MINUTE, atMs + 2_001);
  assert.equal(afterwards, NO_FAIR_SHARE, 'the same time again is nothing newer');
  offer(atMs + 1);
  assert.ok(quoter.fairShareE6(MINUTE, atMs + 3_500) >= 0, 'a newer one counts from its arrival');
  host.clock.pass(9_000);
  host.tracker.offer(tickAt(host.clock.wallMs - 10_001, 100.02), host.clock.wallMs);
  assert.equal(quoter.fairShareE6(MINUTE, host.clock.wallMs), NO_FAIR_SHARE, 'it came too late');
});

test('there is none while a price is held back, and no resting order is filled', () => {
  const { host, quoter, tick } = quoting();
  const limit = { market: MINUTE, fairShareE6: 500_000, limitOddsE4: 25_000, stakeCents: 10_00 };
  const timeMs = host.sequencer.stampMs();
  const outcome = host.sequencer.submit({ ...plainOrder({ timeMs, account: 1, market: MINUTE }), ...limit });
  assert.deepEqual([outcome.status, host.engine.restingOrders], ['accepted', 1]);
  host.clock.pass(500);
  const { wallMs } = host.clock;
  assert.equal(host.tracker.offer(tickAt(wallMs, 160), wallMs).taken, false);
  assert.equal(quoter.fairShareE6(MINUTE, host.clock.wallMs), SHARE_PRICE_HELD);
  assert.equal(codeOf(ordered(host)), 'price_held');
  host.run(50);
  assert.equal(host.engine.restingOrders, 1);
  tick(99);
  host.lifecycle.pump();
  assert.equal(host.engine.restingOrders, 0, 'the old price again is the true one, and UP is cheap now');
  assert.ok(quoter.fairShareE6(MINUTE, host.clock.wallMs) >= 0);
});

test('a round is not quoted by another source than the one that opened it, and the difference is no change', () => {
  const { host, quoter, tick } = quoting();
  const before = quoter.estimate(0);
  host.clock.pass(1_000);
  const timeMs = host.clock.wallMs;
  host.tracker.offer({ asset: 0, price: 100.05, timeMs, source: 'other', origin: '' }, timeMs);
  assert.equal(quoter.fairShareE6(MINUTE, timeMs), SHARE_SOURCE_CHANGED);
  assert.equal(codeOf(ordered(host)), 'price_source_changed');
  assert.deepEqual(quoter.estimate(0), before);
  host.clock.pass(1_000);
  tick(100.01);
  assert.ok(quoter.fairShareE6(MINUTE, host.clock.wallMs) >= 0, 'the first one is back');
});

/** One step up and down each quarter of a second, until the estimate knows it. */
function steps(host: TestHost, tick: (price: number) => void, step: number, untilMs: number): void {
  for (let up = 1; host.clock.wallMs < untilMs; up = 1 - up) {
    host.clock.pass(250);
    tick(100 + up * step);
    host.lifecycle.pump();
  }
}

test('a price that moves in large steps is not quoted: fewer than 6 are left when betting closes', () => {
  for (const [step, isQuoted] of [
    [0.001, true],
    [0.01, false],
  ] as const) {
    const { host, quoter, tick } = quoting();
    steps(host, tick, step, NOON_MS + 20_000);
    const left = 100 * Math.sqrt(quoter.volatility(0).varianceOver(25_000));
    assert.equal(left > 6 * step, isQuoted, `${left} in the last 25 s`);
    const share = quoter.fairShareE6(MINUTE, host.clock.wallMs);
    assert.equal(share >= 0, isQuoted, `${step}: ${share}`);
    if (!isQuoted) assert.equal(codeOf(ordered(host)), 'price_too_coarse');
  }
});

test('a price whose spread is more than a tenth of what is left when betting closes is not quoted', () => {
  const { host, quoter } = quoting();
  const timeMs = host.clock.wallMs;
  const left = 100 * Math.sqrt(quoter.volatility(0).varianceOver(25_000));
  for (const [spread, isQuoted] of [
    [left / 10.1, true],
    [left / 9.9, false],
  ] as const) {
    host.tracker.offer({ ...tickAt(timeMs, 100), spread }, timeMs);
    assert.equal(quoter.fairShareE6(MINUTE, timeMs) >= 0, isQuoted);
    assert.ok(quoter.fairShareE6(FIFTEEN_MINUTES, timeMs) >= 0, 'a longer round bears it');
    if (!isQuoted) assert.equal(codeOf(ordered(host)), 'price_too_coarse');
  }
});

test('news without a factor takes the quote of the rounds into which it falls, until it is over', () => {
  const { host, quoter, tick } = quoting();
  const { rules } = host.engine;
  assert.ok(rules !== null);
  const news = (about: Partial<NewsRule>): void => {
    const cpi: NewsRule = { at: '', atMs: NOON_MS + 120_000, minutes: 3, assets: ['BTC'], ...about };
    const outcome = host.sequencer.submit({
      ...{ kind: 'configure', timeMs: host.sequencer.stampMs(), rulesVersion: 1 },
      rules: { ...rules, news: { cpi } },
    });
    assert.equal(outcome.status, 'accepted');
  };
  const shares = (): number[] =>
    [MINUTE, FIFTEEN_MINUTES].map((market) => quoter.fairShareE6(market, host.clock.wallMs));
  host.clock.pass(250);
  tick(100.02);
  const [minute = 0, quarter = 0] = shares();
  news({ atMs: NOON_MS + 60_000 });
  assert.deepEqual(shares(), [minute, SHARE_SUSPENDED]);
  news({ assets: ['ETH'] });
  assert.deepEqual(shares(), [minute, quarter]);
  news({ factor: 8 });
  const [later = 0, wider = 0] = shares();
  assert.equal(later, minute);
  assert.ok(wider < quarter - 5_000 && wider > 500_000, `${quarter}, then ${wider}`);
  news({ atMs: NOON_MS });
  assert.deepEqual(shares(), [SHARE_SUSPENDED, SHARE_SUSPENDED]);
  assert.equal(codeOf(ordered(host)), 'market_suspended');
  news({ atMs: host.clock.wallMs - 180_000 });
  assert.ok(Math.min(...shares()) > 500_000, 'it is over');
});

test('a market that is not offered has none, and others have', () => {
  const { host, tick } = quoting();
  const withheld = (market: number): number | null => (market === MINUTE ? NO_FAIR_SHARE : null);
  const quoter = new Quoter(host.engine, host.tracker, undefined, withheld);
  host.clock.pass(250);
  tick(100.01);
  assert.equal(quoter.fairShareE6(MINUTE, host.clock.wallMs), NO_FAIR_SHARE);
  assert.ok(quoter.fairShareE6(FIFTEEN_MINUTES, host.clock.wallMs) > 0);
});

test('what it has learned is journaled with boundary prices, and goes on after a restart', () => {
  const { host, quoter, tick } = quoting();
  const rng = new Rng(1);
  for (let price = 100; host.clock.wallMs < NOON_MS + 60_500; ) {
    host.clock.pass(250);
    price *= 1 + (rng.next() - 0.5) / 2_000;
    tick(price);
    host.run(0);
    host.lifecycle.pump();
  }
  const restarted = Engine.fromTables((name) => {
    const table = [...host.engine.exportTables()].find(({ form }) => form.name === name);
    return table === undefined ? [] : rowsOf(table);
  });
  const learned = restarted.estimate(0) ?? assert.fail('it is kept');
  assert.deepEqual(learned, host.engine.estimate(0));
  const again = new Quoter(restarted, new PriceTracker(restarted));
  assert.deepEqual(again.estimate(0), learned);
  again.take(tickAt(host.clock.wallMs, 100));
  const minute = (it: Quoter): number => it.volatility(0).varianceOver(60_000);
  const fresh = minute(new Quoter(new Engine(), new PriceTracker(restarted)));
  assert.ok(minute(again) > 3 * fresh, 'the prices move more than is configured');
  assert.ok(Math.abs(minute(again) / minute(quoter) - 1) < 0.1, 'as before, but for the ticks since');
  const timeMs = host.clock.wallMs + 40 * 3_600_000;
  restarted.apply({ kind: 'setTrading', timeMs, enabled: false, reason: '' });
  const later = new Quoter(restarted, new PriceTracker(restarted));
  later.take(tickAt(timeMs, 100));
  const { fast, slow } = later.volatility(0).estimate;
  assert.ok(Math.abs(fast / slow - 1) < 0.01, 'the asset had no prices, whatever commands there were');
});
