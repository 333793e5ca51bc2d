/** The load client's parts: its orders and their times, the end of an answer, the count of acknowledgements; and Redis. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Answers, WAITING } from '../../bench/client/answers.js';
import { Arrivals } from '../../bench/client/arrivals.js';
import { COMPLETE, type Frame, frameHttp, INCOMPLETE } from '../../bench/client/framing.js';
import type { RequestTemplate } from '../../bench/client/job.js';
import { runOnce } from '../../bench/load/runs.js';
import { LIMIT_HEADERS, mixed, placed } from '../../bench/load/workload.js';
import { hasRedis, startRedis } from '../../bench/references/redis.js';
import { CountedOrders } from '../../bench/tote/audit.js';
import { newFolder } from '../support/new-folder.js';

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

test('a mix reads every market as often as any other, however few the keys', () => {
  const marketIds = Array.from({ length: 70 }, (_, at) => `M${at}`);
  for (const mix of [{ market: 1 }, { orders: 1, market: 6, markets: 2, positions: 1 }]) {
    const { templates } = mixed({ mix, apiKeys: ['a', 'b', 'c', 'd'], marketIds });
    const readsOf = (id: string) => templates.filter(({ text }) => text.includes(`/markets/${id} `)).length;
    const reads = marketIds.map(readsOf);
    assert.ok(Math.min(...reads) > 0 && Math.max(...reads) - Math.min(...reads) <= 1, reads.join());
  }
});

const WHOLE =
  'HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nX-RateLimit-Limit: 30\r\nContent-Length: 16\r\n\r\n{"success":true}';
const emptyFrame = (): Frame => ({ status: 0, bodyAt: 0, endAt: 0, isLast: false });

test('an answer ends where its length says, whatever follows, and is incomplete at any byte before', () => {
  const last = [WHOLE.replace('X-RateLimit-Limit: 30', 'Connection: close')];
  last.push(WHOLE.replace('Limit: 30', 'Limit: 3').replace('\r\n\r\n', '\r\nconnection:close\r\n\r\n'));
  for (const whole of [WHOLE, `${WHOLE}HTTP/1.1 200 OK`, ...last]) {
    const bytes = Buffer.from(whole);
    const frame = emptyFrame();
    const endAt = whole.indexOf('}') + 1;
    assert.equal(frameHttp(bytes, bytes.length, frame), COMPLETE);
    assert.deepEqual(frame, { status: 201, bodyAt: endAt - 16, endAt, isLast: last.includes(whole) });
    for (let end = 0; end < endAt; end += 1) {
      assert.equal(frameHttp(bytes, end, emptyFrame()), INCOMPLETE, `cut at ${end}`);
    }
  }
});

const TEMPLATE: RequestTemplate = { text: '', serialAt: -1, expect: 0, stakeCents: 100 };

const LIMITS = LIMIT_HEADERS.map((name) => `${name} 5\r\n`).join('');
const http = (status: number, body: string, headers = LIMITS): Buffer =>
  Buffer.from(`HTTP/1.1 ${status} X\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`);

test('anything else is a failure, by its error code, and bytes after an answer are refused', () => {
  const body = '{"success":true,"data":{"bet":{"id":"bet_1"}}}';
  for (const [bytes, code] of [
    [http(409, '{"success":false,"error":"odds_changed: they moved"}'), 'odds_changed'],
    [http(400, body), 'unexpected 400'],
    [http(201, body.slice(0, -3)), 'unexpected 201'],
    [http(201, body, ''), 'unexpected 201'],
    [http(201, '{"success":true,"data":{"bet":{"id":"bet_1}}}'), 'unexpected 201'],
  ] as const) {
    const answers = new Answers([TEMPLATE], [placed(true)]);
    assert.equal(answers.check(0, bytes, bytes.length - 1), WAITING);
    answers.check(0, bytes, bytes.length);
    const { acknowledged, failures } = answers.record();
    assert.deepEqual(acknowledged, [0], code);
    assert.deepEqual([failures[0]?.code, failures[0]?.count, answers.failed], [code, 1, 1]);
    const more = Buffer.concat([bytes, bytes]);
    assert.throws(() => answers.check(0, more, more.length), /bytes follow an answer/);
  }
});

test('orders told by their number alone may be more by those unread, and never fewer', () => {
  const counted = new CountedOrders(10);
  counted.add(5, 2);
  for (const found of [15, 17]) counted.expect('bets', found);
  for (const found of [14, 18])
    assert.throws(() => counted.expect('bets', found), /bets: 1[48], expected 15/);
});

test('Redis makes a key for each SET', { skip: hasRedis() ? false : 'Redis is not installed' }, async (t) => {
  const options = {
    ...{ quick: true, rounds: 1, warmupMs: 0, measureMs: 100, durability: 'os' as const },
    ...{ cores: { server: null, client: null }, workDir: newFolder(), progress: () => {} },
  };
  const { target, audit } = await startRedis(60, options);
  t.after(() => target.process.stop('SIGKILL'));
  const { ratePerSecond, latency } = await runOnce(target, { connections: 8 }, options);
  assert.ok(ratePerSecond > 0 && latency.p50Us > 0 && latency.maxUs >= latency.p50Us);
  await audit();
});
