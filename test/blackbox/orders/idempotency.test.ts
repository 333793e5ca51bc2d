/**
 * Idempotency-Key (specification, POST /orders; design, section 5): the same request again is the same answer, byte
 * for byte, and never a second bet.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { checkAnswer, codeOf, refused } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { IDEMPOTENCY_MS, type OrderRequest } from '../../support/api/spec.js';
import type { Answered } from '../../support/http/client.js';
import { RawClient } from '../../support/http/raw-client.js';
import { answerOn, rawRequest, sendRaw } from '../../support/http/raw-request.js';

const ORDER: OrderRequest = {
  marketId: 'BTC_FOUR_HOURS',
  prediction: 'UP',
  amount: 10,
  expectedPercent: 50,
  clientSeed: 'seed',
};

let sandbox: Sandbox;

before(async () => {
  sandbox = await Sandbox.start();
  await sandbox.openRounds({ BTC: 67_000 }, 'FOUR_HOURS');
});
after(() => sandbox.remove());

const keyed = (key: string): Record<string, string> => ({ 'Idempotency-Key': key });

/** The answer is the first one again: status, body byte for byte, and the header that says so. */
function replays(answered: Answered, first: Answered): void {
  assert.equal(answered.status, 201, answered.text);
  assert.equal(answered.text, first.text);
  assert.equal(answered.headers.get('X-Idempotent-Replay'), 'true');
}

/** A first order with a new key, which must be accepted. */
async function placeFirst(trader: Trader, key: string, order: unknown = ORDER): Promise<Answered> {
  const first = await trader.api.order(order, keyed(key));
  assert.equal(first.status, 201, first.text);
  assert.equal(first.headers.get('X-Idempotent-Replay'), null, 'the first answer is no replay');
  return first;
}

async function betCount({ api }: Trader): Promise<number> {
  return (await api.orders('?limit=200')).length;
}

test('a retry replays the answer, at both base paths and with every key of the account', async () => {
  const trader = await sandbox.trader();
  const first = await placeFirst(trader, 'one');
  replays(await trader.api.order(ORDER, keyed('one')), first);
  replays(await trader.api.at('/api/v1').order(ORDER, keyed('one')), first);
  const second = await sandbox.key(trader.accountId, { scopes: ['orders:write'] });
  replays(await sandbox.api(second.secret).order(ORDER, keyed('one')), first);
  assert.equal(await betCount(trader), 1);
  assert.equal(await sandbox.balance(trader.accountId), 9_990);
});

test('without a key every order is a bet of its own', async () => {
  const trader = await sandbox.trader();
  const answers = [await trader.api.order(ORDER), await trader.api.order(ORDER)];
  for (const { status, headers } of answers) {
    assert.deepEqual([status, headers.get('X-Idempotent-Replay')], [201, null]);
  }
  assert.equal(await betCount(trader), 2);
});

test('the scope of a key is the account', async () => {
  const [mine, theirs] = [await sandbox.trader(), await sandbox.trader()];
  const first = await placeFirst(mine, 'shared');
  const other = await placeFirst(theirs, 'shared', { ...ORDER, amount: 11 });
  assert.notEqual(first.text, other.text);
  replays(await mine.api.order(ORDER, keyed('shared')), first);
});

test('the same content in another notation replays; other content is refused', async () => {
  const trader = await sandbox.trader();
  const first = await placeFirst(trader, 'content');
  const reworded = [
    '{"clientSeed":"seed","expectedPercent":50.0,"amount":1e1,"prediction":"UP","marketId":"BTC_FOUR_HOURS"}',
    ` {\n"marketId" : "BTC_FOUR_HOURS","prediction":"\\u0055P","amount":10.00,"expectedPercent":50,"clientSeed":"seed"} `,
  ];
  for (const body of reworded) {
    replays(await trader.api.send('POST', '/orders', { body, headers: keyed('content') }), first);
  }
  const { expectedPercent: _, ...unguarded } = ORDER;
  const { clientSeed: __, ...unseeded } = ORDER;
  const others: readonly unknown[] = [
    { ...ORDER, marketId: 'BTC_ONE_DAY' },
    { ...ORDER, marketId: 'NO_SUCH' },
    { ...ORDER, prediction: 'DOWN' },
    { ...ORDER, amount: 10.01 },
    { ...ORDER, expectedPercent: 51 },
    { ...ORDER, clientSeed: 'another' },
    { ...ORDER, clientSeed: '' },
    unguarded,
    unseeded,
  ];
  for (const order of others) {
    refused(await trader.api.order(order, keyed('content')), 400, 'idempotency_key_reused');
  }
  replays(await trader.api.order(ORDER, keyed('content')), first);
  assert.equal(await betCount(trader), 1);
});

test('a refused order is not remembered', async () => {
  const trader = await sandbox.trader({ balance: 5 });
  refused(await trader.api.order(ORDER, keyed('again')), 400, 'insufficient_balance');
  refused(await trader.api.order({ ...ORDER, amount: 0.5 }, keyed('again')), 400, 'stake_out_of_range');
  await sandbox.operator.post(`/accounts/${trader.accountId}/deposits`, { amount: 100, reference: 'more' });
  const first = await placeFirst(trader, 'again');
  replays(await trader.api.order(ORDER, keyed('again')), first);
});

test('keys are 1 to 255 visible ASCII characters, quoted or bare', async () => {
  const trader = await sandbox.trader();
  const taken = ['x', randomUUID(), 'k'.repeat(255), '!#$%&()*+-./:;<=>?@[]^_`{|}~', `"${'q'.repeat(255)}"`];
  for (const key of taken) {
    const first = await placeFirst(trader, key);
    replays(await trader.api.order(ORDER, keyed(key)), first);
  }
  const quoted = await placeFirst(trader, '"quoted"');
  replays(await trader.api.order(ORDER, keyed('quoted')), quoted);
  const before = await betCount(trader);
  for (const key of [
    '',
    '""',
    'k'.repeat(256),
    `"${'q'.repeat(256)}"`,
    'with space',
    '"half',
    'half"',
    '"',
  ]) {
    refused(await trader.api.order(ORDER, keyed(key)), 400, 'invalid_request');
  }
  assert.equal(await betCount(trader), before);
});

test('bytes outside ASCII are refused, whatever they decode to', async () => {
  const trader = await sandbox.trader();
  const headers = [`X-API-Key: ${trader.secret}`, 'Content-Type: application/json'];
  const request = rawRequest(
    'POST',
    '/v1/orders',
    [...headers, 'Idempotency-Key: KEY'],
    JSON.stringify(ORDER),
  );
  // At the ends of a value, too, where the HTTP library drops them.
  for (const bytes of [[0xc3, 0xa4], [0xff], [0x7f], [0x80], [...Buffer.from('🚀')]]) {
    const text = String.fromCharCode(...bytes);
    for (const key of [`k${text}k`, `k${text}`, `${text}k`, `${text}k${text}`, text, `"k${text}"`]) {
      const raw = Buffer.from(request.replace('KEY', key), 'latin1');
      refused(await sendRaw(sandbox.server.publicUrl, raw), 400, 'invalid_request');
    }
  }
  assert.equal(await betCount(trader), 0);
});

test('a key is remembered for exactly 10 minutes', async () => {
  const trader = await sandbox.trader();
  const unguarded = { marketId: 'BTC_FOUR_HOURS', prediction: 'UP', amount: 10 };
  const placed = await placeFirst(trader, 'ten-minutes', unguarded);
  await sandbox.advance(IDEMPOTENCY_MS - 1);
  replays(await trader.api.order(unguarded, keyed('ten-minutes')), placed);
  await sandbox.advance(1);
  const second = await placeFirst(trader, 'ten-minutes', unguarded);
  assert.notEqual(second.text, placed.text);
  // The replay did not prolong the first entry, and the second one has its own 10 minutes.
  await sandbox.advance(IDEMPOTENCY_MS - 1);
  replays(await trader.api.order(unguarded, keyed('ten-minutes')), second);
  assert.equal(await betCount(trader), 2);
});

test('of many at once one places the bet, and the others wait or get its answer', async () => {
  const trader = await sandbox.trader();
  const unguarded = { marketId: 'BTC_FOUR_HOURS', prediction: 'DOWN', amount: 10 };
  for (let wave = 0; wave < 10; wave++) {
    const key = keyed(`wave-${wave}`);
    const answers = await Promise.all(Array.from({ length: 20 }, () => trader.api.order(unguarded, key)));
    const firsts = answers.filter(
      ({ status, headers }) => status === 201 && headers.get('X-Idempotent-Replay') === null,
    );
    const [first] = firsts;
    assert.equal(firsts.length, 1, 'one answer is the original');
    assert.ok(first !== undefined);
    for (const answered of answers) {
      if (answered === first) continue;
      if (answered.status === 201) replays(answered, first);
      else refused(answered, 409, 'idempotency_in_progress');
    }
    replays(await trader.api.order(unguarded, key), first);
    assert.equal(await betCount(trader), wave + 1);
  }
});

/** Everything that `send` writes arrives in one turn of the server's event loop: it is held while that is sent. */
async function inOneTurn(send: () => Promise<void>): Promise<void> {
  const { run } = sandbox.server;
  run.signal('SIGSTOP');
  try {
    // The state stands behind the name in parentheses: T is stopped.
    while (!/\) T /.test(readFileSync(`/proc/${run.pid}/stat`, 'utf8'))) await new Promise(setImmediate);
    await send();
  } finally {
    run.signal('SIGCONT');
  }
}

test('while the first is not durable, a duplicate is answered as in progress', {
  skip: process.platform !== 'linux',
}, async () => {
  const trader = await sandbox.trader();
  const body = JSON.stringify({ marketId: 'BTC_FOUR_HOURS', prediction: 'DOWN', amount: 10 });
  const headers = [
    `X-API-Key: ${trader.secret}`,
    'Content-Type: application/json',
    'Idempotency-Key: pending',
  ];
  const port = Number(new URL(sandbox.server.publicUrl).port);
  const clients = await Promise.all(Array.from({ length: 10 }, () => RawClient.open(port)));
  await inOneTurn(async () => {
    for (const client of clients) await client.write(rawRequest('POST', '/v1/orders', headers, body));
  });
  const answers = await Promise.all(clients.map(answerOn));
  // On a busy machine the last of them may be read when the bet is durable.
  assert.equal(new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text)).size, 1);
  const early = answers.filter(({ status }) => status !== 201);
  assert.notEqual(early.length, 0);
  for (const answered of early) {
    refused(answered, 409, 'idempotency_in_progress');
    checkAnswer(answered, 'a duplicate in progress');
  }
  assert.equal(await betCount(trader), 1);
});

test('of many at once with different content only one places a bet', async () => {
  const trader = await sandbox.trader();
  const amounts = Array.from({ length: 20 }, (_, n) => n + 1);
  const answers = await Promise.all(
    amounts.map((amount) =>
      trader.api.order({ marketId: 'BTC_FOUR_HOURS', prediction: 'UP', amount }, keyed('race')),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  const codes = new Set(answers.filter(({ status }) => status !== 201).map(codeOf));
  assert.deepEqual([...codes], ['idempotency_key_reused']);
  assert.equal(await betCount(trader), 1);
});

test('the replay stays the same when the round is locked or settled, trading is off, or the server restarts', async () => {
  const trader = await sandbox.trader();
  await sandbox.openRounds({ BTC: 67_000 });
  const order = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 25, clientSeed: 'ü' };
  const first = await placeFirst(trader, 'fate', order);
  const again = async (): Promise<void> => replays(await trader.api.order(order, keyed('fate')), first);
  await sandbox.toOffset(56_000);
  await again();
  await sandbox.closeMinute({ BTC: 67_001 });
  assert.equal((await trader.api.orders())[0]?.status, 'SETTLED');
  await again();
  await sandbox.operator.put('/trading', { enabled: false, reason: 'maintenance' });
  await again();
  refused(await trader.api.order(order, keyed('new')), 503, 'trading_disabled');
  refused(await trader.api.order({ ...order, amount: 26 }, keyed('fate')), 400, 'idempotency_key_reused');
  for (const how of ['stop', 'kill'] as const) {
    sandbox = await sandbox.restart(how);
    const api = sandbox.api(trader.secret);
    replays(await api.order(order, keyed('fate')), first);
    refused(await api.order(order, keyed('new')), 503, 'trading_disabled');
  }
  await sandbox.operator.put('/trading', { enabled: true });
  await sandbox.checkConservation();
});

test("a key is independent of the operators' references", async () => {
  const trader = await sandbox.trader();
  const deposit = { amount: 5, reference: 'same' };
  const path = `/accounts/${trader.accountId}/deposits`;
  assert.equal((await sandbox.operator.post(path, deposit)).status, 201);
  await sandbox.openRounds({ BTC: 67_000 });
  await placeFirst(trader, 'same', { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 25 });
});
