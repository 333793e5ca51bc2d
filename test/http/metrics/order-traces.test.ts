/** The stages of the last orders, in a ring that the numbers of their bets go round. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrderTrace } from '../../../engine/model/operators.js';
import { OrderTraces, tracesMemory } from '../../../http/metrics/order-traces.js';

const setup = { traces: tracesMemory(3), requestIdPrefix: 'a1' };
const clock = { nowMs: () => 10_000_000, monotonicMs: () => 5_000.4 };
const slow: OrderTrace[] = [];
const gateways = [0, 35].map((gateway) => new OrderTraces(setup, clock, gateway, (one) => slow.push(one)));
/** Gateway `bet % 2` took the order at `startedMs`, and answered after `tookMs`. */
const add = (bet: number, key: string | null, startedMs: number, writtenMs = 0, tookMs = 4): void =>
  gateways[bet % 2]?.add(
    ...([bet, bet + 100, 7, bet * 10, key, startedMs, startedMs + 1] as const),
    ...([startedMs + 2, writtenMs, startedMs + 3, startedMs + tookMs] as const),
  );
const found = (id: string): string | undefined => gateways[0]?.find(id)?.betId;

test('each of the last orders is found by any of its ids, and no other', () => {
  for (let bet = 1; bet <= 5; bet++) add(bet, bet === 3 ? 'once' : 'often', 1_000);
  const ids = { bet_3: 'bet_3', bet_5: 'bet_5', 'a10-40': 'bet_4', 'a1z-50': 'bet_5' };
  for (const [id, betId] of Object.entries({ ...ids, once: 'bet_3', often: 'bet_5' }))
    assert.equal(found(id), betId, id);
  for (const id of ['bet_2', 'a1z-40', 'b1z-50', 'bet_8', '']) assert.equal(found(id), undefined, id);
  const names = ['gateway', 'engine', 'commit', 'answered'];
  const stages = names.map((stage, before) => ({ stage, tookMs: 1, atMs: before + 1 }));
  const order = { betId: 'bet_5', sequence: 105, accountId: 'acc_7', requestId: 'a1z-50' };
  const receivedAt = '1970-01-01T02:46:36.000Z';
  assert.deepEqual(gateways[0]?.find('bet_5'), { ...order, receivedAt, stages, totalMs: 4 });
});

test('with a replicated journal the disk comes before the log', () => {
  add(6, null, 1_000, 1_002.25);
  assert.deepEqual(gateways[0]?.find('bet_6')?.stages.slice(2, 4), [
    { stage: 'commit', tookMs: 0.25, atMs: 2.25 },
    { stage: 'replicated', tookMs: 0.75, atMs: 3 },
  ]);
});

test('of slow orders one a second is told', () => {
  assert.equal(slow.length, 0);
  for (const startedMs of [2_000, 2_500, 2_999, 3_000]) add(8, null, startedMs, 0, 1_001);
  add(8, null, 9_000, 0, 1_000);
  const told = slow.map(({ totalMs, receivedAt }) => `${totalMs} ${receivedAt}`);
  assert.deepEqual(told, ['1001 1970-01-01T02:46:37.000Z', '1001 1970-01-01T02:46:38.000Z']);
});
