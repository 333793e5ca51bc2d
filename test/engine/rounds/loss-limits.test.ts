/** Loss limits: the house's loss in a day, and the suspension. The reference model runs beside the engine. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { ASSETS, MARKETS_MAX, marketOf } from '../../../engine/model/domain.js';
import { LOSS_SCOPES, lostCents } from '../../../engine/model/loss-limits.js';
import { defaultRules } from '../../../engine/model/rules.js';
import {
  BTC_1M as BTC,
  BTC_5M,
  Exchange,
  type ExchangeOptions,
  MINUTE_MS,
  typesOf,
} from '../../support/reference/exchange.js';

const ETH = marketOf('ETH_ONE_MINUTE');
const DAY_MINUTES = 1_440;
const DEFAULTS = defaultRules('').lossLimits;
/** The house's loss by a bet of 1,000 on seeds of 1,000 a side: 1,000 * (3,000 / 2,000) * 0.97 less the stake. */
const WON_CENTS = 455_00;

const exchangeWith = (limits: Partial<typeof DEFAULTS> = {}, markets = [BTC]): Exchange =>
  new Exchange({ markets, rules: { lossLimits: { ...DEFAULTS, ...limits } } } as ExchangeOptions);

function begin(exchange: Exchange, minute: number, account: number, markets: readonly number[]): string[] {
  exchange.passTo(minute * MINUTE_MS);
  for (const asset of new Set(markets.map((market) => Math.floor((market * ASSETS.length) / MARKETS_MAX))))
    exchange.openLate(asset * (MARKETS_MAX / ASSETS.length), 100);
  return markets.map((market) => exchange.betOutcome({ account, market, stakeCents: 1_000_00 }));
}

/** The rounds end higher than they opened. Returns the types of the settlement's events. */
function win(exchange: Exchange, minute: number, markets: readonly number[]): string[] {
  exchange.passTo((minute + 1) * MINUTE_MS - 5_000);
  exchange.passTo((minute + 1) * MINUTE_MS);
  for (const market of markets) exchange.boundary(market, (minute + 1) * MINUTE_MS, 101 + minute);
  return exchange.reads.settlementsWaiting ? typesOf(exchange.settleAll()) : [];
}

const lostToday = (exchange: Exchange, scope: string): number =>
  lostCents(exchange.reads.dayResults(exchange.nowMs), LOSS_SCOPES.indexOf(scope));

test('a bettor who wins 150 rounds in a row wins the limit of his market, and no more until an operator resumes it', () => {
  const exchange = exchangeWith();
  const account = exchange.account('VIP', 1_000_000_00);
  const outcomes: string[] = [];
  for (let minute = 0; minute < 150; minute++) {
    outcomes.push(...begin(exchange, minute, account, [BTC]));
    if (outcomes.at(-1) === 'accepted') win(exchange, minute, [BTC]);
  }
  const won = exchange.balanceCents(account) - 1_000_000_00;
  assert.ok(won >= DEFAULTS.marketCents && won < DEFAULTS.marketCents + WON_CENTS, `${won}`);
  assert.deepEqual([...new Set(outcomes)], ['accepted', 'market_suspended']);
  assert.equal(outcomes.filter((outcome) => outcome === 'accepted').length, Math.ceil(10_000_00 / WON_CENTS));
  assert.equal(lostToday(exchange, 'BTC_ONE_MINUTE'), won);

  const suspension = { kind: 'suspendMarket', timeMs: exchange.nowMs, market: BTC } as const;
  exchange.accepted({ ...suspension, suspended: true });
  assert.equal(lostToday(exchange, 'BTC_ONE_MINUTE'), won, 'another suspension forgets no losses');
  exchange.accepted({ ...suspension, suspended: false });
  assert.equal(lostToday(exchange, 'BTC_ONE_MINUTE'), 0, 'losses count from here');
  assert.deepEqual(begin(exchange, 150, account, [BTC]), ['accepted']);
  assert.ok(!win(exchange, 150, [BTC]).includes('lossLimitReached'));
  assert.equal(lostToday(exchange, 'BTC_ONE_MINUTE'), WON_CENTS);
  assert.equal(lostToday(exchange, 'BTC'), won + WON_CENTS, 'the asset has not reached its own limit');
  begin(exchange, DAY_MINUTES, account, [BTC]);
  win(exchange, DAY_MINUTES, [BTC]);
  assert.equal(lostToday(exchange, 'BTC_ONE_MINUTE'), WON_CENTS, 'of the new day alone');
  exchange.passTo(2 * DAY_MINUTES * MINUTE_MS);
  const lossLimits = { ...DEFAULTS, marketCents: WON_CENTS };
  exchange.configure({ ...must(exchange.reads.rules, 'rules'), lossLimits });
  assert.equal(exchange.reads.isSuspended(BTC), false, 'yesterday counts for no new limit');
});

test('the settlement that reaches a limit exactly suspends, one cent less does not', () => {
  for (const moreCents of [0, 1]) {
    const exchange = exchangeWith({ marketCents: WON_CENTS + moreCents });
    const isReached = moreCents === 0;
    begin(exchange, 0, exchange.account('VIP', 10_000_00), [BTC]);
    const types = win(exchange, 0, [BTC]);
    assert.equal(types.includes('lossLimitReached'), isReached);
    assert.equal(types.includes('marketSuspended'), isReached);
    assert.equal(exchange.reads.isSuspended(BTC), isReached);
  }
});

test("an asset's limit suspends all its markets, that of all markets every one", () => {
  const markets = [BTC, BTC_5M, ETH];
  for (const [limits, suspended] of [
    [{ assetCents: WON_CENTS }, [true, true, false]],
    [{ allCents: WON_CENTS }, [true, true, true]],
    [{}, [false, false, false]],
  ] as const) {
    const exchange = exchangeWith(limits, markets);
    begin(exchange, 0, exchange.account('VIP', 10_000_00), [BTC]);
    win(exchange, 0, [BTC]);
    const areSuspended = markets.map((market) => exchange.reads.isSuspended(market));
    assert.deepEqual(areSuspended, suspended);
  }
});

test('rules that lower a limit to what is lost today suspend its markets at once', () => {
  const exchange = exchangeWith({}, [BTC, ETH]);
  begin(exchange, 0, exchange.account('VIP', 10_000_00), [BTC]);
  win(exchange, 0, [BTC]);
  const areSuspendedBy = (marketCents: number): boolean[] => {
    exchange.configure({ ...must(exchange.reads.rules, 'rules'), lossLimits: { ...DEFAULTS, marketCents } });
    return [BTC, ETH].map((market) => exchange.reads.isSuspended(market));
  };
  assert.deepEqual(areSuspendedBy(WON_CENTS + 1), [false, false]);
  assert.deepEqual(areSuspendedBy(WON_CENTS), [true, false]);
  exchange.accepted({ kind: 'suspendMarket', timeMs: exchange.nowMs, market: BTC, suspended: false });
  assert.deepEqual(areSuspendedBy(1), [false, false], 'losses count from the resumption');
});

test('what the house wins counts against what it loses, and a new day begins at nothing but lifts no suspension', () => {
  const exchange = exchangeWith({ marketCents: 2 * WON_CENTS });
  const account = exchange.account('VIP', 100_000_00);
  const lose = (minute: number): void => {
    exchange.passTo(minute * MINUTE_MS);
    exchange.openLate(BTC, 100);
    assert.equal(exchange.betOutcome({ account, side: 'DOWN', stakeCents: 100_00 }), 'accepted');
    win(exchange, minute, [BTC]);
  };
  const earn = (minute: number): void => {
    assert.deepEqual(begin(exchange, minute, account, [BTC]), ['accepted']);
    win(exchange, minute, [BTC]);
  };
  earn(0);
  lose(1);
  earn(2);
  assert.equal(exchange.reads.isSuspended(BTC), false, '100 USD less than the limit');
  earn(DAY_MINUTES);
  assert.equal(lostToday(exchange, 'ALL'), WON_CENTS, 'yesterday counts no more');
  earn(DAY_MINUTES + 1);
  assert.equal(exchange.reads.isSuspended(BTC), true);
  exchange.passTo(2 * DAY_MINUTES * MINUTE_MS);
  assert.deepEqual([lostToday(exchange, 'ALL'), exchange.betOutcome({ account })], [0, 'market_suspended']);
});
