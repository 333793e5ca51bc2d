/** Every limit of an order at exactly its value and one step beyond (design, section 5). */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { PlaceOrder } from '../../../engine/model/commands.js';
import { LIVE } from '../../../engine/model/domain.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
import { fixedHouse } from '../../support/engine/house-rules.js';
import { plainOrder } from '../../support/engine/plain-order.js';
import { type BetWish, BTC_1M, Exchange } from '../../support/reference/exchange.js';

/** An exchange whose BTC minute round has just opened at 100. */
function withRound(options: ConstructorParameters<typeof Exchange>[0] = {}): Exchange {
  const exchange = new Exchange(options);
  equal(exchange.openLate(BTC_1M, 100), 'accepted');
  return exchange;
}

test('expectedPercent may be off by exactly 15 points, but not by a hundredth or a millionth more', () => {
  for (const side of ['UP', 'DOWN'] as const) {
    for (const direction of [1, -1]) {
      const exchange = withRound();
      const account = exchange.account('GOLD', 10_000_00);
      // Both sides stand at 50.00.
      const outcomeAt = (awayE6: number) =>
        exchange.betOutcome({ account, side, expectedPercentE6: 50_000_000 + direction * awayE6 });
      equal(outcomeAt(15_010_000), 'odds_changed');
      equal(outcomeAt(15_000_001), 'odds_changed');
      equal(outcomeAt(15_000_000), 'accepted');
    }
  }
});

test('the guard compares the percent before the stake joins, rounded half up as published', () => {
  const exchange = withRound();
  const account = exchange.account('GOLD', 10_000_00);
  // 1,000 against 1,000 and 5,000 more: 50.00 before, 85.71 after.
  const bet = { account, side: 'UP', stakeCents: 5_000_00 } as const;
  equal(exchange.placed({ ...bet, expectedPercentE6: 50_000_000 }).entryPercentE2, 85_71);
  // Published are 85.71 for UP and 14.29 for DOWN; exactly it is 85.714285...
  const down = { account, side: 'DOWN', stakeCents: 1_00 } as const;
  equal(exchange.betOutcome({ ...down, expectedPercentE6: 29_290_001 }), 'odds_changed');
  equal(exchange.betOutcome({ ...down, expectedPercentE6: 29_290_000 }), 'accepted');
});

test('bets are accepted until 20 s before the lock; at exactly 20 s they are refused', () => {
  const exchange = withRound();
  const account = exchange.account('GOLD', 10_000_00);
  const outcomes = [34_999, 35_000, 54_999, 55_000, 59_999, 60_000].map((atMs) => {
    exchange.atMs = atMs;
    return exchange.betOutcome({ account });
  });
  deepEqual(outcomes, [
    'accepted',
    'betting_closed',
    'betting_closed',
    'round_not_live',
    'round_not_live',
    'round_not_live',
  ]);
});

test('an order is judged by its own time, even if the round has not been locked or ended yet', () => {
  const exchange = withRound();
  const account = exchange.account('GOLD', 10_000_00);
  const order = (atMs: number): PlaceOrder =>
    plainOrder({ timeMs: exchange.nowMs + atMs, account, market: BTC_1M });
  // Straight into the engine: `Exchange` would advance first, as the sequencer does.
  const codes = [54_999, 55_000, 70_000].map((atMs) => {
    const outcome = exchange.pair.engine.apply(order(atMs));
    return outcome.status === 'rejected' ? outcome.code : outcome.status;
  });
  deepEqual(codes, ['betting_closed', 'round_not_live', 'round_not_live']);
  equal(exchange.reads.currentRound(BTC_1M)?.status, LIVE);
});

test('stakes are limited by the minimum and maximum of the market, to the cent', () => {
  const exchange = withRound();
  const account = exchange.account('VIP', 50_000_00);
  equal(exchange.betOutcome({ account, stakeCents: 99 }), 'stake_out_of_range');
  equal(exchange.betOutcome({ account, stakeCents: 1_00 }), 'accepted');
  equal(exchange.betOutcome({ account, stakeCents: 10_000_01 }), 'stake_out_of_range');
  equal(exchange.betOutcome({ account, stakeCents: 10_000_00 }), 'accepted');
});

test('the tier also limits the stake, to the cent; Bronze places nothing', () => {
  const exchange = withRound();
  const limits = { SILVER: 1_000_00, GOLD: 5_000_00, PLATINUM: 10_000_00 } as const;
  for (const [tier, limitCents] of Object.entries(limits)) {
    const account = exchange.account(tier as keyof typeof limits, 100_000_00);
    equal(exchange.betOutcome({ account, stakeCents: limitCents + 1 }), 'stake_out_of_range', tier);
    equal(exchange.betOutcome({ account, stakeCents: limitCents }), 'accepted', tier);
  }
  const bronze = exchange.account('BRONZE', 100_000_00);
  equal(exchange.betOutcome({ account: bronze, stakeCents: 1_00 }), 'stake_out_of_range');
});

test('a change of tier applies to the next bet', () => {
  const exchange = withRound();
  const account = exchange.account('GOLD', 10_000_00);
  const stakeCents = 1_000_01;
  equal(exchange.betOutcome({ account, stakeCents }), 'accepted');
  const setTier = (tier: number) =>
    exchange.accepted({ kind: 'updateAccount', timeMs: exchange.nowMs, account, tier, frozen: null });
  setTier(1);
  equal(exchange.betOutcome({ account, stakeCents }), 'stake_out_of_range');
  setTier(2);
  equal(exchange.betOutcome({ account, stakeCents }), 'accepted');
});

test('a balance can be bet to its last cent, and not a cent more', () => {
  const exchange = withRound();
  const account = exchange.account('GOLD', 123_45);
  equal(exchange.betOutcome({ account, stakeCents: 123_46 }), 'insufficient_balance');
  equal(exchange.placed({ account, stakeCents: 123_45 }).newBalanceCents, 0);
  equal(exchange.balanceCents(account), 0);
  equal(exchange.betOutcome({ account, stakeCents: 1_00 }), 'insufficient_balance');
});

test('odds, percent and payout are those after the stake joined, computed exactly', () => {
  const exchange = withRound();
  const account = exchange.account('GOLD', 10_000_00);
  // 2,100 / 1,100 = 1.909090...; 1,100 / 2,100 = 52.38095...; 100 * 1.9090 * 0.97 = 185.173
  const up = exchange.placed({ account, side: 'UP', stakeCents: 100_00 });
  deepEqual([up.oddsE4, up.entryPercentE2, up.payoutCents], [1_9090, 52_38, 185_17]);
  // An overwhelming side pays less than the stake: 7,100 / 6,100 = 1.16393...; 5,000 * 1.1639 * 0.97
  const heavy = exchange.placed({ account, side: 'UP', stakeCents: 5_000_00 });
  deepEqual([heavy.oddsE4, heavy.entryPercentE2, heavy.payoutCents], [1_1639, 85_92, 5_644_91]);
  // 7,101 / 1,001 = 7.093906...; DOWN's percent is what UP's 85.90 leaves
  const down = exchange.placed({ account, side: 'DOWN', stakeCents: 1_00 });
  deepEqual([down.oddsE4, down.entryPercentE2, down.payoutCents], [7_0939, 14_10, 6_88]);
});

test('a side may owe exactly the pool and not a cent more', () => {
  const exchange = withRound({ market: { house: fixedHouse(10_00) } });
  const account = exchange.account('VIP', 100_000_00);
  exchange.placed({ account, side: 'UP', stakeCents: 82_96 });
  exchange.placed({ account, side: 'DOWN', stakeCents: 168_13 });
  exchange.placed({ account, side: 'UP', stakeCents: 92_50 });
  // UP is owed 265.01 by now; 308.02 more on a pool of 671.61 owes all of it.
  equal(exchange.betOutcome({ account, side: 'UP', stakeCents: 308_03 }), 'round_exposure_limit');
  const last = exchange.placed({ account, side: 'UP', stakeCents: 308_02 });
  const round = exchange.reads.currentRound(BTC_1M);
  equal(265_01 + last.payoutCents, (round?.poolUpCents ?? 0) + (round?.poolDownCents ?? 0));
  // The house loses both seeds if UP wins, and no more.
  exchange.passTo(60_000);
  const before = exchange.reads.totals().houseCents;
  exchange.boundary(BTC_1M, 60_000, 101);
  exchange.settleAll();
  equal(exchange.reads.totals().houseCents - before, -2 * 10_00, 'the next seeds, and nothing back');
});

test('the checks come in the order of the design', () => {
  const exchange = withRound({ rules: { openBetsMax: 1, idempotencyEntriesMax: 1 } });
  const { reads } = exchange;
  const account = exchange.account('SILVER', 500_00);
  const timeMs = exchange.nowMs;
  exchange.placed({ account, stakeCents: 1_00, key: 1 });
  const switchTrading = (enabled: boolean) =>
    exchange.accepted({ kind: 'setTrading', timeMs: exchange.nowMs, enabled, reason: 'test' });
  const suspend = (suspended: boolean) =>
    exchange.accepted({ kind: 'suspendMarket', timeMs: exchange.nowMs, market: BTC_1M, suspended });
  switchTrading(false);
  suspend(true);
  exchange.passTo(36_000);

  // Everything is wrong with this order; each step mends what was complained about.
  let wish: BetWish = { account, market: -1, stakeCents: 600_000_00, expectedPercentE6: 0, key: 1, body: 2 };
  wish = { ...wish, gate: 'journal_backlog' };
  const complains = (code: ErrorCode) => equal(exchange.betOutcome(wish), code);
  complains('idempotency_key_reused');
  wish = { ...wish, key: 2 };
  complains('market_not_found');
  wish = { ...wish, market: BTC_1M };
  complains('trading_disabled');
  switchTrading(true);
  complains('journal_backlog');
  const { gate: _, ...ungated } = wish;
  wish = ungated;
  complains('market_suspended');
  suspend(false);
  complains('betting_closed');
  exchange.passTo(60_000);
  complains('round_not_live');
  exchange.boundary(BTC_1M, 60_000, 100);
  complains('stake_out_of_range');
  wish = { ...wish, stakeCents: 1_000_00 };
  complains('odds_changed');
  wish = { ...wish, expectedPercentE6: -1 };
  complains('insufficient_balance');
  wish = { ...wish, stakeCents: 1_00 };
  complains('too_many_open_bets');
  exchange.settleAll();
  complains('idempotency_full');
  const { key: __, ...unkeyed } = wish;
  wish = unkeyed;
  equal(exchange.betOutcome(wish), 'accepted');
  equal(reads.timeMs - timeMs, 60_000);
});

test('exposure is checked after the balance and before the number of open bets', () => {
  const exchange = withRound({ market: { house: fixedHouse(10_00) }, rules: { openBetsMax: 3 } });
  const account = exchange.account('VIP', 100_000_00);
  const poor = exchange.account('VIP', 308_02);
  for (const [side, stakeCents] of [
    ['UP', 82_96],
    ['DOWN', 168_13],
    ['UP', 92_50],
  ] as const) {
    exchange.placed({ account, side, stakeCents });
  }
  equal(exchange.betOutcome({ account: poor, stakeCents: 308_03 }), 'insufficient_balance');
  equal(exchange.betOutcome({ account, stakeCents: 308_03 }), 'round_exposure_limit');
  equal(exchange.betOutcome({ account, stakeCents: 308_02 }), 'too_many_open_bets');
});
