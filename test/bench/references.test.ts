/** The references do what their names say: the same bytes, committed before the answer, counted on both sides. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { httpRequest, orderRequest } from '../../bench/client/http-request.js';
import type { Expectation } from '../../bench/client/job.js';
import { type Measurement, measure } from '../../bench/client/start.js';
import { hasWrk, measureWithWrk } from '../../bench/client/wrk.js';
import type { ServerProcess } from '../../bench/host/server-process.js';
import { captureAnswer, type WireAnswer } from '../../bench/load/answer.js';
import { auditCommitted, expectAsLarge, startBare } from '../../bench/references/bare.js';
import { hasRedis, setsPerSecond, startRedis } from '../../bench/references/redis.js';

const root = mkdtempSync(join(tmpdir(), 'tote-bench-test-'));
const running: ServerProcess[] = [];
after(async () => {
  await Promise.all(running.map((server) => server.stop()));
  rmSync(root, { recursive: true });
});

function folder(name: string): string {
  const dir = join(root, name);
  mkdirSync(dir);
  return dir;
}

const ANSWER: WireAnswer = {
  status: 201,
  statusLine: '201 Created',
  headers: [
    ['Content-Type', 'application/json'],
    ['X-RateLimit-Limit', '30'],
  ],
  body: '{"success":true,"data":{"bet":{"id":"bet_1"}}}',
  bytes: 0,
};
const PLACED: Expectation = {
  status: 201,
  bodyStart: '{"success":true,"data":{"bet":',
  numbered: false,
  headers: ['X-RateLimit-Limit: 30'],
};
const ORDER = orderRequest('secret', 'k-', { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 });
const ORDERS = [{ ...ORDER, expect: 0, stakeCents: 100 }];

function load(
  server: ServerProcess,
  port: number,
  what: Pick<Parameters<typeof measure>[0], 'templates' | 'expectations'>,
): Promise<Measurement> {
  const job = { host: '127.0.0.1', port, connections: 8, warmupMs: 50, measureMs: 200, firstSerial: 1 };
  return measure({ ...job, pace: { kind: 'closed' }, ...what }, server, null);
}

test('the bare handler sends the captured bytes again, for GET and POST', async () => {
  const gets = [{ path: '/v1/markets', answer: { ...ANSWER, status: 200, statusLine: '200 OK' } }];
  const { process, port } = await startBare({ gets, post: ANSWER, commit: null }, folder('bare'), null);
  running.push(process);
  const posted = await captureAnswer(port, ORDER.text);
  assert.deepEqual({ ...posted, bytes: 0 }, ANSWER);
  await expectAsLarge(port, ORDER.text, posted);
  await assert.rejects(
    expectAsLarge(port, ORDER.text, { ...posted, bytes: posted.bytes + 1 }),
    /in \d+ bytes/,
  );
  const got = await captureAnswer(port, httpRequest('GET', '/v1/markets', [], ''));
  assert.deepEqual([got.statusLine, got.headers, got.body], ['200 OK', ANSWER.headers, ANSWER.body]);
});

test('the group commit has every answered order in its journal, with as many bytes', async () => {
  const dir = folder('commit');
  const commit = { file: join(dir, 'journal.sqlite'), commandBytes: 140, durability: 'fsync' } as const;
  const { process, port } = await startBare({ gets: [], post: ANSWER, commit }, dir, null);
  running.push(process);
  const { client, server } = await load(process, port, { templates: ORDERS, expectations: [PLACED] });
  assert.deepEqual(client.failures, []);
  assert.ok(client.sent > 0 && client.acknowledged[0] === client.sent);
  assert.ok((server.cpu?.process ?? 1) > 0 && (server.residentBytes ?? 1) > 0);
  auditCommitted(commit, client.sent);
  assert.throws(() => auditCommitted(commit, client.sent + 1), /bare: orders in the journal/);
  assert.throws(() => auditCommitted(commit, client.sent - 2, 1), /bare: orders in the journal/);
  const other = { ...commit, commandBytes: commit.commandBytes + 1 };
  assert.throws(() => auditCommitted(other, client.sent), /bare: bytes of orders/);
});

test('redis-benchmark reaches the Redis that is started', {
  skip: !hasRedis() && 'redis-server is not installed',
}, async () => {
  const { process, port } = await startRedis(folder('redis'), 'os', null);
  running.push(process);
  const run = { port, connections: 4, seconds: 0.1, valueBytes: 140, core: null };
  assert.ok((await setsPerSecond(run)) > 0);
});

test('wrk drives the same requests', { skip: !hasWrk() && 'wrk is not installed' }, async () => {
  const dir = folder('wrk');
  const gets = [{ path: '/v1/markets', answer: { ...ANSWER, status: 200, statusLine: '200 OK' } }];
  const { process, port } = await startBare({ gets, post: ANSWER, commit: null }, dir, null);
  running.push(process);
  const templates = [
    { text: httpRequest('GET', '/v1/markets', [], ''), serialAt: -1, expect: 0, stakeCents: 0 },
  ];
  const run = { port, connections: 8, seconds: 1, templates, dir, core: null };
  const { ratePerSecond, p50Us, answered } = await measureWithWrk(run, process);
  assert.ok(ratePerSecond > 0 && p50Us > 0 && answered > 0);
  const unknown = [
    { ...templates[0], text: httpRequest('GET', '/nowhere', [], ''), serialAt: -1, expect: 0, stakeCents: 0 },
  ];
  await assert.rejects(measureWithWrk({ ...run, templates: unknown }, process), /wrk met errors/);
});
