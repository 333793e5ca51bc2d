/** Public market data: right, fresh, and never ahead of the journal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ASSETS, MARKET_IDS } from '../../../engine/model/domain.js';
import type { Market, Price } from '../../../http/wire/types.js';
import { fairHouse, withHouse } from '../../support/engine/house-rules.js';
import { dataOf, type Harness, MINUTE_MS, type Reply, requestOf, withBettor, withRounds } from './harness.js';

const MARKET = 'BTC_ONE_MINUTE';
const OF_BTC = { id: MARKET, crypto: 'BTC', timeFrame: 'ONE_MINUTE', minBet: 1, maxBet: 10_000 };

const marketOf = (api: Harness, key: string, id = MARKET): Market =>
  dataOf<Market>(api.get(`/v1/markets/${id}`, key));
const marketsOf = (api: Harness, key: string): Market[] => dataOf<Market[]>(api.get('/v1/markets', key));
const firstOf = (reply: Reply): Market | undefined => [dataOf<Market | Market[]>(reply)].flat()[0];
const pricesOf = (api: Harness, key: string): Price[] => dataOf<Price[]>(api.get('/v1/prices', key));
const bet = (api: Harness, key: string, amount: number, prediction = 'UP', marketId = MARKET) =>
  api.order(key, { marketId, prediction, amount });

test('a market without a round shows even pools and no round', () => {
  const { api, secret } = withBettor();
  assert.deepEqual(marketOf(api, secret), {
    ...OF_BTC,
    poolUp: 0,
    poolDown: 0,
    totalPool: 0,
    oddsUp: 2,
    oddsDown: 2,
    percentUp: 50,
    percentDown: 50,
    acceptsOrders: false,
    availableUp: 0,
    availableDown: 0,
    currentRound: null,
  });
  assert.deepEqual(pricesOf(api, secret), []);
});

test('a live round shows its times, pools, odds and bets', () => {
  const { api, secret } = withBettor();
  api.ticks[0] = 101.5;
  api.clock.pass(1_234);
  api.open(0, 100.25);
  const startMs = api.clock.wallMs;
  bet(api, secret, 500, 'UP');
  bet(api, secret, 20.5, 'DOWN');
  api.clock.pass(10_500);
  const endMs = startMs - (startMs % MINUTE_MS) + MINUTE_MS;
  assert.deepEqual(marketOf(api, secret), {
    ...OF_BTC,
    poolUp: 1_500,
    poolDown: 1_020.5,
    totalPool: 2_520.5,
    oddsUp: 1.6803,
    oddsDown: 2.4698,
    percentUp: 59.51,
    percentDown: 40.49,
    acceptsOrders: true,
    availableUp: 10_000,
    availableDown: 10_000,
    currentRound: {
      id: `${MARKET}_${Math.floor(startMs / MINUTE_MS)}`,
      roundNumber: Math.floor(startMs / MINUTE_MS),
      startTime: new Date(startMs).toISOString(),
      lockTime: new Date(endMs - 5_000).toISOString(),
      endTime: new Date(endMs).toISOString(),
      bettingClosesAt: new Date(endMs - 25_000).toISOString(),
      timeRemaining: 48,
      timeToLock: MINUTE_MS - 5_000 - 11_734,
      timeToBettingClose: MINUTE_MS - 25_000 - 11_734,
      openPrice: 100.25,
      currentPrice: 101.5,
      status: 'LIVE',
      totalBets: 2,
      totalVolume: 520.5,
    },
  });
});

test('the list has every active market as it is shown alone, in a fixed order', () => {
  const { api, secret } = withBettor();
  for (const asset of ASSETS.keys()) api.open(asset, 1 + asset);
  const list = marketsOf(api, secret);
  const ids = list.map(({ id }) => id);
  assert.deepEqual(ids, MARKET_IDS);
  for (const market of list) assert.deepEqual(marketOf(api, secret, market.id), market);
});

test('the text is what JSON.stringify makes of it, whatever the pools', () => {
  const { api, secret } = withBettor({}, { tier: 'VIP' });
  api.open(0, 0.1 + 0.2);
  api.ticks[0] = 1e-7;
  for (const amount of [1, 1.01, 1.1, 333.33, 1_999.99, 7.77]) {
    bet(api, secret, amount, 'UP', 'BTC_ONE_DAY');
    for (const path of ['/v1/markets', '/v1/markets/BTC_ONE_DAY', '/v1/prices', '/v1/positions']) {
      const { text } = api.get(path, secret);
      assert.equal(text, JSON.stringify(JSON.parse(text)));
    }
  }
});

test('a market that is not active is neither listed nor found, and a round keeps its limits', () => {
  const { api, secret } = withRounds();
  api.configure((rules) => {
    const [first] = rules.markets.filter(({ marketId }) => marketId === MARKET);
    assert.ok(first !== undefined);
    return { ...rules, markets: [{ ...first, minStakeCents: 2_00 }] };
  });
  const shown = () => marketsOf(api, secret).map(({ id, minBet }) => [id, minBet]);
  assert.deepEqual(shown(), [[MARKET, 1]]);
  api.closeMinute(100);
  assert.deepEqual(shown(), [[MARKET, 2]]);
  assert.equal(api.get('/v1/markets/ETH_ONE_MINUTE', secret).status, 404);
});

test('statuses follow the round, and the clocks stop at 0', () => {
  const { api, secret } = withRounds();
  api.clock.pass(35_000);
  const closed = marketOf(api, secret);
  assert.deepEqual([closed.acceptsOrders, closed.availableUp, closed.availableDown], [false, 0, 0]);
  api.clock.pass(19_999);
  assert.equal(marketOf(api, secret).currentRound?.timeToLock, 1);
  api.clock.pass(1);
  api.advance();
  api.settle();
  const locked = marketOf(api, secret).currentRound;
  assert.deepEqual([locked?.status, locked?.timeToLock, locked?.timeToBettingClose], ['LOCKED', 0, 0]);
  api.clock.pass(4_001);
  assert.equal(marketOf(api, secret).currentRound?.timeRemaining, 0);
  api.clock.pass(1_000);
  const ended = marketOf(api, secret).currentRound;
  assert.deepEqual([ended?.status, ended?.timeToLock, ended?.timeRemaining], ['LOCKED', 0, 0]);
  api.advance();
  api.settle();
  const next = marketOf(api, secret);
  assert.deepEqual([next.currentRound?.status, next.currentRound?.openPrice], ['UPCOMING', null]);
  assert.equal(next.currentRound?.roundNumber, (locked?.roundNumber ?? 0) + 1);
  assert.deepEqual([next.acceptsOrders, next.totalPool, next.oddsUp, next.percentDown], [false, 0, 2, 50]);
  api.boundary(null, api.clock.wallMs - 1);
  assert.equal(marketOf(api, secret).currentRound, null, 'without a price it does not open');
});

test('a round is shown no more once it is voided or has ended, and takes orders only where they are taken', () => {
  const { api, secret } = withBettor();
  api.configure((rules) => withHouse(rules, fairHouse()));
  api.openLate();
  const shown = () => {
    api.settle();
    const { acceptsOrders, currentRound } = marketOf(api, secret);
    return [currentRound?.status, acceptsOrders];
  };
  assert.deepEqual(shown(), ['LIVE', false], 'the house has no quote');
  api.fairShareE6 = 500_000;
  assert.deepEqual(shown(), ['LIVE', true]);
  const roundNumber = Math.floor(api.clock.wallMs / MINUTE_MS);
  api.submit({ kind: 'voidRound', market: 0, roundNumber, reason: 'test' });
  assert.deepEqual(shown(), [undefined, false]);
  api.clock.pass(MINUTE_MS);
  api.openLate();
  assert.deepEqual(shown(), ['LIVE', true]);
  for (const enabled of [false, true]) {
    api.submit({ kind: 'setTrading', enabled, reason: 'test' });
    assert.deepEqual(shown(), ['LIVE', enabled]);
  }
  api.submit({ kind: 'suspendMarket', market: 0, suspended: true });
  assert.deepEqual(shown(), ['LIVE', false]);
  api.clock.pass(MINUTE_MS);
  api.advance();
  assert.deepEqual(shown(), [undefined, false]);
});

test('the number and the sum of bets wait for the journal, however a round begins; pools do not', () => {
  const { api, secret } = withBettor();
  const read = (path: string) => api.begin('GET', path, { key: secret });
  const shown = () => {
    const replies = [read('/v1/markets'), read(`/v1/markets/${MARKET}`)].map(({ reply }) => {
      assert.ok(reply !== null, 'market data wait for nothing');
      const market = firstOf(reply);
      return [market?.currentRound?.totalBets, market?.currentRound?.totalVolume, market?.poolUp];
    });
    assert.deepEqual(replies[0], replies[1]);
    return replies[0];
  };
  const place = (amount: number) =>
    api.begin('POST', '/v1/orders', { key: secret, body: { marketId: MARKET, prediction: 'UP', amount } });
  api.openLate();
  place(10);
  api.settle();
  assert.deepEqual(shown(), [1, 10, 1_010]);
  place(20.5);
  place(5);
  assert.deepEqual(shown(), [1, 10, 1_035.5]);
  const id = `${MARKET}_${Math.floor(api.clock.wallMs / MINUTE_MS)}`;
  const detail = read(`/v1/rounds/${id}`);
  assert.equal(detail.reply, null, 'a round waits for the bets that it counts');
  api.host.endTurn();
  place(1);
  assert.deepEqual(shown(), [1, 10, 1_036.5]);
  api.host.journal.ack();
  assert.deepEqual(shown(), [3, 35.5, 1_036.5], 'at once, on a clock that stands still');
  const { reply } = detail;
  assert.ok(reply !== null);
  assert.equal(dataOf<{ totalBets: number }>(reply).totalBets, 3);
  api.settle();
  assert.deepEqual(shown(), [4, 36.5, 1_036.5]);
  // They stay while the round locks, and the next one begins with none.
  api.clock.pass(55_000);
  api.advance();
  api.settle();
  assert.deepEqual(shown(), [4, 36.5, 1_036.5]);
  for (const close of [100, 101]) {
    api.closeMinute(close);
    assert.deepEqual(shown(), [0, 0, 1_000], 'also where a bet is as old as the end of its round');
    place(1);
  }
});

test('bytes are cached for less than 50 ms, and show every bet and price at once on a manual clock', () => {
  const { api, secret } = withRounds();
  for (const path of ['/v1/markets', `/v1/markets/${MARKET}`]) {
    const shown = (): Market | undefined => firstOf(api.get(path, secret));
    const before = shown()?.poolUp ?? 0;
    bet(api, secret, 1);
    assert.equal(shown()?.poolUp, before + 1);
    api.clock.pass(49);
    bet(api, secret, 1);
    assert.equal(shown()?.poolUp, before + 1);
    api.clock.pass(1);
    assert.equal(shown()?.poolUp, before + 2);
    for (const price of [101, 102]) {
      api.ticks[0] = price;
      assert.equal(shown()?.currentRound?.currentPrice, price);
    }
    const bets = shown()?.currentRound?.totalBets ?? 0;
    bet(api, secret, 1);
    assert.equal(shown()?.currentRound?.totalBets, bets + 1);
    const sent: unknown[] = [];
    const responder = { send: (_status: number, _headers: unknown, body: unknown) => sent.push(body) };
    for (let i = 0; i < 2; i++) api.handler(requestOf('GET', path, { key: secret }), responder);
    assert.equal(sent[0], sent[1]);
  }
});

test('a price is the latest open price, with its time', () => {
  const { api, secret } = withBettor();
  api.open(1, 2_000.5);
  api.open(0, 100);
  const firstMs = api.clock.wallMs;
  const priceOf = (crypto: string, price: number, ms: number) => {
    return { crypto, price, source: 'round_open', timestamp: new Date(ms).toISOString() };
  };
  assert.deepEqual(pricesOf(api, secret), [priceOf('BTC', 100, firstMs), priceOf('ETH', 2_000.5, firstMs)]);
  api.closeMinute(123.456789);
  assert.deepEqual(pricesOf(api, secret)[0], priceOf('BTC', 123.456789, firstMs + MINUTE_MS));
  // A market without a round opens late while another one waits for its price at the boundary.
  api.clock.pass(4 * MINUTE_MS + 500);
  api.open(0, 105);
  const late = pricesOf(api, secret);
  api.boundary(104, api.clock.wallMs - 500);
  assert.equal(api.host.engine.currentRound(1)?.openPrice, 104);
  assert.deepEqual(pricesOf(api, secret), late);
  const live = marketOf(api, secret);
  api.boundary(103, firstMs + 2 * MINUTE_MS - (firstMs % MINUTE_MS));
  assert.deepEqual(marketOf(api, secret), live, 'an older round has got its price');
  assert.deepEqual(dataOf<Price[]>(api.send('GET', '/v1/prices', { key: secret }, api.newApi())), late);
  assert.deepEqual([late[0]?.price, api.host.engine.latestOpenPrice(0)?.price], [105, 105]);
});
