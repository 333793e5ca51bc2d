/**
 * How many bets an account has and shows: 10,000 open ones, and the last 200 placed and settled (design,
 * section 5). The 10,000 run through the engine alone, because the reference model is too slow for them.
 */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { Engine } from '../../../engine/engine.js';
import type { BetView } from '../../../engine/model/views.js';
import { plainOrder } from '../../support/engine/plain-order.js';
import { BTC_1M, BTC_5M, BTC_15M, DAY_MS, Exchange, rulesFor } from '../../support/reference/exchange.js';

const OPEN_BETS_MAX = 10_000;

test('an account has at most 10,000 open bets, and a settled one frees a place', () => {
  const engine = new Engine();
  const timeMs = DAY_MS;
  const from = { source: 'test', evidence: '' };
  engine.apply({ kind: 'configure', timeMs, rulesVersion: 1, rules: rulesFor([BTC_1M]) });
  engine.apply({ kind: 'depositHouse', timeMs, amountCents: 1_000_000_00, reference: 'capital' });
  engine.apply({ kind: 'createAccount', timeMs, name: null, tier: 2, balanceCents: 100_000_00 });
  engine.apply({ kind: 'openLate', timeMs, asset: 0, price: 100, priceTimeMs: timeMs, ...from });
  const place = (atMs: number, index: number): string => {
    const outcome = engine.apply(plainOrder({ timeMs: atMs, account: 1, market: BTC_1M, side: index % 2 }));
    return outcome.status === 'rejected' ? outcome.code : outcome.status;
  };
  for (let index = 0; index < OPEN_BETS_MAX; index++) equal(place(timeMs, index), 'accepted');
  equal(engine.account(1)?.openBets, OPEN_BETS_MAX);
  equal(place(timeMs, 0), 'too_many_open_bets');

  const endMs = timeMs + 60_000;
  engine.apply({ kind: 'advance', timeMs: endMs });
  const [asset, price] = [0, 101];
  engine.apply({
    kind: 'boundaryPrice',
    timeMs: endMs,
    asset,
    boundaryMs: endMs,
    price,
    priceTimeMs: endMs,
    ...from,
  });
  equal(place(endMs, 0), 'too_many_open_bets', 'resolved is not settled');
  engine.apply({ kind: 'settle', timeMs: endMs, betsMax: 1 });
  equal(place(endMs, 0), 'accepted');
  equal(place(endMs, 0), 'too_many_open_bets');
  equal(engine.openPositions(1, 20_000).length, OPEN_BETS_MAX);
});

const numbers = (bets: readonly BetView[]): number[] => bets.map(({ bet }) => bet);
/** From `first` down to `last`. */
const down = (first: number, last: number): number[] =>
  Array.from({ length: first - last + 1 }, (_, index) => first - index);

test('the last 200 placed and the last 200 settled bets are kept; older ones leave memory', () => {
  const exchange = new Exchange();
  exchange.openLate(BTC_1M, 100);
  const account = exchange.account('GOLD', 10_000_00);
  const sides = ['UP', 'DOWN'] as const;
  const place = (index: number) =>
    exchange.placed({ account, side: sides[index % 2] ?? 'UP', stakeCents: 1_00 });
  for (let index = 0; index < 200; index++) place(index);
  exchange.passTo(60_000);
  exchange.boundary(BTC_1M, 60_000, 101);
  exchange.settleAll();
  deepEqual(numbers(exchange.reads.orders(account, 1_000)), down(200, 1));
  deepEqual(numbers(exchange.reads.allPositions(account, 1_000)), down(200, 1));

  place(200);
  deepEqual(numbers(exchange.reads.orders(account, 200)), down(201, 2));
  deepEqual(numbers(exchange.reads.allPositions(account, 201)), down(201, 1), 'bet 1 is the 200th settled');
  exchange.passTo(120_000);
  exchange.boundary(BTC_1M, 120_000, 102);
  exchange.settleAll();
  deepEqual(numbers(exchange.reads.orders(account, 1_000)), down(201, 2));
  deepEqual(numbers(exchange.reads.allPositions(account, 1_000)), down(201, 2));
});

test('open bets are kept however old, and settled ones are listed by settlement', () => {
  const markets = [BTC_1M, BTC_5M, BTC_15M];
  const exchange = new Exchange({ markets, rules: { historyBetsMax: 2 } });
  exchange.openLate(BTC_1M, 100);
  const account = exchange.account('GOLD', 10_000_00);
  const old = exchange.placed({ account, market: BTC_15M }).bet;
  const middle = exchange.placed({ account, market: BTC_5M }).bet;
  const young = [1, 2, 3].map(() => exchange.placed({ account, market: BTC_1M }).bet);
  exchange.passTo(60_000);
  exchange.boundary(BTC_1M, 60_000, 101);
  exchange.settleAll();
  const listed = () => ({
    open: numbers(exchange.reads.openPositions(account, 10)),
    all: numbers(exchange.reads.allPositions(account, 2)),
    orders: numbers(exchange.reads.orders(account, 2)),
  });
  deepEqual(listed(), {
    open: [middle, old],
    all: young.slice(1).reverse(),
    orders: young.slice(1).reverse(),
  });
  exchange.passTo(300_000);
  exchange.boundary(BTC_1M, 300_000, 102);
  exchange.settleAll();
  deepEqual(listed(), { open: [old], all: [middle, young[2]], orders: young.slice(1).reverse() });
});
