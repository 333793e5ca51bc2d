/**
 * The load client against a real server on a real socket: its counts match the server's, and an open loop does not
 * hide a stalled server.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { test } from 'node:test';
import { httpRequest, orderRequest } from '../../bench/client/http-request.js';
import type { ClientJob, Expectation, RequestTemplate } from '../../bench/client/job.js';
import { runLoad } from '../../bench/client/load.js';

const BODY_START = '{"success":true,"data":';
const EXPECTED: Expectation = {
  status: 200,
  bodyStart: BODY_START,
  numbered: false,
  headers: [],
};
const GET: RequestTemplate = {
  text: httpRequest('GET', '/', [], ''),
  serialAt: -1,
  expect: 0,
  stakeCents: 0,
};

async function serve(onRequest: (response: ServerResponse, key: string, body: string) => void) {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => onRequest(response, String(request.headers['idempotency-key'] ?? ''), body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { server, port: address.port };
}

function reply(response: ServerResponse, data: string): void {
  const body = `${BODY_START}${data}}`;
  response.writeHead(200, { 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

const job = (port: number, changes: Partial<ClientJob>): ClientJob => ({
  host: '127.0.0.1',
  port,
  connections: 4,
  warmupMs: 20,
  measureMs: 100,
  pace: { kind: 'closed' },
  templates: [GET],
  expectations: [EXPECTED],
  firstSerial: 1,
  ...changes,
});

test('every request that the server saw was answered and counted, each key once', async () => {
  const keys = new Set<string>();
  let seen = 0;
  const { server, port } = await serve((response, key, body) => {
    seen += 1;
    keys.add(key);
    reply(response, body);
  });
  const order = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 };
  const templates = [{ ...orderRequest('secret', 'test-', order), expect: 0, stakeCents: 100 }];
  const result = await runLoad(job(port, { templates, firstSerial: 10 }));
  await close(server);
  assert.ok(seen > 0);
  assert.equal(result.sent, seen);
  assert.deepEqual(result.acknowledged, [seen]);
  assert.equal(keys.size, seen);
  assert.equal(result.nextSerial, 10 + seen);
  assert.deepEqual(result.failures, []);
});

test('an answer in many pieces is one answer', async () => {
  const data = JSON.stringify('x'.repeat(3_000_000));
  const { server, port } = await serve((response) => reply(response, data));
  const result = await runLoad(job(port, { connections: 2 }));
  await close(server);
  assert.ok(result.sent > 0);
  assert.deepEqual(result.acknowledged, [result.sent]);
});

test('in an open loop latencies of a stalled server count from the planned times', async () => {
  const held: ServerResponse[] = [];
  let released = false;
  const { server, port } = await serve((response) => {
    if (released) reply(response, '1');
    else held.push(response);
  });
  const pace = { kind: 'open', ratePerSecond: 1_000, seed: 11 } as const;
  const measureMs = 400;
  const result = await runLoad(job(port, { connections: 1, warmupMs: 0, measureMs, pace }), {
    // The server answers nothing before the measured window has ended.
    onMeasured: () => {
      released = true;
      for (const response of held.splice(0)) reply(response, '1');
    },
  });
  await close(server);
  // The plan is fixed by its seed: about 400 requests, evenly over the window, of which one was ever sent in it.
  assert.ok(result.latency.count > 300, `${result.latency.count} latencies`);
  assert.ok(result.latency.p50Us > (measureMs / 4) * 1_000, `median ${result.latency.p50Us} us`);
  assert.deepEqual(result.acknowledged, [result.sent]);
});

test('a run of a fixed number of requests sends exactly these', async () => {
  const { server, port } = await serve((response) => reply(response, '1'));
  const result = await runLoad(job(port, { requestsMax: 37, warmupMs: 0, measureMs: 60_000 }));
  await close(server);
  assert.deepEqual([result.sent, result.acknowledged], [37, [37]]);
});

test('a server that closes a connection fails the run', async () => {
  const { server, port } = await serve((response) => response.destroy());
  await assert.rejects(runLoad(job(port, {})), /closed a connection|ECONNRESET/);
  await close(server);
});

test('a failure is counted by its code, and is no acknowledgement', async () => {
  const { server, port } = await serve((response) => {
    response.writeHead(503, { 'Content-Length': 2 });
    response.end('{}');
  });
  const result = await runLoad(job(port, {}));
  await close(server);
  assert.deepEqual(result.acknowledged, [0]);
  assert.deepEqual([result.failures[0]?.code, result.failures[0]?.count], ['unexpected 503', result.sent]);
});

test('where connections may break, the lost request is counted and the connection opened again', async () => {
  let seen = 0;
  const { server, port } = await serve((response) => {
    seen += 1;
    if (seen % 5 === 0) response.destroy();
    else reply(response, '1');
  });
  const pace = { kind: 'open', ratePerSecond: 200, seed: 1 } as const;
  const result = await runLoad(job(port, { pace, measureMs: 500, reconnects: true }));
  await close(server);
  const lost = Math.floor(seen / 5);
  assert.ok(lost > 0 && result.sent === seen);
  assert.deepEqual(result.acknowledged, [seen - lost]);
  assert.deepEqual(
    result.failures.map(({ code, count }) => [code, count]),
    [['connection_broken', lost]],
  );
});
