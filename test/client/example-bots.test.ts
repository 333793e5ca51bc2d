/** The example bots beside a server that a script plays: the orders they send, and the refusals they live through. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cautiousOdds } from '../../client/examples/bot.js';
import type { Market } from '../../client/index.js';
import { botNamed } from '../../client/local/bots.js';
import { type Answer, failure, PLACED, Scripted, success } from './support/scripted.js';

const ROUND = { id: 'BTC_ONE_MINUTE_1', status: 'LIVE', timeToBettingClose: 30_000, currentPrice: 100 };
const DETAIL = success({ ...ROUND, fairPercentUp: 50 });
const MARKET = { id: 'BTC_ONE_MINUTE', oddsUp: 1.6667, oddsDown: 2.5, percentUp: 60, percentDown: 40 };

const lookAt = (currentPrice: number): Market =>
  ({ ...MARKET, currentRound: { ...ROUND, currentPrice } }) as Market;

async function run(bot: string, prices: readonly number[], ordered: Answer, read: Answer = DETAIL) {
  const answer: Answer = (request) => (request.method === 'POST' ? ordered : read)(request);
  const script = new Scripted([answer], { retryForMs: 0 });
  const lines: string[] = [];
  async function* markets(): AsyncGenerator<Market> {
    yield* prices.map(lookAt);
  }
  await botNamed(bot)[1]({ tote: script.client, markets: markets(), log: (line) => void lines.push(line) });
  const posts = script.sent.filter(({ method }) => method === 'POST');
  return { orders: posts.map(({ body }) => JSON.parse(body ?? '')), lines };
}

const RISING = [100, 101, 102, 103, 104, 105];
const ACCEPTED = success(PLACED, 201);

test('momentum and imbalance insist on odds that are a little below those seen', async () => {
  const momentum = await run('momentum', RISING, ACCEPTED);
  const terms = { marketId: MARKET.id, prediction: 'UP', amount: 5, minOdds: 1.5, roundId: ROUND.id };
  const marks = { clientOrderId: 'momentum', clientSeed: `momentum:${ROUND.id}` };
  assert.deepEqual(momentum.orders, [{ ...terms, ...marks }]);
  const [order] = (await run('imbalance', [100], ACCEPTED)).orders;
  assert.deepEqual([order.prediction, order.minOdds, order.expectedPercent], ['DOWN', 2.25, undefined]);
  assert.equal(cautiousOdds(1.05), 1, 'the least that an order may ask for');
});

test('both-sides counts the bets of every page of its open ones', async () => {
  const open = Array(4).fill({ prediction: 'DOWN', amount: 5, potentialPayout: 12 });
  const page = (url: string) => (url.includes('cursor') ? { data: open } : { data: [], nextCursor: 'x' });
  const read: Answer = ({ url }) => Response.json({ success: true, ...page(url) });
  assert.deepEqual((await run('both-sides', [100], ACCEPTED, read)).orders, []);
});

test('a bot tries again at its next look while the house has no price to quote from, or its money is staked', async () => {
  const ofPrices = ['stale_price', 'price_held', 'price_source_changed', 'price_too_coarse'];
  for (const code of [...ofPrices, 'insufficient_balance']) {
    const { orders, lines } = await run('momentum', RISING, failure(503, `${code}: try again`));
    assert.equal(orders.length, 2, code);
    assert.ok(lines.every((line) => line.startsWith(`no bet in ${ROUND.id}: ${code}`)));
  }
  await assert.rejects(run('momentum', RISING, failure(403, 'account_frozen: ask us')), /account_frozen/);
});
