/** GET /time and GET /limits: a gateway answers by itself, and truly. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RATE_LIMITS } from '../../../config/rate-limits.js';
import { UNLIMITED } from '../../../http/limits/rate-limits.js';
import type { Limits, ServerTime } from '../../../http/wire/service-types.js';
import { dataOf, type Harness, type Reply, withBettor, withRounds } from './harness.js';

const ORDER = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 10 };
const timeOf = (api: Harness, secret: string): ServerTime => dataOf(api.get('/v1/time', secret));
const OF_SILVER = {
  ...{ tier: 'SILVER', maxStake: 1_000, maxOpenBets: 10_000, slippagePoints: 15, cutoffMs: 20_000 },
  ...{ idempotencyKeyMs: 600_000, fee: 0.03 },
};

const limitsOf = (api: Harness, secret: string): Limits => dataOf(api.get('/v1/limits', secret));

test('the time is that of the clock, and the number that of the last durable command', () => {
  const { api, secret } = withRounds();
  const { sequencer, engine } = api.host;
  const before = timeOf(api, secret);
  const { wallMs: timeMs } = api.clock;
  assert.deepEqual(before, { timeMs, time: new Date(timeMs).toISOString(), seq: sequencer.durableSeq });
  api.clock.pass(12_345);
  const order = api.begin('POST', '/v1/orders', { key: secret, body: ORDER });
  assert.equal(order.reply, null);
  const { reply } = api.begin('GET', '/v1/time', { key: secret });
  assert.ok(reply !== null, 'nothing waits for the disk');
  const laterMs = timeMs + 12_345;
  const { seq } = before;
  assert.deepEqual(dataOf(reply), { timeMs: laterMs, time: new Date(laterMs).toISOString(), seq });
  api.settle();
  assert.ok(order.reply !== null);
  assert.equal(timeOf(api, secret).seq, engine.seq);
  assert.ok(engine.seq > before.seq);
});

test('whoever has an answer reads no number from before it', () => {
  const { api, secret } = withRounds();
  const seqs: number[] = [];
  const { handler } = api;
  for (let order = 0; order < 5; order++) {
    api.begin('POST', '/v1/orders', { key: secret, body: ORDER }, (orderRequest, responder) =>
      handler(orderRequest, {
        send: (status, headers, body) => {
          responder.send(status, headers, body);
          seqs.push(timeOf(api, secret).seq - api.host.engine.seq);
        },
      }),
    );
    api.settle();
  }
  assert.deepEqual(seqs, [0, 0, 0, 0, 0]);
});

test('the limits are those of the key, of the account and of the address, and this request counts', () => {
  const { api, account, secret } = withBettor({ limits: DEFAULT_RATE_LIMITS }, { tier: 'SILVER' });
  const second = api.addKey(account);
  api.open();
  for (let order = 0; order < 3; order++) api.order(second.secret, ORDER);
  api.clock.pass(10_000);
  const left = (limit: number, remaining: number, resetSeconds: number) => ({
    limit,
    remaining,
    resetSeconds,
  });
  assert.deepEqual(limitsOf(api, secret), {
    windowMs: 60_000,
    rateLimits: {
      keyRead: left(120, 119, 60),
      keyWrite: left(30, 30, 0),
      keyCancel: left(120, 120, 0),
      account: left(240, 236, 50),
      ip: left(300, 296, 50),
    },
    bets: OF_SILVER,
  });
  const reply: Reply = api.get('/v1/limits', second.secret);
  const { rateLimits } = dataOf<Limits>(reply);
  assert.deepEqual(rateLimits.keyWrite, left(30, 27, 50));
  assert.deepEqual(rateLimits.keyRead, left(120, 119, 60));
  // The nearest of those that apply to a read is the one in the headers.
  const shown = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
  const found = shown.map((name) => Number(reply.headers.get(name)));
  assert.deepEqual(found, [120, 119, 60]);
  api.clock.pass(50_000);
  assert.deepEqual(limitsOf(api, secret).rateLimits.account, left(240, 237, 10));
});

test('another tier and other rules show at once', () => {
  const { api, account, secret } = withBettor({}, { tier: 'GOLD' });
  assert.equal(limitsOf(api, secret).bets.maxStake, 5_000);
  api.submit({ kind: 'updateAccount', account, tier: 0, frozen: null });
  api.configure((rules) => ({ ...rules, slippageE2: 750, openBetsMax: 7, feeBps: 250, cutoffMs: 45_000 }));
  const { bets, rateLimits } = limitsOf(api, secret);
  const changed = { maxOpenBets: 7, slippagePoints: 7.5, cutoffMs: 45_000, fee: 0.025 };
  assert.deepEqual(bets, { ...OF_SILVER, tier: 'BRONZE', maxStake: 0, ...changed });
  assert.equal(rateLimits.account.remaining, UNLIMITED, 'limits that are off leave everything');
});
