/** A bettor's guarantees of limit orders. `against-reference.search.ts` tries streams of commands. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { PlaceOrder } from '../../../engine/model/commands.js';
import {
  END_CANCELLED,
  END_EXPIRED,
  NO_END,
  NO_FAIR_SHARE,
  SIDES,
  type Side,
} from '../../../engine/model/domain.js';
import type { EngineEvent, OrderFilled, Outcome } from '../../../engine/model/events.js';
import { BetTable } from '../../../engine/state/bets.js';
import { fairHouse, fixedHouse } from '../../support/engine/house-rules.js';
import { plainOrder } from '../../support/engine/plain-order.js';
import { digestsOf, restored } from '../../support/engine/snapshots.js';
import { BTC_1M, BTC_15M, Exchange, MINUTE_MS, rulesFor, typesOf } from '../../support/reference/exchange.js';

const CLOSES_MS = 14 * MINUTE_MS + 10_000;

type LimitWish = Pick<PlaceOrder, 'account' | 'limitOddsE4'> &
  Partial<Pick<PlaceOrder, 'key' | 'stakeCents' | 'fairShareE6' | 'validUntilMs'>> & { readonly side?: Side };

const limit = (exchange: Exchange, { side = 'UP', ...wish }: LimitWish): Outcome => {
  const order = { timeMs: exchange.nowMs, market: BTC_15M, side: SIDES.indexOf(side), stakeCents: 10_00 };
  return exchange.apply(plainOrder({ ...order, ...wish }));
};

const eventsOf = (outcome: Outcome): readonly EngineEvent[] =>
  outcome.status === 'accepted' ? outcome.events : [];
const fillsOf = (outcome: Outcome): readonly OrderFilled[] =>
  eventsOf(outcome).filter((event) => event.type === 'orderFilled');
const betsOf = (events: readonly EngineEvent[]) => events.map((event) => 'bet' in event && event.bet);
const statusOf = (exchange: Exchange, account: number, bet: number): string | undefined =>
  exchange.reads.order(account, bet)?.status;

const opened = (house = fixedHouse()) =>
  Exchange.withAccount('VIP', 10_000_00, { markets: [BTC_15M], market: { house } });

test('an order is placed at once where its bet gets the odds, and rests where it gets a little less', () => {
  const { exchange, account } = opened();
  // 10 USD on UP: (2000 + 10) / (1000 + 10) is 1.9900.
  deepEqual(typesOf(eventsOf(limit(exchange, { account, limitOddsE4: 19_900 }))), ['betPlaced']);
  equal(exchange.balanceCents(account), 9_990_00);
  const [pending] = eventsOf(limit(exchange, { account, limitOddsE4: 19_900 }));
  ok(pending?.type === 'orderPending');
  equal(pending.oddsE4, 19_900);
  equal(exchange.balanceCents(account), 9_980_00, 'its stake is reserved');
  equal(exchange.reads.totals().reservedStakesCents, 10_00);
  equal(statusOf(exchange, account, pending.bet), 'PENDING');
  equal(exchange.reads.currentRound(BTC_15M)?.betCount, 1, 'it is in no pool');
});

test('the digest tells the limits of orders apart that are placed at once', () => {
  const digests = [0, 19_000, 19_900].map((limitOddsE4) => {
    const { exchange, account } = opened();
    deepEqual(typesOf(eventsOf(limit(exchange, { account, limitOddsE4 }))), ['betPlaced']);
    return exchange.pair.engine.rollingDigest();
  });
  equal(new Set(digests).size, digests.length);
});

test('a bet on the other side fills an order at no less than its limit, and its answer counts it', () => {
  const { exchange, account } = opened();
  const other = exchange.account('VIP', 10_000_00);
  limit(exchange, { account, limitOddsE4: 21_000 });
  const outcome = exchange.bet({ account: other, market: BTC_15M, side: 'DOWN', stakeCents: 500_00 });
  const [placed, filled] = eventsOf(outcome);
  ok(placed?.type === 'betPlaced' && filled?.type === 'orderFilled');
  deepEqual(placed.filled, { upOrders: 1, upCents: 10_00, downOrders: 0, downCents: 0 });
  ok(filled.oddsE4 >= 21_000);
  equal(exchange.balanceCents(account), 9_990_00, 'the stake is taken once');
  equal(statusOf(exchange, account, filled.bet), 'ACTIVE');
  equal(exchange.reads.totals().reservedStakesCents, 0);
});

test('a bet fills 32 orders at once, and the next slice the others', () => {
  const { exchange, account } = opened();
  for (let n = 0; n < 33; n++) limit(exchange, { account, limitOddsE4: 21_000, stakeCents: 1_00 });
  equal(fillsOf(exchange.bet({ account, market: BTC_15M, side: 'DOWN', stakeCents: 500_00 })).length, 32);
  const slice = { kind: 'fillOrders', market: BTC_15M, ordersMax: 9, fairShareE6: NO_FAIR_SHARE } as const;
  equal(fillsOf(exchange.apply({ ...slice, timeMs: exchange.nowMs }))[0]?.bet, 33);
});

test('a resting order is filled at its limit exactly, and not a hair below in a pool of millions', () => {
  const house = fixedHouse(1_000_000_00);
  const options = { markets: [BTC_15M], market: { house }, houseCents: 2_000_000_00 };
  for (const [more, leastCents] of [100_01, 200_03].entries()) {
    const fills = [leastCents - 1, leastCents].map((stakeCents) => {
      const { exchange, account } = Exchange.withAccount('VIP', 10_000_00, options);
      limit(exchange, { account, limitOddsE4: 20_000 + more, stakeCents: 100_01 });
      return fillsOf(exchange.bet({ account, market: BTC_15M, side: 'DOWN', stakeCents })).length;
    });
    deepEqual(fills, [0, 1]);
  }
});

test('where the seeds are fixed, a fair share counts for nothing and is not kept', () => {
  const { exchange, account } = opened();
  const fairShareE6 = 900_000;
  limit(exchange, { account, limitOddsE4: 22_000, fairShareE6 });
  const moved = exchange.bet({ account, market: BTC_15M, side: 'DOWN', stakeCents: 400_00, fairShareE6 });
  const [bet] = eventsOf(moved);
  const [filled] = fillsOf(moved);
  ok(bet?.type === 'betPlaced' && filled !== undefined);
  deepEqual([bet.fairShareE6, filled.fairShareE6], [NO_FAIR_SHARE, NO_FAIR_SHARE]);
});

test("the house's newest quote decides at which odds a resting order is filled, never worse than its limit", () => {
  const { exchange, account } = opened(fairHouse());
  const resting = limit(exchange, { account, limitOddsE4: 25_000, fairShareE6: 500_000 });
  deepEqual(typesOf(eventsOf(resting)), ['orderPending']);
  const fill = { kind: 'fillOrders', timeMs: exchange.nowMs, market: BTC_15M, ordersMax: 9 } as const;
  const at = (fairShareE6: number) => exchange.apply({ ...fill, fairShareE6 });
  equal(at(450_000).status, 'rejected');
  const [filled] = fillsOf(at(300_000));
  ok(filled !== undefined && filled.oddsE4 > 30_000, 'at the odds of the quote, not at those that it named');
});

test('only an order that rests can be cancelled, by its account, and only once', () => {
  const { exchange, account } = opened();
  const other = exchange.account('VIP', 10_000_00);
  limit(exchange, { account, limitOddsE4: 30_000 });
  exchange.bet({ account, market: BTC_15M });
  const first = { kind: 'cancelOrder', timeMs: exchange.nowMs, account, key: 1, bet: 1 } as const;
  const cancel = (owner: number, bet: number) => exchange.outcomeOf({ ...first, account: owner, bet });
  deepEqual([cancel(other, 1), cancel(account, 2)], ['order_not_found', 'order_not_pending']);
  const busy = exchange.apply(first, 'journal_backlog');
  ok(busy.status === 'rejected' && busy.code === 'journal_backlog', 'while orders are refused');
  exchange.accepted({ kind: 'setTrading', timeMs: exchange.nowMs, enabled: false, reason: 'stop' });
  equal(cancel(account, 1), 'accepted', 'also while trading is off');
  deepEqual([cancel(account, 1), exchange.balanceCents(account)], ['order_not_pending', 9_990_00]);
  equal(statusOf(exchange, account, 1), 'CANCELLED');
});

test('all orders that rest are cancelled, or those of a market or a side: the newest first, slice by slice', () => {
  const { exchange, account } = opened();
  const other = exchange.account('VIP', 10_000_00);
  for (const side of ['UP', 'DOWN', 'UP'] as const) limit(exchange, { account, limitOddsE4: 30_000, side });
  limit(exchange, { account: other, limitOddsE4: 30_000 });
  const whose = { account, key: 1, market: null, side: null, placedBy: null };
  const cancel = { kind: 'cancelOrders', ...whose, ordersMax: 2 } as const;
  const cancelled = (those: { market?: number; side?: number }) => {
    const outcome = exchange.apply({ ...cancel, ...those, timeMs: exchange.nowMs });
    return outcome.status === 'rejected' ? [outcome.code] : betsOf(eventsOf(outcome));
  };
  deepEqual(cancelled({ market: BTC_15M + 1 }), ['order_not_pending']);
  deepEqual(cancelled({ side: 1 }), [2]);
  limit(exchange, { account, limitOddsE4: 30_000 });
  const busy = exchange.apply({ ...cancel, timeMs: exchange.nowMs }, 'journal_backlog');
  ok(busy.status === 'rejected' && busy.code === 'journal_backlog');
  deepEqual(cancelled({}), [5, 3]);
  deepEqual(cancelled({ market: BTC_15M }), [1]);
  deepEqual(cancelled({}), ['order_not_pending']);
  equal(exchange.balanceCents(account), 10_000_00);
  equal(exchange.reads.restingOrders, 1, 'that of the other account rests');
});

test('orders are told apart by the key that placed them, after a snapshot, too', () => {
  const { exchange, account } = opened();
  for (const key of [1, 2, 1]) limit(exchange, { account, limitOddsE4: 30_000, key });
  const whose = { account, key: 1, market: null, side: null, placedBy: 1 };
  const cancel = { kind: 'cancelOrders', timeMs: exchange.nowMs, ...whose, ordersMax: 9 } as const;
  const again = restored(exchange.pair.engine);
  deepEqual(eventsOf(again.apply(cancel)), eventsOf(exchange.apply(cancel)));
  equal(digestsOf(again), digestsOf(exchange.pair.engine));
  equal(exchange.outcomeOf(cancel), 'order_not_pending');
  const statuses = exchange.orders(account, 9).map(({ bet, status }) => `${bet} ${status}`);
  deepEqual(statuses, ['3 CANCELLED', '2 PENDING', '1 CANCELLED']);
});

test('at the close of betting orders expire, and none is filled any more', () => {
  const { exchange, account } = opened();
  limit(exchange, { account, limitOddsE4: 30_000 });
  const expire = { kind: 'expireOrders', ordersMax: 10 } as const;
  equal(exchange.reads.nextExpiryMs, exchange.nowMs + CLOSES_MS);
  exchange.passTo(CLOSES_MS - 1);
  equal(exchange.outcomeOf({ ...expire, timeMs: exchange.nowMs }), 'invalid_request');
  exchange.passTo(CLOSES_MS);
  equal(exchange.reads.isFillable(BTC_15M, -1, exchange.nowMs), false);
  const [ended] = exchange.accepted({ ...expire, timeMs: exchange.nowMs });
  ok(ended?.type === 'betSettled' && ended.result === END_EXPIRED);
  deepEqual([exchange.balanceCents(account), statusOf(exchange, account, 1)], [10_000_00, 'EXPIRED']);
});

test('an order ends after its validUntil: no bet fills it then, and its stake goes back in slices', () => {
  const { exchange, account } = opened();
  const endMs = exchange.nowMs + 4_000;
  const wish = { account, limitOddsE4: 21_000, stakeCents: 1_00 };
  for (const validUntilMs of [endMs, NO_END, endMs + 1]) limit(exchange, { ...wish, validUntilMs });
  limit(exchange, { ...wish, side: 'DOWN', validUntilMs: endMs });
  equal(exchange.reads.order(account, 1)?.validUntilMs, endMs);
  equal(exchange.reads.nextExpiryMs, endMs + 1);
  deepEqual(digestsOf(restored(exchange.pair.engine)), digestsOf(exchange.pair.engine));

  exchange.passTo(4_000);
  const expireOne = { kind: 'expireOrders', ordersMax: 1 } as const;
  equal(exchange.outcomeOf({ ...expireOne, timeMs: exchange.nowMs }), 'invalid_request');
  exchange.passTo(4_001);
  const again = restored(exchange.pair.engine);
  // In its last millisecond an order is filled and does not expire; one that has ended stands before it.
  const fills = fillsOf(exchange.bet({ account, market: BTC_15M, side: 'DOWN', stakeCents: 600_00 }));
  deepEqual(betsOf(fills), [2, 3]);
  deepEqual(betsOf(eventsOf(again.apply({ ...expireOne, ordersMax: 9, timeMs: exchange.nowMs }))), [1, 4]);
  for (const bet of [1, 4]) {
    equal(statusOf(exchange, account, bet), 'PENDING', 'until the stake has gone back');
    const [event, ...others] = exchange.accepted({ ...expireOne, timeMs: exchange.nowMs });
    ok(event?.type === 'betSettled' && others.length === 0);
    deepEqual([event.bet, event.result, event.payoutCents], [bet, END_EXPIRED, 1_00]);
    equal(statusOf(exchange, account, bet), 'EXPIRED');
  }
  equal(exchange.reads.restingOrders, 0);
});

test('a freeze cancels what rests at once; a void gives it back with the settlement, slice by slice', () => {
  const { exchange, account } = opened();
  const other = exchange.account('VIP', 10_000_00);
  for (const whose of [account, other])
    limit(exchange, { account: whose, side: 'DOWN', limitOddsE4: 30_000 });
  limit(exchange, { account: other, limitOddsE4: 30_000 });
  const { nowMs: timeMs } = exchange;
  const freeze = { kind: 'updateAccount', timeMs, account, tier: null, frozen: true } as const;
  deepEqual(typesOf(exchange.accepted(freeze)), ['accountUpdated', 'betSettled']);
  deepEqual([exchange.balanceCents(account), exchange.voidCurrent(BTC_15M)], [10_000_00, 'accepted']);
  const [ended, ...others] = exchange.accepted({ kind: 'settle', timeMs, betsMax: 1 });
  ok(ended?.type === 'betSettled' && ended.result === END_CANCELLED && others.length === 0);
  equal(ended.bet, 3, 'UP before DOWN');
  deepEqual(typesOf(exchange.settleAll()).slice(0, 1), ['betSettled']);
  deepEqual([exchange.balanceCents(other), exchange.reads.unsettledRounds().length], [10_000_00, 0]);
});

test('nothing is filled where a market or trading is stopped, without a price, or after betting has closed', () => {
  const { exchange, account } = opened(fairHouse());
  // It leaves pools in which UP would fit, at a fair share that is over.
  equal(exchange.betOutcome({ account, market: BTC_15M, fairShareE6: 300_000 }), 'accepted');
  for (const side of SIDES) limit(exchange, { account, side, limitOddsE4: 25_000, fairShareE6: 500_000 });
  const whole = { kind: 'fillOrders', market: BTC_15M, ordersMax: 9 } as const;
  const isFillable = (fairShareE6 = 300_000): boolean =>
    exchange.reads.isFillable(BTC_15M, fairShareE6, exchange.nowMs);
  const fillsNothing = (why: string, fairShareE6 = 300_000): void => {
    equal(isFillable(fairShareE6), false, why);
    equal(exchange.outcomeOf({ ...whole, timeMs: exchange.nowMs, fairShareE6 }), 'invalid_request', why);
  };
  const suspend = (suspended: boolean) =>
    exchange.accepted({ kind: 'suspendMarket', timeMs: exchange.nowMs, market: BTC_15M, suspended });
  const setTrading = (enabled: boolean) =>
    exchange.accepted({ kind: 'setTrading', timeMs: exchange.nowMs, enabled, reason: '' });
  equal(isFillable(), true);
  suspend(true);
  fillsNothing('suspended');
  suspend(false);
  setTrading(false);
  fillsNothing('trading is off');
  setTrading(true);
  exchange.configure(rulesFor([BTC_1M]));
  equal(isFillable(), false, 'the market has left the rules');
  exchange.configure(rulesFor([BTC_15M]));
  fillsNothing('no fresh price', NO_FAIR_SHARE);
  exchange.passTo(CLOSES_MS - 1);
  equal(isFillable(), true);
  exchange.passTo(CLOSES_MS);
  fillsNothing('betting has closed');
  exchange.passTo(15 * MINUTE_MS);
  fillsNothing('the round is over');
});

test('rows of orders that are gone, and those of their limits, are used again before new ones', () => {
  const bets = new BetTable();
  const take = () => {
    const row = bets.take();
    return [row, bets.limit(row, { limitOddsE4: 20_000, validUntilMs: NO_END, key: 0 })].join();
  };
  deepEqual([take(), take(), take()], ['1,1', '2,2', '3,3']);
  for (const row of [1, 3]) bets.free(row);
  deepEqual([take(), take(), take()].sort(), ['1,1', '3,3', '4,4']);
});
