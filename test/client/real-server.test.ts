/** The client against the real server: reads, an order whose answers get lost, the limits, and a server that dies. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { addDollars, toDollars } from '../../client/base/money.js';
import { ToteClient } from '../../client/client.js';
import { eachOf } from '../../client/rest/pages.js';
import { Sandbox, type Trader } from '../support/api/api-client-sandbox.js';
import { fixedPort } from '../support/fixed-port.js';

let sandbox: Sandbox;
before(async () => {
  sandbox = await Sandbox.start({ env: { TOTE_PORT: await fixedPort() } });
});
beforeEach(() => sandbox.openRounds({ BTC: 100 }));
after(() => sandbox.remove());

const clientOf = ({ secret }: Pick<Trader, 'secret'>): ToteClient =>
  new ToteClient({ url: `${sandbox.server.publicUrl}/v1`, key: secret });

const ORDER = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 25 } as const;

test('markets, prices, rounds, orders and positions are read, and a bet is followed to its result', async () => {
  const trader = await sandbox.trader();
  const client = clientOf(trader);
  const market = await client.getMarket('BTC_ONE_MINUTE');
  assert.equal((await client.listMarkets()).length, 70);
  const [price, ...others] = await client.listPrices();
  assert.deepEqual([price?.crypto, price?.price, others], ['BTC', 100, []]);
  const { currentRound } = market;
  assert.ok(currentRound !== null);
  assert.equal((await client.getTime()).timeMs, sandbox.nowMs);
  assert.equal((await client.getLimits()).bets.tier, 'GOLD');
  const order = { ...ORDER, roundId: currentRound.id };
  const quote = await client.quoteOrder({ ...order, parts: 5 });
  const { bet, newBalance, idempotencyKey, ...rest } = await client.placeOrder(order);
  const again = await clientOf(trader).placeOrder(order, { idempotencyKey });
  assert.deepEqual(again, { bet, newBalance, idempotencyKey, ...rest }, 'the same order by another client');
  assert.deepEqual([quote.refusal, quote.oddsAtBet, quote.inParts?.placed], [null, bet.oddsAtBet, 5]);
  assert.deepEqual([newBalance, (await client.listPositions()).data[0]?.id], [9_975, bet.id]);
  await sandbox.closeMinute({ BTC: 101 });
  const { data } = await client.listPositions({ status: 'all', limit: 1 });
  const [settled] = data;
  assert.deepEqual([settled?.id, settled?.result, settled?.payout], [bet.id, 'WIN', bet.potentialPayout]);
  assert.equal((await client.listOrders({ limit: 1 })).data[0]?.id, bet.id);
  assert.equal((await client.getRound(currentRound.id)).result, 'UP');
});

test('orders and ledger are read over all their pages, and the ledger adds up to the balance', async () => {
  const trader = await sandbox.trader({ balance: 1_000 });
  const client = clientOf(trader);
  for (const amount of [1.1, 2.2, 3.3, 4.35]) await client.placeOrder({ ...ORDER, amount });
  await sandbox.closeMinute({ BTC: 101 });
  const stakes: number[] = [];
  for await (const { amount } of eachOf((page) => client.listOrders({ limit: 3, ...page })))
    stakes.push(amount);
  assert.deepEqual(stakes, [4.35, 3.3, 2.2, 1.1]);
  const earlier: number[] = [];
  const before = (await client.listOrders({ limit: 1 })).data[0]?.id ?? '';
  for await (const { amount } of eachOf((page) => client.listOrders({ before, limit: 1, ...page })))
    earlier.push(amount);
  assert.deepEqual(earlier, [3.3, 2.2, 1.1]);
  const amounts: number[] = [];
  for await (const { amount } of eachOf((page) => client.getLedger({ limit: 2, ...page })))
    amounts.push(amount);
  assert.equal(amounts.length, 9, 'a deposit, four stakes and four payouts');
  assert.equal(addDollars(...amounts), await sandbox.balance(trader.accountId));
});

test('orders under way when the server is killed are each placed once, and answered by the next server', async () => {
  const trader = await sandbox.trader();
  const client = clientOf(trader);
  const orders = Array.from({ length: 40 }, (_, at) =>
    client.placeOrder({ ...ORDER, amount: toDollars(100 + at) }),
  );
  await Promise.any(orders);
  sandbox = await sandbox.restart('kill', { TOTE_PORT: new URL(sandbox.server.publicUrl).port });
  const answered = (await Promise.all(orders)).map(({ bet }) => bet.id).sort();
  const placed = (await sandbox.api(trader.secret).orders()).map(({ id }) => id).sort();
  assert.deepEqual(answered, placed);
  assert.equal(new Set(answered).size, 40);
  await sandbox.checkConservation();
});
