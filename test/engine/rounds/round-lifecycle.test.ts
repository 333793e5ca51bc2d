/** A round from its window's start to its settlement, each instant to the millisecond. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { BET_RESULTS, ROUND_RESULTS, ROUND_STATUSES } from '../../../engine/model/domain.js';
import { worstResultCents } from '../../../engine/quotes/exposure.js';
import { BTC_1M, DAY_MS, Exchange, MINUTE_MS, typesOf } from '../../support/reference/exchange.js';

const FIRST_ROUND = DAY_MS / MINUTE_MS;

function shown(exchange: Exchange, roundNumber: number): unknown {
  const round = exchange.reads.round(BTC_1M, roundNumber);
  if (round === null) return null;
  const { status, result, openPrice, closePrice } = round;
  return [ROUND_STATUSES[status], ROUND_RESULTS[result], openPrice, closePrice];
}

const currentNumber = (exchange: Exchange): number | null =>
  exchange.reads.currentRound(BTC_1M)?.roundNumber ?? null;

test('a round locks, ends and settles on time, and the next one follows without a gap', () => {
  const { exchange, account } = Exchange.withAccount('GOLD', 1_000_00);
  exchange.placed({ account, side: 'UP', stakeCents: 10_00 });
  deepEqual(shown(exchange, FIRST_ROUND), ['LIVE', 'NONE', 100, null]);
  equal(exchange.reads.nextDueMs, DAY_MS + 55_000);
  deepEqual(exchange.passTo(54_999), []);
  deepEqual(typesOf(exchange.passTo(55_000)), ['roundLocked']);
  deepEqual(shown(exchange, FIRST_ROUND), ['LOCKED', 'NONE', 100, null]);
  deepEqual(exchange.passTo(59_999), []);
  deepEqual(typesOf(exchange.passTo(60_000)), ['roundEnded', 'roundUpcoming']);
  deepEqual(shown(exchange, FIRST_ROUND), ['SETTLING', 'NONE', 100, null]);
  deepEqual(shown(exchange, FIRST_ROUND + 1), ['UPCOMING', 'NONE', null, null]);
  equal(currentNumber(exchange), FIRST_ROUND + 1);
  equal(exchange.reads.openPositions(account)[0]?.status, 'SETTLING');
  equal(exchange.betOutcome({ account }), 'round_not_live', 'UPCOMING takes no bets');

  exchange.atMs = 61_500;
  deepEqual(typesOf(exchange.boundary(BTC_1M, 60_000, 101)), [
    'boundaryPriced',
    'roundResolved',
    'balanceMoved',
    'roundOpened',
  ]);
  deepEqual(shown(exchange, FIRST_ROUND), ['SETTLING', 'UP', 100, 101]);
  deepEqual(shown(exchange, FIRST_ROUND + 1), ['LIVE', 'NONE', 101, null]);
  deepEqual(typesOf(exchange.settleAll()), ['betSettled', 'balanceMoved', 'roundSettled']);
  deepEqual(shown(exchange, FIRST_ROUND), ['SETTLED', 'UP', 100, 101]);
  equal(exchange.reads.round(BTC_1M, FIRST_ROUND + 1)?.startTimeMs, DAY_MS + 60_000);
});

test('UP, DOWN and DRAW pay what the rules say', () => {
  for (const [closePrice, up, down] of [
    [100.01, 'WIN', 'LOSS'],
    [99.99, 'LOSS', 'WIN'],
    [100, 'DRAW', 'DRAW'],
  ] as const) {
    const { exchange, account } = Exchange.withAccount('GOLD', 1_000_00);
    const bets = (['UP', 'DOWN'] as const).map((side) =>
      exchange.placed({ account, side, stakeCents: 100_00 }),
    );
    exchange.ends(BTC_1M, 60_000, closePrice);
    exchange.settleAll();
    const settled = [...exchange.orders(account, 2)].reverse();
    const results = settled.map((bet) => BET_RESULTS[bet.result]);
    deepEqual(results, [up, down]);
    const paid = [up, down].map((end, n) => ({ WIN: bets[n]?.payoutCents, LOSS: 0, DRAW: 100_00 })[end]);
    const payouts = settled.map((bet) => bet.paidCents);
    deepEqual(payouts, paid);
    const sumCents = (paid[0] ?? 0) + (paid[1] ?? 0);
    equal(exchange.balanceCents(account), 1_000_00 - 200_00 + sumCents);
    equal(worstResultCents(must(exchange.reads.round(BTC_1M, FIRST_ROUND), 'round')), 200_00 - sumCents);
  }
});

test('a round that ends without a price is voided: stakes are returned, and the next round never opens', () => {
  const { exchange, account } = Exchange.withAccount('GOLD', 1_000_00);
  exchange.placed({ account, stakeCents: 400_00 });
  const events = exchange.ends(BTC_1M, 60_000, null);
  deepEqual(typesOf(events), ['boundaryPriced', 'roundResolved', 'roundNotOpened']);
  equal(currentNumber(exchange), null);
  exchange.settleAll();
  deepEqual(shown(exchange, FIRST_ROUND), ['SETTLED', 'VOID', 100, null]);
  const [bet] = exchange.orders(account, 1);
  deepEqual([bet?.status, BET_RESULTS[bet?.result ?? 0], bet?.paidCents], ['SETTLED', 'REFUNDED', 400_00]);
  deepEqual([exchange.balanceCents(account), exchange.reads.totals().openSeedsCents], [1_000_00, 0]);
});

test('a price of the greatest age, or as old as the opening price, decides; one a millisecond older does not', () => {
  for (const [maxPriceAgeMs, ageMs, result, current] of [
    [10_000, 10_000, 'UP', FIRST_ROUND + 1],
    [10_000, 10_001, 'VOID', null],
    [90_000, 60_000, 'UP', FIRST_ROUND + 1],
    [90_000, 60_001, 'VOID', FIRST_ROUND + 1],
  ] as const) {
    const exchange = Exchange.opened({ market: { maxPriceAgeMs } });
    exchange.ends(BTC_1M, 60_000, 101, ageMs);
    deepEqual(shown(exchange, FIRST_ROUND), ['SETTLED', result, 100, result === 'UP' ? 101 : null]);
    equal(currentNumber(exchange), current);
  }
});

test('a boundary price is accepted once, and only for a boundary at which a round ends or begins', () => {
  const exchange = Exchange.opened();
  exchange.passTo(60_000);
  const again = (atMs: number) => {
    const [timeMs, boundaryMs] = [exchange.nowMs, DAY_MS + atMs];
    const known = { price: 50, priceTimeMs: boundaryMs, source: null, evidence: '' };
    return exchange.outcomeOf({ kind: 'boundaryPrice', timeMs, asset: 0, boundaryMs, ...known });
  };
  equal(again(59_999), 'invalid_request');
  exchange.boundary(BTC_1M, 60_000, 101);
  equal(again(60_000), 'invalid_request');
  deepEqual(shown(exchange, FIRST_ROUND), ['SETTLED', 'UP', 100, 101]);
});

test('a price that arrives after the lock time opens a round that locks at once', () => {
  const options = { market: { maxPriceAgeMs: 60_000 } };
  const { exchange, account } = Exchange.withAccount('GOLD', 1_000_00, options);
  exchange.passTo(114_999);
  equal(exchange.boundary(BTC_1M, 60_000, 101).at(-1)?.type, 'roundOpened');
  equal(exchange.betOutcome({ account }), 'betting_closed');

  const late = Exchange.opened(options);
  late.passTo(115_000);
  deepEqual(typesOf(late.boundary(BTC_1M, 60_000, 101)).slice(-2), ['roundOpened', 'roundLocked']);
  deepEqual(shown(late, FIRST_ROUND + 1), ['LOCKED', 'NONE', 101, null]);
});

test('a round whose price never arrives is UPCOMING until its end, and voided', () => {
  const exchange = Exchange.opened();
  exchange.passTo(60_000);
  deepEqual(exchange.passTo(119_999), []);
  deepEqual(shown(exchange, FIRST_ROUND + 1), ['UPCOMING', 'NONE', null, null]);
  deepEqual(typesOf(exchange.passTo(120_000)), ['roundEnded', 'roundUpcoming']);
  exchange.boundary(BTC_1M, 120_000, 102);
  deepEqual(shown(exchange, FIRST_ROUND + 1), ['SETTLED', 'VOID', null, null]);
  deepEqual(shown(exchange, FIRST_ROUND + 2), ['LIVE', 'NONE', 102, null]);
  // The first round still waits for its price.
  exchange.boundary(BTC_1M, 60_000, 99);
  deepEqual(shown(exchange, FIRST_ROUND), ['SETTLED', 'DOWN', 100, 99]);
});

test('settled rounds stay readable until newer ones of their market replace them', () => {
  const exchange = Exchange.opened({ rules: { settledRoundsMax: 2 } });
  for (let minute = 1; minute <= 3; minute++) {
    exchange.ends(BTC_1M, minute * MINUTE_MS, 100 + minute);
  }
  equal(shown(exchange, FIRST_ROUND), null);
  deepEqual(shown(exchange, FIRST_ROUND + 1), ['SETTLED', 'UP', 101, 102]);
  const command = { kind: 'voidRound', timeMs: exchange.nowMs, market: BTC_1M, reason: '' } as const;
  equal(exchange.outcomeOf({ ...command, roundNumber: FIRST_ROUND }), 'round_not_found');
  equal(exchange.outcomeOf({ ...command, roundNumber: FIRST_ROUND + 1 }), 'round_already_resolved');
});

test('a round that waits for its price is voided alone, and no number opens twice', () => {
  const voided = (...roundNumbers: readonly number[]): Exchange => {
    const exchange = Exchange.opened();
    exchange.passTo(60_000);
    const command = { kind: 'voidRound', timeMs: exchange.nowMs, market: BTC_1M, reason: '' } as const;
    for (const roundNumber of roundNumbers) exchange.accepted({ ...command, roundNumber });
    return exchange;
  };
  const events = voided(FIRST_ROUND).boundary(BTC_1M, 60_000, 101);
  deepEqual(typesOf(events), ['boundaryPriced', 'balanceMoved', 'roundOpened']);
  equal(voided(FIRST_ROUND + 1, FIRST_ROUND).openLate(BTC_1M, 101), 'invalid_request');
});
