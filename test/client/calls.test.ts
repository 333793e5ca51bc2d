/**
 * A call of the client whose answer fails: the failures that it tries again and where, its pauses, and its last word;
 * and lists in pages. The server is a script and time passes only by waiting.
 */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { eachOf, type Page } from '../../client/rest/pages.js';
import { RETRIED_CODES } from '../../client/rest/retry.js';
import { ERROR_STATUS, NO_SHARE_CODES } from '../../engine/model/errors.js';
import { PUBLIC_CODES } from '../../http/openapi/failures.js';
import {
  type Answer,
  broken,
  brokenBy,
  errorOf,
  failure,
  ORDER,
  PLACED,
  Scripted,
  success,
} from './support/scripted.js';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

test('a read sends the key, asks for the path with its query, and returns `data`', async () => {
  const { client, sent } = new Scripted([success([{ id: 'bet_1' }])]);
  const { signal } = new AbortController();
  const query: object = { status: 'all', limit: 7, cursor: undefined };
  const page = await client.listPositions(query, { signal });
  assert.deepEqual(getEventListeners(signal, 'abort'), [], 'nothing of the call stays');
  assert.deepEqual(page, { data: [{ id: 'bet_1' }], nextCursor: null });
  assert.equal(sent[0]?.url, 'http://tote.test/v1/positions?status=all&limit=7');
  assert.deepEqual(sent[0]?.headers, { 'X-API-Key': 'tote_secret' });
  for (const before of ['bet_7', '2026-06-10T12:00:00Z']) await client.listOrders({ before, cursor: 'c' });
  assert.equal(sent.map(({ url }) => url.includes('before')).join(), 'false,false,true');
});

test('an order is JSON with an Idempotency-Key, made where none is given, which is its clientSeed', async () => {
  const { client, sent } = new Scripted([success(PLACED, 201)]);
  const { idempotencyKey } = await client.placeOrder(ORDER);
  assert.match(idempotencyKey, UUID);
  assert.notEqual((await client.placeOrder(ORDER)).idempotencyKey, idempotencyKey);
  const [request] = sent;
  assert.equal(request?.headers['Idempotency-Key'], idempotencyKey);
  assert.deepEqual(JSON.parse(request?.body ?? ''), { ...ORDER, clientSeed: idempotencyKey });
  assert.equal(request?.headers['Content-Type'], 'application/json');
});

test('an order has the clientSeed that is given, or none where null is, and the answer tells which', async () => {
  const given = 'k'.repeat(255);
  for (const [clientSeed, sentSeed] of [
    [undefined, 'k'.repeat(128)],
    ['mine', 'mine'],
    ['', ''],
    [null, undefined],
  ] as const) {
    const { client, sent } = new Scripted([success(PLACED, 201)]);
    const order = { ...ORDER, ...(clientSeed !== undefined && { clientSeed }) };
    const placed = await client.placeOrder(order, { idempotencyKey: given });
    assert.deepEqual(placed, { ...PLACED, idempotencyKey: given, clientSeed: sentSeed ?? null });
    assert.equal(JSON.parse(sent[0]?.body ?? '').clientSeed, sentSeed);
    assert.equal(sent[0]?.headers['Idempotency-Key'], given);
  }
});

test('an order whose answer was lost is the same, byte for byte, by another client with the key of its error', async () => {
  const lost = new Scripted([broken], { retryForMs: 1_000 });
  const { idempotencyKey, clientSeed } = await errorOf(lost.client.placeOrder(ORDER));
  assert.match(clientSeed ?? '', UUID);
  const again = new Scripted([success(PLACED, 201)]);
  await again.client.placeOrder(ORDER, idempotencyKey === null ? {} : { idempotencyKey });
  assert.ok(lost.sent.length > 1);
  for (const { body, headers } of lost.sent)
    assert.deepEqual([body, headers], [again.sent[0]?.body, again.sent[0]?.headers]);
});

test('a quote is the order without an Idempotency-Key', async () => {
  const quote = { refusal: null, roundId: 'BTC_ONE_MINUTE_1' };
  const script = new Scripted([success(quote)]);
  assert.deepEqual(await script.client.quoteOrder(ORDER), quote);
  const [request] = script.sent;
  assert.equal(request?.url, 'http://tote.test/v1/orders/quote');
  assert.deepEqual(JSON.parse(request?.body ?? ''), ORDER);
  assert.equal(request?.headers['Idempotency-Key'], undefined);
});

test('just the codes that pass by themselves are tried again, an order with the same key', async () => {
  for (const code of PUBLIC_CODES) {
    const script = new Scripted([failure(ERROR_STATUS[code], `${code}: a sentence`), success(PLACED, 201)]);
    const call = script.client.placeOrder(ORDER);
    if (RETRIED_CODES.includes(code)) {
      assert.equal((await call).bet.id, 'bet_1', code);
      const keys = script.sent.map(({ headers }) => headers['Idempotency-Key']);
      assert.deepEqual([keys.length, keys[0]], [2, keys[1]]);
    } else {
      const error = await errorOf(call);
      assert.deepEqual([error.code, error.status, error.attempts], [code, ERROR_STATUS[code], 1]);
      assert.deepEqual([error.isOutcomeUnknown, error.requestId], [code === 'internal_error', 'r-1']);
    }
  }
});

test('what is no answer of tote is not tried again where no proxy says that the server is away', async () => {
  const error = await errorOf(new Scripted([proxyPage(200)]).client.listMarkets());
  assert.deepEqual([error.code, error.status], ['bad_answer', 200]);
  const redirecting: typeof fetch = async (_url, init) =>
    init?.redirect === 'manual' ? new Response('', { status: 301 }) : Response.json({ success: true });
  const moved = await errorOf(new Scripted([], { fetch: redirecting }).client.placeOrder(ORDER));
  assert.deepEqual([moved.code, moved.status], ['bad_answer', 301], 'followed, it would read the orders');
});

test('pauses double up to five seconds, less up to half by chance', async () => {
  for (const chance of [0, 0.999_999]) {
    const share = 1 - chance / 2;
    const script = new Scripted([broken], { retryForMs: 20_000 });
    Object.assign(script.time, { random: () => chance });
    const error = await errorOf(script.client.listMarkets());
    assert.equal(error.code, 'connection_failed');
    assert.match(error.message, /ECONNRESET/);
    assert.doesNotMatch(`${JSON.stringify(error)} ${error.stack}`, /tote_secret/);
    const pauses = script.time.slept.map((pause) => Math.round(pause / share));
    assert.deepEqual(pauses.slice(0, 8), [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
    const spentMs = script.time.slept.reduce((sum, pause) => sum + pause, 0);
    assert.ok(spentMs <= 20_000, `gives up within retryForMs, not after ${spentMs} ms`);
  }
});

/** By the account, the market, the round, the time, the odds, the stake or the balance: docs/bots/errors.md. */
const CHECKED_AFTER_THE_KEY: readonly string[] = [
  ...['trading_disabled', 'round_changed', 'round_not_live', 'betting_closed', 'order_expired'],
  ...['stake_out_of_range', 'odds_changed', 'insufficient_balance', 'round_exposure_limit'],
  ...['too_many_open_bets', 'market_not_found', 'idempotency_key_reused', ...NO_SHARE_CODES],
  ...['account_frozen', 'tier_too_low'],
];
const NO_TLS = 'ERR_SSL_WRONG_VERSION_NUMBER';
const UNCONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', NO_TLS];
const proxyPage =
  (status: number): Answer =>
  () =>
    new Response('<html>', { status });

test('the outcome of an order is unknown where an attempt may have arrived and no answer tells', async () => {
  const closed = failure(400, 'betting_closed: too late');
  const cases: readonly (readonly [name: string, isUnknown: boolean, answers: readonly Answer[]])[] = [
    ...UNCONNECTED.map((code) => [code, false, [brokenBy(code)]] as const),
    ['connection lost', true, [broken]],
    ['lost as browsers tell it', false, [() => Promise.reject(new TypeError('Failed to fetch')), closed]],
    ['refused for the key after a lost connection', false, [broken, closed]],
    ['refused before the key is looked for', true, [broken, failure(403, 'key_expired')]],
    ['limited after a lost connection', true, [broken, failure(429, 'rate_limited', { 'Retry-After': '7' })]],
    ['lost after a refusal', true, [failure(503, 'stale_price'), broken]],
    ['the proxy found nobody, and the server tells', false, [proxyPage(502), closed]],
    ['the proxy waited in vain: the attempt may be on its way', true, [proxyPage(504), closed]],
    ['it is too late for that one, too', false, [proxyPage(504), failure(400, 'order_expired')]],
    ['a proxy has an error of its own', true, [() => Response.json({ error: 'away' }, { status: 502 })]],
    ['an error of the server', true, [failure(500, 'internal_error: r-1')]],
  ];
  for (const [name, isUnknown, answers] of cases) {
    const { client } = new Scripted(answers, { retryForMs: 5_000 });
    const error = await errorOf(client.placeOrder(ORDER, { idempotencyKey: 'k' }));
    assert.deepEqual([error.isOutcomeUnknown, error.idempotencyKey], [isUnknown, 'k'], name);
  }
  const ofRound = new Scripted([proxyPage(504), closed]).client.placeOrder({ ...ORDER, roundId: 'a round' });
  assert.equal((await errorOf(ofRound)).isOutcomeUnknown, false, 'its betting is over for that one, too');
  for (const code of PUBLIC_CODES) {
    const { client } = new Scripted([broken, failure(ERROR_STATUS[code], code)], { retryForMs: 100 });
    const { isOutcomeUnknown } = await errorOf(client.placeOrder(ORDER));
    assert.equal(isOutcomeUnknown, !CHECKED_AFTER_THE_KEY.includes(code), code);
  }
  for (const code of ['order_not_pending', 'account_frozen'] as const) {
    const { client } = new Scripted([broken, failure(ERROR_STATUS[code], code)]);
    assert.equal((await errorOf(client.cancelOrder('bet_1'))).isOutcomeUnknown, true);
  }
  const unread = await errorOf(new Scripted([broken], { retryForMs: 0 }).client.listMarkets());
  assert.deepEqual([unread.isOutcomeUnknown, unread.idempotencyKey, unread.clientSeed], [false, null, null]);
});

test('an aborted call says so: an order with its key, and unknown just where it was sent', async () => {
  const reason = new Error('enough');
  const before = new Scripted([success(PLACED, 201)]);
  const options = { idempotencyKey: 'k', signal: AbortSignal.abort(reason) };
  const { code, cause, ...unsent } = await errorOf(before.client.placeOrder(ORDER, options));
  assert.deepEqual([code, cause, unsent.attempts, unsent.isOutcomeUnknown], ['aborted', reason, 0, false]);
  assert.deepEqual([unsent.idempotencyKey, unsent.clientSeed, before.sent], ['k', 'k', []]);

  for (const answer of [brokenBy('ECONNREFUSED'), failure(429, 'rate_limited', { 'Retry-After': '7' })]) {
    const pausing = new AbortController();
    const paused = new Scripted([answer]);
    const sleep = async (): Promise<never> => {
      pausing.abort(reason);
      throw reason;
    };
    Object.assign(paused.time, { sleep });
    const between = await errorOf(paused.client.placeOrder(ORDER, { signal: pausing.signal }));
    assert.deepEqual([between.code, between.attempts, between.isOutcomeUnknown], ['aborted', 1, false]);
  }
});

test('it waits as long as Retry-After says, and tells it', async () => {
  const limited = failure(429, 'rate_limited: wait', { 'Retry-After': '7' });
  const patient = new Scripted([limited, success([])]);
  Object.assign(patient.time, { random: () => 0.5 });
  await patient.client.listMarkets({ retryForMs: 7_125 });
  assert.deepEqual(patient.time.slept, [7_125], 'and a little chance');
  const impatient = new Scripted([limited]);
  const error = await errorOf(impatient.client.listMarkets({ retryForMs: 6_999 }));
  assert.deepEqual([error.retryAfterMs, impatient.time.slept], [7_000, []]);
  const byDate = failure(503, 'stale_price', { 'Retry-After': 'Wed, 10 Jun 2026 12:00:07 GMT' });
  const dated = new Scripted([byDate, success([])]);
  await dated.client.listMarkets();
  assert.deepEqual(dated.time.slept, [100], 'a date counts as not said');
});

test('after a 429, and no other failure, requests of the same kind wait, too', async () => {
  for (const [code, waitMs] of [['rate_limited', 7_000] as const, ['overloaded', 0] as const]) {
    const refusal = failure(ERROR_STATUS[code], code, { 'Retry-After': '7' });
    const { client, sent } = new Scripted([refusal, success([])]);
    await errorOf(client.listMarkets({ retryForMs: 0 }));
    await client.listPrices();
    assert.equal((sent[1]?.atMs ?? 0) - (sent[0]?.atMs ?? 0), waitMs);
  }
});

test('an order is not sent again once the server may have forgotten its key', async () => {
  const { client, time } = new Scripted([broken], { retryForMs: 3_600_000 });
  const startMs = time.nowMs();
  await errorOf(client.placeOrder(ORDER));
  assert.equal(Math.ceil((time.nowMs() - startMs) / 60_000), 9);
  await errorOf(client.listMarkets());
  assert.ok(time.nowMs() - startMs > 3_600_000, 'reads may be');
  const limits = { 'X-RateLimit-Limit': '30', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '59' };
  const held = new Scripted([failure(503, 'stale_price', limits)]);
  assert.equal((await errorOf(held.client.placeOrder(ORDER))).attempts, 1, 'the limits let none go in time');
});

test('an order that was refused for its odds is told what they are', async () => {
  const current = { percent: 45.74, oddsAtBet: 2.1861 };
  const answer = { success: false, error: 'odds_changed', current };
  const { client } = new Scripted([() => Response.json(answer, { status: 409 })]);
  const error = await errorOf(client.placeOrder({ ...ORDER, minOdds: 2.2 }));
  assert.deepEqual([error.message, error.current], ['odds_changed', current]);
});

test('an attempt that gets no answer in time is given up, and the signal ends the call', async () => {
  const hanging: typeof fetch = (_url, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
    });
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const timersBefore = timers();
  const { client } = new Scripted([], { fetch: hanging, timeoutMs: 1, retryForMs: 0 });
  const error = await errorOf(client.listMarkets());
  assert.deepEqual([error.code, error.status], ['timed_out', 0]);
  assert.equal((await errorOf(client.placeOrder(ORDER))).isOutcomeUnknown, true);
  const controller = new AbortController();
  const { signal } = controller;
  const place = () => errorOf(client.placeOrder(ORDER, { signal, timeoutMs: 60_000 }));
  const calls = Array.from({ length: 11 }, place);
  await errorOf(client.listMarkets({ signal }));
  assert.equal(getEventListeners(signal, 'abort').length, 1, 'Node warns of more than ten');
  controller.abort(new Error('enough'));
  for (const { code, cause, attempts, isOutcomeUnknown } of await Promise.all(calls))
    assert.deepEqual([code, cause, attempts, isOutcomeUnknown], ['aborted', signal.reason, 1, true]);
  assert.ok(timers() <= timersBefore, 'none keeps the bot from its end');
});

test('an error names the field that the server names', async () => {
  const cases = {
    'expectedPercnt is not a known field': 'expectedPercnt',
    'limit must be a whole number from 1 to 200': 'limit',
    'amount is missing; expected a number': 'amount',
    'unknown query parameter "curso"; known here: limit, cursor': 'curso',
    'query parameter limit is given twice': 'limit',
    'Idempotency-Key must be 1 to 255 visible ASCII characters': 'Idempotency-Key',
    'the body is not valid JSON': null,
  };
  for (const [detail, field] of Object.entries(cases)) {
    const { client } = new Scripted([failure(400, `invalid_request: ${detail}`)]);
    assert.equal((await errorOf(client.placeOrder(ORDER))).field, field, detail);
  }
  const other = new Scripted([failure(400, 'stake_out_of_range: amount must be 1.00 to 500.00 USD')]);
  assert.equal((await errorOf(other.client.placeOrder(ORDER))).field, null);
});

test('an Idempotency-Key that is not visible ASCII is refused before anything is sent', async () => {
  const { client, sent } = new Scripted([success(PLACED, 201)]);
  for (const idempotencyKey of ['', 'a b', 'btc-\u00e9', 'btc-🚀', 'k'.repeat(258)]) {
    const { code, field, ...own } = await errorOf(client.placeOrder(ORDER, { idempotencyKey }));
    assert.deepEqual([code, field], ['invalid_request', 'Idempotency-Key']);
    assert.deepEqual([own.attempts, own.isOutcomeUnknown, own.idempotencyKey], [0, false, idempotencyKey]);
  }
  assert.deepEqual(sent, []);
});

/** The addresses of two machines. */
const url = ['http://one.test/v1/', 'http://two.test/v1'];
const hostsOf = ({ sent }: Scripted): string[] => sent.map((request) => new URL(request.url).hostname);

test('an order goes to the next machine under the same Idempotency-Key, and later ones go there at once', async () => {
  const script = new Scripted([broken, success(PLACED, 201)], { url });
  for (const _ of ['first', 'second']) await script.client.placeOrder(ORDER);
  assert.deepEqual(hostsOf(script), ['one.test', 'two.test', 'two.test']);
  const [first, second] = script.sent.map(({ headers }) => headers['Idempotency-Key']);
  assert.equal(first, second);
});

test('it goes on from a machine that stops or was cut off, round and round', async () => {
  const failures = [failure(503, 'shutting_down'), failure(503, 'journal_backlog'), proxyPage(503)];
  const script = new Scripted([...failures, success(PLACED, 201)], { url });
  await script.client.placeOrder(ORDER);
  assert.deepEqual(hostsOf(script), ['one.test', 'two.test', 'one.test', 'two.test']);
  const both = new Scripted([broken, broken, success(PLACED, 201)], { url });
  await Promise.all([both.client.placeOrder(ORDER), both.client.placeOrder(ORDER)]);
  assert.deepEqual(hostsOf(both), ['one.test', 'one.test', 'two.test', 'two.test'], 'counted once');
});

test('a refusal is the answer of a machine that serves', async () => {
  const script = new Scripted([failure(400, 'stake_out_of_range'), success([])], { url });
  await assert.rejects(script.client.placeOrder(ORDER), { code: 'stake_out_of_range' });
  await script.client.listPositions();
  assert.deepEqual(hostsOf(script), ['one.test', 'one.test']);
});

test('what is no address is refused before anything is sent', () => {
  for (const wrong of ['127.0.0.1:8080/v1', 'localhost:8080/v1', 'ws://one.test/v1', '/v1', ''])
    assert.throws(() => new Scripted([], { url: [...url, wrong] }), /is no address of the API/);
  assert.throws(() => new Scripted([], { url: [] }), /an address of the API is needed/);
});

const PAGES: Readonly<Record<string, Page<number>>> = {
  '': { data: [1, 2], nextCursor: 'b' },
  b: { data: [], nextCursor: 'c' },
  c: { data: [3], nextCursor: null },
};

test('every element comes once, an empty page is no end, and the last page is', async () => {
  const asked: string[] = [];
  const all: number[] = [];
  const list = eachOf(async ({ cursor = '' }) => {
    asked.push(cursor);
    return PAGES[cursor] ?? { data: [], nextCursor: null };
  });
  for await (const element of list) all.push(element);
  assert.deepEqual(all, [1, 2, 3]);
  assert.deepEqual(asked, ['', 'b', 'c']);
});
