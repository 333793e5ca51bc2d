/** When a round opens and when it does not: late, after downtime, in market hours, with and without money. */
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { AssertionError } from '../../../engine/base/assert.js';
import type { SetCalendar } from '../../../engine/model/commands.js';
import type { EngineEvent } from '../../../engine/model/events.js';
import { fixedHouse } from '../../support/engine/house-rules.js';
import {
  BTC_1M,
  BTC_5M,
  DAY_MS,
  EURUSD_1M,
  EURUSD_5M,
  Exchange,
  MINUTE_MS,
  rulesFor,
  typesOf,
} from '../../support/reference/exchange.js';

const FIRST_ROUND = DAY_MS / MINUTE_MS;

const currentNumber = (exchange: Exchange, market = BTC_1M): number | null =>
  exchange.reads.currentRound(market)?.roundNumber ?? null;

const refusals = (events: readonly EngineEvent[]): unknown[] =>
  events.flatMap((event) => (event.type === 'roundNotOpened' ? [[event.roundNumber, event.reason]] : []));

const setHours = (exchange: Exchange, sessions: SetCalendar['sessions']) =>
  exchange.accepted({ kind: 'setCalendar', timeMs: exchange.nowMs, assetClass: 'FX', sessions });

test('a round opens late with exactly 10 s of betting left, but not with less', () => {
  for (const [atMs, outcome] of [
    [0, 'accepted'],
    [25_000, 'accepted'],
    [25_001, 'invalid_request'],
    [59_999, 'invalid_request'],
    [60_000, 'accepted'],
  ] as const) {
    const exchange = new Exchange();
    exchange.atMs = atMs;
    equal(exchange.reads.vacantMarkets(0, exchange.nowMs).includes(BTC_1M), outcome === 'accepted');
    equal(exchange.openLate(BTC_1M, 100), outcome, `${atMs} ms into the window`);
    if (outcome !== 'accepted') continue;
    const round = exchange.reads.currentRound(BTC_1M);
    equal(round?.startTimeMs, exchange.nowMs);
    equal(round?.endTimeMs, DAY_MS + (Math.floor(atMs / MINUTE_MS) + 1) * MINUTE_MS);
    deepEqual(exchange.reads.latestOpenPrice(0), { price: 100, timeMs: exchange.nowMs });
  }
});

test('a late opening needs a fresh price', () => {
  const exchange = new Exchange();
  equal(exchange.openLate(BTC_1M, 100, 10_001), 'invalid_request');
  equal(exchange.openLate(BTC_1M, 100, 10_000), 'accepted');
  equal(exchange.openLate(BTC_1M, 100, 0), 'invalid_request', 'it has a round now');
});

test('a round that lacked a price opens late in the same window', () => {
  const exchange = Exchange.opened();
  deepEqual(refusals(exchange.ends(BTC_1M, 60_000, null)), [[FIRST_ROUND + 1, 'stale_price']]);
  exchange.atMs = 70_000;
  deepEqual([exchange.openLate(BTC_1M, 100), currentNumber(exchange)], ['accepted', FIRST_ROUND + 1]);
  exchange.passTo(2 * MINUTE_MS);
  equal(exchange.voidCurrent(BTC_1M), 'accepted');
  exchange.boundary(BTC_1M, 2 * MINUTE_MS, 101);
  equal(exchange.openLate(BTC_1M, 101), 'invalid_request', 'one that was voided does not');
});

test('after a downtime the next window exists until the instant of its end', () => {
  const before = Exchange.opened();
  deepEqual(typesOf(before.passTo(2 * MINUTE_MS - 1)), ['roundLocked', 'roundEnded', 'roundUpcoming']);
  equal(currentNumber(before), FIRST_ROUND + 1);
  const after = Exchange.opened();
  deepEqual(typesOf(after.passTo(2 * MINUTE_MS)), ['roundLocked', 'roundEnded']);
  equal(currentNumber(after), null);
});

test('after a downtime an old price closes a round, and the next window opens late at a fresh one', () => {
  for (const [lateMs, opens] of [
    [10_000, true],
    [10_001, false],
  ] as const) {
    const exchange = Exchange.opened();
    exchange.passTo(MINUTE_MS + lateMs);
    const events = exchange.boundary(BTC_1M, MINUTE_MS, 101);
    equal(exchange.reads.round(BTC_1M, FIRST_ROUND)?.closePrice, 101);
    deepEqual(refusals(events), opens ? [] : [[FIRST_ROUND + 1, 'stale_price']]);
    equal(exchange.openLate(BTC_1M, 105), opens ? 'invalid_request' : 'accepted');
    const round = exchange.reads.currentRound(BTC_1M);
    equal(round?.roundNumber, FIRST_ROUND + 1);
    const shown = [round?.startTimeMs, round?.openPrice];
    deepEqual(shown, opens ? [DAY_MS + MINUTE_MS, 101] : [DAY_MS + MINUTE_MS + lateMs, 105]);
  }
});

test('a house with exactly both seeds opens a round; with a cent less it does not', () => {
  const enough = new Exchange({ houseCents: 2 * 1_000_00 });
  deepEqual([enough.openLate(BTC_1M, 100), enough.reads.totals().houseCents], ['accepted', 0]);

  const poor = new Exchange({ houseCents: 2 * 1_000_00 - 1 });
  equal(poor.openLate(BTC_1M, 100), 'invalid_request');
  poor.accepted({ kind: 'depositHouse', timeMs: poor.nowMs, amountCents: 1, reference: 'a cent' });
  equal(poor.openLate(BTC_1M, 100), 'accepted');

  // At a boundary the closing round's money is back before the next one's is asked for.
  deepEqual(refusals(enough.ends(BTC_1M, MINUTE_MS, 100)), []);
  enough.placed({ account: enough.account('VIP', 100_000_00), stakeCents: 100_00 });
  deepEqual(refusals(enough.ends(BTC_1M, 2 * MINUTE_MS, 101)), [[FIRST_ROUND + 2, 'house_capital']]);
});

test('a suspended market ends its round and opens no other until it is resumed', () => {
  const exchange = Exchange.opened();
  const suspend = (suspended: boolean) =>
    exchange.accepted({ kind: 'suspendMarket', timeMs: exchange.nowMs, market: BTC_1M, suspended });
  suspend(true);
  deepEqual(refusals(exchange.passTo(MINUTE_MS)), [[FIRST_ROUND + 1, 'suspended']]);
  exchange.boundary(BTC_1M, MINUTE_MS, 101);
  equal(exchange.openLate(BTC_1M, 101), 'invalid_request');
  suspend(false);
  equal(exchange.openLate(BTC_1M, 101), 'accepted');
});

test('a market that is not active is neither suspended nor resumed', () => {
  const exchange = Exchange.opened();
  for (const market of [-1, BTC_5M])
    for (const suspended of [true, false]) {
      const command = { kind: 'suspendMarket', timeMs: exchange.nowMs, market, suspended } as const;
      equal(exchange.outcomeOf(command), 'market_not_found');
    }
});

test('rounds open only if they end within market hours, to the millisecond', () => {
  const markets = [EURUSD_1M, EURUSD_5M];
  for (const [closeAtMs, opens1, opens5] of [
    [10 * MINUTE_MS, true, true],
    [10 * MINUTE_MS - 1, true, false],
    [6 * MINUTE_MS, true, false],
    [6 * MINUTE_MS - 1, false, false],
  ] as const) {
    const exchange = new Exchange({ markets });
    setHours(exchange, [[DAY_MS, DAY_MS + closeAtMs]]);
    exchange.openLate(EURUSD_1M, 1.08);
    for (let minute = 1; minute <= 4; minute++) {
      exchange.ends(EURUSD_1M, minute * MINUTE_MS, 1.08);
    }
    const events = exchange.passTo(5 * MINUTE_MS);
    const expected = [
      ...(opens1 ? [] : [[DAY_MS / MINUTE_MS + 5, 'market_hours']]),
      ...(opens5 ? [] : [[DAY_MS / (5 * MINUTE_MS) + 1, 'market_hours']]),
    ];
    deepEqual(refusals(events), expected, `hours until ${closeAtMs}`);
    equal(currentNumber(exchange, EURUSD_5M) !== null, opens5);
  }
});

test('outside market hours no round opens late, and the first may open with the session', () => {
  const exchange = new Exchange({ markets: [EURUSD_1M] });
  const openMs = DAY_MS + 5_000;
  setHours(exchange, [[openMs, openMs + 10 * MINUTE_MS]]);
  exchange.atMs = 4_999;
  equal(exchange.openLate(EURUSD_1M, 1.08), 'invalid_request');
  exchange.atMs = 5_000;
  equal(exchange.openLate(EURUSD_1M, 1.08), 'accepted');
  // The hours of another class say nothing about crypto.
  const crypto = new Exchange();
  setHours(crypto, []);
  equal(crypto.openLate(BTC_1M, 100), 'accepted');
});

test('new rules apply to rounds that begin under them; others keep theirs', () => {
  const { exchange, account } = Exchange.withAccount('VIP', 100_000_00);
  const market = { house: fixedHouse(5_00), minStakeCents: 2_00, lockLeadMs: 10_000 };
  exchange.configure(rulesFor([BTC_1M], { market, rules: { feeBps: 0 } }));
  const old = exchange.reads.currentRound(BTC_1M);
  deepEqual([old?.lockTimeMs, old?.feeBps, old?.minStakeCents], [DAY_MS + 55_000, 300, 1_00]);
  equal(exchange.placed({ account, stakeCents: 100_00 }).payoutCents, 185_17);
  exchange.ends(BTC_1M, MINUTE_MS, 100);
  const next = exchange.reads.currentRound(BTC_1M);
  deepEqual([next?.lockTimeMs, next?.feeBps, next?.minStakeCents], [DAY_MS + 110_000, 0, 2_00]);
  deepEqual([next?.poolUpCents, next?.poolDownCents, next?.seedCents], [5_00, 5_00, 5_00]);
});

test('going back in time is a programming error, and changes nothing', () => {
  const exchange = Exchange.opened();
  const digest = exchange.pair.stateDigest();
  throws(() => exchange.reads.apply({ kind: 'advance', timeMs: exchange.nowMs - 1 }), AssertionError);
  equal(exchange.pair.stateDigest(), digest);
});
