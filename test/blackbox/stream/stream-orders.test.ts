/** Orders over the stream are those of POST /orders: the same answers, checks, limits and memory. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { streamsOfFile } from '../../support/api/stream-client.js';

const BET = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 10 };

let sandbox: Sandbox;
let trader: Trader;

const openAt = streamsOfFile();
const open = (secret: string, at = sandbox) => openAt(at, secret);

before(async () => {
  sandbox = await Sandbox.shared();
  await sandbox.openRounds({ BTC: 67_000 });
  trader = await sandbox.trader({ balance: 10_000 });
});

test('a retry over the other way replays the first answer, both ways round', async () => {
  const stream = await open(trader.secret);
  const first = await stream.ask('order', { op: 'order', idempotencyKey: 'way-1', order: BET });
  const rest = await trader.api.order(BET, { 'Idempotency-Key': 'way-1' });
  assert.deepEqual([rest.status, rest.data], [201, first.data]);
  assert.equal(rest.headers.get('X-Idempotent-Replay'), 'true');
  const again = await trader.api.order(BET, { 'Idempotency-Key': 'way-2' });
  const replay = await stream.ask('order', { op: 'order', idempotencyKey: 'way-2', order: BET });
  assert.deepEqual([replay.replayed, replay.data], [true, again.data]);
});

test('each refusal has the code and the sentence of POST /orders', async () => {
  const stream = await open(trader.secret);
  for (const order of [
    { ...BET, amount: 0.001 },
    { ...BET, amount: 1e6 },
    { ...BET, marketId: 'BTC_WEEK' },
    { ...BET, expectedPercent: 99 },
    { ...BET, expectedPrecent: 50 },
    {},
  ]) {
    const rest = await trader.api.order(order);
    const id = stream.request({ op: 'order', order });
    const { code, message } = await stream.take('error', (error) => error.id === id);
    assert.equal(message === '' ? code : `${code}: ${message}`, rest.error, JSON.stringify(order));
  }
  const listed = stream.request({ op: 'order', order: [] });
  stream.socket.send('{"op":"order","id":7000,"order":{"amount":1,"amount":2}}');
  const of = async (refused: number) => (await stream.take('error', ({ id }) => id === refused)).message;
  assert.equal(await of(listed), 'order must be a JSON object');
  assert.equal(await of(7_000), 'amount must be there only once');
  assert.equal(await stream.refused({ op: 'order', idempotencyKey: '', order: BET }), 'invalid_request');
  for (const orderId of ['', 'quote', 'bet_01'])
    assert.equal(await stream.refused({ op: 'cancel', orderId }), 'order_not_found', orderId);
});

test('scope, tier and a frozen account count for each order', async () => {
  const reader = await open((await sandbox.trader({ scopes: ['markets:read'] })).secret);
  assert.equal(await reader.refused({ op: 'order', order: BET }), 'insufficient_scope');
  const writer = await sandbox.trader({ scopes: ['orders:write'] });
  const stream = await open(writer.secret);
  await stream.ask('order', { op: 'order', idempotencyKey: 'kept', order: BET });
  await sandbox.operator.send('PATCH', `/accounts/${writer.accountId}`, '{"frozen":true}');
  assert.equal(await stream.refused({ op: 'order', order: BET }), 'account_frozen');
  const replay = await stream.ask('order', { op: 'order', idempotencyKey: 'kept', order: BET });
  assert.equal(replay.replayed, true);
  await sandbox.operator.send('PATCH', `/accounts/${writer.accountId}`, '{"frozen":false,"tier":"BRONZE"}');
  assert.equal(await stream.refused({ op: 'order', order: BET }), 'tier_too_low');
});

test('with the last stream that asks for it the orders of its key are cancelled, and those of another key rest', async () => {
  const scopes = ['positions:read', 'orders:write', 'orders:cancel'];
  const bot = await sandbox.trader({ balance: 1_000, scopes });
  const watcher = await open((await sandbox.key(bot.accountId, { scopes })).secret);
  await watcher.subscribe('fills');
  const [first, second] = [await open(bot.secret), await open(bot.secret)];
  for (const stream of [first, second])
    assert.deepEqual((await stream.ask('deadman', { op: 'deadman', seconds: 300 })).data, { seconds: 300 });
  assert.equal(await first.refused({ op: 'deadman', seconds: 301 }), 'invalid_request');
  const order = { ...BET, limitOdds: 100 };
  const own = await second.ask('order', { op: 'order', order });
  const others = await watcher.ask('order', { op: 'order', order });
  first.socket.terminate();
  assert.equal((await second.ask('pong', { op: 'ping' })).type, 'pong');
  const statuses = async () => (await bot.api.orders()).map(({ id, status }) => [id, status]);
  const [ownId, othersId] = [own.data.bet.id, others.data.bet.id];
  assert.deepEqual(await statuses(), [
    [othersId, 'PENDING'],
    [ownId, 'PENDING'],
  ]);
  second.socket.terminate();
  await watcher.take('fills', ({ data }) =>
    data.some(({ event, id }) => event === 'cancelled' && id === ownId),
  );
  assert.deepEqual(await statuses(), [
    [othersId, 'PENDING'],
    [ownId, 'CANCELLED'],
  ]);
});

test('orders count in the same windows as those of POST /orders, and those that wait when the server stops are answered', async (t) => {
  const limited = await Sandbox.startFor(t, { env: { TOTE_RATE_LIMITS: 'key_write=30' } });
  await limited.openRounds({ BTC: 67_000 });
  const scopes = ['markets:read', 'positions:read', 'orders:write', 'orders:cancel'];
  const { secret, api } = await limited.trader({ balance: 1_000, scopes });
  const stream = await open(secret, limited);
  for (let placed = 0; placed < 15; placed++) {
    await stream.ask('order', { op: 'order', order: { ...BET, limitOdds: 100 } });
    await api.place(BET);
  }
  const id = stream.request({ op: 'order', order: BET });
  const { code, retryAfterSeconds } = await stream.take('error', (error) => error.id === id);
  assert.equal(code, 'rate_limited');
  assert.ok(retryAfterSeconds !== undefined && retryAfterSeconds > 0 && retryAfterSeconds <= 60);
  // Cancellations have a budget of their own.
  const inVain = await stream.ask('cancelledAll', { op: 'cancelAll', prediction: 'DOWN' });
  assert.deepEqual(inVain.data, { cancelled: 0 });
  assert.deepEqual((await stream.ask('cancelledAll', { op: 'cancelAll' })).data, { cancelled: 15 });
  assert.deepEqual((await api.send('DELETE', '/orders?marketId=BTC_ONE_MINUTE')).data, { cancelled: 0 });
  assert.equal(await stream.refused({ op: 'cancelAll', marketId: 'nowhere' }), 'invalid_request');
  const other = await open((await limited.trader({ balance: 1_000 })).secret, limited);
  const asked = Array.from({ length: 20 }, () => other.request({ op: 'order', order: BET }));
  const stopping = limited.server.stop();
  assert.deepEqual(await other.closed, { code: 1001, reason: 'shutting_down' });
  const answered = [...other.arrived('order'), ...other.arrived('error')].map(({ id }) => id);
  // Requests behind the end have no answer, as when a connection breaks.
  const shown = answered.toSorted((a, b) => Number(a) - Number(b));
  assert.deepEqual(shown, asked.slice(0, answered.length));
  assert.equal((await stopping).code, 0);
});
