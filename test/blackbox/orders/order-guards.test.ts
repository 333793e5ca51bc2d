/** The guards of an order on a real server: roundId, validUntil, minOdds. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { refused } from '../../support/api/api-client.js';
import { Sandbox } from '../../support/api/api-client-sandbox.js';

const ORDER = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 10 };

let sandbox: Sandbox;

before(async () => {
  sandbox = await Sandbox.start();
});
after(() => sandbox.remove());

test('a late retry never lands in the next round, and a remembered order is repeated byte for byte', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const { api } = await sandbox.trader();
  const roundId = (await api.market(ORDER.marketId)).currentRound?.id ?? '';
  const guarded = {
    ...ORDER,
    roundId,
    minOdds: 1.5,
    validUntil: new Date(sandbox.nowMs + 1_000).toISOString(),
  };
  const placed = await api.order(guarded, { 'Idempotency-Key': 'one' });
  assert.equal(placed.status, 201, placed.text);
  assert.equal((await api.positions())[0]?.round.id, roundId);

  await sandbox.closeMinute({ BTC: 67_001 });
  assert.notEqual((await api.market(ORDER.marketId)).currentRound?.id, roundId);
  const again = await api.order(guarded, { 'Idempotency-Key': 'one' });
  assert.deepEqual([again.status, again.text], [201, placed.text]);
  assert.equal(again.headers.get('X-Idempotent-Replay'), 'true');
  const { minOdds } = guarded;
  const other = { ...ORDER, roundId, minOdds };
  refused(await api.order(other, { 'Idempotency-Key': 'one' }), 400, 'idempotency_key_reused');
  refused(await api.order({ ...ORDER, roundId }, { 'Idempotency-Key': 'two' }), 409, 'round_changed');
  refused(await api.order(guarded), 400, 'order_expired');
  assert.equal((await api.orders()).length, 1);
});

test('an order is executed until validUntil, and not a millisecond later', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const { api } = await sandbox.trader();
  const validUntil = new Date(sandbox.nowMs + 2).toISOString();
  await sandbox.advance(2);
  assert.equal((await api.order({ ...ORDER, validUntil })).status, 201);
  await sandbox.advance(1);
  refused(await api.order({ ...ORDER, validUntil }), 400, 'order_expired');
});

test('who asks for better odds is told the present ones, with which the next attempt is placed', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const { api } = await sandbox.trader();
  const refusal = await api.order({ ...ORDER, minOdds: 9 });
  refused(refusal, 409, 'odds_changed');
  // 1,010 and 1,000: the seeds and the stake.
  const current = { percent: 50, oddsAtBet: 1.99 };
  assert.equal(refusal.text, JSON.stringify({ success: false, error: 'odds_changed', current }));
  const { bet } = await api.place({ ...ORDER, expectedPercent: current.percent, minOdds: current.oddsAtBet });
  assert.equal(bet.oddsAtBet, current.oddsAtBet);
  const plain = await api.order({ ...ORDER, expectedPercent: 99 });
  assert.equal(plain.text, '{"success":false,"error":"odds_changed"}', 'as specified, without minOdds');
});

test('a round of another market and a guard of null are refused, and named', async () => {
  const { api } = await sandbox.trader();
  for (const [guard, value] of Object.entries({
    roundId: 'ETH_ONE_MINUTE_1',
    validUntil: null,
    minOdds: 0.5,
  })) {
    const answered = await api.order({ ...ORDER, [guard]: value });
    refused(answered, 400, 'invalid_request');
    assert.match(answered.error, new RegExp(guard));
  }
});
