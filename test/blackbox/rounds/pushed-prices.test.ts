/**
 * POST /operator/v1/prices (design, sections 4 and 8): which ticks are accepted, and what the answer says of the
 * others.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { refused } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { toteText } from '../../support/processes/cli.js';
import { logLines } from '../../support/processes/log-lines.js';
import { Server } from '../../support/processes/server.js';

let sandbox: Sandbox;
let trader: Trader;

before(async () => {
  sandbox = await Sandbox.start();
  trader = await sandbox.trader();
  await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
});
after(() => sandbox.remove());

interface Taken {
  readonly taken: number;
  readonly refused: readonly { readonly index: number; readonly crypto: string }[];
}

const post = (ticks: unknown) => sandbox.operator.post<Taken>('/prices', ticks);
const at = (offsetMs: number): string => new Date(sandbox.nowMs + offsetMs).toISOString();
const currentPrice = async (): Promise<number | null | undefined> =>
  (await trader.api.market('BTC_ONE_DAY')).currentRound?.currentPrice;

test('a tick without a timestamp has the present time and is the currentPrice', async () => {
  const { status, data } = await post([{ crypto: 'BTC', price: 67_001 }]);
  assert.equal(status, 200);
  assert.deepEqual([data.taken, data.refused], [1, []]);
  assert.equal(await currentPrice(), 67_001);
});

test('an older tick changes no current price', async () => {
  assert.equal((await post([{ crypto: 'BTC', price: 67_500, timestamp: at(-5_000) }])).status, 200);
  assert.equal(await currentPrice(), 67_001);
});

test('a tick more than 1 s ahead is refused, exactly 1 s is not', async () => {
  refused(await post([{ crypto: 'BTC', price: 67_002, timestamp: at(1_001) }]), 400, 'price_refused');
  assert.equal(await currentPrice(), 67_001);
  assert.equal((await post([{ crypto: 'BTC', price: 67_002, timestamp: at(1_000) }])).status, 200);
  assert.equal(await currentPrice(), 67_002);
});

test('a price more than a factor of 1.5 from the last one is refused, exactly 1.5 is not', async () => {
  await sandbox.advance(2_000);
  await sandbox.push({ BTC: 60_000 });
  for (const price of [90_000.01, 39_999.99, 6_000_000, 0.01]) {
    refused(await post([{ crypto: 'BTC', price }]), 400, 'price_refused');
  }
  assert.equal(await currentPrice(), 60_000);
  await sandbox.push({ BTC: 90_000 });
  await sandbox.push({ BTC: 60_000 });
  assert.equal(await currentPrice(), 60_000);
});

test('a price that three later ones agree with over 30 s is accepted', async () => {
  for (let second = 0; second < 30; second += 10) {
    refused(await post([{ crypto: 'BTC', price: 20_000 + second }]), 400, 'price_refused');
    await sandbox.advance(10_000);
  }
  assert.equal(await currentPrice(), 60_000);
  assert.equal((await post([{ crypto: 'BTC', price: 20_030 }])).status, 200);
  assert.equal(await currentPrice(), 20_030);
  await sandbox.push({ BTC: 20_000 });
});

test('a price that is held back is shown, and believed at once where an operator vouches for it', async () => {
  const confirm = (crypto: string, body: unknown) =>
    sandbox.operator.post<{ crypto: string; price: number }>(`/prices/${crypto}/confirm`, body);
  const reason = 'three exchanges agree';
  const held = async () => {
    const { data } = await sandbox.operator.get<{ feed: { held: Record<string, unknown> } }>('/status');
    return data.feed.held;
  };
  refused(await confirm('BTC', { price: 41_000, reason }), 409, 'price_not_held');
  await sandbox.advance(2_000);
  for (const price of [41_000, 41_100]) {
    refused(await post([{ crypto: 'BTC', price }]), 400, 'price_refused');
    await sandbox.advance(1_000);
  }
  assert.deepEqual(await held(), {
    BTC: { price: 41_100, source: 'push', since: new Date(sandbox.nowMs - 2_000).toISOString(), ticks: 2 },
  });
  // The first since the start: a line a minute at most.
  const line = await sandbox.server.run.findInErrors((stderr) =>
    logLines(stderr).find(({ event }) => event === 'price_held'),
  );
  assert.deepEqual([line['crypto'], line['source'], line['lastPrice']], ['BTC', 'push', 60_000]);
  refused(await confirm('BTC', { price: 41_000 }), 400, 'invalid_request');
  refused(await confirm('DOGE', { price: 41_000, reason }), 404, 'not_found');
  refused(await confirm('BTC', { price: 40_000, reason }), 409, 'price_not_held');
  refused(await confirm('ETH', { price: 41_000, reason }), 409, 'price_not_held');
  assert.equal(await currentPrice(), 20_000);
  const { status, data } = await confirm('BTC', { price: 41_000, reason });
  assert.deepEqual([status, data], [200, { crypto: 'BTC', price: 41_100, reason }]);
  assert.equal(await currentPrice(), 41_100);
  assert.deepEqual(await held(), {});
  assert.equal((await post([{ crypto: 'BTC', price: 41_200 }])).status, 200);
  const replayed = await toteText(['replay', sandbox.server.dataDir, '--kind', 'confirmPrice', '--explain']);
  assert.match(replayed, /believe the price 41100 of BTC: "three exchanges agree"/);
});

test('invalid prices are refused', async () => {
  for (const price of [0, -1]) refused(await post([{ crypto: 'ETH', price }]), 400, 'price_refused');
  for (const tick of [{ crypto: 'ETH' }, { crypto: 'DOGE', price: 1 }, { crypto: 'ETH', price: '1' }, null]) {
    refused(await post([tick]), 400, 'invalid_request');
  }
  for (const body of [[], {}, null]) refused(await post(body), 400, 'invalid_request');
  refused(await post([{ crypto: 'ETH', price: 1, timestamp: 'noon' }]), 400, 'invalid_request');
});

test('each tick is judged on its own', async () => {
  const { status, data } = await post([
    { crypto: 'SOL', price: 150 },
    { crypto: 'BTC', price: 1 },
    { crypto: 'XRP', price: 2 },
  ]);
  assert.equal(status, 200);
  assert.equal(data.taken, 2);
  assert.deepEqual(
    data.refused.map(({ index, crypto }) => [index, crypto]),
    [[1, 'BTC']],
  );
});

test('the simulated feed takes no pushed prices, and the system clock cannot be moved', async () => {
  const server = await Server.start({ env: { TOTE_FEED: 'simulated', TOTE_CLOCK: 'system' } });
  try {
    refused(await server.operator.post('/prices', [{ crypto: 'BTC', price: 67_000 }]), 409, 'feed_not_push');
    refused(await server.operator.post('/clock', { advanceMs: 1_000 }), 409, 'clock_not_manual');
  } finally {
    await server.remove();
  }
});
