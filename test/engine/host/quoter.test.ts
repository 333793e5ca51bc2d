/** The fair share that an order takes into the engine, and when there is none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Quoter } from '../../../engine/host/quoter.js';
import { NO_FAIR_SHARE } from '../../../engine/model/domain.js';
import { defaultRules } from '../../../engine/model/rules.js';
import { fairHouse, fixedHouse, withHouse } from '../../support/engine/house-rules.js';
import { NOON_MS, TestClock, TestHost } from '../../support/host/host.js';

const MINUTE = 0;
const FIFTEEN_MINUTES = 2;

/** A host whose BTC rounds opened at noon at 100. */
function quoting(house = fairHouse()): { host: TestHost; quoter: Quoter; tick: (price: number) => void } {
  const host = new TestHost(new TestClock(), { rules: withHouse(defaultRules('f'.repeat(64)), house) });
  const quoter = new Quoter(host.engine, host.tracker);
  const tick = (price: number): void => {
    const timeMs = host.clock.wallMs;
    const { taken } = host.tracker.offer({ asset: 0, price, timeMs, source: 'test', origin: '' }, timeMs);
    assert.equal(taken, true);
  };
  host.lifecycle.start();
  assert.equal(quoter.fairShareE6(MINUTE, NOON_MS), NO_FAIR_SHARE, 'no round is open');
  tick(100);
  host.run(50);
  return { host, quoter, tick };
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

test('the same move says more the less time is left', () => {
  const { host, quoter, tick } = quoting();
  tick(100.03);
  const early = quoter.fairShareE6(MINUTE, host.clock.wallMs);
  host.run(30_000, 5_000);
  tick(100.03);
  const late = quoter.fairShareE6(MINUTE, host.clock.wallMs);
  assert.ok(late > early, `${late} after ${early}`);
});

test('there is none without a round, with fixed seeds, or once the tick is older than prices may be', () => {
  const { host, quoter, tick } = quoting();
  const { maxPriceAgeMs } = host.engine.currentRound(MINUTE) ?? assert.fail('a round is open');
  const tickMs = host.clock.wallMs;
  tick(100.01);
  assert.notEqual(quoter.fairShareE6(MINUTE, tickMs + maxPriceAgeMs), NO_FAIR_SHARE);
  assert.equal(quoter.fairShareE6(MINUTE, tickMs + maxPriceAgeMs + 1), NO_FAIR_SHARE);
  for (const market of [-1, 5]) assert.equal(quoter.fairShareE6(market, tickMs), NO_FAIR_SHARE);
  const fixed = quoting(fixedHouse());
  assert.equal(fixed.quoter.fairShareE6(MINUTE, fixed.host.clock.wallMs), NO_FAIR_SHARE);
});
