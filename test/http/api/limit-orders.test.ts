/** Limit orders over the API: placing, cancelling, and other reads of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PublicApi } from '../../../http/api/public-api.js';
import type { Account, OrderQuote } from '../../../http/wire/account-types.js';
import type { Market, OrderResult, Position } from '../../../http/wire/types.js';
import { codeOf, dataOf, errorOf, type Harness, type Reply, withRounds } from './harness.js';

const MARKET = 'BTC_ONE_MINUTE';
const ORDER = { marketId: MARKET, prediction: 'UP', amount: 10 };

const openHarness = () => withRounds({}, { tier: 'VIP', balanceCents: 100_000_00 });

const cancel = (api: Harness, key: string, id: string): Reply =>
  api.send('DELETE', `/v1/orders/${id}`, { key });

/** Answered only then. */
function whenDurable(api: Harness, key: string, path: string): Reply {
  const asked = api.begin('DELETE', path, { key });
  assert.equal(asked.reply, null);
  api.settle();
  assert.ok(asked.reply !== null);
  return asked.reply;
}

test('an order that rests is answered as PENDING, without percent and hash, its stake taken', () => {
  const { api, secret } = openHarness();
  const restsOf = (limit: object): boolean | undefined =>
    dataOf<OrderQuote>(api.send('POST', '/v1/orders/quote', { key: secret, body: { ...ORDER, ...limit } }))
      .rests;
  assert.deepEqual([{}, { limitOdds: 2.5 }, { limitOdds: 1.5 }].map(restsOf), [undefined, true, false]);
  const reply = api.order(secret, { ...ORDER, prediction: 'DOWN', limitOdds: 2.5 });
  assert.equal(reply.status, 201);
  const { bet, newBalance, limitOrdersFilled } = dataOf<OrderResult>(reply);
  assert.deepEqual([bet.status, bet.prediction, bet.oddsAtBet, bet.limitOdds], ['PENDING', 'DOWN', 2.5, 2.5]);
  assert.deepEqual([bet.potentialPayout, bet.entryPercent, bet.betHash], [24.25, null, null]);
  assert.deepEqual([newBalance, limitOrdersFilled], [99_990, null]);
  const [listed] = dataOf<Position[]>(api.get('/v1/positions', secret));
  const shown = [listed?.status, listed?.isLimitOrder, listed?.limitOdds, listed?.filledAt, listed?.betHash];
  assert.deepEqual(shown, ['PENDING', true, 2.5, null, null]);
});

test('an order that has no limit is answered as before, and one that is placed at once has its hash', () => {
  const { api, secret } = openHarness();
  assert.equal('limitOdds' in dataOf<OrderResult>(api.order(secret, ORDER)).bet, false);
  const { bet } = dataOf<OrderResult>(api.order(secret, { ...ORDER, limitOdds: 1.5 }));
  assert.deepEqual([bet.status, bet.limitOdds], ['ACTIVE', 1.5]);
  assert.match(bet.betHash ?? '', /^[0-9a-f]{64}$/);
  assert.ok(bet.oddsAtBet >= 1.5);
});

test('the order that moves the odds is told what it has filled, and is answered the same again', () => {
  const { api, secret } = openHarness();
  api.order(secret, { ...ORDER, limitOdds: 2.1 });
  const big = { ...ORDER, prediction: 'DOWN', amount: 500 };
  const first = api.order(secret, big, 'key');
  const expected = { up: { orders: 1, amount: 10 }, down: { orders: 0, amount: 0 } };
  const { bet, limitOrdersFilled } = dataOf<OrderResult>(first);
  assert.deepEqual([bet.prediction, limitOrdersFilled], ['DOWN', expected]);
  assert.equal(api.order(secret, big, 'key').text, first.text);
  const filled = dataOf<Position>(api.get('/v1/orders/bet_1', secret));
  const [latest] = dataOf<Position[]>(api.get('/v1/positions', secret, 'status=all'));
  assert.deepEqual([latest?.id, filled.status], ['bet_2', 'ACTIVE']);
  assert.ok(filled.oddsAtBet >= 2.1 && filled.filledAt !== null && filled.betHash !== null);
  assert.equal(codeOf(cancel(api, secret, 'bet_1')), 'order_not_pending');
  const { currentRound } = dataOf<Market>(api.get(`/v1/markets/${MARKET}`, secret));
  assert.deepEqual([currentRound?.totalBets, currentRound?.totalVolume], [2, 510]);
});

test('only its account cancels an order, once, with the scope, also while trading is off', () => {
  const { api, secret, account } = openHarness();
  const other = api.bettor({ tier: 'VIP' });
  api.order(secret, { ...ORDER, limitOdds: 3 });
  assert.equal(codeOf(cancel(api, other.secret, 'bet_1')), 'order_not_found');
  for (const id of ['bet_9', 'nothing']) assert.equal(codeOf(cancel(api, secret, id)), 'order_not_found');
  const reader = api.addKey(account, ['positions:read', 'orders:write']);
  assert.equal(codeOf(cancel(api, reader.secret, 'bet_1')), 'insufficient_scope');
  api.submit({ kind: 'setTrading', enabled: false, reason: 'maintenance' });
  api.host.journal.space('reserve');
  assert.equal(codeOf(cancel(api, secret, 'bet_1')), 'disk_reserve');
  api.host.journal.space('ok');
  const cancelled = dataOf<Position>(whenDurable(api, secret, '/v1/orders/bet_1'));
  assert.deepEqual([cancelled.status, cancelled.result, cancelled.payout], ['CANCELLED', null, null]);
  assert.equal(codeOf(cancel(api, secret, 'bet_1')), 'order_not_pending');
});

test('one request cancels all that rest, more than one command does, or those of a market or a side', () => {
  const { api, secret, account } = openHarness();
  const all = (query = ''): Reply => api.send('DELETE', '/v1/orders', { key: secret, query });
  assert.deepEqual(dataOf(all()), { cancelled: 0 });
  for (let order = 0; order < 1_001; order++) api.order(secret, { ...ORDER, amount: 1, limitOdds: 3 });
  api.order(api.addKey(account).secret, { ...ORDER, prediction: 'DOWN', limitOdds: 3 });
  assert.deepEqual(dataOf(all('marketId=ETH_ONE_DAY')), { cancelled: 0 });
  const inBody = api.send('DELETE', '/v1/orders', { key: secret, body: { marketId: 'ETH_ONE_DAY' } });
  assert.match(errorOf(inBody), /^invalid_request: .*in the query$/);
  assert.deepEqual(dataOf(all(`prediction=DOWN&marketId=${MARKET}`)), { cancelled: 1 });
  const before = api.host.engine.seq;
  assert.deepEqual(dataOf(whenDurable(api, secret, '/v1/orders')), { cancelled: 1_001 });
  assert.equal(api.host.engine.seq - before, 2, 'in two commands');
  assert.equal(dataOf<Account>(api.get('/v1/account', secret)).balance, 100_000);
  for (const query of ['marketId=nowhere', 'prediction=SIDEWAYS', 'side=UP', 'marketId=a&marketId=a'])
    assert.equal(codeOf(all(query)), 'invalid_request', query);
  api.order(secret, { ...ORDER, limitOdds: 3 });
  api.host.journal.space('reserve');
  assert.equal(codeOf(all()), 'disk_reserve');
  api.host.journal.space('ok');
  api.submit({ kind: 'updateAccount', account, tier: 0, frozen: null });
  for (const path of ['/v1/orders', '/v1/orders/bet_1']) {
    const { reply } = api.begin('DELETE', path, { key: secret });
    assert.equal(reply && codeOf(reply), 'tier_too_low', 'although gateways do not know yet');
  }
});

test('an order that comes once a gate opens outlives those of a bot that has gone', () => {
  const { api, account, key, secret } = openHarness();
  const { gateway, pump } = api.gateway();
  const { handler } = new PublicApi(api.apiParts(gateway, null));
  const body = { ...ORDER, limitOdds: 3 };
  const rest = (): Reply => api.send('POST', '/v1/orders', { key: secret, body }, handler);
  gateway.link.ask({ account, key }, { kind: 'deadman', seconds: 300, isFirst: true }, () => undefined);
  rest();
  api.host.journal.space('reserve');
  gateway.link.ask({ account, key }, { kind: 'deadmanEnded' }, () => undefined);
  api.host.journal.space('ok');
  rest();
  pump();
  const left = dataOf<Position[]>(api.get('/v1/positions', secret)).map(({ id }) => id);
  assert.deepEqual(left, ['bet_2']);
});

test('a stream that asks for a countdown counts once, even where it is refused', () => {
  const { api, account, key, secret } = openHarness();
  const { link } = api.gateway().gateway;
  const told: unknown[] = [];
  const tell = (it: unknown): void => void told.push(it);
  const ask = (isFirst: boolean) =>
    link.ask({ account, key }, { kind: 'deadman', seconds: 300, isFirst }, tell);
  const restingAtEnd = (): number => {
    link.ask({ account, key }, { kind: 'deadmanEnded' }, () => undefined);
    return dataOf<Position[]>(api.get('/v1/positions', secret)).length;
  };
  api.submit({ kind: 'updateAccount', account, tier: null, frozen: true });
  ask(true);
  restingAtEnd();
  api.submit({ kind: 'updateAccount', account, tier: null, frozen: false });
  api.order(secret, { ...ORDER, limitOdds: 3 });
  const before = api.host.engine.seq;
  for (const isFirst of [true, true, false]) ask(isFirst);
  assert.equal(api.host.engine.seq - before, 1, 'the same again is no command');
  assert.deepEqual(told, [{ code: 'account_frozen', detail: '' }], 'once it is durable');
  assert.deepEqual([restingAtEnd(), restingAtEnd()], [1, 0]);
  assert.deepEqual(told.slice(1), [{}, {}, {}]);
});

test('the account has resting orders apart from open bets', () => {
  const { api, secret } = openHarness();
  api.order(secret, ORDER);
  api.order(secret, { ...ORDER, limitOdds: 4 });
  api.order(secret, { ...ORDER, amount: 15, limitOdds: 5 });
  const reply = api.get('/v1/account', secret);
  const { balance, openBets, openStakes, pendingOrders, reservedStakes } = dataOf<Account>(reply);
  assert.deepEqual([balance, openBets, openStakes, pendingOrders, reservedStakes], [99_965, 1, 10, 2, 25]);
});

test('a limit has three digits, and stands alone', () => {
  const { api, secret } = openHarness();
  for (const limitOdds of [1.005, 1, 2.505, 10.05, 100.5, 1_000.5, 0, -1, 1e9]) {
    const reply = api.order(secret, { ...ORDER, limitOdds });
    assert.deepEqual([reply.status, codeOf(reply)], [400, 'invalid_request'], `${limitOdds}`);
    assert.match(errorOf(reply), /limitOdds/);
  }
  for (const limitOdds of [1.01, 2.5, 9.99, 10.1, 99.9, 100, 1_000])
    assert.equal(api.order(secret, { ...ORDER, amount: 1, limitOdds }).status, 201, `${limitOdds}`);
  for (const other of [{ minOdds: 2 }, { expectedPercent: 50 }])
    assert.match(errorOf(api.order(secret, { ...ORDER, limitOdds: 2, ...other })), /: limitOdds must stand/);
});
