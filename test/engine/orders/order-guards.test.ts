/** The guards of an order at exactly their limit and one step beyond, and their place among the checks. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import type { Outcome } from '../../../engine/model/events.js';
import {
  type BetWish,
  BTC_1M,
  BTC_5M,
  DAY_MS,
  Exchange,
  MINUTE_MS,
} from '../../support/reference/exchange.js';

function opened(): { exchange: Exchange; account: number; roundNumber: number } {
  const exchange = Exchange.opened({ markets: [BTC_1M, BTC_5M] });
  const { roundNumber } = must(exchange.reads.currentRound(BTC_1M), 'round');
  return { exchange, account: exchange.account('GOLD', 10_000_00), roundNumber };
}

const currentOf = (outcome: Outcome) => (outcome.status === 'rejected' ? (outcome.current ?? null) : null);

test('validUntil is the last millisecond in which an order is executed', () => {
  const { exchange, account } = opened();
  exchange.atMs = 5_000;
  const outcomeAt = (validUntilMs: number) => exchange.betOutcome({ account, guards: { validUntilMs } });
  deepEqual([outcomeAt(DAY_MS + 4_999), outcomeAt(DAY_MS + 5_000)], ['order_expired', 'accepted']);
});

test('an order for a round lands in that round or in none', () => {
  const { exchange, account, roundNumber } = opened();
  const outcomeFor = (number: number) => exchange.betOutcome({ account, guards: { roundNumber: number } });
  deepEqual([outcomeFor(roundNumber - 1), outcomeFor(roundNumber + 1)], ['round_changed', 'round_changed']);
  equal(outcomeFor(roundNumber), 'accepted');
  exchange.ends(BTC_1M, MINUTE_MS, 101);
  equal(exchange.reads.currentRound(BTC_1M)?.roundNumber, roundNumber + 1);
  equal(outcomeFor(roundNumber), 'round_changed', 'a late retry');
  equal(outcomeFor(roundNumber + 1), 'accepted');
  exchange.voidCurrent(BTC_1M);
  equal(exchange.reads.currentRound(BTC_1M), null);
  equal(outcomeFor(roundNumber + 1), 'round_changed', 'there is no current round');
});

test('minOdds is compared with the odds after the stake has joined, and a refusal tells percent and odds', () => {
  const { exchange, account } = opened();
  // 2,100 / 1,100 = 1.90909...
  const bet = { account, stakeCents: 100_00 };
  const refused = exchange.bet({ ...bet, guards: { minOddsE4: 1_9091 } });
  equal(refused.status === 'rejected' && refused.code, 'odds_changed');
  deepEqual(currentOf(refused), { percentE2: 50_00, oddsE4: 1_9090 });
  const { oddsE4 } = exchange.placed({ ...bet, guards: { minOddsE4: 1_9090 } });
  equal(oddsE4, 1_9090);
});

test('an order with both guards on the odds is told of either, one without minOdds of neither', () => {
  const { exchange, account } = opened();
  const away = { account, stakeCents: 100_00, expectedPercentE6: 0 };
  const both = exchange.bet({ ...away, guards: { minOddsE4: 1_0000 } });
  deepEqual(currentOf(both), { percentE2: 50_00, oddsE4: 1_9090 });
  for (const guards of [undefined, { validUntilMs: DAY_MS + MINUTE_MS }]) {
    const outcome = exchange.bet({ ...away, ...(guards !== undefined && { guards }) });
    ok(outcome.status === 'rejected' && outcome.code === 'odds_changed' && !('current' in outcome));
  }
});

test('what can no longer be placed says so before what may pass, and minOdds before the balance', () => {
  const { exchange, account, roundNumber } = opened();
  exchange.atMs = 1_000;
  const expired = { validUntilMs: DAY_MS + 999, roundNumber: roundNumber - 1 };
  const late = { roundNumber: roundNumber - 1 };
  const wish = { account, stakeCents: 1, gate: 'disk_reserve' } satisfies BetWish;
  equal(exchange.betOutcome({ ...wish, market: BTC_5M, guards: expired }), 'order_expired');
  equal(exchange.betOutcome({ ...wish, guards: expired }), 'order_expired');
  equal(exchange.betOutcome({ ...wish, guards: late }), 'round_changed');
  equal(exchange.betOutcome({ ...wish, guards: { roundNumber } }), 'disk_reserve');
  equal(exchange.betOutcome({ account, stakeCents: 1, guards: { minOddsE4: 9_0000 } }), 'stake_out_of_range');
  const poor = exchange.account('GOLD', 1_00);
  equal(exchange.betOutcome({ account: poor, guards: { minOddsE4: 9_0000 } }), 'odds_changed');
  equal(exchange.betOutcome({ account: poor, guards: { minOddsE4: 1_0000 } }), 'insufficient_balance');
  equal(exchange.betOutcome({ account, market: -1, guards: expired }), 'market_not_found');
});

test('a remembered order is repeated whatever its guards say by now', () => {
  const { exchange, account, roundNumber } = opened();
  const guards = { roundNumber, validUntilMs: DAY_MS + 10, minOddsE4: 1_9000 };
  const wish = { account, key: 7, stakeCents: 100_00, guards };
  const first = exchange.bet(wish);
  exchange.passTo(MINUTE_MS);
  const again = exchange.bet(wish);
  equal(again.status, 'replayed');
  const event = first.status === 'accepted' ? first.events[0] : undefined;
  const { fairShareE6: _, ...facts } = must(event?.type === 'betPlaced' ? event : undefined, 'a bet');
  deepEqual(again.status === 'replayed' && again.event, facts);
});
