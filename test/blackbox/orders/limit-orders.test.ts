/**
 * Limit orders on a real server: they outlive it, are filled by another's bet, and the stream tells the fate of each.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { FillEvent, ServerMessage } from '../../../http/wire/stream-types.js';
import type { ApiClient } from '../../support/api/api-client.js';
import { Sandbox } from '../../support/api/api-client-sandbox.js';
import type { OrderResult } from '../../support/api/spec.js';
import { StreamClient } from '../../support/api/stream-client.js';

const ORDER = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 10 };
const SCOPES = ['markets:read', 'positions:read', 'orders:write', 'orders:cancel'];

let sandbox: Sandbox;

before(async () => {
  sandbox = await Sandbox.shared();
  await sandbox.openRounds({ BTC: 67_000 });
});

const place = async (api: ApiClient, more: object, key: string): Promise<OrderResult> => {
  const order = () => api.order({ ...ORDER, ...more }, { 'Idempotency-Key': key });
  const [placed, again] = [await order(), await order()];
  assert.equal(placed.status, 201, placed.text);
  assert.deepEqual([again.text, again.headers.get('X-Idempotent-Replay')], [placed.text, 'true']);
  return placed.data;
};

const statusOf = async (api: ApiClient, id: string): Promise<string> =>
  (await api.get<{ status: string }>(`/orders/${id}`)).data.status;

test('an order rests with its stake reserved until a bet on the other side fills it, also after kill -9', async () => {
  const owner = await sandbox.trader({ scopes: SCOPES });
  const other = await sandbox.trader({ scopes: SCOPES });
  const { bet, newBalance } = await place(owner.api, { limitOdds: 2.2 }, 'resting');
  assert.equal(bet.status, 'PENDING');
  sandbox = await sandbox.restart('kill');
  await sandbox.push({ BTC: 67_000 });
  const api = sandbox.api(owner.secret);
  assert.equal(await statusOf(api, bet.id), 'PENDING');
  const moved = await place(sandbox.api(other.secret), { prediction: 'DOWN', amount: 400 }, 'moving');
  assert.notEqual(moved.limitOrdersFilled, null);
  assert.doesNotMatch(JSON.stringify(moved.limitOrdersFilled), /acc_|bet_/);
  const filled = (await api.get<{ status: string; oddsAtBet: number }>(`/orders/${bet.id}`)).data;
  assert.equal(filled.status, 'ACTIVE');
  assert.ok(filled.oddsAtBet >= 2.2, `${filled.oddsAtBet}`);
  const { data } = await api.get<{ balance: number }>('/account');
  assert.equal(data.balance, newBalance, 'its stake was reserved once');
});

test('the stream tells its owner, and nobody else, what becomes of each order', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const owner = await sandbox.trader({ scopes: SCOPES });
  const other = await sandbox.trader({ scopes: SCOPES });
  const told: { readonly owner: FillEvent[]; readonly other: FillEvent[] } = { owner: [], other: [] };
  const open = async (secret: string, events: FillEvent[]): Promise<StreamClient> => {
    const onMessage = (message: ServerMessage): void => {
      if (message.type === 'fills') events.push(...message.data);
    };
    const stream = await StreamClient.open(sandbox.server.publicUrl, secret, { onMessage });
    await stream.subscribe('fills');
    return stream;
  };
  const streams = [await open(owner.secret, told.owner), await open(other.secret, told.other)] as const;
  const clientOrderId = 'my-order'.repeat(8);
  const filled = await place(owner.api, { limitOdds: 2.2, clientOrderId }, 'to-fill');
  const expiring = await place(owner.api, { limitOdds: 50 }, 'not-to-fill');
  const validUntil = new Date(sandbox.nowMs + 4_000).toISOString();
  const ended = await place(owner.api, { limitOdds: 2.2, validUntil }, 'to-end');
  const listed = await owner.api.get<{ validUntil: string }>(`/orders/${ended.bet.id}`);
  assert.equal(listed.data.validUntil, validUntil);
  await sandbox.advance(4_001);
  await sandbox.push({ BTC: 67_000 });
  await place(other.api, { prediction: 'DOWN', amount: 400 }, 'filling');
  await sandbox.closeMinute({ BTC: 67_001 });
  for (const [at, events] of [told.owner, told.other].entries())
    await streams[at as 0 | 1].until(() => events.some(({ event }) => event === 'settled'));
  assert.deepEqual(
    told.owner.map(({ event, id }) => [event, id]),
    [
      ['pending', filled.bet.id],
      ['pending', expiring.bet.id],
      ['pending', ended.bet.id],
      ['expired', ended.bet.id],
      ['filled', filled.bet.id],
      ['expired', expiring.bet.id],
      ['settled', filled.bet.id],
    ],
  );
  const isNamed = ({ id }: { readonly id: string | null }): boolean => id === filled.bet.id;
  for (const event of told.owner)
    assert.equal(event.clientOrderId, isNamed(event) ? clientOrderId : undefined, event.event);
  const { data: ledger } =
    await owner.api.get<{ orderId: string | null; clientOrderId: string | null }[]>('/account/ledger');
  for (const entry of ledger)
    assert.equal(entry.clientOrderId, isNamed({ id: entry.orderId }) ? clientOrderId : null);
  const events = told.other.map(({ event }) => event);
  assert.deepEqual(events, ['placed', 'settled']);
  const [, , , , fill, expiry] = told.owner;
  assert.ok(fill?.event === 'filled' && fill.oddsAtBet >= 2.2 && fill.newBalance === expiring.newBalance);
  assert.equal(expiry?.newBalance, expiring.newBalance + ORDER.amount);
  for (const stream of streams) await stream.end();
});
