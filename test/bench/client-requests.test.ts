/** What is sent, and when it is planned. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Arrivals, Backlog } from '../../bench/client/arrivals.js';
import { orderRequest } from '../../bench/client/http-request.js';
import { Requests } from '../../bench/client/requests.js';

test('templates are used in turn, each request with the next serial number in its key', () => {
  const order = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 };
  const withSerial = { ...orderRequest('secret', 'k-', order), expect: 0, stakeCents: 100 };
  const plain = { text: 'GET / HTTP/1.1\r\n\r\n', serialAt: -1, expect: 0, stakeCents: 0 };
  const requests = new Requests([withSerial, plain], 98);
  const taken = Array.from({ length: 4 }, () => requests.take().toString('latin1'));
  const keys = taken.map((text) => /Idempotency-Key: (\S+)/.exec(text)?.[1]);
  assert.deepEqual(keys, ['k-000000000098', undefined, 'k-000000000099', undefined]);
  assert.match(
    taken[0] ?? '',
    /Content-Length: 55\r\n\r\n\{"marketId":"BTC_ONE_DAY","prediction":"UP","amount":1\}$/,
  );
  assert.equal(requests.sent, 4);
  assert.equal(requests.nextSerial, 100);
});

test('a seed decides the planned times, and every plan meets the rate', () => {
  const plan = (seed: number): number[] => {
    const arrivals = new Arrivals(1_000, seed, 500);
    return Array.from({ length: 50_000 }, () => arrivals.take());
  };
  const times = plan(3);
  assert.deepEqual(plan(3), times);
  assert.notDeepEqual(plan(4), times);
  assert.ok(times.every((time, at) => at === 0 || time > (times[at - 1] ?? 0)));
  const spanMs = (times.at(-1) ?? 0) - 500;
  assert.ok(Math.abs(spanMs - 50_000) < 1_000, `50,000 requests at 1,000/s span ${spanMs} ms`);
});

test('a burst adds requests at its time, and the others stay as planned', () => {
  const plan = (burst: { atMs: number; count: number } | null, count: number): number[] => {
    const arrivals = new Arrivals(1_000, 3, 500, burst);
    return Array.from({ length: count }, () => {
      const { nextMs } = arrivals;
      assert.equal(arrivals.take(), nextMs);
      return nextMs;
    });
  };
  const times = plan({ atMs: 600, count: 40 }, 340);
  assert.deepEqual(
    times.filter((time) => time !== 600),
    plan(null, 300),
  );
  assert.equal(times.filter((time) => time === 600).length, 40);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
});

test('the backlog gives planned times back in order, and is bounded', () => {
  const backlog = new Backlog(3);
  for (const time of [1, 2, 3]) backlog.push(time);
  assert.throws(() => backlog.push(4), /3 planned requests wait/);
  assert.equal(backlog.shift(), 1);
  backlog.push(5);
  assert.deepEqual([backlog.shift(), backlog.shift(), backlog.shift()], [2, 3, 5]);
  assert.equal(backlog.length, 0);
});
