/** Positions, orders and rounds: every field, through the life of a bet, and never ahead of the journal. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { ENDPOINTS } from '../../../http/api/endpoints.js';
import { cursorText, markOf } from '../../../http/kit/cursor.js';
import type { OrderResult, Position, RoundDetail } from '../../../http/wire/types.js';
import { betFault } from '../../support/engine/bet-fault.js';
import { fairHouse, withHouse } from '../../support/engine/house-rules.js';
import { codeOf, dataOf, errorOf, type Harness, MINUTE_MS, withBettor, withRounds } from './harness.js';

const MARKET = 'BTC_ONE_MINUTE';
const iso = (ms: number): string => new Date(ms).toISOString();

function place(api: Harness, key: string, prediction: string, amount = 10, extra: object = {}): OrderResult {
  return dataOf<OrderResult>(api.order(key, { marketId: MARKET, prediction, amount, ...extra }));
}
const list = (api: Harness, secret: string, path: string, query = ''): Position[] =>
  dataOf<Position[]>(api.get(path, secret, query));
const active = (api: Harness, secret: string): Position[] => list(api, secret, '/v1/positions');
const all = (api: Harness, secret: string): Position[] => list(api, secret, '/v1/positions', 'status=all');
const orders = (api: Harness, secret: string): Position[] => list(api, secret, '/v1/orders');
const roundOf = (api: Harness, secret: string, id: string): RoundDetail =>
  dataOf<RoundDetail>(api.get(`/v1/rounds/${id}`, secret));

test('the name of an order is in its answer and in lists, which it filters, and changes no hash', () => {
  const { api, secret } = withRounds();
  const name = '"\\~'.padEnd(64, '!');
  place(api, secret, 'UP');
  const order = { marketId: MARKET, prediction: 'UP', amount: 10, clientOrderId: name };
  const key = 'named';
  const reply = api.order(secret, order, key);
  const { bet } = dataOf<OrderResult>(reply);
  assert.deepEqual([bet.clientOrderId, api.order(secret, order, key).text], [name, reply.text]);
  assert.equal(codeOf(api.order(secret, { ...order, clientOrderId: 'a' }, key)), 'idempotency_key_reused');
  const resting = place(api, secret, 'DOWN', 10, { limitOdds: 50, clientOrderId: name }).bet;
  place(api, secret, 'DOWN', 10, { clientOrderId: 'a' });
  const found = list(api, secret, '/v1/orders', `clientOrderId=${encodeURIComponent(name)}`);
  const named = found.map(({ id, clientOrderId }) => [id, clientOrderId]);
  assert.deepEqual(
    named,
    [resting.id, bet.id].map((id) => [id, name]),
  );
  assert.equal('clientOrderId' in (orders(api, secret).at(-1) ?? {}), false);
});

test('a position has exactly the fields of the API, from ACTIVE over SETTLING to SETTLED', () => {
  const { api, secret } = withRounds();
  api.clock.pass(1_500);
  const { bet } = place(api, secret, 'DOWN', 12.5);
  const placedAtMs = api.clock.wallMs;
  const roundNumber = Math.floor(placedAtMs / MINUTE_MS);
  const endTimeMs = (roundNumber + 1) * MINUTE_MS;
  const open: Position = {
    id: bet.id,
    marketId: MARKET,
    crypto: 'BTC',
    timeFrame: 'ONE_MINUTE',
    prediction: 'DOWN',
    amount: 12.5,
    oddsAtBet: bet.oddsAtBet,
    potentialPayout: bet.potentialPayout,
    status: 'ACTIVE',
    result: null,
    payout: null,
    profit: null,
    isLimitOrder: false,
    placedAt: iso(placedAtMs),
    settledAt: null,
    entryPercent: bet.entryPercent,
    betHash: bet.betHash as Position['betHash'],
    round: { id: `${MARKET}_${roundNumber}`, roundNumber, status: 'LIVE', endTime: iso(endTimeMs) },
  };
  const reply = api.get('/v1/positions', secret);
  assert.equal(reply.text, JSON.stringify({ success: true, data: [open], nextCursor: null }));
  assert.deepEqual(all(api, secret), [open]);
  assert.deepEqual(orders(api, secret), [open]);
  api.clock.pass(endTimeMs - placedAtMs);
  api.advance();
  const settling = { ...open, status: 'SETTLING', round: { ...open.round, status: 'SETTLING' } };
  assert.deepEqual(active(api, secret), [settling]);
  api.clock.pass(777);
  api.boundary(99, endTimeMs);
  const settled = {
    ...open,
    status: 'SETTLED',
    result: 'WIN',
    payout: bet.potentialPayout,
    profit: Math.round((bet.potentialPayout - 12.5) * 100) / 100,
    settledAt: iso(api.clock.wallMs),
    round: { ...open.round, status: 'SETTLED' },
  };
  assert.deepEqual(active(api, secret), []);
  assert.deepEqual(all(api, secret), [settled]);
  const shown = api.get('/v1/orders', secret).text;
  assert.equal(shown, JSON.stringify({ success: true, data: [settled], nextCursor: null }));
  assert.equal(place(api, secret, 'UP').bet.placedAt, iso(api.clock.wallMs));
  api.closeMinute(102);
  const numbers = all(api, secret).map(({ round }) => round.roundNumber);
  assert.deepEqual(numbers, [roundNumber + 1, roundNumber]);
});

test('wrong parameters are refused, and named', () => {
  const { api, secret } = withBettor();
  const ofRounds = markOf('rounds', { market: null, status: null, fromMs: null, toMs: null });
  const cursor = (...place: readonly number[]): string => `cursor=${cursorText(ofRounds, ...place)}`;
  const wrong: Readonly<Record<string, readonly string[]>> = {
    '/positions': [
      ...['limit=201', 'limit=1&limit=2', 'limit', 'cursor=x', 'status=', 'status=open', 'status=ACTIVE'],
      ...['status=settled', 'status=all,active', 'before=bet_2'],
      'roundId=BTC_ONE_DAY_1&marketId=ETH_ONE_DAY',
    ],
    '/orders': [
      ...['limit=201', 'cursor=1-0-0-1-1-1', 'cursor=', 'cursor=1-1-0-01', 'cursor=1-1-0-zzzzzzzzzzz'],
      ...['before=7', 'before=bet_0', 'before=bet_01', 'before=yesterday', 'before=2026-06-10'],
      ...['before=2026-13-01T00:00:00Z', 'before=2026-02-30T00:00:00Z', 'status=open', 'roundId=BTC_ONE_DAY'],
      ...['clientOrderId=a%20b', 'marketId=DOGE_ONE_DAY'],
    ],
    '/account/ledger': ['limit=0', 'cursor=x', 'cursor=', 'form=1', cursor(1, 2)],
    '/rounds': [
      ...[cursor(1), cursor(1, 99), `${cursor(1, 2)}&from=2026-01-01T00:00:00Z`],
      ...['from=yesterday', 'to=2026-02-30T00:00:00Z', 'limit=201'],
    ],
    [`/markets/${MARKET}/rounds`]: ['from=2026-01-01T00:00:00Z'],
  };
  const refused = (path: string, query: string, named: string): void => {
    const reply = api.get(`/v1${path}`, secret, query);
    assert.equal(codeOf(reply), 'invalid_request', `${path}?${query}`);
    assert.ok(errorOf(reply).includes(named), `${path}?${query}: ${errorOf(reply)}`);
  };
  for (const [path, queries] of Object.entries(wrong))
    for (const query of queries) refused(path, query, query.split('=')[0] ?? '');
  refused('/positions', 'limit=%', 'percent-encoding');
  refused('/positions', 'status=all&cursor=1-1-0-0', 'cursor');
  assert.equal(codeOf(api.get('/v1/rounds', secret, 'marketId=BTC')), 'market_not_found');
  assert.equal(codeOf(api.get('/v1/markets/BTC/rounds', secret)), 'market_not_found');
});

test('orders are filtered by status, market, round and what came before, and paged by a cursor of their own', () => {
  const { api, secret } = withRounds();
  const placeIn = (marketId: string): string =>
    dataOf<OrderResult>(api.order(secret, { marketId, prediction: 'UP', amount: 1 })).bet.id;
  api.open(1, 3_000);
  const other = placeIn('ETH_ONE_MINUTE');
  const minute = Array.from({ length: 3 }, () => place(api, secret, 'UP', 1).bet.id).reverse();
  const roundId = `${MARKET}_${Math.floor(api.clock.wallMs / MINUTE_MS)}`;
  api.closeMinute(101);
  const beforeMs = api.clock.wallMs;
  const day = [placeIn('BTC_ONE_DAY'), placeIn('BTC_ONE_DAY')].reverse();
  const expected: Readonly<Record<string, readonly string[]>> = {
    '': [...day, ...minute, other],
    'status=active': [...day, other],
    'status=settled': minute,
    'marketId=BTC_ONE_DAY': day,
    [`roundId=${roundId}`]: minute,
    [`roundId=${roundId}&marketId=${MARKET}&status=active`]: [],
    [`before=${minute[0]}`]: [...minute.slice(1), other],
    [`before=${iso(beforeMs).replace('Z', '000000Z')}`]: [...minute, other],
    [`before=${iso(beforeMs + MINUTE_MS).slice(0, 16)}Z&limit=1`]: day.slice(0, 1),
  };
  for (const [query, ids] of Object.entries(expected)) {
    const listed = list(api, secret, '/v1/orders', query).map(({ id }) => id);
    assert.deepEqual(listed, ids, query);
  }
  for (const filter of [`marketId=${MARKET}`, `roundId=${roundId}`]) {
    assert.equal(list(api, secret, '/v1/positions', filter).length, 0);
    const listed = list(api, secret, '/v1/positions', `status=all&${filter}`);
    assert.deepEqual(listed.map(({ id }) => id).sort(), minute.toSorted());
  }
  const { nextCursor } = JSON.parse(api.get('/v1/orders', secret, 'limit=2').text) as { nextCursor: string };
  place(api, secret, 'UP', 1);
  for (const key of [secret, api.bettor().secret]) {
    const page = list(api, key, '/v1/orders', `limit=2&cursor=${nextCursor}`).map(({ id }) => id);
    assert.deepEqual(page, key === secret ? minute.slice(0, 2) : [], "a cursor shows only the reader's own");
  }
  const others = ['status=settled', `marketId=${MARKET}`, `roundId=${roundId}`, 'clientOrderId=a'];
  const paths = ['', ...others, `before=${iso(beforeMs)}`].map((filter) => `orders?${filter}`);
  for (const path of [...paths, 'orders?before=bet_2', 'positions?status=all', 'positions?']) {
    const [list, filter] = path.split('?');
    const reply = api.get(`/v1/${list}`, secret, [filter, `cursor=${nextCursor}`].filter(Boolean).join('&'));
    assert.equal(reply.status, path === 'orders?' ? 200 : 400, path);
    if (reply.status === 400) assert.match(errorOf(reply), /cursor/, path);
  }
});

/** These take any. */
const WITHOUT_QUERY = ['/markets', '/markets/{id}', '/prices', '/rounds/{id}', '/keys', '/time', '/limits'];

test('a path that cannot be decoded is refused in every place, and a parameter that an endpoint does not have', () => {
  const { api, secret } = withRounds();
  for (const { method, path } of ENDPOINTS.filter((endpoint) => endpoint.method === 'GET')) {
    const refused = (actual: string, query: string, named: RegExp): void => {
      const reply = api.send(method, `/v1${actual}`, { key: secret, query });
      assert.equal(codeOf(reply), 'invalid_request', actual);
      assert.match(errorOf(reply), named);
    };
    for (const id of path.includes('{') ? ['%', '%C3%28'] : [])
      refused(path.replace(/\{\w+\}/, id), '', /percent-encoding/);
    const actual = path.replace('/markets/{id}', `/markets/${MARKET}`).replace(/\{\w+\}/, 'bet_1');
    if (!WITHOUT_QUERY.includes(path)) refused(actual, 'other=1', /other/);
  }
});

test('account reads and rounds wait until all that they show is durable', () => {
  const { api, secret } = withRounds();
  const roundId = `${MARKET}_${Math.floor(api.clock.wallMs / MINUTE_MS)}`;
  const begin = (path: string) => api.begin('GET', path, { key: secret });
  const body = { marketId: MARKET, prediction: 'UP', amount: 1 };
  const post = (path: string, key = secret) => api.begin('POST', path, { key, body });
  assert.notEqual(begin('/v1/positions').reply, null);
  api.begin('POST', '/v1/orders', { key: secret, body, idempotencyKey: 'k' });
  const reads = ['/v1/positions', '/v1/orders'].map(begin);
  const round = begin(`/v1/rounds/${roundId}`);
  const others = [begin('/v1/account'), begin('/v1/orders/by-idempotency-key/k'), post('/v1/orders/quote')];
  const replies = [...reads, round, ...others].map(({ reply }) => reply);
  assert.deepEqual(replies, [null, null, null, null, null, null]);
  api.settle();
  assert.equal(round.reply === null ? 0 : dataOf<{ totalBets: number }>(round.reply).totalBets, 1);
  for (const { reply } of reads) assert.equal(reply === null ? 0 : dataOf<Position[]>(reply).length, 1);
  const stranger = api.bettor();
  post('/v1/orders');
  assert.notEqual(api.begin('GET', '/v1/orders', { key: stranger.secret }).reply, null);
  api.settle();
  const roundNumber = Number(roundId.split('_').at(-1));
  api.submit({ kind: 'voidRound', market: 0, roundNumber, reason: 'test' });
  const late = [
    ...['/v1/positions', `/v1/rounds/${roundId}`].map(begin),
    post('/v1/orders/quote', stranger.secret),
  ];
  const shown = late.map(({ reply }) => reply);
  assert.deepEqual(shown, [null, null, null]);
  api.settle();
  for (const { reply } of late) assert.equal(reply?.status, 200);
});

test('no read waits for a journal that is behind', () => {
  const { api, secret } = withRounds({ backlogCommandsMax: 1 });
  const [stranger, body] = [api.bettor(), { marketId: MARKET, prediction: 'UP', amount: 1 }];
  const roundId = `${MARKET}_${Math.floor(api.clock.wallMs / MINUTE_MS)}`;
  const reads = [
    ...['orders', 'positions', 'account', 'account/ledger', 'orders/by-idempotency-key/k'],
    `rounds/${roundId}`,
  ];
  const answers = (key: string) => [
    ...reads.map((path) => api.begin('GET', `/v1/${path}`, { key }).reply),
    api.begin('POST', '/v1/orders/quote', { key, body }).reply,
  ];
  const order = api.begin('POST', '/v1/orders', { key: secret, body, idempotencyKey: 'k' });
  for (const reply of answers(secret)) {
    assert.ok(reply !== null);
    assert.deepEqual(
      [reply.status, codeOf(reply), reply.headers.get('retry-after')],
      [503, 'journal_backlog', '1'],
    );
  }
  // The round counts the bet; nothing else that a stranger reads waits for it.
  assert.deepEqual(
    answers(stranger.secret).map((reply) => reply?.status),
    [200, 200, 200, 200, 200, 503, 200],
  );
  api.settle();
  assert.equal(order.reply?.status, 201);
  for (const reply of answers(secret)) assert.equal(reply?.status, 200);
});

test('a round shows its commitment from the start and its seed once settled, and bets verify with it', () => {
  const { api, secret } = withBettor();
  api.ticks[0] = 100.5;
  api.open();
  const startMs = api.clock.wallMs;
  const roundNumber = Math.floor(startMs / MINUTE_MS);
  const id = `${MARKET}_${roundNumber}`;
  const { bet } = place(api, secret, 'UP', 20, { clientSeed: 'mine' });
  api.clock.pass(1);
  const live = roundOf(api, secret, id);
  const { seedCommitment } = live;
  assert.deepEqual(live, {
    id,
    roundNumber,
    startTime: iso(startMs),
    lockTime: iso(startMs + 55_000),
    endTime: iso(startMs + MINUTE_MS),
    bettingClosesAt: iso(startMs + 35_000),
    timeRemaining: 59,
    timeToLock: 54_999,
    timeToBettingClose: 34_999,
    openPrice: 100,
    currentPrice: 100.5,
    status: 'LIVE',
    totalBets: 1,
    totalVolume: 20,
    marketId: MARKET,
    crypto: 'BTC',
    timeFrame: 'ONE_MINUTE',
    poolUp: 1_020,
    poolDown: 1_000,
    totalPool: 2_020,
    fairPercentUp: null,
    house: { policy: 'fixed', seed: 1_000, shade: 0, clamp: 0 },
    closePrice: null,
    resolvedAt: null,
    voided: false,
    seedCommitment,
    seed: null,
    root: null,
  });
  api.closeMinute(101.25);
  api.clock.pass(1);
  api.fairShareE6 = 600_000;
  const settled = roundOf(api, secret, id);
  const { status, result, closePrice, currentPrice, seed, ...left } = settled;
  assert.deepEqual([status, result, closePrice, currentPrice], ['SETTLED', 'UP', 101.25, 101.25]);
  assert.deepEqual([left.timeRemaining, left.timeToLock, left.timeToBettingClose], [0, 0, 0]);
  assert.equal(left.fairPercentUp, null, "the round's time is over");
  assert.equal(settled.resolvedAt, iso(api.clock.wallMs - 1));
  assert.ok(seed !== null);
  assert.equal(settled.seedCommitment, seedCommitment);
  assert.equal(createHash('sha256').update(Buffer.from(seed, 'hex')).digest('hex'), seedCommitment);
  assert.equal(betFault({ bet, clientSeed: 'mine', roundId: id, seed, seedCommitment }), null);
});

test('a voided round says so and has no result, and a round shows how its house quotes', () => {
  const { api, secret } = withBettor();
  api.fairShareE6 = 600_000;
  api.configure((rules) => withHouse(rules, fairHouse({ shadeE6: 500_000, clampE6: 30_000 })));
  api.open();
  const id = `${MARKET}_${Math.floor(api.clock.wallMs / MINUTE_MS)}`;
  place(api, secret, 'UP');
  api.closeMinute(null);
  const round = roundOf(api, secret, id);
  assert.deepEqual([round.status, round.voided, round.closePrice], ['SETTLED', true, null]);
  assert.deepEqual(round.house, { policy: 'fair', seed: 1_000, shade: 0.5, clamp: 0.03 });
  assert.ok(!('result' in round));
  assert.ok(round.seed !== null);
});

test('an unknown round is not found', () => {
  const { api, secret } = withBettor();
  const numbers = ['1', '01', '', '99999999999'].map((number) => `${MARKET}_${number}`);
  for (const id of ['x', 'DOGE_ONE_MINUTE_1', ...numbers]) {
    const reply = api.get(`/v1/rounds/${id}`, secret);
    assert.deepEqual([reply.status, codeOf(reply)], [404, 'round_not_found'], id);
  }
});
