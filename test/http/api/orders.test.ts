/** POST /orders: the answer, when it is sent, replays, and every refusal with its status. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAIRNESS_TOOLS } from '../../../crypto/hashes.js';
import { RoundSeeds } from '../../../engine/fairness.js';
import type { OrderResult } from '../../../http/wire/types.js';
import {
  codeOf,
  errorOf,
  type Harness,
  MASTER_SECRET,
  MINUTE_MS,
  type Reply,
  withRounds,
} from './harness.js';

const MARKET = 'BTC_ONE_MINUTE';
const ORDER = { marketId: MARKET, prediction: 'UP', amount: 10 };

function refused(api: Harness, reply: Reply, code: string): void {
  assert.equal(codeOf(reply), code, reply.text);
  assert.equal(api.host.engine.betsPlaced, 0);
}

test('an accepted order is answered with exactly the fields of the API', () => {
  const { api, secret } = withRounds();
  api.clock.pass(1_005);
  const reply = api.order(secret, { ...ORDER, amount: 12.34, clientSeed: 'seed "1"' });
  assert.equal(reply.status, 201);
  const placedAtMs = api.clock.wallMs;
  const roundNumber = Math.floor(placedAtMs / MINUTE_MS);
  const betHash = new RoundSeeds(MASTER_SECRET, FAIRNESS_TOOLS).betHash({
    timeMs: placedAtMs,
    bet: 1,
    market: 0,
    roundNumber,
    side: 0,
    stakeCents: 1_234,
    oddsE4: 19_878,
    entryPercentE2: 5_031,
    payoutCents: 2_379,
    clientSeed: 'seed "1"',
  });
  const expected: { success: true; data: OrderResult } = {
    success: true,
    data: {
      bet: {
        id: 'bet_1',
        marketId: MARKET,
        prediction: 'UP',
        amount: 12.34,
        oddsAtBet: 1.9878,
        entryPercent: 50.31,
        potentialPayout: 23.79,
        status: 'ACTIVE',
        betHash,
        placedAt: new Date(placedAtMs).toISOString(),
      },
      newBalance: 9_987.66,
      limitOrdersFilled: null,
    },
  };
  assert.equal(reply.text, JSON.stringify(expected));
  assert.equal(reply.headers.get('x-idempotent-replay'), undefined);
});

test('a success waits for the journal; a refusal does not', () => {
  const { api, secret } = withRounds();
  const order = api.begin('POST', '/v1/orders', { key: secret, body: ORDER });
  assert.equal(order.reply, null);
  const other = api.begin('POST', '/v1/orders', { key: secret, body: { ...ORDER, amount: 0.5 } });
  assert.equal(other.reply?.status, 400);
  api.host.endTurn();
  assert.equal(order.reply, null);
  api.host.journal.ack();
  const { reply } = order;
  assert.equal(reply === null ? 0 : (reply as Reply).status, 201);
});

test('a replay is the first answer byte for byte, whatever became of the bet', () => {
  const { api, secret } = withRounds();
  const body = { ...ORDER, expectedPercent: 50, clientSeed: 's' };
  const first = api.order(secret, body, 'key-1');
  assert.equal(first.status, 201);
  const again = () => api.order(secret, body, '"key-1"');
  const replay = again();
  assert.deepEqual([replay.status, replay.text], [201, first.text]);
  assert.equal(replay.headers.get('x-idempotent-replay'), 'true');
  const reordered = `{ "clientSeed":"s", "amount":1e1, "expectedPercent":50.0,"prediction":"UP","marketId":"${MARKET}"}`;
  assert.equal(api.order(secret, reordered, 'key-1').text, first.text);
  api.submit({ kind: 'setTrading', enabled: false, reason: 'test' });
  assert.equal(again().text, first.text);
  api.submit({ kind: 'setTrading', enabled: true, reason: '' });
  api.closeMinute(101);
  assert.equal(again().text, first.text);
  const sent = { key: secret, body, idempotencyKey: 'key-1' };
  assert.equal(api.send('POST', '/v1/orders', sent, api.newApi()).text, first.text);
  assert.equal(api.host.engine.betsPlaced, 1);
});

test('a duplicate of an order that is not durable yet is in progress, even past the backlog', () => {
  const { api, secret } = withRounds({ backlogCommandsMax: 1 });
  const options = { key: secret, body: ORDER, idempotencyKey: 'k' };
  const first = api.begin('POST', '/v1/orders', options);
  const duplicate = api.begin('POST', '/v1/orders', options).reply;
  assert.ok(duplicate !== null);
  assert.deepEqual([duplicate.status, codeOf(duplicate)], [409, 'idempotency_in_progress']);
  const fresh = api.begin('POST', '/v1/orders', { ...options, idempotencyKey: 'other' }).reply;
  assert.ok(fresh !== null);
  assert.deepEqual([fresh.status, codeOf(fresh)], [503, 'journal_backlog']);
  api.settle();
  assert.equal(api.order(secret, ORDER, 'k').text, first.reply === null ? '' : (first.reply as Reply).text);
});

test('a refusal says what has changed, and why there is no trading; quotes.test.ts has the other codes', () => {
  const { api, secret } = withRounds();
  const order = (change: object) => api.order(secret, { ...ORDER, ...change });
  const slipped = order({ expectedPercent: 65.01 });
  refused(api, slipped, 'odds_changed');
  assert.equal(slipped.text, '{"success":false,"error":"odds_changed"}', 'as specified, without minOdds');
  // 1,010 and 1,000: the seeds and the stake.
  const current = { percent: 50, oddsAtBet: 1.99 };
  const unmet = order({ minOdds: 9 });
  assert.equal(unmet.text, JSON.stringify({ success: false, error: 'odds_changed', current }));
  assert.equal(unmet.status, 409);
  refused(api, order({ roundId: 'ETH_ONE_DAY_20614' }), 'round_changed');
  api.submit({ kind: 'setTrading', enabled: false, reason: 'maintenance' });
  const off = order({});
  refused(api, off, 'trading_disabled');
  assert.match(errorOf(off), /maintenance/);
  api.submit({ kind: 'setTrading', enabled: true, reason: '' });
  api.host.journal.space('reserve');
  refused(api, order({}), 'disk_reserve');
  api.host.journal.space('ok');
  assert.equal(order({ expectedPercent: 65 }).status, 201);
});

test('the form of the request is checked before the rules of the engine', () => {
  const { api, secret } = withRounds();
  api.submit({ kind: 'setTrading', enabled: false, reason: 'test' });
  const send = (options: object) => api.send('POST', '/v1/orders', { key: secret, body: ORDER, ...options });
  refused(api, send({ contentType: 'text/plain' }), 'unsupported_media_type');
  refused(api, send({ contentType: '' }), 'unsupported_media_type');
  for (const contentEncoding of ['gzip', 'br', 'identity, gzip', 'identity;q=1', 'x']) {
    const reply = send({ contentEncoding });
    refused(api, reply, 'unsupported_media_type');
    assert.match(reply.text, /Content-Encoding other than identity/, contentEncoding);
  }
  refused(api, send({ body: '{' }), 'invalid_request');
  refused(api, send({ body: '', contentType: 'application/json' }), 'invalid_request');
  refused(api, send({ idempotencyKey: '' }), 'invalid_request');
  const named = { 'amount=10': /"amount"/, x: /"x"/, '=': /""/, '%': /percent-encoding/ };
  for (const [query, sentence] of Object.entries(named)) {
    const reply = send({ query });
    refused(api, reply, 'invalid_request');
    assert.match(errorOf(reply), sentence, 'a guard in the query would be ignored');
  }
  refused(api, send({ body: { ...ORDER, amount: '10' } }), 'invalid_request');
  refused(api, send({ body: { ...ORDER, marketId: 'DOGE_ONE_MINUTE' } }), 'market_not_found');
  refused(api, send({}), 'trading_disabled');
  for (const contentEncoding of ['identity', 'Identity'])
    refused(api, send({ contentEncoding }), 'trading_disabled');
});
