/** Every limit of an order at exactly its value and one step beyond. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { LIVE } from '../../../engine/model/domain.js';
import { fixedHouse } from '../../support/engine/house-rules.js';
import { plainOrder } from '../../support/engine/plain-order.js';
import { BTC_1M, Exchange } from '../../support/reference/exchange.js';

test('expectedPercent may be off by exactly 15 points, but not by a hundredth or a millionth more', () => {
  for (const side of ['UP', 'DOWN'] as const) {
    for (const direction of [1, -1]) {
      const { exchange, account } = Exchange.withAccount('GOLD', 10_000_00);
      // Both sides stand at 50.00.
      const outcomeAt = (awayE6: number) =>
        exchange.betOutcome({ account, side, expectedPercentE6: 50_000_000 + direction * awayE6 });
      deepEqual([outcomeAt(15_010_000), outcomeAt(15_000_001)], ['odds_changed', 'odds_changed']);
      equal(outcomeAt(15_000_000), 'accepted');
    }
  }
});

test('the guard compares the percent before the stake joins, rounded half up as published', () => {
  const { exchange, account } = Exchange.withAccount('GOLD', 10_000_00);
  // 1,000 against 1,000 and 5,000 more: 50.00 before, 85.71 after.
  const bet = { account, side: 'UP', stakeCents: 5_000_00 } as const;
  equal(exchange.placed({ ...bet, expectedPercentE6: 50_000_000 }).entryPercentE2, 85_71);
  // Published are 85.71 for UP and 14.29 for DOWN; exactly it is 85.714285...
  const down = { account, side: 'DOWN', stakeCents: 1_00 } as const;
  equal(exchange.betOutcome({ ...down, expectedPercentE6: 29_290_001 }), 'odds_changed');
  equal(exchange.betOutcome({ ...down, expectedPercentE6: 29_290_000 }), 'accepted');
});

test('bets are accepted until 20 s before the lock; at exactly 20 s they are refused', () => {
  const { exchange, account } = Exchange.withAccount('GOLD', 10_000_00);
  const outcomes = [34_999, 35_000, 54_999, 55_000, 59_999, 60_000].map((atMs) => {
    exchange.atMs = atMs;
    return exchange.betOutcome({ account });
  });
  const [closed, over] = ['betting_closed', 'round_not_live'];
  deepEqual(outcomes, ['accepted', closed, closed, over, over, over]);
});

test('an order is judged by its own time, even if the round has not been locked or ended yet', () => {
  const { exchange, account } = Exchange.withAccount('GOLD', 10_000_00);
  const { nowMs, pair } = exchange;
  // Straight into the engine: `Exchange` would advance first, as the sequencer does.
  const codes = [54_999, 55_000, 70_000].map((atMs) => {
    const outcome = pair.engine.apply(plainOrder({ timeMs: nowMs + atMs, account, market: BTC_1M }));
    return outcome.status === 'rejected' ? outcome.code : outcome.status;
  });
  deepEqual(codes, ['betting_closed', 'round_not_live', 'round_not_live']);
  equal(exchange.reads.currentRound(BTC_1M)?.status, LIVE);
});

test('the minimum, and the lesser limit of tier and market, are named and kept, to the cent; Bronze places nothing', () => {
  const exchange = Exchange.opened();
  const limits = { SILVER: 1_000_00, GOLD: 5_000_00, PLATINUM: 10_000_00, VIP: 10_000_00 } as const;
  for (const [tier, limitCents] of Object.entries(limits)) {
    const account = exchange.account(tier as keyof typeof limits, 100_000_00);
    const detail = `amount must be 1 to ${limitCents / 100} USD for this market and account tier`;
    const refused = { status: 'rejected', code: 'stake_out_of_range', detail };
    for (const stakeCents of [99, limitCents + 1]) deepEqual(exchange.bet({ account, stakeCents }), refused);
    for (const stakeCents of [1_00, limitCents])
      equal(exchange.betOutcome({ account, stakeCents }), 'accepted', tier);
  }
  const bronze = exchange.account('BRONZE', 100_000_00);
  equal(exchange.betOutcome({ account: bronze, stakeCents: 1_00 }), 'stake_out_of_range');
});

test('a balance can be bet to its last cent, and not a cent more', () => {
  const { exchange, account } = Exchange.withAccount('GOLD', 123_45);
  equal(exchange.betOutcome({ account, stakeCents: 123_46 }), 'insufficient_balance');
  equal(exchange.placed({ account, stakeCents: 123_45 }).newBalanceCents, 0);
  equal(exchange.balanceCents(account), 0);
  equal(exchange.betOutcome({ account, stakeCents: 1_00 }), 'insufficient_balance');
});

test('an account has so many open bets and no more; resolved is not settled, and a settled one frees a place', () => {
  const { exchange, account } = Exchange.withAccount('GOLD', 1_000_00, { rules: { openBetsMax: 2 } });
  const bets = (count: number) => Array.from({ length: count }, () => exchange.betOutcome({ account }));
  deepEqual(bets(3), ['accepted', 'accepted', 'too_many_open_bets']);
  exchange.ends(BTC_1M, 60_000, 101);
  deepEqual(bets(1), ['too_many_open_bets']);
  exchange.accepted({ kind: 'settle', timeMs: exchange.nowMs, betsMax: 1 });
  deepEqual(bets(2), ['accepted', 'too_many_open_bets']);
});

test('a side may owe exactly the pool and not a cent more; a cent that is left goes back to the house', () => {
  const market = { house: fixedHouse(10_00) };
  for (const [leftCents, stakeCents] of [308_02, 307_99].entries()) {
    const { exchange, account } = Exchange.withAccount('VIP', 100_000_00, { market });
    exchange.placed({ account, side: 'UP', stakeCents: 82_96 });
    exchange.placed({ account, side: 'DOWN', stakeCents: 168_13 });
    exchange.placed({ account, side: 'UP', stakeCents: 92_50 });
    // UP is owed 265.01 by now; 308.02 more on a pool of 671.61 owes all of it.
    equal(exchange.betOutcome({ account, side: 'UP', stakeCents: 308_03 }), 'round_exposure_limit');
    const last = exchange.placed({ account, side: 'UP', stakeCents });
    const round = exchange.reads.currentRound(BTC_1M);
    equal(265_01 + last.payoutCents + leftCents, (round?.poolUpCents ?? 0) + (round?.poolDownCents ?? 0));
    // The house loses both seeds if UP wins, and no more.
    exchange.passTo(60_000);
    const before = exchange.reads.totals().houseCents;
    exchange.boundary(BTC_1M, 60_000, 101);
    exchange.settleAll();
    equal(exchange.reads.totals().houseCents - before, leftCents - 2 * 10_00, 'less the next seeds');
  }
});
