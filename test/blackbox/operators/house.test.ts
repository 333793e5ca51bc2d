/** The house's money as operators see it, through a real server: exposure and earnings are right to the cent. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { HouseExposure, HouseProfit, HouseResource } from '../../../http/operator/house.js';
import type { RoundResource } from '../../../http/operator/rounds.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { cents } from '../../support/api/spec-arithmetic.js';

const CAPITAL = 1_000_000;
const HOUR_MS = 3_600_000;
const BTC = 'BTC_ONE_MINUTE';

let sandbox: Sandbox;
let trader: Trader;

before(async () => {
  sandbox = await Sandbox.start({ env: { TOTE_CLOCK_START: '2026-06-10T10:30:00Z' } });
  trader = await sandbox.trader({ balance: 10_000, tier: 'VIP' });
});
after(() => sandbox.remove());

const get = async <T>(path: string): Promise<T> => (await sandbox.read<T>(path)).data;
const bet = (prediction: string, amount: number, marketId = BTC): Promise<unknown> =>
  trader.api.place({ marketId, prediction, amount });
const sum = (amounts: readonly number[]): bigint => amounts.reduce((all, amount) => all + cents(amount), 0n);

/** Since the beginning: its money, in rounds and besides, less its capital. */
async function earned(): Promise<bigint> {
  const { balance, openSeeds } = await sandbox.house();
  return cents(balance) + cents(openSeeds) - cents(CAPITAL);
}

test('before anything has happened there is no exposure and no profit', async () => {
  const exposure = await get<HouseExposure>('/house/exposure');
  assert.deepEqual(
    { ...exposure, time: '' },
    { time: '', seeds: 0, totalBets: 0, totalVolume: 0, worst: 0, expected: null, markets: [], rounds: [] },
  );
  const profit = await get<HouseProfit>('/house/profit');
  assert.deepEqual([profit.by, profit.parts.length, profit.total.rounds], ['hour', 24, 0]);
});

test('a round comes to what its exposure says of that end, and its fee is what winners did not get', async () => {
  await sandbox.openRounds({ BTC: 100 });
  for (const [prediction, amount] of [
    ['UP', 500],
    ['UP', 20],
    ['DOWN', 33.33],
  ] as const)
    await bet(prediction, amount);
  const exposure = await get<HouseExposure>('/house/exposure');
  const round = exposure.rounds.find(({ marketId, totalBets }) => marketId === BTC && totalBets === 3);
  assert.ok(round !== undefined && round.status === 'LIVE');
  assert.equal(round.totalVolume, 553.33);
  assert.equal(cents(round.resultIfUp), cents(round.totalVolume) - cents(round.owedUp));
  assert.equal(cents(round.resultIfDown), cents(round.totalVolume) - cents(round.owedDown));
  assert.equal(round.worst, Math.min(0, round.resultIfUp, round.resultIfDown));
  assert.equal(exposure.rounds[0]?.id, round.id, 'the one with the most to lose comes first');
  assert.equal(cents(exposure.worst), sum(exposure.rounds.map(({ worst }) => worst)));
  assert.equal(cents(exposure.seeds), sum(exposure.markets.map(({ seeds }) => seeds)));
  assert.equal(exposure.seeds, (await sandbox.house()).openSeeds);
  const before = await earned();
  await sandbox.closeMinute({ BTC: 101 });
  assert.equal((await earned()) - before, cents(round.resultIfUp));
  const settled = (await get<RoundResource[]>(`/rounds?marketId=${BTC}&status=SETTLED`)).find(
    ({ id }) => id === round.id,
  );
  assert.deepEqual([settled?.paid, settled?.houseResult], [round.owedUp, round.resultIfUp]);
  const { total } = await get<HouseProfit>('/house/profit');
  assert.equal(cents(total.fees), (cents(round.owedUp) * 300n) / 9_700n);
});

test('hours and days add up to what the house has more, draws and voids included', async () => {
  for (let hour = 0; hour < 3; hour++) {
    await sandbox.openRounds({ BTC: 100, ETH: 10 });
    await bet('DOWN', 100 + hour);
    await bet('UP', 44.4, 'ETH_ONE_MINUTE');
    await bet('UP', 7);
    if (hour === 1) {
      const { data } = await trader.api.get('/markets/ETH_ONE_MINUTE');
      const { currentRound } = data as { currentRound: { id: string } };
      const voided = await sandbox.operator.post(`/rounds/${currentRound.id}/void`, { reason: 'a test' });
      assert.equal(voided.status, 200, voided.text);
    }
    await sandbox.closeMinute({ BTC: 99 + hour, ETH: hour === 2 ? 9 : 10 });
    await sandbox.advance(HOUR_MS);
  }
  const hours = await get<HouseProfit>('/house/profit?by=hour');
  assert.equal(cents(hours.total.houseResult), await earned());
  assert.equal(sum(hours.parts.map(({ houseResult }) => houseResult)), cents(hours.total.houseResult));
  assert.deepEqual([hours.total.totalBets, hours.total.voided >= 1], [12, true]);
  assert.equal(cents(hours.total.houseResult), cents(hours.total.totalVolume) - cents(hours.total.paid));
  assert.ok(hours.parts.filter(({ totalBets }) => totalBets > 0).length >= 3);
  const days = await get<HouseProfit>(
    '/house/profit?by=day&from=2026-06-10T00:00:00Z&to=2026-06-10T23:00:00Z',
  );
  const shown = days.parts.map(({ start, end }) => [start, end]);
  assert.deepEqual(shown, [['2026-06-10T00:00:00.000Z', '2026-06-11T00:00:00.000Z']]);
  assert.deepEqual(days.total, hours.total);
  for (const [at, { results, ...market }] of hours.markets.entries()) {
    assert.deepEqual([sum(results), results.length], [cents(market.houseResult), hours.parts.length]);
    assert.deepEqual(days.markets[at], { ...market, results: [market.houseResult] });
  }
  const rounds = await get<RoundResource[]>('/rounds?status=SETTLED&limit=200');
  assert.equal(sum(rounds.map(({ houseResult }) => houseResult ?? 0)), await earned());
  const { today } = await get<HouseResource>('/house');
  const limits = today.map(({ scope, limit }) => [scope, limit]);
  assert.deepEqual(limits, [
    [BTC, 10_000],
    ['ETH_ONE_MINUTE', 10_000],
    ['BTC', 25_000],
    ['ETH', 25_000],
    ['ALL', 50_000],
  ]);
  for (const { scope, result, lost } of today) {
    const own = hours.markets.filter(
      ({ marketId }) => scope === 'ALL' || `${marketId}_`.startsWith(`${scope}_`),
    );
    assert.deepEqual(
      [cents(result), lost],
      [sum(own.map(({ houseResult }) => houseResult)), Math.max(0, -result)],
    );
  }
  assert.deepEqual(await get('/house/profit?by=hour'), hours, 'what was kept is what was read');
  sandbox = await sandbox.restart('kill');
  assert.deepEqual(await get('/house/profit?by=hour'), hours);
});

test('a past day is split by market, and a market by day', async () => {
  const rounds = await get<RoundResource[]>('/rounds?status=SETTLED&limit=200');
  const resultOf = (id: string): bigint =>
    sum(rounds.filter(({ marketId }) => marketId === id).map(({ houseResult }) => houseResult ?? 0));
  await sandbox.advance(24 * HOUR_MS);
  const past = 'from=2026-06-10T00:00:00Z&to=2026-06-11T00:00:00Z';
  const { markets, total } = await get<HouseProfit>(`/house/profit?by=day&${past}`);
  assert.deepEqual(markets.map(({ marketId }) => marketId).sort(), [BTC, 'ETH_ONE_MINUTE']);
  assert.equal(sum(markets.map(({ houseResult }) => houseResult)), cents(total.houseResult));
  const isLessFirst = (markets[0]?.houseResult ?? 0) < (markets[1]?.houseResult ?? 0);
  assert.ok(isLessFirst, 'the one that has lost more first');
  for (const { marketId, results, ...earned } of markets) {
    assert.equal(cents(earned.houseResult), resultOf(marketId));
    const alone = await get<HouseProfit>(`/house/profit?by=day&${past}&marketId=${marketId}`);
    assert.deepEqual([alone.total, alone.markets], [earned, [{ marketId, ...earned, results }]]);
    assert.equal(cents(alone.parts[0]?.houseResult ?? 0), resultOf(marketId));
  }
  const week = await get<HouseProfit>('/house/profit?from=2026-06-03T23:00:00Z&to=2026-06-10T23:00:00Z');
  assert.equal(week.parts.length, 168);
  for (const [query, named] of Object.entries({
    'marketId=BTC': 'marketId',
    'from=2026-06-12T00:00:00Z&to=2026-06-11T00:00:00Z': 'from must be before to',
    'from=2026-07-12T00:00:00Z': 'from must be before now',
    'from=2000-01-01T00:00:00Z': 'from must be at most 168 hours before now',
  })) {
    const { error } = await sandbox.operator.get(`/house/profit?${query}`);
    assert.ok(error.startsWith(`invalid_request: ${named}`), error);
  }
});
