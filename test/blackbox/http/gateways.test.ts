/** Three gateways as clients see them: whichever one a connection is at, they are one server. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { RATE_LIMITS } from '../../support/api/spec.js';
import { parseEnvelope } from '../../support/http/client.js';

const GATEWAYS = 3;
const ENV = { TOTE_GATEWAYS: `${GATEWAYS}`, TOTE_LOG_LEVEL: 'info' };
const ORDER = { marketId: 'BTC_FOUR_HOURS', prediction: 'UP', amount: 10 };

interface LineAnswer {
  readonly status: number;
  readonly text: string;
  readonly isReplay: boolean;
  readonly gateway: string;
}

class Line {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(
    private readonly url: string,
    private readonly secret: string,
  ) {}

  begin(method: string, path: string, headers: Readonly<Record<string, string | number>> = {}) {
    const begun = request(`${this.url}/v1${path}`, {
      method,
      agent: this.#agent,
      headers: { 'X-API-Key': this.secret, ...headers },
    });
    return { begun, answer: answerOf(begun) };
  }

  get(path: string): Promise<LineAnswer> {
    const { begun, answer } = this.begin('GET', path);
    begun.end();
    return answer;
  }

  order(order: unknown, headers: Readonly<Record<string, string>> = {}): Promise<LineAnswer> {
    const { begun, answer } = this.begin('POST', '/orders', {
      ...headers,
      'Content-Type': 'application/json',
    });
    begun.end(JSON.stringify(order));
    return answer;
  }

  end(): void {
    this.#agent.destroy();
  }
}

async function answerOf(begun: ClientRequest): Promise<LineAnswer> {
  const [reply] = (await once(begun, 'response')) as [IncomingMessage];
  const { 'x-request-id': id, 'x-idempotent-replay': replay } = reply.headers;
  const gateway = String(id).split('-')[0]?.at(-1) ?? '';
  return { status: reply.statusCode ?? 0, text: await text(reply), isReplay: replay === 'true', gateway };
}

let sandbox: Sandbox;
let trader: Trader;
const lines: Line[] = [];

async function open(at: Sandbox, secret: string): Promise<{ line: Line; gateway: string }> {
  const line = new Line(at.server.publicUrl, secret);
  lines.push(line);
  const { status, gateway, text } = await line.get('/prices');
  assert.equal(status, 200, text);
  return { line, gateway };
}

async function openToEach(at: Sandbox, secret: string, count = 1): Promise<readonly (readonly Line[])[]> {
  const found = new Map<string, Line[]>();
  for (let opened = 0; opened < count * GATEWAYS; opened++) {
    const { line, gateway } = await open(at, secret);
    found.set(gateway, [...(found.get(gateway) ?? []), line]);
  }
  assert.deepEqual([...found.keys()].sort(), ['0', '1', '2']);
  for (const [gateway, its] of found) assert.equal(its.length, count, `connections of gateway ${gateway}`);
  return [...found.values()];
}

const betOf = ({ text }: LineAnswer): { bet: { id: string }; newBalance: number } =>
  parseEnvelope<{ bet: { id: string }; newBalance: number }>(text).data;

before(async () => {
  sandbox = await Sandbox.start({ env: ENV });
  await sandbox.openRounds({ BTC: 67_000 }, 'FOUR_HOURS');
  trader = await sandbox.trader();
});
after(async () => {
  for (const line of lines) line.end();
  await sandbox.remove();
});

test('64 connections are spread evenly', async () => {
  const counts = new Map<string, number>();
  for (let opened = 0; opened < 64; opened++) {
    const { gateway } = await open(sandbox, trader.secret);
    counts.set(gateway, (counts.get(gateway) ?? 0) + 1);
  }
  assert.deepEqual([...counts.values()].sort(), [21, 21, 22]);
});

test('a retry through any gateway replays the answer, byte for byte', async () => {
  const each = (await openToEach(sandbox, trader.secret)).flat();
  for (const [index, line] of each.entries()) {
    const key = { 'Idempotency-Key': `at-${index}` };
    const first = await line.order(ORDER, key);
    assert.deepEqual([first.status, first.isReplay], [201, false], first.text);
    for (const other of each) {
      const again = await other.order(ORDER, key);
      assert.deepEqual([again.status, again.isReplay, again.text], [201, true, first.text]);
    }
  }
});

test('one Idempotency-Key sent to all gateways at once is one bet', async () => {
  const each = (await openToEach(sandbox, trader.secret)).flat();
  const key = { 'Idempotency-Key': 'all-at-once' };
  const answers = await Promise.all(each.map((line) => line.order(ORDER, key)));
  const placed = answers.filter(({ status }) => status === 201);
  assert.equal(placed.filter(({ isReplay }) => !isReplay).length, 1);
  assert.equal(new Set(placed.map(({ text }) => text)).size, 1);
  for (const { status, text } of answers) {
    if (status !== 201) assert.match(text, /"error":"idempotency_in_progress:/);
  }
});

test('a bet placed through one gateway is listed, paid for and in the pools through every other', async () => {
  const each = (await openToEach(sandbox, trader.secret)).flat();
  let balance: number | null = null;
  for (const line of each) {
    const { bet, newBalance } = betOf(await line.order(ORDER));
    if (balance !== null) assert.equal(newBalance, balance - ORDER.amount);
    balance = newBalance;
    const markets = new Set<string>();
    for (const other of each) {
      for (const path of ['/orders', '/positions', '/positions?status=all']) {
        const { data } = parseEnvelope<{ id: string }[]>((await other.get(path)).text);
        const isListed = data.some(({ id }) => id === bet.id);
        assert.ok(isListed, `${bet.id} in ${path}`);
      }
      markets.add((await other.get(`/markets/${ORDER.marketId}`)).text);
    }
    assert.equal(markets.size, 1, 'the clock stands still, so all show the same');
    const [market] = markets;
    const { currentRound } = parseEnvelope<{ currentRound: { totalBets: number } }>(market ?? '').data;
    const orders = (await each[0]?.get('/orders?limit=200'))?.text ?? '';
    assert.equal(currentRound.totalBets, parseEnvelope<unknown[]>(orders).data.length);
  }
});

test('rate limits are exact over connections to all gateways', async (t) => {
  const limits = `key_read=${RATE_LIMITS.keyRead},key_write=${RATE_LIMITS.keyWrite},account=240,ip=300`;
  const limited = await Sandbox.startFor(t, { env: { ...ENV, TOTE_RATE_LIMITS: limits } });
  await limited.openRounds({ BTC: 67_000 }, 'FOUR_HOURS');
  const { secret } = await limited.trader();
  const each = (await openToEach(limited, secret, 2)).flat();
  const admitted = async (times: number, send: (line: Line) => Promise<LineAnswer>): Promise<number> => {
    const answers = await Promise.all(
      each.flatMap((line) => Array.from({ length: times }, () => send(line))),
    );
    for (const { status, text } of answers) if (status >= 400) assert.equal(status, 429, text);
    return answers.filter(({ status }) => status < 400).length;
  };
  // Opening the connections was a read each.
  assert.equal(await admitted(25, (line) => line.get('/prices')), RATE_LIMITS.keyRead - each.length);
  assert.equal(await admitted(10, (line) => line.order(ORDER)), RATE_LIMITS.keyWrite);
});

test('SIGTERM answers what is under way at every gateway', async () => {
  const body = JSON.stringify(ORDER);
  const pairs = await openToEach(sandbox, trader.secret, 2);
  const waiting = await Promise.all(
    pairs.map(async ([line, neighbour]) => {
      assert.ok(line !== undefined && neighbour !== undefined);
      const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
      const { begun, answer } = line.begin('POST', '/orders', headers);
      await new Promise((resolve) => begun.write(body.slice(0, 9), resolve));
      // Its gateway has begun to read the order by the time it answers the later request.
      await neighbour.get('/prices');
      return { begun, answer };
    }),
  );
  const { run } = sandbox.server;
  run.signal('SIGTERM');
  await run.findInErrors((stderr) => /"stopping"|stopping/.exec(stderr));
  for (const { begun } of waiting) begun.end(body.slice(9));
  for (const { answer } of waiting) {
    const { status, text } = await answer;
    assert.equal(status, 503, text);
    assert.match(text, /"error":"shutting_down/);
  }
  const ending = await run.ended;
  assert.equal(ending.code, 0, ending.stderr);
});
