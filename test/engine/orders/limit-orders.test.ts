/** Limit orders: what a bettor relies on. Whatever streams of commands do, `against-reference.search.ts` tries. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { FILLS_MAX } from '../../../engine/handlers/fills.js';
import { END_CANCELLED, END_EXPIRED, NO_FAIR_SHARE, SIDES, type Side } from '../../../engine/model/domain.js';
import type { EngineEvent, OrderFilled, Outcome } from '../../../engine/model/events.js';
import { fairHouse } from '../../support/engine/house-rules.js';
import { plainOrder } from '../../support/engine/plain-order.js';
import { digestsOf, restored } from '../../support/engine/snapshots.js';
import { BTC_15M, Exchange, MINUTE_MS, typesOf } from '../../support/reference/exchange.js';

const CLOSES_MS = 14 * MINUTE_MS + 10_000;

interface LimitWish {
  readonly account: number;
  readonly limitOddsE4: number;
  readonly side?: Side;
  readonly stakeCents?: number;
  readonly fairShareE6?: number;
  readonly key?: number;
}

/** A round of 15 minutes with fixed seeds, 1,000 USD a side, and accounts with money. */
function open(options: ConstructorParameters<typeof Exchange>[0] = {}): Exchange {
  const exchange = new Exchange({ markets: [BTC_15M], ...options });
  exchange.openLate(BTC_15M, 100);
  return exchange;
}

function limit(exchange: Exchange, wish: LimitWish): Outcome {
  const { account, limitOddsE4, side = 'UP', stakeCents = 10_00, fairShareE6 = -1, key } = wish;
  return exchange.apply({
    kind: 'placeOrder',
    timeMs: exchange.nowMs,
    account,
    key: 1,
    market: BTC_15M,
    side: SIDES.indexOf(side),
    stakeCents,
    fairShareE6,
    expectedPercentE6: -1,
    idempotency: key === undefined ? null : { keyHigh: key, keyLow: key, body: 1 },
    clientSeed: null,
    limitOddsE4,
  });
}

const eventsOf = (outcome: Outcome): readonly EngineEvent[] =>
  outcome.status === 'accepted' ? outcome.events : [];
const fillsOf = (outcome: Outcome): readonly OrderFilled[] =>
  eventsOf(outcome).filter((event) => event.type === 'orderFilled');
const statusOf = (exchange: Exchange, account: number, bet: number): string | undefined =>
  exchange.reads.order(account, bet)?.status;

test('an order is placed at once where its bet gets the odds, and rests where it gets a little less', () => {
  const exchange = open();
  const account = exchange.account('VIP', 10_000_00);
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
    const exchange = open();
    const account = exchange.account('VIP', 10_000_00);
    deepEqual(typesOf(eventsOf(limit(exchange, { account, limitOddsE4 }))), ['betPlaced']);
    return exchange.pair.engine.rollingDigest();
  });
  equal(new Set(digests).size, digests.length);
});

test('a bet on the other side fills an order at no less than its limit, and its answer counts it', () => {
  const exchange = open();
  const account = exchange.account('VIP', 10_000_00);
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

test('where the seeds are fixed, a fair share counts for nothing and is not kept', () => {
  const exchange = open();
  const account = exchange.account('VIP', 10_000_00);
  limit(exchange, { account, limitOddsE4: 22_000, fairShareE6: 900_000 });
  const moved = exchange.bet({
    account,
    market: BTC_15M,
    side: 'DOWN',
    stakeCents: 400_00,
    fairShareE6: 900_000,
  });
  const [bet] = eventsOf(moved);
  const [filled] = fillsOf(moved);
  ok(bet?.type === 'betPlaced' && filled !== undefined);
  deepEqual([bet.fairShareE6, filled.fairShareE6], [NO_FAIR_SHARE, NO_FAIR_SHARE]);
});

test('the lowest limit comes first, then time; an order that is too large keeps nobody behind it', () => {
  const exchange = open();
  const account = exchange.account('VIP', 50_000_00);
  const placeAt = (limitOddsE4: number, stakeCents: number): void =>
    void limit(exchange, { account, limitOddsE4, stakeCents });
  placeAt(22_000, 10_00);
  placeAt(21_000, 9_000_00);
  placeAt(21_000, 20_00);
  placeAt(21_000, 10_00);
  const outcome = exchange.bet({ account, market: BTC_15M, side: 'DOWN', stakeCents: 400_00 });
  deepEqual(
    fillsOf(outcome).map(({ bet }) => bet),
    [3, 4, 1],
  );
  equal(statusOf(exchange, account, 2), 'PENDING');
});

test('a fill makes others fillable on the other side, in the same pass', () => {
  const exchange = open();
  const account = exchange.account('VIP', 50_000_00);
  limit(exchange, { account, side: 'DOWN', limitOddsE4: 19_000, stakeCents: 600_00 });
  limit(exchange, { account, side: 'UP', limitOddsE4: 18_400, stakeCents: 400_00 });
  equal(exchange.reads.restingOrders, 2);
  const outcome = exchange.bet({ account, market: BTC_15M, side: 'UP', stakeCents: 500_00 });
  deepEqual(
    fillsOf(outcome).map(({ bet }) => bet),
    [1, 2],
  );
});

test('a bet fills so many orders at once; a command of its own fills the rest', () => {
  const exchange = open({ rules: { openBetsMax: 1_000 } });
  const account = exchange.account('VIP', 50_000_00);
  for (let order = 0; order < FILLS_MAX + 5; order++)
    limit(exchange, { account, limitOddsE4: 21_000, stakeCents: 1_00 });
  const outcome = exchange.bet({ account, market: BTC_15M, side: 'DOWN', stakeCents: 500_00 });
  equal(fillsOf(outcome).length, FILLS_MAX);
  equal(exchange.reads.isFillable(BTC_15M, -1, exchange.nowMs), true);
  const rest = { kind: 'fillOrders', timeMs: exchange.nowMs, market: BTC_15M, fairShareE6: -1 } as const;
  equal(exchange.accepted({ ...rest, ordersMax: 100 }).length, 5);
  equal(exchange.outcomeOf({ ...rest, ordersMax: 100 }), 'invalid_request');
});

test("the house's newest quote decides at which odds a resting order is filled, never worse than its limit", () => {
  const exchange = open({ market: { house: fairHouse() } });
  const account = exchange.account('VIP', 50_000_00);
  deepEqual(typesOf(eventsOf(limit(exchange, { account, limitOddsE4: 25_000, fairShareE6: 500_000 }))), [
    'orderPending',
  ]);
  const at = (fairShareE6: number) =>
    exchange.apply({
      kind: 'fillOrders',
      timeMs: exchange.nowMs,
      market: BTC_15M,
      fairShareE6,
      ordersMax: 9,
    });
  equal(at(450_000).status, 'rejected');
  const [filled] = fillsOf(at(300_000));
  ok(filled !== undefined && filled.oddsE4 > 30_000, 'at the odds of the quote, not at those that it named');
});

test('an order that the round cannot bear rests, although the odds are there', () => {
  const exchange = open({ market: { maxStakeCents: 50_000_00 } });
  const account = exchange.account('VIP', 100_000_00);
  exchange.bet({ account, market: BTC_15M, side: 'UP', stakeCents: 10_000_00 });
  const outcome = limit(exchange, { account, side: 'DOWN', limitOddsE4: 10_100, stakeCents: 9_000_00 });
  const refused = exchange.betOutcome({ account, market: BTC_15M, side: 'DOWN', stakeCents: 1_500_00 });
  equal(outcome.status, 'accepted');
  ok(['round_exposure_limit', 'accepted'].includes(refused));
});

test('only an order that rests can be cancelled, by its account, and only once', () => {
  const exchange = open();
  const account = exchange.account('VIP', 10_000_00);
  const other = exchange.account('VIP', 10_000_00);
  limit(exchange, { account, limitOddsE4: 30_000 });
  exchange.bet({ account, market: BTC_15M });
  const cancel = (owner: number, bet: number) =>
    exchange.outcomeOf({ kind: 'cancelOrder', timeMs: exchange.nowMs, account: owner, key: 1, bet });
  equal(cancel(other, 1), 'order_not_found');
  equal(cancel(account, 2), 'order_not_pending');
  const gated = { kind: 'cancelOrder', timeMs: exchange.nowMs, account, key: 1, bet: 1 } as const;
  const busy = exchange.apply(gated, 'journal_backlog');
  ok(busy.status === 'rejected' && busy.code === 'journal_backlog', 'while orders are refused');
  exchange.accepted({ kind: 'setTrading', timeMs: exchange.nowMs, enabled: false, reason: 'stop' });
  equal(cancel(account, 1), 'accepted', 'also while trading is off');
  equal(cancel(account, 1), 'order_not_pending');
  equal(exchange.balanceCents(account), 9_990_00);
  equal(statusOf(exchange, account, 1), 'CANCELLED');
});

test('at the close of betting orders expire, and none is filled any more', () => {
  const exchange = open();
  const account = exchange.account('VIP', 10_000_00);
  limit(exchange, { account, limitOddsE4: 30_000 });
  const expire = { kind: 'expireOrders', ordersMax: 10 } as const;
  equal(exchange.reads.nextExpiryMs, exchange.nowMs + CLOSES_MS);
  exchange.passTo(CLOSES_MS - 1);
  equal(exchange.outcomeOf({ ...expire, timeMs: exchange.nowMs }), 'invalid_request');
  exchange.passTo(CLOSES_MS);
  equal(exchange.reads.isFillable(BTC_15M, -1, exchange.nowMs), false);
  const [ended] = exchange.accepted({ ...expire, timeMs: exchange.nowMs });
  ok(ended?.type === 'betSettled' && ended.result === END_EXPIRED);
  equal(exchange.balanceCents(account), 10_000_00);
  equal(statusOf(exchange, account, 1), 'EXPIRED');
});

test('a freeze cancels what rests at once; a void gives it back with the settlement', () => {
  const exchange = open();
  const account = exchange.account('VIP', 10_000_00);
  const other = exchange.account('VIP', 10_000_00);
  limit(exchange, { account, limitOddsE4: 30_000 });
  limit(exchange, { account: other, limitOddsE4: 30_000 });
  const frozen = exchange.accepted({
    kind: 'updateAccount',
    timeMs: exchange.nowMs,
    account,
    tier: null,
    frozen: true,
  });
  deepEqual(typesOf(frozen), ['accountUpdated', 'betSettled']);
  equal(exchange.balanceCents(account), 10_000_00);
  equal(exchange.voidCurrent(BTC_15M), 'accepted');
  const [ended] = exchange.settleAll();
  ok(ended?.type === 'betSettled' && ended.result === END_CANCELLED);
  equal(exchange.balanceCents(other), 10_000_00);
  equal(exchange.reads.unsettledRounds().length, 0);
});

test('nothing is filled while a market is suspended or trading is off, without a price, or after betting has closed', () => {
  const exchange = open({ market: { house: fairHouse() } });
  const account = exchange.account('VIP', 10_000_00);
  for (const side of SIDES) limit(exchange, { account, side, limitOddsE4: 25_000, fairShareE6: 500_000 });
  const fill = (fairShareE6: number) => {
    return {
      kind: 'fillOrders',
      timeMs: exchange.nowMs,
      market: BTC_15M,
      fairShareE6,
      ordersMax: 9,
    } as const;
  };
  const isFillable = (fairShareE6 = 300_000): boolean =>
    exchange.reads.isFillable(BTC_15M, fairShareE6, exchange.nowMs);
  const fillsNothing = (why: string, fairShareE6 = 300_000): void => {
    equal(isFillable(fairShareE6), false, why);
    equal(exchange.outcomeOf(fill(fairShareE6)), 'invalid_request', why);
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
  fillsNothing('no fresh price', NO_FAIR_SHARE);
  exchange.passTo(CLOSES_MS - 1);
  equal(isFillable(), true);
  exchange.passTo(CLOSES_MS);
  fillsNothing('betting has closed');
  exchange.passTo(15 * MINUTE_MS);
  fillsNothing('the round is over');
});

test('a limit order is refused for its stake, the balance, too many open bets and a full memory of keys', () => {
  const exchange = open({ rules: { openBetsMax: 2, idempotencyEntriesMax: 1 } });
  const account = exchange.account('SILVER', 2_000_00);
  const outcomeOf = (wish: Partial<LimitWish>): string => {
    const outcome = limit(exchange, { account, limitOddsE4: 30_000, ...wish });
    return outcome.status === 'rejected' ? outcome.code : outcome.status;
  };
  equal(outcomeOf({ stakeCents: 99 }), 'stake_out_of_range');
  equal(outcomeOf({ stakeCents: 1_000_01 }), 'stake_out_of_range', 'of the tier');
  equal(outcomeOf({ stakeCents: 1_000_00, key: 1 }), 'accepted');
  equal(outcomeOf({ key: 2 }), 'idempotency_full');
  const poor = exchange.account('SILVER', 9_99);
  equal(outcomeOf({ account: poor }), 'insufficient_balance');
  equal(outcomeOf({}), 'accepted');
  equal(outcomeOf({}), 'too_many_open_bets', 'what rests counts');
});

test('under its Idempotency-Key an order is answered as it was placed, whatever has become of it', () => {
  const exchange = open();
  const account = exchange.account('VIP', 10_000_00);
  const [pending] = eventsOf(limit(exchange, { account, limitOddsE4: 21_000, key: 7 }));
  const bet = exchange.bet({ account, market: BTC_15M, side: 'DOWN', stakeCents: 500_00, key: 8 });
  equal(fillsOf(bet).length, 1);
  ok(pending?.type === 'orderPending');
  const { fairShareE6: _, ...facts } = pending;
  const again = limit(exchange, { account, limitOddsE4: 21_000, key: 7 });
  deepEqual(again.status === 'replayed' && again.event, facts);
  const two = restored(exchange.pair.engine);
  const remembered = two.rememberedOrder(
    plainOrder({
      timeMs: exchange.nowMs,
      account,
      market: BTC_15M,
      side: 1,
      stakeCents: 500_00,
      idempotency: { keyHigh: 8, keyLow: 8, body: 1 },
    }),
  );
  ok(remembered?.status === 'replayed' && remembered.event.type === 'betPlaced');
  deepEqual(remembered.event.filled, { upOrders: 1, upCents: 10_00, downOrders: 0, downCents: 0 });
});

test('a snapshot keeps the order in which bets joined their round, and what rests', () => {
  const exchange = open();
  const account = exchange.account('VIP', 50_000_00);
  for (const limitOddsE4 of [21_000, 22_000, 40_000]) limit(exchange, { account, limitOddsE4 });
  exchange.bet({ account, market: BTC_15M, side: 'DOWN', stakeCents: 600_00 });
  exchange.bet({ account, market: BTC_15M, side: 'UP', stakeCents: 10_00 });
  const two = restored(exchange.pair.engine);
  equal(digestsOf(two), digestsOf(exchange.pair.engine));
  equal(two.restingOrders, 1);
  exchange.voidCurrent(BTC_15M);
  const roundNumber = exchange.reads.unsettledRounds()[0]?.roundNumber ?? 0;
  const timeMs = exchange.nowMs;
  two.apply({ kind: 'voidRound', timeMs, market: BTC_15M, roundNumber, reason: 'test' });
  deepEqual(two.apply({ kind: 'settle', timeMs, betsMax: 100_000 }), {
    status: 'accepted',
    seq: two.seq,
    events: exchange.settleAll(),
  });
});
