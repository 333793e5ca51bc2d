/** The operator API's control of prices, clock, rounds, markets, trading and house. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Status } from '../../../http/operator/queries/status.js';
import type { Market, Position } from '../../../http/wire/types.js';
import { Sandbox } from '../../support/api/api-client-sandbox.js';
import { operatorApi } from '../../support/host/operator-api.js';
import type { Bettor, Server } from '../../support/processes/server.js';

let server: Server;
let bettor: Bettor;
before(async () => {
  ({ server } = await Sandbox.shared());
  bettor = await server.createBettor({ balance: 1_000 });
  await server.toNextDay();
});

async function roundOf(marketId: string): Promise<NonNullable<Market['currentRound']>> {
  const market = await bettor.api.get<Market>(`/markets/${marketId}`);
  assert.ok(market.data.currentRound !== null, `${marketId} has a round`);
  return market.data.currentRound;
}

const bet = (marketId: string) => bettor.api.post('/orders', { marketId, prediction: 'UP', amount: 10 });

test('a refused price is reported, and the others of its list are accepted', async () => {
  const push = (...prices: { crypto: string; price: number; timestamp?: string }[]) =>
    server.operator.post<{ taken: number; refused: { index: number; crypto: string; reason: string }[] }>(
      '/prices',
      prices,
    );
  await server.push({ BTC: 100 });
  const absurd = await push({ crypto: 'BTC', price: 1_000 });
  assert.match(absurd.error, /^price_refused: BTC: .*than by a factor of 1.5/);
  const mixed = await push({ crypto: 'BTC', price: -1 }, { crypto: 'ETH', price: 3_000 });
  assert.deepEqual([mixed.status, mixed.data.taken], [200, 1]);
  assert.equal(mixed.data.refused.map(({ index, crypto }) => `${index} ${crypto}`).join(), '0 BTC');
  assert.equal((await roundOf('ETH_ONE_DAY')).openPrice, 3_000);
  const timestamp = new Date((await server.nowMs()) + 1_001).toISOString();
  assert.match((await push({ crypto: 'SOL', price: 100, timestamp })).error, /^price_refused: SOL/);
  const old = { crypto: 'SOL', price: 100, timestamp: '2020-01-01T00:00:00Z' };
  const tooOld = await push(old);
  assert.match(tooOld.error, /^price_refused: SOL: the timestamp is too old/);
  const one = await push(old, { crypto: 'SOL', price: 100 });
  assert.deepEqual([one.status, one.data.taken], [200, 1]);
  assert.match(one.data.refused[0]?.reason ?? '', /^the timestamp is too old/);
  const wrong = [{ crypto: 'DOGE' }, { price: '1' }, { at: 1 }, { timestamp: 'now' }];
  for (const body of [[], {}, ...wrong.map((fields) => [{ crypto: 'SOL', price: 1, ...fields }])]) {
    const malformed = await server.operator.post('/prices', body);
    assert.equal(malformed.status, 400, JSON.stringify(body));
    assert.match(malformed.error, /^invalid_request: (?!.*Array<)/);
  }
  const { status, error } = await server.operator.post('/prices', ['x'.repeat(16_384)]);
  assert.deepEqual([status, error], [413, 'body_too_large: a body has at most 16384 bytes']);
});

test('a simulated feed and a system clock cannot be controlled', async () => {
  const { send } = operatorApi();
  const prices = await send('POST', '/prices', [{ crypto: 'BTC', price: 1 }]);
  assert.deepEqual([prices.status, prices.error.split(':')[0]], [409, 'feed_not_push']);
  const clock = await send('POST', '/clock', { advanceMs: 1 });
  assert.deepEqual([clock.status, clock.error.split(':')[0]], [409, 'clock_not_manual']);
});

test('the clock refuses anything but a number of milliseconds', async () => {
  for (const advanceMs of [-1, 0.5, '5', null, 2_678_400_001]) {
    const refused = await server.operator.post('/clock', { advanceMs });
    assert.equal(refused.status, 400, `${advanceMs}`);
    assert.match(refused.error, /advanceMs/);
  }
  const before = await server.nowMs();
  assert.equal(await server.advance(0), before);
});

test('a voided round refunds its bets before the answer', async () => {
  await server.push({ XRP: 2 });
  const { id } = await roundOf('XRP_ONE_DAY');
  assert.equal((await bet('XRP_ONE_DAY')).status, 201);
  assert.equal((await server.operator.post('/rounds/XRP_ONE_DAY_1/void', { reason: 'x' })).status, 404);
  assert.equal((await server.operator.post(`/rounds/${id}/void`, {})).status, 400);
  const voided = await server.operator.post(`/rounds/${id}/void`, { reason: 'wrong price' });
  assert.equal(voided.status, 200, voided.text);
  const [position] = (await bettor.api.get<Position[]>('/positions?status=all')).data;
  assert.deepEqual([position?.status, position?.result, position?.payout], ['SETTLED', 'REFUNDED', 10]);
  const again = await server.operator.post(`/rounds/${id}/void`, { reason: 'wrong price' });
  assert.match(again.error, /^round_already_resolved/);
});

test('a suspended market takes no bets until it is resumed', async () => {
  await server.push({ ETH: 3_000 });
  const suspended = await server.operator.patch('/markets/ETH_FOUR_HOURS', { suspended: true });
  assert.equal(suspended.status, 200);
  const refused = await bet('ETH_FOUR_HOURS');
  assert.match(refused.error, /^market_suspended/);
  assert.equal((await server.operator.patch('/markets/ETH_FOUR_HOURS', { suspended: false })).status, 200);
  assert.equal((await bet('ETH_FOUR_HOURS')).status, 201);
  const unknown = await server.operator.patch('/markets/DOGE_ONE_DAY', { suspended: true });
  assert.match(unknown.error, /^market_not_found/);
});

test('a resumption that comes late lifts no later suspension, and the status says which there is', async () => {
  const id = 'ETH_FOUR_HOURS';
  const change = (body: object) =>
    server.operator.patch<{ suspendedSequence: number }>(`/markets/${id}`, body);
  const suspend = async () => (await change({ suspended: true })).data.suspendedSequence;
  const resume = (suspendedSequence: number) => change({ suspended: false, seen: { suspendedSequence } });
  const first = await suspend();
  assert.equal((await resume(first)).data.suspendedSequence, 0);
  const second = await suspend();
  assert.match((await resume(first)).error, /^preview_outdated/);
  assert.match((await bet(id)).error, /^market_suspended/);
  const listed = (await server.operator.get<Status>('/status')).data.suspendedMarkets;
  assert.deepEqual(listed, [{ id, suspendedSequence: second }]);
  const third = await suspend();
  assert.match((await resume(second)).error, /^preview_outdated/, 'somebody else has suspended it, too');
  assert.equal((await resume(third)).status, 200);
});

test('the status shows sequence numbers, rounds and the feed', async () => {
  await server.push({ BTC: 101 });
  const { status, data } = await server.operator.get<Status>('/status');
  assert.deepEqual([status, data.sequence, data.backlog], [200, data.durableSequence, 0]);
  const { oldRows, ...journal } = data.journal;
  assert.deepEqual(journal, { durability: 'fsync', spaceLevel: 'ok' });
  // A new directory has no old rows; the shadow's thread says so when it comes to it.
  assert.equal(typeof oldRows.checked, 'boolean');
  const shown = { ...oldRows, checked: true };
  assert.deepEqual(shown, { checked: true, checkedSequence: 0, untilSequence: 0, faults: [] });
  const { trading, ordersRefused, clock, feed, rounds, ...rest } = data;
  assert.deepEqual([trading, ordersRefused], [{ enabled: true, reason: '' }, null]);
  assert.deepEqual([clock.mode, clock.condition], ['manual', 'sound']);
  assert.equal(feed.name, 'push');
  assert.deepEqual(feed.ticks['BTC'], { price: 101, ageMs: 0, source: 'push' });
  assert.equal(feed.ticks['GOLD'], null);
  assert.ok(rounds.open > 0);
  assert.deepEqual(rounds.notOpenedForLackOfCapital, []);
  for (const name of ['version', 'rulesVersion', 'uptimeSeconds', 'engineTime'])
    assert.ok(name in rest, name);
});
