/** The client keeps under the rate limits by itself, in time that passes only by waiting. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { Pace } from '../../client/rest/pace.js';
import type { WebSocketConstructor } from '../../client/stream/connection.js';
import { StreamOrders } from '../../client/stream/orders.js';
import { MESSAGES_PER_SECOND } from '../../http/stream/limits.js';
import { type Answer, errorOf, ORDER, PLACED, Scripted } from './support/scripted.js';

const WINDOW_MS = 60_000;
const DEFAULTS = { timeoutMs: 9_000, retryForMs: 0 };

function limited(limit: number) {
  let counted: number[] = [];
  let refused = 0;
  const answer: Answer = ({ atMs }) => {
    counted = counted.filter((timeMs) => atMs - timeMs < WINDOW_MS);
    const isFull = counted.length >= limit;
    if (isFull) refused += 1;
    else counted.push(atMs);
    const resetSeconds = Math.ceil(((counted[0] ?? atMs) + WINDOW_MS - atMs) / 1_000);
    const headers = {
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(limit - counted.length),
      'X-RateLimit-Reset': String(resetSeconds),
      ...(isFull && { 'Retry-After': String(resetSeconds) }),
    };
    const body = isFull ? { success: false, error: 'rate_limited' } : { success: true, data: [] };
    return Response.json(body, { status: isFull ? 429 : 200, headers });
  };
  return { ...new Scripted([answer]), refused: () => refused };
}

for (const limit of [3, 30, 120]) {
  test(`one request after the other: none of ${limit} a minute is refused, and most of them are used`, async () => {
    const { client, sent, time, refused } = limited(limit);
    for (const endMs = time.nowMs() + 10 * WINDOW_MS; time.nowMs() < endMs; ) await client.listMarkets();
    assert.equal(refused(), 0);
    assert.ok(sent.length > limit * 7.5 && sent.length <= limit * 11, `${sent.length} in ten minutes`);
  });
}

test('many at once: hardly any is refused, all are answered, and the first ones do not wait, nor for aborted calls', async () => {
  const { client, sent, time, refused } = limited(30);
  for (let call = 0; call < 9; call++)
    await client.listMarkets({ signal: AbortSignal.abort() }).catch(() => undefined);
  await client.listMarkets();
  await Promise.all(Array.from({ length: 20 }, () => client.listMarkets()));
  assert.deepEqual(time.slept, [], 'plenty are left');
  for (let round = 0; round < 20; round++)
    await Promise.all(Array.from({ length: 5 }, () => client.listMarkets({ retryForMs: 600_000 })));
  assert.ok(refused() <= sent.length * 0.05, `${refused()} of ${sent.length} refused`);
});

test('requests at once are spread over what is left, also where a later answer does not tell all of it', async () => {
  const { time } = new Scripted([]);
  const pace = new Pace(time);
  const told = { 'X-RateLimit-Limit': '100', 'X-RateLimit-Remaining': '5', 'X-RateLimit-Reset': '60' };
  // It stays on its way: the server may not have counted it yet.
  pace.sent();
  for (const header of ['', ...Object.keys(told)]) {
    pace.sent();
    pace.answered(new Headers({ ...told, ...(header !== '' && { [header]: 'none' }) }));
  }
  await pace.wait();
  time.nowMs_ += 20_000;
  for (let request = 0; request < 3; request++) void pace.wait();
  assert.deepEqual(time.slept, [15_000, 12_500, 12_500], 'of the time from now on');
  time.nowMs_ += 5_000;
  await pace.wait();
  assert.equal(time.slept.length, 3, 'the limit is free again');
  pace.hold(30_000);
  pace.sent();
  pace.answered(new Headers(told));
  assert.equal(pace.nextAtMs, time.monotonicMs() + 30_000, 'an answer ends no wait that a refusal asked for');
});

test('reads, writes and cancellations do not wait for each other, and a quote waits as the read that the server counts it as', async () => {
  const { client, time } = limited(1);
  await client.placeOrder(ORDER);
  await client.quoteOrder(ORDER, { retryForMs: 0 }).catch(() => undefined);
  await client.cancelOrders({}, { retryForMs: 0 }).catch(() => undefined);
  const webSocket = class extends EventTarget {
    readonly told = setImmediate(() => this.dispatchEvent(new Event('error')));
  } as unknown as WebSocketConstructor;
  const stream = client.openStream({ webSocket, onState: () => stream.close() });
  await stream.closed;
  assert.deepEqual(time.slept, [], 'nor does a stream that asks why it has no connection');
  await client.listMarkets({ retryForMs: 0 }).catch(() => undefined);
  assert.equal(time.slept.length, 1);
});

function streamOrders() {
  const { time } = new Scripted([]);
  const [nothing, fail] = [() => undefined, () => assert.fail()];
  const orders = new StreamOrders(() => 1, DEFAULTS, time, nothing, fail, fail);
  return { orders, time, slept: time.slept };
}

test('over the stream cancellations wait after a refusal of one, and an order does not', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { orders, slept } = streamOrders();
  const controller = new AbortController();
  const { signal } = controller;
  orders.onConnected(() => orders.onAnswer(1, { code: 'rate_limited', detail: '', retryAfterMs: WINDOW_MS }));
  await errorOf(orders.cancel('bet_1', { signal }));
  await errorOf(orders.place(ORDER));
  assert.deepEqual([slept, getEventListeners(signal, 'abort')], [[], []]);
  await errorOf(orders.cancelAll());
  assert.deepEqual(slept, [WINDOW_MS]);
  orders.onConnected(() => controller.abort());
  await errorOf(orders.place(ORDER, { signal }));
  // No call that has ended is late.
  t.mock.timers.tick(DEFAULTS.timeoutMs);
});

test('over the stream no second has more orders than the server takes messages', async () => {
  const { orders, time } = streamOrders();
  const sentMs: number[] = [];
  orders.onConnected(() => {
    sentMs.push(time.nowMs());
    orders.onAnswer(1, { data: PLACED, nextCursor: null });
  });
  for (let call = 0; call < 200; call++) await orders.place(ORDER);
  const most = sentMs.map((fromMs) => sentMs.filter((at) => at >= fromMs && at < fromMs + 1_000).length);
  assert.ok(Math.max(...most) <= MESSAGES_PER_SECOND, `${Math.max(...most)} in a second`);
  assert.ok((sentMs.at(-1) ?? 0) - (sentMs[0] ?? 0) < 5_000, 'most of what it takes is used');
});

test('a countdown waits behind no cancellation, and a renewal that is limited has renewed it', async () => {
  const { orders, slept } = streamOrders();
  const granted = { data: null, nextCursor: null };
  const limited = { code: 'rate_limited', detail: '', retryAfterMs: WINDOW_MS } as const;
  const answers = [granted, limited, limited, limited, limited];
  orders.onConnected(() => orders.onAnswer(1, answers.shift() ?? assert.fail()));
  await orders.deadman(5);
  await errorOf(orders.cancelAll());
  for (const seconds of [5, 5]) assert.deepEqual(await orders.deadman(seconds), { seconds });
  assert.deepEqual(slept, []);
  assert.equal((await errorOf(orders.deadman(6))).code, 'rate_limited');
});

test('a countdown whose renewal was lost with its connection is asked for by the next one', async () => {
  const { orders } = streamOrders();
  orders.onConnected(() => orders.onAnswer(1, { data: null, nextCursor: null }));
  await orders.deadman(5);
  orders.onConnected(() => orders.onDisconnected(false));
  await new Promise((resolve) => setImmediate(resolve));
  const asked = new Promise((resolve) => {
    orders.onConnected(() => {
      orders.onDisconnected(true);
      orders.onConnected(resolve);
    });
  });
  assert.deepEqual(await asked, { op: 'deadman', seconds: 5, id: 1 });
  orders.onDisconnected(false);
});
