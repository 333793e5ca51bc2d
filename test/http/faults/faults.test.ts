/**
 * A programming error while one client is served ends that client's request or stream, and nothing else: the error is
 * thrown at each step in turn, of every route and operation, while another client's orders go on.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import WebSocket from 'ws';
import { ENDPOINTS } from '../../../http/api/endpoints.js';
import type { Client } from '../../../http/kit/client-work.js';
import { ENDPOINTS as OPERATOR_ENDPOINTS } from '../../../http/operator/endpoints.js';
import { SCOPE_OF } from '../../../http/stream/channels.js';
import { OPS } from '../../../http/stream/requests.js';
import { Bench, setTraps, TOKEN, trap } from './bench.js';

await setTraps();
const bench = new Bench();
const ORDER = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 };
const STEPS_MAX = 2_000;
let placed = 0;

before(() => bench.start());
after(async () => {
  await bench.stop();
  assert.ok(placed > 100, `${placed} orders of the other client were placed meanwhile`);
  assert.deepEqual(bench.api.host.fatal, []);
});

async function placeOrder(): Promise<void> {
  const headers = { 'X-API-Key': bench.other.secret, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ ...ORDER, prediction: placed % 2 === 0 ? 'UP' : 'DOWN' });
  const init = { method: 'POST', headers, body };
  const answer = await fetch(`http://127.0.0.1:${bench.publicPort}/v1/orders`, init);
  assert.equal(answer.status, 201, await answer.text());
  placed += 1;
}

const isRequest = (of: (request: { path: string; apiKey: string }) => boolean) => (client: Client) =>
  'path' in client && of(client as unknown as { path: string; apiKey: string });
const isOfVictim = isRequest(({ apiKey }) => apiKey === bench.victim.secret);
const isOfOperator = isRequest(({ path }) => /^\/(operator|console)/.test(path));

const isStream = (client: Client): boolean => 'owner' in client;

async function atEachStep(
  isVictim: typeof trap.isVictim,
  act: (thrown: () => string[]) => Promise<void>,
  isStarted = true,
) {
  for (let at = 0; at < STEPS_MAX; at++) {
    const reported = bench.faults.length;
    Object.assign(trap, { left: at, isVictim, isStarted });
    await Promise.all([act(() => bench.faults.slice(reported).map(({ id }) => id)), placeOrder()]);
    if (trap.left >= 0) {
      trap.left = -1;
      return at;
    }
    assert.ok(bench.faults.length > reported, `step ${at} is reported`);
  }
  return assert.fail('there is an end to the steps');
}

/** At each step, or at those from its handler on. Most answers must be 500 with the id of the report. */
async function requestAtEachStep(
  isVictim: typeof trap.isVictim,
  url: string,
  init: RequestInit,
  isWhole = true,
): Promise<void> {
  let failed = 0;
  const name = `${init.method} ${url}`;
  const act = async (thrown: () => string[]): Promise<void> => {
    const answer = await fetch(url, init).catch(() => null);
    if (answer === null) {
      // Without a head there can be no answer: the connection is closed.
      const { error } = bench.faults.at(-1) ?? {};
      assert.match(error instanceof Error ? `${error.stack}` : '', /\bat headOf /, name);
      return;
    }
    const text = await answer.text();
    if (answer.status !== 500) return;
    failed += 1;
    const id = answer.headers.get('x-request-id') ?? '';
    assert.ok(thrown().includes(id), `${name}: ${id} of ${thrown()}`);
    if (init.method !== 'HEAD') assert.match(text, new RegExp(`"error":"internal_error: .*${id}"`), name);
  };
  const steps = await atEachStep(isVictim, act, isWhole);
  const told = `${name}: ${failed} of ${steps} steps are answered with 500`;
  assert.ok(failed > 0 && failed >= steps * 0.7, told);
}

const ID = /\{\w+\}/g;
const idOf = (path: string): string => {
  if (path.startsWith('/markets')) return 'BTC_ONE_DAY';
  if (path.startsWith('/rounds')) return 'BTC_ONE_DAY_20614';
  if (path.startsWith('/accounts')) return 'acc_1';
  return path.startsWith('/keys') ? 'key_1' : 'bet_1';
};

for (const [at, { method, path }] of ENDPOINTS.entries()) {
  test(`${method} ${path}`, async () => {
    const body = method === 'POST' ? JSON.stringify(ORDER) : null;
    const headers = { 'X-API-Key': bench.victim.secret, 'Content-Type': 'application/json' };
    const url = `http://127.0.0.1:${bench.publicPort}/v1${path.replace(ID, idOf(path))}`;
    await requestAtEachStep(isOfVictim, url, { method, headers, body }, at === 0);
  });
}

test('documents, unknown paths, HEAD and OPTIONS', async () => {
  const headers = { 'X-API-Key': bench.victim.secret };
  for (const [method, path] of [
    ['GET', '/v1/openapi.json'],
    ['GET', '/docs'],
    ['GET', '/nothing'],
    ['HEAD', '/v1/markets'],
    ['OPTIONS', '/v1/orders'],
  ] as const)
    await requestAtEachStep(isOfVictim, `http://127.0.0.1:${bench.publicPort}${path}`, { method, headers });
});

// A server that does not run in a process of its own has no status.
const ofOperators = OPERATOR_ENDPOINTS.filter(({ path }) => path !== '/status');
for (const [at, { method, path }] of ofOperators.entries()) {
  test(`operator ${method} ${path}`, async () => {
    const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
    const url = `http://127.0.0.1:${bench.operatorPort}/operator/v1${path.replace(ID, idOf(path))}`;
    const body = method === 'GET' ? null : JSON.stringify({ dryRun: true });
    await requestAtEachStep(isOfOperator, url, { method, headers, body }, at === 0);
  });
}

/** Opens sessions of the console; the cookie is of one. */
async function session() {
  const Origin = `http://127.0.0.1:${bench.operatorPort}`;
  const headers = { Origin, 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify({ token: TOKEN }) };
  const url = `${Origin}/console/session`;
  const opened = await fetch(url, init);
  const [Cookie = ''] = opened.headers.getSetCookie()[0]?.split(';') ?? [];
  return { url, init, headers: { ...headers, Cookie } };
}

test("the console's session", async () => {
  const { url, init, headers } = await session();
  await requestAtEachStep(isOfOperator, url, init);
  for (const method of ['GET', 'DELETE']) await requestAtEachStep(isOfOperator, url, { method, headers });
});

/** Resolves with the close code, or with the first message after `quietMs` for which `isOver` says so. */
async function streamed(
  url: string,
  headers: Record<string, string>,
  message: object | null,
  onOpen: () => void,
) {
  const socket = new WebSocket(url, { headers });
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  const refused = once(socket, 'unexpected-response').then(([, response]) => {
    (response as { resume(): void }).resume();
    return (response as { statusCode: number }).statusCode;
  });
  refused.catch(() => undefined);
  socket.on('error', () => undefined);
  const answered = new Promise<number>((resolve) => {
    socket.on('message', (data) => {
      const { type, id } = JSON.parse(String(data)) as { type?: string; id?: number };
      if (message === null ? type !== 'error' : id === 7) resolve(0);
    });
  });
  socket.on('open', () => {
    onOpen();
    if (message !== null) socket.send(JSON.stringify({ id: 7, ...message }));
  });
  const code = await Promise.race([refused, closed, answered]);
  socket.terminate();
  if (code !== 426 && code !== 500) await closed;
  return code;
}

const streamUrl = (): string => `ws://127.0.0.1:${bench.publicPort}/v1/stream`;
const ofVictim = { 'X-API-Key': bench.victim.secret };
const CHANNELS = Object.keys(SCOPE_OF);
const MESSAGES: Readonly<Record<string, readonly object[]>> = {
  ping: [{}],
  subscribe: CHANNELS.map((channel) => ({ channel })),
  unsubscribe: CHANNELS.map((channel) => ({ channel })),
  order: [{ order: ORDER }],
  cancel: [{ orderId: 'bet_1' }],
  cancelAll: [{}],
  deadman: [{ seconds: 300 }],
};

test('an upgrade, and the opening of a stream', async () => {
  const codes = new Set<number>();
  // The first message may be sent before a step that throws: an answer comes behind all steps of the opening.
  const ping = { op: 'ping' };
  for (const isVictim of [isOfVictim, isStream])
    await atEachStep(
      isVictim,
      async () => void codes.add(await streamed(streamUrl(), ofVictim, ping, () => undefined)),
    );
  assert.deepEqual([...codes].sort(), [0, 4500, 500]);
});

for (const op of OPS) {
  test(`stream ${op}`, async () => {
    const messages = MESSAGES[op] ?? assert.fail(`a message with the op ${op}`);
    for (const message of messages) {
      const codes: number[] = [];
      await atEachStep(isStream, async () => {
        const { left } = trap;
        trap.left = -1;
        codes.push(
          await streamed(streamUrl(), ofVictim, { op, ...message }, () => {
            trap.left = left;
          }),
        );
      });
      const ended = codes.filter((code) => code === 4500).length;
      assert.ok(ended > 5, `${op}: ${ended} steps end the stream with 4500: ${codes}`);
      const others = codes.filter((code) => ![0, 1011, 4500].includes(code));
      assert.deepEqual(others, []);
    }
  });
}

test("the console's stream", async () => {
  const { headers } = await session();
  const url = `ws://127.0.0.1:${bench.operatorPort}/console/stream`;
  const codes = new Set<number>();
  for (const isVictim of [isOfOperator, isStream])
    await atEachStep(
      isVictim,
      async () => void codes.add(await streamed(url, headers, null, () => undefined)),
    );
  assert.deepEqual([...codes].sort(), [0, 1011, 500]);
});

test('an error in what is done for all streams ends them, and the next ones are served', async () => {
  for (let at = 0; at < 30; at++) {
    const socket = new WebSocket(streamUrl(), { headers: ofVictim });
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    socket.on('open', () => socket.send(JSON.stringify({ op: 'subscribe', id: 1, channel: 'fills' })));
    await once(socket, 'message');
    // Turns go on, so there is always another step.
    Object.assign(trap, { left: at, isVictim: (client: Client) => 'turn' in client });
    const [code] = await Promise.all([closed, placeOrder()]);
    assert.equal(code, 4500);
    assert.equal(await streamed(streamUrl(), ofVictim, { op: 'ping' }, () => undefined), 0);
  }
});
