/** The client against the real server: reads, an order whose answers get lost, the limits, and a server that dies. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ToteError } from '../../client/base/errors.js';
import { addDollars, toDollars } from '../../client/base/money.js';
import { realSurroundings } from '../../client/base/timing.js';
import { ToteClient } from '../../client/client.js';
import { eachOf } from '../../client/rest/pages.js';
import { Sandbox, type Trader } from '../support/api/api-client-sandbox.js';
import { fixedPort } from '../support/fixed-port.js';
import { LinkProxy } from '../support/link-proxy.js';

const closing: (() => unknown)[] = [];
after(async () => {
  for (const close of closing.reverse()) await close();
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<Sandbox> {
  const sandbox = await Sandbox.start({ env });
  closing.push(() => sandbox.remove());
  await sandbox.openRounds({ BTC: 100 });
  return sandbox;
}

const clientOf = ({ server }: Sandbox, { secret }: Pick<Trader, 'secret'>): ToteClient =>
  new ToteClient({ url: `${server.publicUrl}/v1`, key: secret });

const ORDER = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 25 } as const;

async function errorOf(call: Promise<unknown>): Promise<ToteError> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof ToteError, String(error));
  return error;
}

test('markets, prices, rounds, orders and positions are read, and a bet is followed to its result', async () => {
  const sandbox = await start();
  const client = clientOf(sandbox, await sandbox.trader());
  const market = await client.getMarket('BTC_ONE_MINUTE');
  assert.equal((await client.listMarkets()).length, 70);
  assert.deepEqual(
    (await client.listPrices()).map(({ crypto, price }) => [crypto, price]),
    [['BTC', 100]],
  );
  const { currentRound } = market;
  assert.ok(currentRound !== null);
  assert.equal((await client.getTime()).timeMs, sandbox.nowMs);
  assert.equal((await client.getLimits()).bets.tier, 'GOLD');
  const quote = await client.quoteOrder({ ...ORDER, roundId: currentRound.id });
  const { bet, newBalance } = await client.placeOrder({ ...ORDER, roundId: currentRound.id });
  assert.deepEqual([quote.refusal, quote.oddsAtBet], [null, bet.oddsAtBet]);
  assert.equal(newBalance, 9_975);
  assert.equal((await client.listPositions()).data[0]?.id, bet.id);
  await sandbox.closeMinute({ BTC: 101 });
  const { data } = await client.listPositions({ status: 'all', limit: 1 });
  const [settled] = data;
  assert.deepEqual([settled?.id, settled?.result, settled?.payout], [bet.id, 'WIN', bet.potentialPayout]);
  assert.equal((await client.listOrders({ limit: 1 })).data[0]?.id, bet.id);
  assert.equal((await client.getRound(currentRound.id)).result, 'UP');
});

test('orders and ledger are read over all their pages, and the ledger adds up to the balance', async () => {
  const sandbox = await start();
  const trader = await sandbox.trader({ balance: 1_000 });
  const client = clientOf(sandbox, trader);
  for (const amount of [1.1, 2.2, 3.3, 4.35]) await client.placeOrder({ ...ORDER, amount });
  await sandbox.closeMinute({ BTC: 101 });
  const stakes: number[] = [];
  for await (const { amount } of eachOf((page) => client.listOrders({ limit: 3, ...page })))
    stakes.push(amount);
  assert.deepEqual(stakes, [4.35, 3.3, 2.2, 1.1]);
  const amounts: number[] = [];
  for await (const { amount } of eachOf((page) => client.getLedger({ limit: 2, ...page })))
    amounts.push(amount);
  assert.equal(amounts.length, 9, 'a deposit, four stakes and four payouts');
  assert.equal(addDollars(...amounts), await sandbox.balance(trader.accountId));
});

test('refusals come as their codes, with the field', async () => {
  const sandbox = await start();
  const client = clientOf(sandbox, await sandbox.trader());
  const noMarket = await errorOf(client.getMarket('BTC/../ONE'));
  assert.deepEqual([noMarket.code, noMarket.status], ['market_not_found', 404]);
  const badAmount = await errorOf(client.placeOrder({ ...ORDER, amount: 0.001 }));
  assert.deepEqual([badAmount.code, badAmount.field], ['invalid_request', 'amount']);
  assert.match(badAmount.requestId ?? '', /-\d+$/);
  const badLimit = await errorOf(client.listOrders({ limit: 999 }));
  assert.deepEqual([badLimit.code, badLimit.field], ['invalid_request', 'limit']);
  const late = await errorOf(client.placeOrder({ ...ORDER, roundId: 'BTC_ONE_MINUTE_1' }));
  assert.equal(late.code, 'round_changed');
  const dear = await errorOf(client.placeOrder({ ...ORDER, minOdds: 3 }));
  assert.equal(dear.code, 'odds_changed');
  assert.ok((dear.current?.oddsAtBet ?? 3) < 3);
  const stranger = await errorOf(clientOf(sandbox, { secret: `tote_${'x'.repeat(43)}` }).listMarkets());
  assert.equal(stranger.code, 'invalid_api_key');
});

test('an order whose answers get lost is placed once', async () => {
  const sandbox = await start();
  const { api, secret } = await sandbox.trader();
  const toPort = Number(new URL(sandbox.server.publicUrl).port);
  const link = await LinkProxy.open(toPort, { after: 'POST /v1/orders', count: 3 });
  closing.push(() => link.close());
  const client = new ToteClient({ url: `http://127.0.0.1:${link.port}/v1`, key: secret });
  const { bet } = await client.placeOrder(ORDER);
  assert.equal(link.lost.length, 3);
  assert.deepEqual(
    (await api.orders()).map(({ id }) => id),
    [bet.id],
  );
});

test('orders under way when the server is killed are each placed once, and answered by the next server', async () => {
  const env = { TOTE_PORT: await fixedPort() };
  const sandbox = await start(env);
  const trader = await sandbox.trader();
  const client = clientOf(sandbox, trader);
  const orders = Array.from({ length: 40 }, (_, at) =>
    client.placeOrder({ ...ORDER, amount: toDollars(100 + at) }),
  );
  await Promise.any(orders);
  await sandbox.server.kill();
  const { dataDir } = sandbox.server;
  const next = await Sandbox.start({ dataDir, env });
  closing.push(() => next.remove());
  const answered = (await Promise.all(orders)).map(({ bet }) => bet.id).sort();
  const placed = (await next.api(trader.secret).orders()).map(({ id }) => id).sort();
  assert.deepEqual(answered, placed);
  assert.equal(new Set(answered).size, 40);
  await next.checkConservation();
});

test('a busy client is never refused by the limits, which it learns from the answers', async () => {
  const limits = 'key_read=20,key_write=10,account=1000,ip=1000';
  const sandbox = await start({ TOTE_RATE_LIMITS: limits });
  const { secret } = await sandbox.trader();
  let nowMs = 0;
  const client = new ToteClient({
    url: `${sandbox.server.publicUrl}/v1`,
    key: secret,
    surroundings: {
      ...realSurroundings,
      monotonicMs: () => nowMs,
      // The server's clock is manual: waiting moves it.
      sleep: async (delayMs) => {
        const wholeMs = Math.ceil(delayMs);
        await sandbox.advance(wholeMs);
        nowMs += wholeMs;
      },
    },
    retryForMs: 0,
  });
  for (let reads = 0; reads < 60; reads++) await client.listMarkets();
  assert.ok(nowMs > 60_000 && nowMs < 240_000, `60 reads took ${nowMs} ms`);
});
