/** GET /positions and GET /orders (specification, section 4): status, limit, defaults and order. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { refused } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import type { Position } from '../../support/api/spec.js';

const RETAINED = 200;
const MINUTE = { marketId: 'BTC_ONE_MINUTE', amount: 1 };
const DAY = { marketId: 'BTC_ONE_DAY', amount: 1 };

let sandbox: Sandbox;

before(async () => {
  sandbox = await Sandbox.start();
  await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
});
after(() => sandbox.remove());

const ids = (positions: readonly Position[]): string[] => positions.map(({ id }) => id);

/** Places so many bets, one after the other, on alternate sides; returns their ids, oldest first. */
async function place(
  trader: Trader,
  order: { marketId: string; amount: number },
  times: number,
): Promise<string[]> {
  const placed: string[] = [];
  for (let n = 0; n < times; n++) {
    const { bet } = await trader.api.place({ ...order, prediction: n % 2 === 0 ? 'UP' : 'DOWN' });
    placed.push(bet.id);
  }
  return placed;
}

test('a new account has neither positions nor orders', async () => {
  const { api } = await sandbox.trader();
  for (const query of ['', '?status=active', '?status=all', '?limit=200']) {
    assert.deepEqual(await api.positions(query), []);
  }
  assert.deepEqual(await api.orders(), []);
});

test('invalid parameters are 400, and named', async () => {
  const { api } = await sandbox.trader();
  const limits = [
    '0',
    '201',
    '-1',
    '1.5',
    '1e2',
    '',
    'ten',
    '+5',
    '0x10',
    '99999999999999999999',
    '%20',
    '05',
  ];
  const cases: (readonly [path: string, name: RegExp])[] = [
    ...limits.map((limit) => [`/positions?limit=${limit}`, /limit/] as const),
    ...limits.map((limit) => [`/orders?limit=${limit}`, /limit/] as const),
    ...['open', 'ACTIVE', '', 'settled', 'all,active'].map(
      (status) => [`/positions?status=${status}`, /status/] as const,
    ),
    ['/orders?status=open', /status/],
    ['/positions?limit=1&limit=2', /limit/],
    ['/positions?limti=1', /limti/],
    ['/positions?cursor=x', /cursor/],
    ['/positions?status=all&cursor=1-0-0', /cursor/],
    ['/orders?cursor=1-0-0-1-1-1', /cursor/],
    ['/orders?cursor=', /cursor/],
    ['/orders?cursor=1-0-01', /cursor/],
    ['/orders?cursor=1-0-zzzzzzzzzzz', /cursor/],
    ['/orders?cursor=1-0-0&before=bet_2', /before/],
    ['/positions?before=bet_2', /before/],
    ...['7', 'bet_0', 'bet_01', 'yesterday', '2026-06-10', '2026-13-01T00:00:00Z'].map(
      (before) => [`/orders?before=${before}`, /before/] as const,
    ),
    ['/orders?marketId=DOGE_ONE_DAY', /marketId/],
    ['/orders?roundId=BTC_ONE_DAY', /roundId/],
    ['/positions?roundId=BTC_ONE_DAY_1&marketId=ETH_ONE_DAY', /roundId/],
    ['/positions?limit=%', /./],
  ];
  for (const [path, name] of cases) {
    const answered = await api.get(path);
    refused(answered, 400, 'invalid_request');
    assert.match(answered.error, name, path);
  }
  for (const limit of [1, 2, 199, 200]) {
    assert.deepEqual(await api.positions(`?status=all&limit=${limit}`), []);
    assert.deepEqual(await api.orders(`?limit=${limit}`), []);
  }
});

test('orders are listed most recently placed first, 50 by default', async () => {
  const trader = await sandbox.trader({ tier: 'VIP', balance: 100_000 });
  const placed = await place(trader, DAY, 120);
  const newestFirst = placed.toReversed();
  assert.deepEqual(ids(await trader.api.orders()), newestFirst.slice(0, 50));
  assert.deepEqual(ids(await trader.api.positions()), newestFirst.slice(0, 100));
  for (const limit of [1, 7, 119, 120, 200]) {
    const expected = newestFirst.slice(0, limit);
    assert.deepEqual(ids(await trader.api.orders(`?limit=${limit}`)), expected);
    assert.deepEqual(ids(await trader.api.positions(`?limit=${limit}`)), expected);
    assert.deepEqual(ids(await trader.api.positions(`?status=all&limit=${limit}`)), expected);
  }
});

test('positions are the active ones by default, or all, most recently changed first', async () => {
  const trader = await sandbox.trader();
  const { api } = trader;
  const dayBefore = await place(trader, DAY, 2);
  const minute = await place(trader, MINUTE, 3);
  const dayAfter = await place(trader, DAY, 1);
  const newestFirst = [...dayAfter, ...minute.toReversed(), ...dayBefore.toReversed()];
  assert.deepEqual(ids(await api.positions()), newestFirst);
  assert.deepEqual(ids(await api.positions('?status=all')), newestFirst);

  await sandbox.closeMinute({ BTC: 67_001 });
  const active = await api.positions('?status=active');
  assert.deepEqual(ids(active), [...dayAfter, ...dayBefore.toReversed()]);
  assert.deepEqual(ids(await api.positions()), ids(active));
  assert.ok(active.every(({ status }) => status === 'ACTIVE'));
  const all = await api.positions('?status=all');
  assert.deepEqual(new Set(ids(all.slice(0, 3))), new Set(minute), 'what settled last changed last');
  assert.deepEqual(ids(all.slice(3)), [...dayAfter, ...dayBefore.toReversed()]);
  assert.deepEqual(ids(await api.orders()), newestFirst, 'orders stay in the order of placement');

  const [newest] = await place(trader, DAY, 1);
  assert.equal((await api.positions('?status=all'))[0]?.id, newest);
  assert.equal((await api.positions('?status=all&limit=1')).length, 1);
});

test('a SETTLING bet is still a position', async () => {
  const trader = await sandbox.trader();
  await sandbox.openRounds({ BTC: 67_000 });
  const placed = await place(trader, MINUTE, 2);
  await sandbox.toOffset(60_000);
  const settling = await trader.api.positions();
  assert.deepEqual(ids(settling), placed.toReversed());
  for (const { status, result, payout, settledAt } of settling) {
    assert.deepEqual([status, result, payout, settledAt], ['SETTLING', null, null, null]);
  }
  await sandbox.advance(2_000);
  assert.deepEqual(await trader.api.positions(), []);
});

test('the last 200 placed, the last 200 settled and every open bet are listed', async () => {
  const trader = await sandbox.trader({ tier: 'VIP', balance: 100_000 });
  const { api } = trader;
  await sandbox.openRounds({ BTC: 67_000 });
  const settled = await place(trader, MINUTE, RETAINED + 10);
  await sandbox.closeMinute({ BTC: 67_001 });
  const open = await place(trader, DAY, 30);
  assert.deepEqual(ids(await api.positions('?limit=200')), open.toReversed());
  const orders = ids(await api.orders('?limit=200'));
  assert.deepEqual(orders, [...settled, ...open].toReversed().slice(0, RETAINED));
  const all = ids(await api.positions('?status=all&limit=200'));
  assert.equal(all.length, RETAINED);
  assert.deepEqual(all.slice(0, 30), open.toReversed());
  assert.equal(new Set(all).size, RETAINED);
});

test('a list read right after the answer to an order contains it', async () => {
  const { api } = await sandbox.trader();
  for (let n = 0; n < 50; n++) {
    const { bet } = await api.place({ ...DAY, prediction: n % 2 === 0 ? 'UP' : 'DOWN' });
    const [[order], [position], market] = await Promise.all([
      api.orders('?limit=1'),
      api.positions('?limit=1'),
      api.market(DAY.marketId),
    ]);
    assert.deepEqual([order?.id, position?.id], [bet.id, bet.id]);
    assert.ok((market.currentRound?.totalBets ?? 0) > n);
  }
});

test('every open position is reached page by page, and none twice while others are placed', async () => {
  const trader = await sandbox.trader({ tier: 'VIP', balance: 100_000 });
  const { api } = trader;
  await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
  const placed = await place(trader, DAY, 2 * RETAINED + 50);
  const pages = await api.pages('/positions', { limit: '200' });
  assert.deepEqual(
    pages.map(({ length }) => length),
    [200, 200, 50],
  );
  assert.deepEqual(ids(pages.flat()), placed.toReversed());
  assert.deepEqual(
    ids((await api.pages('/positions', { limit: '150', status: 'all' })).flat()),
    placed.toReversed(),
  );

  const first = await api.get('/orders?limit=100');
  const { nextCursor } = JSON.parse(first.text) as { nextCursor: string };
  const [later] = await place(trader, DAY, 1);
  assert.ok(later !== undefined);
  const second = await api.orders(`?limit=100&cursor=${nextCursor}`);
  assert.deepEqual(ids(second), placed.toReversed().slice(100, 200));
  assert.deepEqual(
    ids(await api.orders(`?limit=100&cursor=${nextCursor}`)),
    ids(second),
    'a cursor stays good',
  );
});

test('orders are filtered by status, market, round, and what came before', async () => {
  const trader = await sandbox.trader();
  const { api } = trader;
  await sandbox.openRounds({ BTC: 67_000 });
  const minute = await place(trader, MINUTE, 3);
  const roundId = (await api.market('BTC_ONE_MINUTE')).currentRound?.id ?? '';
  await sandbox.closeMinute({ BTC: 67_001 });
  const beforeMs = sandbox.nowMs;
  const day = await place(trader, DAY, 2);
  const [minuteDown, dayDown] = [minute.toReversed(), day.toReversed()];
  const listed = async (query: string): Promise<string[]> => ids(await api.orders(query));
  assert.deepEqual(await listed(''), [...dayDown, ...minuteDown]);
  assert.deepEqual(await listed('?status=active'), dayDown);
  assert.deepEqual(await listed('?status=settled'), minuteDown);
  assert.deepEqual(await listed('?marketId=BTC_ONE_DAY'), dayDown);
  assert.deepEqual(await listed(`?roundId=${roundId}`), minuteDown);
  assert.deepEqual(await listed(`?roundId=${roundId}&marketId=BTC_ONE_MINUTE&status=active`), []);
  assert.deepEqual(await listed(`?before=${minute[2]}`), minuteDown.slice(1));
  assert.deepEqual(await listed(`?before=${new Date(beforeMs).toISOString()}`), minuteDown);
  assert.deepEqual(
    await listed(`?before=${new Date(beforeMs + 60_000).toISOString()}&limit=1`),
    dayDown.slice(0, 1),
  );
  assert.deepEqual(ids(await api.positions('?marketId=BTC_ONE_MINUTE')), []);
  assert.deepEqual(ids(await api.positions('?marketId=BTC_ONE_MINUTE&status=all')), minuteDown);
  const pages = await api.pages('/positions', { status: 'all', limit: '2' });
  assert.deepEqual(pages.flatMap(ids).toSorted(), [...minute, ...day].toSorted(), 'each once');
});

test("a cursor shows only the reader's own bets", async () => {
  const [one, other] = [await sandbox.trader(), await sandbox.trader()];
  await place(one, DAY, 3);
  const theirs = await place(other, DAY, 1);
  const { nextCursor } = JSON.parse((await one.api.get('/orders?limit=1')).text) as { nextCursor: string };
  assert.deepEqual(await other.api.orders(`?cursor=${nextCursor}`), []);
  assert.deepEqual(ids(await other.api.orders(`?before=bet_999999`)), theirs);
});
