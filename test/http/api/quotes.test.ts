/** POST /orders/quote says what POST /orders would answer, and changes nothing. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { defaultRules, RULES_VERSION } from '../../../engine/model/rules.js';
import type { OrderQuote, QuoteInParts } from '../../../http/wire/account-types.js';
import type { Market, OrderResult } from '../../../http/wire/types.js';
import { forMany } from '../../support/for-all.js';
import { type Bettor, codeOf, dataOf, errorOf, Harness, type Reply, withRounds } from './harness.js';

const MARKET = 'BTC_ONE_MINUTE';
const ORDER = { marketId: MARKET, prediction: 'UP', amount: 10 };

const ask = (api: Harness, key: string, body: unknown, more: object = {}): Reply =>
  api.send('POST', '/v1/orders/quote', { key, body, ...more });

function compared(api: Harness, { secret }: Bettor, change: object): { quote: OrderQuote; code: string } {
  const order = { ...ORDER, ...change };
  api.advance();
  const { seq } = api.host.engine;
  const quote = dataOf<OrderQuote>(ask(api, secret, order));
  assert.equal(api.host.engine.seq, seq, 'a quote changes nothing');
  const reply = api.order(secret, order);
  const { refusal, oddsAtBet, entryPercent, potentialPayout, quotedAt } = quote;
  if (reply.status !== 201) {
    assert.ok(refusal !== null, errorOf(reply));
    assert.equal(refusal.detail === '' ? refusal.code : `${refusal.code}: ${refusal.detail}`, errorOf(reply));
    return { quote, code: refusal.code };
  }
  const { bet } = dataOf<OrderResult>(reply);
  const shown = [refusal, oddsAtBet, entryPercent, potentialPayout, quotedAt];
  assert.deepEqual(shown, [null, bet.oddsAtBet, bet.entryPercent, bet.potentialPayout, bet.placedAt]);
  return { quote, code: '' };
}

function hasOffer({ refusal: _, quotedAt: __, rests: ___, ...offer }: OrderQuote): boolean {
  const present = Object.values(offer).filter((value) => value !== null);
  assert.ok(present.length === 0 || present.length === 5, JSON.stringify(offer));
  return present.length > 0;
}

test('a quote is what the next order gets, to the cent, whichever way the house has its seeds', () => {
  for (const fairShareE6 of [-1, 500_000, 640_000, 20_000]) {
    const api = openAt(fairShareE6);
    for (const amount of [1, 5.5, 12.34]) {
      for (const prediction of ['UP', 'DOWN']) {
        const bettor = api.bettor({ tier: 'PLATINUM' });
        assert.equal(compared(api, bettor, { prediction, amount, minOdds: 1 }).code, '');
      }
    }
  }
});

test('each refusal is named as POST /orders answers, with odds where the order came as far as them', () => {
  const api = openAt(-1, 3);
  const rich = api.bettor({ tier: 'VIP', balanceCents: 100_000_00 });
  const poor = api.bettor({ balanceCents: 5_00 });
  const late = { validUntil: new Date(api.clock.wallMs - 1).toISOString() };
  const check = (bettor: Bettor, change: object, code: string, comesToOdds = false): void => {
    const { quote, code: actual } = compared(api, bettor, change);
    assert.equal(actual, code);
    assert.equal(hasOffer(quote), comesToOdds, code);
  };
  check(rich, { marketId: 'NO_SUCH' }, 'market_not_found');
  check(rich, { marketId: 'ETH_ONE_MINUTE' }, 'round_not_live');
  check(rich, late, 'order_expired');
  check(rich, { roundId: `${MARKET}_1` }, 'round_changed');
  check(rich, { amount: 0.99 }, 'stake_out_of_range');
  check(rich, { expectedPercent: 99 }, 'odds_changed', true);
  check(rich, { minOdds: 9 }, 'odds_changed', true);
  check(poor, {}, 'insufficient_balance', true);
  check(poor, { expectedPercent: 99, amount: 4_000 }, 'odds_changed', true);
  api.submit({ kind: 'setTrading', enabled: false, reason: 'Back at noon' });
  check(rich, {}, 'trading_disabled');
  api.submit({ kind: 'setTrading', enabled: true, reason: '' });
  api.submit({ kind: 'suspendMarket', market: 0, suspended: true });
  check(rich, {}, 'market_suspended');
  api.submit({ kind: 'suspendMarket', market: 0, suspended: false });
  check(rich, { amount: 10_000 }, '', true);
  check(rich, { prediction: 'DOWN', amount: 1_000 }, '', true);
  const tooMuch = { prediction: 'DOWN', amount: 9_000 };
  check(rich, tooMuch, 'round_exposure_limit', true);
  const said = / up to (\d+(\.\d+)?) USD can be bet on DOWN /.exec(
    errorOf(api.order(rich.secret, { ...ORDER, ...tooMuch })),
  );
  const shown = dataOf<Market>(api.get(`/v1/markets/${MARKET}`, rich.secret));
  assert.deepEqual([shown.availableUp, shown.availableDown], [10_000, Number(said?.[1])]);
  const resting = dataOf<OrderQuote>(ask(api, rich.secret, { ...ORDER, ...tooMuch, limitOdds: 1.5 }));
  assert.deepEqual([resting.refusal, resting.rests], [null, true], 'until the round bears it');
  check(rich, {}, '', true);
  check(rich, {}, 'too_many_open_bets', true);
  api.submit({ kind: 'updateAccount', account: rich.account, tier: null, frozen: true });
  check(rich, {}, 'account_frozen', true);
  api.submit({ kind: 'updateAccount', account: poor.account, tier: 0, frozen: null });
  check(poor, {}, 'tier_too_low');
  api.clock.pass(35_000);
  check(api.bettor(), {}, 'betting_closed');
  api.clock.pass(20_000);
  const last = api.bettor();
  check(last, {}, 'round_not_live');
  const over = { ...ORDER, roundId: `${MARKET}_${Math.floor(api.clock.wallMs / 60_000)}` };
  api.clock.pass(5_000);
  assert.equal(dataOf<OrderQuote>(ask(api, last.secret, over)).refusal?.code, 'round_changed');
});

test('what is no order is refused as by POST /orders, and an Idempotency-Key is left alone', () => {
  const { api, secret } = withRounds();
  for (const body of [{}, { ...ORDER, amount: 1.001 }, { ...ORDER, minOdds: 0.5 }, { ...ORDER, maxOdds: 2 }])
    assert.equal(errorOf(ask(api, secret, body)), errorOf(api.order(secret, body)));
  assert.equal(codeOf(ask(api, secret, ORDER, { query: 'x=1' })), 'invalid_request');
  const keyed = { idempotencyKey: 'one' };
  assert.equal(ask(api, secret, ORDER, keyed).status, 200);
  const replayed = api.order(secret, { ...ORDER, amount: 20 }, 'one').headers.get('x-idempotent-replay');
  assert.deepEqual([replayed, dataOf<OrderQuote>(ask(api, secret, ORDER, keyed)).refusal], [undefined, null]);
});

interface Parts {
  readonly prediction: string;
  readonly cents: number;
  readonly parts: number;
  readonly guard: object;
}

const quoted = (api: Harness, key: string, { cents, parts, prediction, guard }: Parts): OrderQuote => {
  const body = { marketId: MARKET, prediction, amount: (cents * parts) / 100, parts, ...guard };
  return dataOf<OrderQuote>(ask(api, key, body));
};

function placedInParts(
  api: Harness,
  key: string,
  { cents, parts, prediction, guard }: Parts,
): { got: QuoteInParts; filled: number } {
  const amount = cents / 100;
  const odds: number[] = [];
  let [resting, payoutCents, filled] = [0, 0, 0];
  let refusal: QuoteInParts['refusal'] = null;
  for (let part = 0; part < parts && refusal === null; part++) {
    const reply = api.order(key, { marketId: MARKET, prediction, amount, ...guard });
    if (reply.status !== 201) {
      const [code = '', ...detail] = errorOf(reply).split(': ');
      refusal = { code, detail: detail.join(': ') };
      break;
    }
    const { bet, limitOrdersFilled } = dataOf<OrderResult>(reply);
    filled += (limitOrdersFilled?.up.orders ?? 0) + (limitOrdersFilled?.down.orders ?? 0);
    if (bet.status === 'PENDING') resting += 1;
    else {
      odds.push(bet.oddsAtBet);
      payoutCents += Math.round(bet.potentialPayout * 100);
    }
  }
  const sumE4 = odds.reduce((sum, one) => sum + Math.round(one * 10_000), 0);
  const got = {
    amount,
    placed: odds.length,
    resting,
    refusal,
    meanOdds: odds.length === 0 ? null : Math.floor(sumE4 / odds.length) / 10_000,
    leastOdds: odds.length === 0 ? null : Math.min(...odds),
    potentialPayout: payoutCents / 100,
  };
  return { got, filled };
}

/** The house quotes by the price, or keeps its seeds where they are (-1). */
function openAt(fairShareE6: number, openBetsMax = 10_000): Harness {
  const api = new Harness();
  if (fairShareE6 < 0) api.configure((rules) => ({ ...rules, openBetsMax }));
  else {
    const rules = { ...defaultRules('f'.repeat(64)), openBetsMax };
    api.submit({ kind: 'configure', rulesVersion: RULES_VERSION, rules });
    api.fairShareE6 = fairShareE6;
  }
  api.open();
  return api;
}

const side = fc.constantFrom('UP', 'DOWN');
const GUARDS = [{}, {}, { minOdds: 1.6 }, { limitOdds: 1.7 }, { expectedPercent: 50 }];

test('a quote in parts is what these orders get one after the other, to the cent, and where they end', () => {
  const ends = new Map<string, number>();
  forMany(
    { numRuns: 70, seed: 31 },
    fc.record({
      fairShareE6: fc.constantFrom(-1, 500_000, 640_000, 30_000),
      before: fc.array(fc.tuple(side, fc.integer({ min: 1_00, max: 900_00 })), { maxLength: 4 }),
      openBetsMax: fc.constantFrom(12, 10_000),
      balanceCents: fc.constantFrom(500_00, 1_000_000_00),
      wish: fc.record({
        prediction: side,
        cents: fc.oneof(fc.integer({ min: 90, max: 150_00 }), fc.integer({ min: 200_00, max: 900_00 })),
        parts: fc.integer({ min: 2, max: 25 }),
        guard: fc.constantFrom<object>(...GUARDS),
      }),
    }),
    ({ fairShareE6, before, openBetsMax, balanceCents, wish }) => {
      const api = openAt(fairShareE6, openBetsMax);
      const other = api.bettor({ tier: 'VIP', balanceCents: 1_000_000_00 });
      for (const [prediction, cents] of before)
        api.order(other.secret, { ...ORDER, prediction, amount: cents / 100 });
      const { secret } = api.bettor({ tier: 'VIP', balanceCents });
      const { seq } = api.host.engine;
      const { inParts } = quoted(api, secret, wish);
      assert.equal(api.host.engine.seq, seq, 'a quote changes nothing');
      const { got } = placedInParts(api, secret, wish);
      assert.deepEqual(inParts, got);
      const end = got.refusal?.code ?? (got.resting > 0 ? 'rests' : 'placed');
      if (got.placed > 0) ends.set(end, (ends.get(end) ?? 0) + 1);
    },
  );
  const expected = [
    ...['insufficient_balance', 'odds_changed', 'placed', 'rests', 'round_exposure_limit'],
    'too_many_open_bets',
  ];
  assert.deepEqual([...ends.keys()].toSorted(), expected, 'after at least one bet');
});

test('a quote in parts leaves resting orders out: it is exact as far as the parts fill none', () => {
  for (const fairShareE6 of [-1, 500_000]) {
    const [without, beset] = [openAt(fairShareE6), openAt(fairShareE6)];
    const [alone, one] = [without, beset].map((api) => api.bettor({ tier: 'VIP', balanceCents: 100_000_00 }));
    assert.ok(alone !== undefined && one !== undefined);
    const other = beset.bettor({ tier: 'VIP', balanceCents: 100_000_00 });
    for (const limitOdds of [2, 2.01]) beset.order(other.secret, { ...ORDER, prediction: 'DOWN', limitOdds });
    const wish = { prediction: 'UP', cents: 50_00, parts: 8, guard: {} };
    const { inParts } = quoted(beset, one.secret, wish);
    assert.deepEqual(inParts, quoted(without, alone.secret, wish).inParts, 'no trace of what waits');
    assert.deepEqual(inParts, placedInParts(without, alone.secret, wish).got);
    const { got, filled } = placedInParts(beset, one.secret, wish);
    assert.ok(filled > 0 && got.placed === 8);
    assert.notDeepEqual(got, inParts, 'the parts fill orders, which moves the odds');
  }
});

test('parts are equal, at most a hundred, and of an order that may be placed', () => {
  const api = openAt(-1);
  const { secret, account } = api.bettor();
  for (const parts of [0, 101, 1.5, '2', null, [], true]) {
    const reply = ask(api, secret, { ...ORDER, parts });
    assert.equal(errorOf(reply), 'invalid_request: parts must be a whole number from 1 to 100');
  }
  const uneven = ask(api, secret, { ...ORDER, parts: 3 });
  const error = errorOf(uneven);
  assert.equal(error, 'invalid_request: amount must be a multiple of 3 cents, so that its parts are equal');
  const placed = api.order(secret, { ...ORDER, parts: 2 });
  assert.equal(codeOf(placed), 'invalid_request', 'only a quote has parts');
  assert.equal(ask(api, secret, { ...ORDER, parts: 1 }).text, ask(api, secret, ORDER).text);
  const { refusal, inParts } = dataOf<OrderQuote>(ask(api, secret, { ...ORDER, amount: 100, parts: 100 }));
  assert.deepEqual([refusal, inParts?.refusal, inParts?.placed], [null, null, 100]);
  const small = dataOf<OrderQuote>(ask(api, secret, { ...ORDER, parts: 20 }));
  assert.deepEqual([small.refusal, small.inParts?.refusal?.code], [null, 'stake_out_of_range']);
  api.submit({ kind: 'updateAccount', account, tier: null, frozen: true });
  const frozen = dataOf<OrderQuote>(ask(api, secret, { ...ORDER, parts: 2 })).inParts;
  const { code } = frozen?.refusal ?? {};
  assert.deepEqual([code, frozen?.placed, frozen?.potentialPayout], ['account_frozen', 0, 0]);
});

test('the table of the docs on large stakes is what quotes say', () => {
  const page = readFileSync(new URL('../../../../docs/bots/concepts.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('### Large stakes');
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  const numberOf = (cell: string): number => Number(cell.replace(/[a-z, ]/g, ''));
  const cells = lines.map((line) => line.split('|').slice(1, -1).map(numberOf));
  const [head = [], , ...rows] = cells;
  assert.deepEqual([head.length, rows.length], [6, 3]);
  const api = openAt(500_000);
  const { secret } = api.bettor();
  for (const [amount = 0, ...payouts] of rows) {
    const expected = head.slice(1).map((parts) => {
      const quote = dataOf<OrderQuote>(ask(api, secret, { ...ORDER, amount, parts }));
      return parts === 1 ? quote.potentialPayout : quote.inParts?.potentialPayout;
    });
    assert.deepEqual(payouts, expected, `${amount} USD`);
  }
});

test('a quote counts as a read', () => {
  const { api, secret } = withRounds({
    limits: { keyRead: 4, keyWrite: 1, keyCancel: 1, account: 100, ip: 100 },
  });
  for (let n = 0; n < 4; n++) assert.equal(ask(api, secret, ORDER).status, 200);
  assert.match(errorOf(ask(api, secret, ORDER)), /key_read/);
  assert.equal(api.order(secret, ORDER).status, 201);
});
