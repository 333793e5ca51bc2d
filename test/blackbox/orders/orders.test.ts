/**
 * POST /orders through a real server: an order under an Idempotency-Key is placed once, whatever happens in between.
 * The cases of each rule are tested at the handlers and in the engine.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { refused } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import type { Answered } from '../../support/http/client.js';

const BODY_BYTES_MAX = 16_384;
const MARKET = 'BTC_FOUR_HOURS';
const ORDER = { marketId: MARKET, prediction: 'UP', amount: 10, expectedPercent: 50, clientSeed: 'ü' };

let sandbox: Sandbox;

before(async () => {
  sandbox = await Sandbox.shared();
  await sandbox.openRounds({ BTC: 67_000 }, 'FOUR_HOURS');
});

const keyed = (key: string): Record<string, string> => ({ 'Idempotency-Key': key });

/** Status, body byte for byte, and the header that says so. */
function replays(answered: Answered, first: Answered): void {
  assert.deepEqual([answered.status, answered.text], [201, first.text]);
  assert.equal(answered.headers.get('X-Idempotent-Replay'), 'true');
}

async function placeFirst(trader: Trader, key: string, order: unknown = ORDER): Promise<Answered> {
  const first = await trader.api.order(order, keyed(key));
  assert.deepEqual([first.status, first.headers.get('X-Idempotent-Replay')], [201, null], first.text);
  return first;
}

test('what is placed shows in the lists, the market and the balance; what is refused shows nowhere', async () => {
  const { api, accountId } = await sandbox.trader({ balance: 100 });
  const before = await api.market(ORDER.marketId);
  refused(await api.order({ ...ORDER, amount: 1.001 }), 400, 'invalid_request');
  refused(await api.order({ ...ORDER, marketId: 'NO_SUCH' }), 404, 'market_not_found');
  refused(await api.order({ ...ORDER, amount: 100.01 }), 400, 'insufficient_balance');
  const validUntil = new Date(sandbox.nowMs - 1).toISOString();
  refused(await api.order({ ...ORDER, validUntil }), 400, 'order_expired');
  const unmet = await api.order({ ...ORDER, minOdds: 9 });
  refused(unmet, 409, 'odds_changed');
  assert.match(unmet.text, /"current":\{"percent":50,"oddsAtBet":1.99\}/);
  // Its one letter outside ASCII is two bytes.
  const body = JSON.stringify(ORDER);
  refused(
    await api.send('POST', '/orders', { body, headers: { 'Content-Type': 'text/plain' } }),
    415,
    'unsupported_media_type',
  );
  refused(await api.send('POST', '/orders', { body: body.padEnd(BODY_BYTES_MAX) }), 413, 'body_too_large');
  assert.deepEqual(await api.market(ORDER.marketId), before);

  const quote = await api.send<{ oddsAtBet: number }>('POST', '/orders/quote', { body });
  const padded = await api.send<{ bet: { id: string; oddsAtBet: number } }>('POST', '/orders', {
    body: body.padEnd(BODY_BYTES_MAX - 1),
  });
  const { bet } = padded.data;
  assert.equal(bet.oddsAtBet, quote.data.oddsAtBet);
  const [order] = await api.orders();
  assert.deepEqual([order?.id, order?.status], [bet.id, 'ACTIVE']);
  assert.deepEqual(await api.positions(), [order]);
  assert.equal((await api.market(ORDER.marketId)).poolUp, before.poolUp + ORDER.amount);
  assert.equal(await sandbox.balance(accountId), 90);
  await sandbox.checkConservation();
});

test('a retry replays the answer at both base paths, with every key, after each end of the server', async () => {
  const trader = await sandbox.trader();
  const first = await placeFirst(trader, 'fate');
  replays(await trader.api.at('/api/v1').order(ORDER, keyed('fate')), first);
  const { secret } = await sandbox.key(trader.accountId, { scopes: ['orders:write'] });
  refused(await trader.api.order({ ...ORDER, amount: 11 }, keyed('fate')), 400, 'idempotency_key_reused');
  await sandbox.operator.put('/trading', { enabled: false, reason: 'maintenance' });
  for (const how of ['stop', 'kill'] as const) {
    sandbox = await sandbox.restart(how);
    replays(await sandbox.api(secret).order(ORDER, keyed('fate')), first);
    refused(await sandbox.api(secret).order(ORDER, keyed('new')), 503, 'trading_disabled');
  }
  await sandbox.operator.put('/trading', { enabled: true });
  await sandbox.operator.patch(`/accounts/${trader.accountId}`, { frozen: true });
  replays(await sandbox.api(secret).order(ORDER, keyed('fate')), first);
  refused(await sandbox.api(secret).order(ORDER, keyed('new')), 403, 'account_frozen');
  assert.equal((await sandbox.api(trader.secret).orders()).length, 1);
});
