/** A pushed price that is too far from the last one (design, sections 4 and 8): held back, shown, and vouched for. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { refused } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { toteText } from '../../support/processes/cli.js';
import { logLines } from '../../support/processes/log-lines.js';

let sandbox: Sandbox;
let trader: Trader;

before(async () => {
  sandbox = await Sandbox.shared();
  trader = await sandbox.trader();
  await sandbox.openRounds({ BTC: 20_000 }, 'ONE_DAY');
});

interface Taken {
  readonly taken: number;
  readonly refused: readonly { readonly index: number; readonly crypto: string }[];
}

const post = (ticks: unknown) => sandbox.operator.post<Taken>('/prices', ticks);
const currentPrice = async (): Promise<number | null | undefined> =>
  (await trader.api.market('BTC_ONE_DAY')).currentRound?.currentPrice;

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
  const line = await sandbox.server.run.findInErrors((stderr) =>
    logLines(stderr).find(({ event }) => event === 'price_held'),
  );
  assert.deepEqual([line['crypto'], line['source'], line['lastPrice']], ['BTC', 'push', 20_000]);
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
