/** Rounds that were open when a server went down (design, section 4), and a clock that is behind the journal. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { ApiClient, refused } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import type { Market } from '../../support/api/spec.js';
import { Server } from '../../support/processes/server.js';

const MARKET = 'BTC_ONE_MINUTE';
const MINUTE_MS = 60_000;

let sandbox: Sandbox;
let trader: Trader;

before(async () => {
  sandbox = await Sandbox.shared();
  trader = await sandbox.trader();
});

const current = async (id = MARKET): Promise<Market['currentRound']> =>
  (await trader.api.market(id)).currentRound;

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
