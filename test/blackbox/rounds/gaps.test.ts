/**
 * Missing prices and downtime (design, section 4): late openings, windows without a round, and rounds that were open
 * when the server went down.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { ApiClient, refused } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { FRAMES, type Round } from '../../support/api/spec.js';
import { Server } from '../../support/processes/server.js';

const MARKET = 'BTC_ONE_MINUTE';
const MINUTE_MS = 60_000;
/** A one-minute round takes bets for 35 s; one that opens late must have 10 s of them left. */
const LATEST_OPENING_MS = 25_000;

let sandbox: Sandbox;
let trader: Trader;

before(async () => {
  sandbox = await Sandbox.start();
  trader = await sandbox.trader();
});
after(() => sandbox.remove());

const current = async (id = MARKET): Promise<Round | null> => (await trader.api.market(id)).currentRound;

test('late opening: with 10 s of betting left a round opens at that time and price', async () => {
  await sandbox.toBoundary('ONE_DAY');
  await sandbox.advance(LATEST_OPENING_MS);
  await sandbox.push({ BTC: 67_001 });
  const round = must(await current(), 'round');
  assert.equal(round.startTime, new Date(sandbox.nowMs).toISOString());
  assert.equal(Date.parse(round.endTime), sandbox.nowMs - LATEST_OPENING_MS + MINUTE_MS);
  assert.deepEqual([round.status, round.openPrice, round.timeRemaining], ['LIVE', 67_001, 35]);
  assert.equal(round.roundNumber, Math.floor(sandbox.nowMs / MINUTE_MS));
  const { timestamp, price } = must((await trader.api.prices())[0], 'price');
  assert.deepEqual([timestamp, price], [round.startTime, 67_001]);
});

test('late opening: with less betting left no round opens in this window, in every time frame', async () => {
  for (const [frame, { lengthMs, lockLeadMs }] of Object.entries(FRAMES)) {
    const asset = 'ETH';
    await sandbox.toBoundary(frame);
    await sandbox.advance(lengthMs - lockLeadMs - 20_000 - 10_000 + 1);
    await sandbox.push({ [asset]: 3_000 });
    assert.equal(await current(`${asset}_${frame}`), null, frame);
    await sandbox.toBoundary(frame);
  }
});

test('late opening: the tick must be fresh', async () => {
  await sandbox.toBoundary('ONE_MINUTE');
  const tick = (crypto: string, ageMs: number): Promise<unknown> =>
    sandbox.operator.post('/prices', [
      { crypto, price: 10, timestamp: new Date(sandbox.nowMs - ageMs).toISOString() },
    ]);
  await sandbox.advance(15_000);
  await tick('XRP', 10_001);
  assert.equal(await current('XRP_ONE_MINUTE'), null);
  await tick('TON', 10_000);
  assert.equal((await current('TON_ONE_MINUTE'))?.status, 'LIVE');
});

test('without a price at a boundary the round is voided, and no round opens until there are prices', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const first = must(await current(), 'round');
  const { bet } = await trader.api.place({ marketId: MARKET, prediction: 'UP', amount: 5 });
  const balance = await sandbox.balance(trader.accountId);
  await sandbox.toOffset(MINUTE_MS);
  const dropped = must(await current(), 'upcoming round');
  assert.equal(dropped.status, 'UPCOMING');
  await sandbox.advance(2_000);
  assert.equal(await current(), null);
  assert.equal((await trader.api.round(first.id)).voided, true);
  refused(await trader.api.get(`/rounds/${dropped.id}`), 404, 'round_not_found');
  assert.equal((await trader.api.orders()).find(({ id }) => id === bet.id)?.result, 'REFUNDED');
  assert.equal(await sandbox.balance(trader.accountId), balance + 5);
  await sandbox.advance(5_000);
  await sandbox.push({ BTC: 67_100 });
  const late = must(await current(), 'late round');
  assert.equal(late.id, dropped.id, 'the window has its id; it was not used');
  assert.equal(late.openPrice, 67_100);
});

test('when the clock jumps over many windows open rounds are voided, and those in between never exist', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const open = must(await current(), 'round');
  await trader.api.place({ marketId: MARKET, prediction: 'DOWN', amount: 5 });
  await sandbox.advance(10 * MINUTE_MS + 30_000);
  assert.equal((await trader.api.round(open.id)).voided, true);
  for (let n = 1; n <= 10; n++) {
    refused(await trader.api.get(`/rounds/${MARKET}_${open.roundNumber + n}`), 404, 'round_not_found');
  }
  assert.equal(await current(), null);
  assert.deepEqual(await trader.api.positions(), []);
  await sandbox.checkConservation();
});

for (const how of ['stop', 'kill'] as const) {
  test(`after ${how} and start a LIVE round continues, takes bets and settles by its price`, async () => {
    await sandbox.openRounds({ BTC: 67_000 });
    const { id } = must(await current(), 'round');
    const first = await trader.api.place({ marketId: MARKET, prediction: 'UP', amount: 5 });
    await sandbox.toOffset(20_000);
    const bets = [
      first.bet.id,
      (await trader.api.place({ marketId: MARKET, prediction: 'UP', amount: 6 })).bet.id,
    ];
    sandbox = await sandbox.restart(how);
    trader = { ...trader, api: sandbox.api(trader.secret) };
    const round = must(await current(), 'round after the restart');
    assert.deepEqual([round.id, round.status, round.openPrice, round.totalBets], [id, 'LIVE', 67_000, 2]);
    bets.push((await trader.api.place({ marketId: MARKET, prediction: 'DOWN', amount: 7 })).bet.id);
    await sandbox.closeMinute({ BTC: 67_001 });
    const results = new Map((await trader.api.orders()).map((order) => [order.id, order.result]));
    assert.deepEqual(
      bets.map((bet) => results.get(bet)),
      ['WIN', 'WIN', 'LOSS'],
    );
    assert.equal((await current())?.status, 'LIVE', 'and the next round follows');
    await sandbox.checkConservation();
  });
}

test('a round that waited for its price at a shutdown gets it afterwards, or is voided', async () => {
  for (const isPriced of [true, false]) {
    await sandbox.openRounds({ BTC: 67_000 });
    const { id } = must(await current(), 'round');
    const { bet } = await trader.api.place({ marketId: MARKET, prediction: 'UP', amount: 5 });
    await sandbox.toOffset(MINUTE_MS);
    assert.equal((await trader.api.round(id)).status, 'SETTLING');
    sandbox = await sandbox.restart('kill');
    trader = { ...trader, api: sandbox.api(trader.secret) };
    assert.equal((await trader.api.round(id)).status, 'SETTLING');
    if (isPriced) {
      const timestamp = new Date(Math.floor(sandbox.nowMs / MINUTE_MS) * MINUTE_MS - 500).toISOString();
      await sandbox.operator.post('/prices', [{ crypto: 'BTC', price: 67_001, timestamp }]);
    }
    await sandbox.advance(MINUTE_MS - 1);
    const settled = await trader.api.round(id);
    assert.deepEqual([settled.status, settled.voided], ['SETTLED', !isPriced]);
    const position = (await trader.api.orders()).find((order) => order.id === bet.id);
    assert.equal(position?.result, isPriced ? 'WIN' : 'REFUNDED');
    await sandbox.checkConservation();
  }
});

test('while the clock is behind the journal orders are refused, and reads are not', async () => {
  await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
  await sandbox.server.stop();
  const server = await Server.start({
    dataDir: sandbox.server.dataDir,
    env: { TOTE_CLOCK: 'system', TOTE_CHANGE_SETUP: 'clock' },
  });
  try {
    const order = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 };
    const api = new ApiClient(server.publicUrl, trader.secret);
    refused(await api.order(order), 503, 'clock_unsynchronised');
    assert.equal((await api.market('BTC_ONE_DAY')).currentRound?.status, 'LIVE');
    assert.equal((await api.get('/positions?status=all')).status, 200);
  } finally {
    await server.stop();
  }
});
