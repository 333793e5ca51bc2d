/**
 * A programming error while one client is served ends that client's request or stream, and nothing else: the error is thrown at
 * each step in turn, of every route and operation, while another client's orders go on.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ENDPOINTS } from '../../../http/api/endpoints.js';
import type { Client } from '../../../http/kit/client-work.js';
import { ENDPOINTS as OPERATOR_ENDPOINTS } from '../../../http/operator/endpoints.js';
import { Bench, setTraps, TOKEN, trap } from './bench.js';

setTraps();
const bench = new Bench();
const ORDER = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 };
/** No route has more steps than this. */
const STEPS_MAX = 2_000;
let isOver = false;
let placed = 0;
let others: Promise<void> = Promise.resolve();

before(async () => {
  await bench.start();
  others = placeOrders();
});
after(async () => {
  isOver = true;
  await others;
  await bench.stop();
  assert.ok(placed > 100, `${placed} orders of the other client were placed meanwhile`);
  assert.deepEqual(bench.api.host.fatal, []);
});

/** Of the other client, one after the other. */
async function placeOrders(): Promise<void> {
  const headers = { 'X-API-Key': bench.other.secret, 'Content-Type': 'application/json' };
  while (!isOver) {
    const body = JSON.stringify({ ...ORDER, prediction: placed % 2 === 0 ? 'UP' : 'DOWN' });
    const answer = await fetch(`http://127.0.0.1:${bench.publicPort}/v1/orders`, {
      method: 'POST',
      headers,
      body,
    });
    assert.equal(answer.status, 201, await answer.text());
    placed += 1;
  }
}

const isRequest = (of: (request: { path: string; apiKey: string }) => boolean) => (client: Client) =>
  'path' in client && of(client as unknown as { path: string; apiKey: string });
const isOfVictim = isRequest(({ apiKey }) => apiKey === bench.victim.secret);
const isOfOperator = isRequest(({ path }) => /^\/(operator|console)/.test(path));

/** Runs `act` with the error at one step after the other, until there is no further step. Returns how many there were. */
async function atEachStep(
  isVictim: typeof trap.isVictim,
  act: (thrown: () => string[]) => Promise<void>,
  isStarted = true,
) {
  for (let at = 0; at < STEPS_MAX; at++) {
    const reported = bench.faults.length;
    Object.assign(trap, { left: at, isVictim, isStarted });
    await act(() => bench.faults.slice(reported).map(({ id }) => id));
    if (trap.left >= 0) {
      trap.left = -1;
      return at;
    }
    assert.ok(bench.faults.length > reported, `step ${at} is reported`);
  }
  return assert.fail('there is an end to the steps');
}

/** Sends a request at each step, or at those from its handler on. Most must have been answered with 500 and the id of the report. */
async function requestAtEachStep(
  isVictim: typeof trap.isVictim,
  url: string,
  init: RequestInit,
  isWhole = true,
): Promise<void> {
  let failed = 0;
  const name = `${init.method} ${url}`;
  const act = async (thrown: () => string[]): Promise<void> => {
    const answer = await fetch(url, init);
    const text = await answer.text();
    if (answer.status !== 500) return;
    failed += 1;
    const id = answer.headers.get('x-request-id') ?? '';
    assert.ok(thrown().includes(id), `${name}: ${id} of ${thrown()}`);
    if (init.method !== 'HEAD') assert.match(text, new RegExp(`"error":"internal_error: .*${id}"`), name);
  };
  const steps = await atEachStep(isVictim, act, isWhole);
  assert.ok(
    failed > 0 && failed >= steps * 0.7,
    `${name}: ${failed} of ${steps} steps are answered with 500`,
  );
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
    const body = method === 'POST' ? JSON.stringify(ORDER) : undefined;
    const headers = { 'X-API-Key': bench.victim.secret, 'Content-Type': 'application/json' };
    const url = `http://127.0.0.1:${bench.publicPort}/v1${path.replace(ID, idOf(path))}`;
    await requestAtEachStep(
      isOfVictim,
      url,
      { method, headers, ...(body !== undefined && { body }) },
      at === 0,
    );
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
    const body = method === 'GET' ? undefined : JSON.stringify({ dryRun: true });
    await requestAtEachStep(
      isOfOperator,
      url,
      { method, headers, ...(body !== undefined && { body }) },
      at === 0,
    );
  });
}
