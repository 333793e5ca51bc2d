/** POST /orders/quote: it says what POST /orders would answer, and changes nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultRules, RULES_VERSION } from '../../../engine/model/rules.js';
import type { OrderQuote } from '../../../http/wire/account-types.js';
import type { OrderResult } from '../../../http/wire/types.js';
import { type Bettor, codeOf, dataOf, errorOf, Harness, type Reply } from './harness.js';

const MARKET = 'BTC_ONE_MINUTE';
const ORDER = { marketId: MARKET, prediction: 'UP', amount: 10 };

const ask = (api: Harness, key: string, body: unknown, more: object = {}): Reply =>
  api.send('POST', '/v1/orders/quote', { key, body, ...more });

/** A quote and the order right behind it, which are of one mind. */
function compared(api: Harness, { secret }: Bettor, change: object): { quote: OrderQuote; code: string } {
  const order = { ...ORDER, ...change };
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
  assert.deepEqual(
    [refusal, oddsAtBet, entryPercent, potentialPayout, quotedAt],
    [null, bet.oddsAtBet, bet.entryPercent, bet.potentialPayout, bet.placedAt],
  );
  return { quote, code: '' };
}

/** Whether the quote has odds; it has all parts of an offer or none. */
function hasOffer({ refusal: _, quotedAt: __, rests: ___, ...offer }: OrderQuote): boolean {
  const present = Object.values(offer).filter((value) => value !== null);
  assert.ok(present.length === 0 || present.length === 5, JSON.stringify(offer));
  return present.length > 0;
}

test('a quote is what the next order gets, to the cent, whichever way the house has its seeds', () => {
  for (const fairShareE6 of [-1, 500_000, 640_000, 20_000]) {
    const api = new Harness();
    if (fairShareE6 >= 0) {
      api.submit({ kind: 'configure', rulesVersion: RULES_VERSION, rules: defaultRules('f'.repeat(64)) });
      api.fairShareE6 = fairShareE6;
    }
    api.open();
    for (const amount of [1, 5.5, 12.34]) {
      for (const prediction of ['UP', 'DOWN']) {
        const bettor = api.bettor({ tier: 'PLATINUM' });
        assert.equal(compared(api, bettor, { prediction, amount, minOdds: 1 }).code, '');
      }
    }
  }
});

test('each refusal is named as POST /orders answers, with odds where the order came as far as them', () => {
  const api = new Harness();
  api.configure((rules) => ({ ...rules, openBetsMax: 3 }));
  api.open();
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
  const resting = dataOf<OrderQuote>(ask(api, rich.secret, { ...ORDER, ...tooMuch, limitOdds: 1.5 }));
  assert.deepEqual(
    [resting.refusal, resting.rests],
    [null, true],
    'with a limit it waits until the round bears it',
  );
  check(rich, {}, '', true);
  check(rich, {}, 'too_many_open_bets', true);
  api.submit({ kind: 'updateAccount', account: rich.account, tier: null, frozen: true });
  check(rich, {}, 'account_frozen', true);
  api.submit({ kind: 'updateAccount', account: poor.account, tier: 0, frozen: null });
  check(poor, {}, 'tier_too_low');
  api.clock.pass(35_000);
  check(api.bettor(), {}, 'betting_closed');
  api.clock.pass(20_000);
  check(api.bettor(), {}, 'round_not_live');
});

test('what is no order is refused as by POST /orders, and an Idempotency-Key is left alone', () => {
  const api = new Harness();
  api.open();
  const { secret } = api.bettor();
  for (const body of [{}, { ...ORDER, amount: 1.001 }, { ...ORDER, minOdds: 0.5 }, { ...ORDER, maxOdds: 2 }])
    assert.equal(errorOf(ask(api, secret, body)), errorOf(api.order(secret, body)));
  assert.equal(codeOf(ask(api, secret, ORDER, { query: 'x=1' })), 'invalid_request');
  const keyed = { idempotencyKey: 'one' };
  assert.equal(ask(api, secret, ORDER, keyed).status, 200);
  assert.equal(
    api.order(secret, { ...ORDER, amount: 20 }, 'one').headers.get('x-idempotent-replay'),
    undefined,
  );
  assert.equal(dataOf<OrderQuote>(ask(api, secret, ORDER, keyed)).refusal, null);
});

test('a quote counts as a read', () => {
  const api = new Harness({ limits: { keyRead: 4, keyWrite: 1, keyCancel: 1, account: 100, ip: 100 } });
  api.open();
  const { secret } = api.bettor();
  for (let n = 0; n < 4; n++) assert.equal(ask(api, secret, ORDER).status, 200);
  assert.match(errorOf(ask(api, secret, ORDER)), /key_read/);
  assert.equal(api.order(secret, ORDER).status, 201);
});
