/**
 * The client's side of the stream against a server that a script plays over real sockets: sending, resuming, giving
 * up.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import type { ToteError } from '../../client/base/errors.js';
import { realSurroundings, type Surroundings } from '../../client/base/timing.js';
import { ToteClient } from '../../client/client.js';
import { Connection, type WebSocketConstructor, type WebSocketLike } from '../../client/stream/connection.js';
import type { StreamOptions, StreamState, ToteStream } from '../../client/stream/stream.js';
import { Subscription } from '../../client/stream/subscription.js';
import { Subscriptions } from '../../client/stream/subscriptions.js';
import { MESSAGE_BYTES_MAX } from '../../http/stream/limits.js';
import { Seen } from '../feeds/support/seen.js';
import { fixedPort } from '../support/fixed-port.js';
import { errorOf, ORDER, PLACED } from './support/scripted.js';

const closing: (() => void)[] = [];
after(() => {
  for (const close of closing.reverse()) close();
});

type Message = Readonly<Record<string, unknown>>;
const AT = { seq: 100, time: '2026-06-10T12:00:00.000Z' };
const HEARTBEAT = { type: 'heartbeat', ...AT, priceAgeMs: {} };

class Line {
  readonly #messages = new Seen<Message>();

  constructor(
    readonly socket: WebSocket,
    readonly protocols: string,
  ) {
    socket.on('message', (data) => this.#messages.add(JSON.parse(String(data))));
  }

  send(...messages: readonly Message[]): void {
    for (const message of messages) this.socket.send(JSON.stringify(message));
  }

  /** With an `op` those before it are passed over. */
  next(op?: string): Promise<Message> {
    return this.#messages.nextWhere((message) => op === undefined || message['op'] === op);
  }

  refuse(id: unknown, code: string, message = '', more: Message = {}): void {
    this.send({ type: 'error', ...AT, id, code, message, ...more });
  }

  async grant(stream: ToteStream, seconds: number): Promise<void> {
    const answered = stream.setDeadman(seconds);
    const { op, id, seconds: asked } = await this.next();
    assert.deepEqual([op, asked], ['deadman', seconds]);
    this.send({ type: 'deadman', ...AT, id, data: { seconds } });
    assert.deepEqual(await answered, { seconds });
  }

  async confirm(since: number | null): Promise<Message> {
    const request = await this.next();
    const { id, channel, markets = null } = request;
    this.send({ type: 'subscribed', ...AT, id, channel, markets, since, run: since && 'one' });
    return request;
  }
}

class Script {
  readonly #lines = new Seen<Line>();
  /** Where its streams have connected to, in order. */
  readonly dialled: string[] = [];
  readonly paused: number[] = [];

  private constructor(
    readonly http: HttpServer,
    server: WebSocketServer,
  ) {
    server.on('connection', (socket, { headers }) => {
      this.#lines.add(new Line(socket, headers['sec-websocket-protocol'] ?? ''));
    });
    closing.push(() => {
      for (const socket of server.clients) socket.terminate();
      http.close();
    });
  }

  /** With a `refusal` each request has it, or no answer where it is empty, and there is no stream. */
  static async start(refusal: string | null = null): Promise<Script> {
    const answer =
      refusal === null ? { success: true, data: { timeMs: 1 } } : { success: false, error: refusal };
    const http = createServer((_request, response) => {
      if (refusal !== '') response.writeHead(refusal === null ? 200 : 401).end(JSON.stringify(answer));
    });
    const where = refusal === null ? { server: http } : { noServer: true };
    const script = new Script(http, new WebSocketServer({ ...where, handleProtocols: () => 'tote.v1' }));
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    return script;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}/v1`;
  }

  open(options: StreamOptions = {}, others: readonly string[] = []): ToteStream {
    const sleep: Surroundings['sleep'] = async (delayMs, signal) => {
      this.paused.push(delayMs);
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
    };
    const client = new ToteClient({
      url: [this.url, ...others],
      key: 'tote_secret',
      timeoutMs: Number.POSITIVE_INFINITY,
      surroundings: { ...realSurroundings, random: () => 0, sleep },
    });
    const construct = (_: unknown, [url, protocols]: string[]): WebSocket => {
      this.dialled.push(String(url).replace(/^ws(.*)\/stream$/, 'http$1'));
      return new WebSocket(String(url), protocols);
    };
    const webSocket = new Proxy<WebSocketConstructor>(WebSocket, { construct });
    const stream = client.openStream({ webSocket, silenceMsMax: Number.POSITIVE_INFINITY, ...options });
    closing.push(() => stream.close());
    return stream;
  }

  /** Without a `seq` nothing has come over it. */
  async line(seq: number | null = AT.seq): Promise<Line> {
    const line = await this.#lines.next();
    if (seq !== null) line.send({ ...HEARTBEAT, seq });
    return line;
  }
}

async function opened() {
  const script = await Script.start();
  return { script, stream: script.open() };
}

async function connected() {
  const both = await opened();
  return { ...both, line: await both.script.line() };
}

const fills = (seq: number): Message => ({ type: 'fills', ...AT, seq, data: [] });

test('the key goes as a subprotocol, and a subscription is confirmed and brings its messages', async () => {
  const { script, stream } = await opened();
  const seen: number[] = [];
  const options = { markets: ['BTC_ONE_MINUTE'] };
  const onResync = (): void => assert.fail('nothing is lost');
  const subscribed = stream.subscribe('rounds', ({ seq }) => seen.push(seq), { ...options, onResync });
  const line = await script.line();
  assert.equal(line.protocols, 'tote.v1,tote.key.tote_secret');
  assert.deepEqual(await line.confirm(100), { op: 'subscribe', id: 1, channel: 'rounds', ...options });
  const subscription = await subscribed;
  line.send({ type: 'rounds', ...AT, seq: 101, data: [] }, { type: 'rounds', ...AT, seq: 104, data: [] });
  line.send({ ...HEARTBEAT, seq: 110 }, { type: 'rounds', ...AT, seq: 111, data: [] });
  while (seen.length < 3) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(seen, [101, 104, 111]);
  assert.deepEqual(subscription.position, { since: 111, run: 'one' });
  stream.unsubscribe('rounds');
  assert.deepEqual(await line.next(), { op: 'unsubscribe', id: 2, channel: 'rounds' });
});

test('after a lost connection events resume where they were, and what comes twice is dropped', async () => {
  const script = await Script.start();
  const states: (string | number)[] = [];
  const onState: StreamOptions['onState'] = (it) => states.push('failures' in it ? it.failures : it.state);
  const stream = script.open({ onState });
  script.http.once('request', () => states.push('a connection that was open needs no explanation'));
  const seen: number[] = [];
  void stream.subscribe('fills', ({ seq }) => seen.push(seq));
  void stream.subscribe('account', ({ seq }) => seen.push(seq));
  const first = await script.line(100);
  await first.confirm(100);
  await first.confirm(null);
  const state = { type: 'account', ...AT, data: {} };
  first.send(fills(103), state, state, { ...HEARTBEAT, seq: 107 });
  first.socket.close();

  // This connection's heartbeats say nothing of events before the channel is confirmed on it.
  const second = await script.line(150);
  const [again, account] = [await second.next(), await second.next()];
  assert.deepEqual([again['channel'], again['since'], again['run']], ['fills', 107, 'one']);
  assert.deepEqual([account['channel'], 'since' in account], ['account', false]);
  second.socket.terminate();

  const third = await script.line(160);
  assert.equal((await third.confirm(107))['since'], 107);
  third.send(fills(107), fills(120), { ...HEARTBEAT, seq: 110 }, fills(120), fills(130));
  while (seen.at(-1) !== 130) await new Promise((resolve) => setImmediate(resolve));
  await third.next();
  void stream.subscribe('fills', ({ seq }) => seen.push(seq), { from: { since: 130, run: 'one' } });
  third.send(fills(140));
  await third.confirm(130);
  third.send(fills(135), fills(140));
  while (seen.at(-1) !== 140) await new Promise((resolve) => setImmediate(resolve));
  const told = [103, 100, 100, 120, 130, 135, 140];
  assert.deepEqual(seen, told, 'a subscription that replaces another begins where it says');
  stream.close();
  await stream.closed;
  assert.deepEqual(states, ['connected', 1, 'connected', 1, 'connected']);
  assert.deepEqual(script.paused, [100, 100]);
});

test('where the server cannot resume, at once or later, the bot is told once the events come again', async () => {
  const { script, stream, line } = await connected();
  const said: (string | number)[] = [];
  const options = { from: { since: 7, run: 'r' }, onResync: () => said.push('resync') };
  void stream.subscribe('fills', ({ seq }) => said.push(seq), options);
  const { id, since, run } = await line.next();
  line.refuse(id, 'resync_required');
  const again = await line.confirm(100);
  line.send(fills(101));
  line.refuse(again['id'], 'resync_required');
  assert.deepEqual(
    [since, run, 'run' in again, 'since' in (await line.confirm(200))],
    [7, 'r', false, false],
  );
  line.send(fills(201));
  line.socket.close();
  const next = await script.line();
  await next.confirm(201);
  next.send(fills(202));
  while (said.at(-1) !== 202) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(said, ['resync', 101, 'resync', 201, 202]);
});

test('a subscription that was replaced before the server refused to resume it does not come back', async () => {
  const { stream, line } = await connected();
  const from = { since: 7, run: 'one' };
  const replaced = stream.subscribe('rounds', () => undefined, { markets: ['BTC_ONE_MINUTE'], from });
  const { id } = await line.next();
  const other = stream.subscribe('fills', () => undefined);
  const successor = stream.subscribe('rounds', () => undefined, { markets: ['ETH_ONE_MINUTE'] });
  line.send({ type: 'rounds', ...AT, seq: 101, data: [] });
  line.send({ type: 'subscribed', ...AT, id, channel: 'rounds', markets: null, ...from });
  line.refuse(id, 'resync_required');
  await Promise.all([line.confirm(100), other]);
  assert.deepEqual((await line.confirm(100))['markets'], ['ETH_ONE_MINUTE']);
  assert.equal((await successor).position?.since, 101, 'what came before its confirmation is not lost');
  await replaced;
  const ended = stream.subscribe('markets', () => undefined);
  for (const channel of ['rounds', 'markets'] as const) stream.unsubscribe(channel);
  await ended;
  assert.deepEqual([(await line.next())['op'], (await line.next())['op']], ['subscribe', 'unsubscribe']);
});

test('a connection without heartbeats is given up, and an order that it carried may still arrive', async () => {
  const script = await Script.start();
  const ends: string[] = [];
  const onState: StreamOptions['onState'] = (state) => 'end' in state && ends.push(state.end.reason);
  const stream = script.open({ silenceMsMax: 300, onState });
  const orders = [ORDER, { ...ORDER, roundId: 'BTC_ONE_MINUTE_1' }];
  const refused = orders.map((order) => errorOf(stream.placeOrder(order)));
  await (await script.line()).next();
  const second = await script.line();
  for (const _ of orders) second.refuse((await second.next())['id'], 'betting_closed');
  const areUnknown = (await Promise.all(refused)).map(({ isOutcomeUnknown }) => isOutcomeUnknown);
  assert.deepEqual([areUnknown, ends[0]], [[true, false], 'no heartbeat']);
});

test('a connection is kept while something comes in time, and given up once nothing does', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const ends: number[] = [];
  let nowMs = 0;
  const terminate = (): void => {
    ends.push(nowMs);
    socket.dispatchEvent(new Event('close'));
  };
  const socket = Object.assign(new EventTarget(), { close: () => undefined, terminate });
  const host = { onMessage: () => undefined, onEnd: () => ends.push(nowMs) };
  new Connection(socket as unknown as WebSocketLike, 300, host);
  while (nowMs++ < 10_000) {
    t.mock.timers.tick(1);
    if (nowMs % 290 === 0 && nowMs < 1_000) socket.dispatchEvent(new MessageEvent('message', { data: '{}' }));
  }
  assert.deepEqual(ends, [1_200, 4_200], 'its socket is ended where no close comes');
});

test('a subscription that is refused, at once or after a lost connection, is told once and asked for again only after a rate limit', async () => {
  const { script, stream, line: first } = await connected();
  const refused = errorOf(stream.subscribe('rounds', () => undefined));
  first.refuse((await first.next())['id'], 'insufficient_scope', 'the key lacks markets:read');
  const told: ToteError[] = [];
  const confirmed = stream.subscribe('fills', () => undefined, { onRefused: (error) => told.push(error) });
  await Promise.all([first.confirm(100), confirmed]);
  first.socket.terminate();
  const second = await script.line();
  const { id, since } = await second.next();
  second.refuse(id, 'rate_limited', 'too fast', { retryAfterSeconds: 1 });
  const again = await second.next();
  second.refuse(again['id'], 'not_found', 'gone');
  await Promise.all([stream.subscribe('markets', () => undefined), second.confirm(null)]);
  assert.deepEqual([since, again['since'], ...told.map(String)], [100, 100, 'ToteError: not_found: gone']);
  assert.deepEqual([(await refused).code, ...script.paused], ['insufficient_scope', 100, 1_000]);
  second.socket.terminate();
  assert.equal((await (await script.line()).next())['channel'], 'markets');
});

test('a subscription that waits for a rate limit is not asked for once it is over, or by a later connection', async () => {
  const asked: unknown[] = [];
  const waits: (() => void)[] = [];
  const pause = () => new Promise<void>((resolve) => waits.push(resolve));
  const subscriptions = new Subscriptions(() => asked.length, pause);
  const connect = () => subscriptions.onConnected(({ op }) => asked.push(op));
  const limit = () =>
    subscriptions.onError(asked.length - 1, { code: 'rate_limited', detail: '', retryAfterMs: 1 });
  let resyncs = 0;
  const add = () =>
    void subscriptions.add(new Subscription('fills', { onResync: () => resyncs++ }, () => undefined));
  connect();
  add();
  limit();
  subscriptions.remove('fills');
  add();
  limit();
  waits.shift()?.();
  await new Promise((resolve) => setImmediate(resolve));
  subscriptions.onChannelMessage({ type: 'fills', ...AT, data: [] });
  subscriptions.onDisconnected();
  connect();
  for (const resume of waits) resume();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(asked, ['subscribe', 'unsubscribe', 'subscribe', 'subscribe']);
  subscriptions.onSubscribed(3, 200, 'one');
  assert.equal(resyncs, 1, 'it had a message, and no position to resume at');
});

test('an order that is aborted after it was sent is unknown, and its error has the key', async () => {
  const { stream, line } = await connected();
  const controller = new AbortController();
  const aborted = errorOf(stream.placeOrder(ORDER, { idempotencyKey: 'k', signal: controller.signal }));
  await line.next();
  controller.abort();
  const { code, isOutcomeUnknown, idempotencyKey, clientSeed } = await aborted;
  assert.deepEqual([code, isOutcomeUnknown, idempotencyKey, clientSeed], ['aborted', true, 'k', 'k']);
});

test('a key that may no longer be used, or messages that are not understood, end the stream for good', async () => {
  for (const code of ['key_disabled', 'key_expired', 'invalid_request']) {
    const { stream, line } = await connected();
    line.socket.close(4403, code);
    assert.equal((await errorOf(stream.closed)).code, code);
    assert.equal((await errorOf(stream.subscribe('fills', () => undefined))).code, code);
    assert.equal((await errorOf(stream.placeOrder(ORDER))).code, code);
  }
});

test('a refused connection is explained by an ordinary request, and ends the stream if key or path is wrong', async () => {
  for (const code of ['invalid_api_key', 'not_found', 'invalid_operator_token'])
    assert.equal((await errorOf((await Script.start(`${code}: no such`)).open().closed)).code, code);
  const url = (await Script.start()).url.replace('http', 'https');
  const stream = new ToteClient({ url, key: 'tote_secret' }).openStream({ webSocket: WebSocket });
  assert.equal((await errorOf(stream.closed)).code, 'bad_answer', 'a server without TLS');
  const proxy = await Script.start('');
  proxy.http.on('request', (_request, response: ServerResponse) => response.writeHead(502).end('<html>'));
  await new Promise<void>((resolve, reject) => {
    const onState: StreamOptions['onState'] = (it) => 'failures' in it && it.failures === 2 && resolve();
    proxy.open({ onState }).closed.catch(reject);
  });
});

test('an address or a key that no WebSocket takes ends the stream for good, and is not shown', async () => {
  const malformed = { 'http://tote.test/v1#here': 'tote_secret', 'http://tote.test/v1': 'tote_secret\n' };
  for (const [url, key] of Object.entries(malformed)) {
    const stream = new ToteClient({ url, key }).openStream({ webSocket: WebSocket });
    const { code, message } = await errorOf(stream.subscribe('fills', () => undefined));
    // A bot need not look at `closed`: an unhandled rejection would be told in this turn.
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([code, message.includes(key.trim())], ['connection_failed', false]);
  }
});

test('a machine that lets the upgrade wait is not asked why: the stream goes on to the next one', async () => {
  const [silent, next] = [await Script.start(''), await Script.start()];
  const stream = silent.open({ silenceMsMax: 100 }, [next.url]);
  await once(silent.http, 'request');
  silent.http.once('request', (_request, response: ServerResponse) => {
    response.writeHead(401).end('{"success":false,"error":"invalid_api_key"}');
  });
  await Promise.race([next.line(), stream.closed]);
});

/** All that the bot's own functions throw. */
function uncaught(t: TestContext): Error[] {
  const thrown: Error[] = [];
  process.setUncaughtExceptionCaptureCallback((error) => thrown.push(error));
  t.after(() => process.setUncaughtExceptionCaptureCallback(null));
  return thrown;
}

test('what a function of the bot throws is uncaught, and the connection brings what follows', async (t) => {
  const thrown = uncaught(t);
  const script = await Script.start();
  const fail = (what: string) => (): never => assert.fail(what);
  const stream = script.open({ onState: fail('state'), onHeartbeat: fail('heartbeat') });
  const line = await script.line();
  const own = { from: { since: 7, run: 'r' }, onResync: fail('resync'), onRefused: fail('refused') };
  const subscribed = stream.subscribe('fills', ({ seq }) => assert.fail(`fills ${seq}`), own);
  line.refuse((await line.next())['id'], 'resync_required');
  await line.confirm(100);
  line.send(fills(101), fills(102));
  await subscribed;
  const order = errorOf(stream.placeOrder(ORDER));
  line.refuse((await line.next())['id'], 'odds_changed');
  assert.deepEqual([(await order).code, (await subscribed).position?.since], ['odds_changed', 102]);
  line.socket.terminate();
  const next = await script.line();
  next.refuse((await next.next())['id'], 'rate_limited');
  while (thrown.length < 9) await new Promise((resolve) => setImmediate(resolve));
  const told = thrown.map(({ message }) => message).join();
  assert.equal(told, 'state,heartbeat,resync,fills 101,fills 102,state,state,heartbeat,refused');
});

test('a stream goes on after an error without a close, whatever onState throws', async (t) => {
  const thrown = uncaught(t);
  class Failing extends EventTarget {
    readonly send = (): void => undefined;
    readonly close = this.send;
    readonly told = setImmediate(() => this.dispatchEvent(new Event('error')));
  }
  const onState = (state: StreamState): never =>
    assert.fail('failures' in state ? `${state.failures}` : state.state);
  const webSocket = Failing as unknown as WebSocketConstructor;
  const stream = (await Script.start()).open({ webSocket, onState });
  while (thrown.length < 2) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(thrown[1]?.message, '2');
  stream.close();
  await stream.closed;
});

test('a stream that is closed while it asks why it was refused does not wait for the answer', async () => {
  const script = await Script.start('');
  script.http.once('request', (_request, response: ServerResponse) => response.writeHead(401).end());
  const stream = script.open();
  for (const _ of ['upgrade', 'question']) await once(script.http, 'request');
  stream.close();
  await stream.closed;
});

test('closing ends everything', async () => {
  const { script, stream } = await opened();
  const unsent = [await errorOf(stream.placeOrder(ORDER, { retryForMs: 0 }))];
  const waiting = errorOf(stream.subscribe('fills', () => undefined));
  const line = await script.line();
  const order = errorOf(stream.placeOrder(ORDER));
  assert.deepEqual([(await line.next())['op'], (await line.next())['op']], ['subscribe', 'order']);
  stream.close();
  await stream.closed;
  assert.equal((await waiting).code, 'connection_failed');
  assert.deepEqual([(await order).code, (await order).isOutcomeUnknown], ['connection_failed', true]);
  unsent.push(await errorOf(stream.cancelOrder('bet_7')));
  for (const { code, isOutcomeUnknown, attempts } of unsent)
    assert.deepEqual([code, isOutcomeUnknown, attempts], ['connection_failed', false, 1]);
});

test('an order is sent again with its key when the connection ends before the answer, or fails with the code of its refusal', async () => {
  const { script, stream, line: first } = await connected();
  const placed = stream.placeOrder(ORDER);
  // The first attempt may have come before the connection; then it was never sent.
  const { op, idempotencyKey, order } = await first.next();
  assert.deepEqual([op, order], ['order', { ...ORDER, clientSeed: idempotencyKey }]);
  first.socket.send('<html>');
  first.send(HEARTBEAT);
  const second = await script.line();
  const again = await second.next();
  assert.deepEqual([again['idempotencyKey'], again['order']], [idempotencyKey, order]);
  second.refuse(again['id'], 'journal_backlog');
  const { id } = await second.next();
  second.send({ type: 'order', ...AT, id, replayed: true, data: PLACED });
  assert.deepEqual(await placed, { ...PLACED, idempotencyKey, clientSeed: idempotencyKey });
  const refused = errorOf(stream.placeOrder(ORDER, { idempotencyKey: 'k' }));
  const current = { percent: 40, oddsAtBet: 2 };
  await second.next();
  second.socket.terminate();
  const third = await script.line();
  third.refuse((await third.next())['id'], 'odds_changed', '', { current, retryAfterSeconds: 7 });
  const { code, isOutcomeUnknown, retryAfterMs, ...error } = await refused;
  assert.deepEqual([code, error.idempotencyKey, isOutcomeUnknown], ['odds_changed', 'k', false]);
  assert.deepEqual([retryAfterMs, error.current], [7_000, current]);
});

test('a cancellation is sent again without a key, and fails with the code of its refusal, or unsent if it is too long', async () => {
  const { script, stream, line: first } = await connected();
  const cancelled = stream.cancelOrder('bet_7');
  const { op, orderId, idempotencyKey } = await first.next();
  assert.deepEqual([op, orderId, idempotencyKey], ['cancel', 'bet_7', undefined]);
  first.socket.send('null');
  const second = await script.line();
  const again = await second.next();
  assert.deepEqual([again['op'], again['orderId']], ['cancel', 'bet_7']);
  second.send({ type: 'cancelled', ...AT, id: again['id'], data: { id: 'bet_7', status: 'CANCELLED' } });
  assert.deepEqual(await cancelled, { id: 'bet_7', status: 'CANCELLED' });
  const refused = errorOf(stream.cancelOrder('bet_7'));
  second.refuse((await second.next())['id'], 'order_not_pending', 'it does not rest');
  const { code, isOutcomeUnknown, idempotencyKey: ofError } = await refused;
  assert.deepEqual([code, isOutcomeUnknown, ofError], ['order_not_pending', false, null]);
  const long = 'ü'.repeat(MESSAGE_BYTES_MAX / 2);
  const tooLong = await errorOf(stream.cancelOrder(long, { timeoutMs: 1, retryForMs: 0 }));
  assert.deepEqual([tooLong.code, tooLong.attempts, tooLong.isOutcomeUnknown], ['body_too_large', 1, false]);
});

test('a countdown is asked for anew by each connection, until it is taken back or refused', async () => {
  const { script, stream, line: first } = await connected();
  const granted = first.grant(stream, 5);
  const refused = errorOf(stream.setDeadman(500));
  await granted;
  first.refuse((await first.next())['id'], 'invalid_request');
  assert.equal((await refused).code, 'invalid_request');
  await first.grant(stream, 6);
  first.socket.send('7');
  const second = await script.line();
  const refusedThere = errorOf(stream.setDeadman(500));
  second.refuse((await second.next())['id'], 'invalid_request');
  assert.equal((await refusedThere).code, 'invalid_request');
  const { op, id: limited, seconds } = await second.next();
  assert.deepEqual([op, seconds], ['deadman', 6]);
  second.refuse(limited, 'rate_limited');
  assert.equal((await second.next())['seconds'], 6, 'this connection has no countdown to renew');
  await second.grant(stream, 0);
  second.socket.terminate();
  const third = await script.line();
  const cancelled = stream.cancelOrders({ marketId: 'BTC_ONE_DAY' });
  const { op: next, marketId, id } = await third.next();
  assert.deepEqual([next, marketId], ['cancelAll', 'BTC_ONE_DAY']);
  third.send({ type: 'cancelledAll', ...AT, id, data: { cancelled: 3 } });
  assert.deepEqual(await cancelled, { cancelled: 3 });
  await third.grant(stream, 7);
  third.socket.terminate();
  const fourth = await script.line();
  fourth.refuse((await fourth.next())['id'], 'insufficient_scope', 'no cancelling');
  assert.equal(String(await errorOf(stream.closed)), 'ToteError: insufficient_scope: no cancelling');
});

test('a stream whose orders are refused or not answered goes on to a machine that serves, once its countdown is there', async () => {
  for (const countdown of ['granted', 'asked', 'none', 'unanswered'] as const) {
    const [slow, other] = [await Script.start(), await Script.start()];
    const dead = `http://127.0.0.1:${await fixedPort()}/v1`;
    const stream = slow.open({}, [dead, other.url]);
    const first = await slow.line();
    const hasCountdown = countdown === 'granted' || countdown === 'asked';
    if (hasCountdown) await first.grant(stream, 5);
    if (countdown === 'asked') void stream.setDeadman(5);
    if (countdown === 'asked') await first.next();
    const placed = stream.placeOrder(ORDER);
    const { id: refused, idempotencyKey } = await first.next();
    if (countdown !== 'unanswered') {
      first.refuse(refused, 'journal_backlog');
      assert.equal((await first.next())['idempotencyKey'], idempotencyKey, 'it stays while no other serves');
    } else {
      const unanswered = errorOf(stream.cancelOrder('bet_7', { timeoutMs: 1, retryForMs: 0 }));
      assert.equal((await unanswered).code, 'timed_out');
    }
    const beats = setInterval(() => first.send(HEARTBEAT, HEARTBEAT), 5);
    const second = await other.line();
    clearInterval(beats);
    const asked = hasCountdown ? await second.next() : null;
    const { id } = await second.next();
    void stream.subscribe('markets', () => undefined);
    await second.confirm(null);
    if (asked === null) {
      second.refuse(id, 'odds_changed');
      assert.equal((await errorOf(placed)).isOutcomeUnknown, true, 'the first may carry it out');
    } else {
      assert.deepEqual([asked['op'], first.socket.readyState], ['deadman', WebSocket.OPEN]);
      second.send({ type: 'deadman', ...AT, id: asked['id'], data: { seconds: 5 } });
      second.send({ type: 'order', ...AT, id, replayed: false, data: PLACED });
      assert.equal((await placed).idempotencyKey, idempotencyKey);
    }
    await once(first.socket, 'close');
    assert.deepEqual(slow.dialled, [slow.url, dead, other.url]);
  }
});

test('a stream that moves on, loses its connection or is closed leaves none behind, and hears only its own', async () => {
  const [one, two] = [await Script.start(), await Script.start()];
  const stream = one.open({}, [two.url]);
  const seen: number[] = [];
  const refuseOrder = async (line: Line): Promise<void> =>
    line.refuse((await line.next('order'))['id'], 'journal_backlog');
  const first = await one.line();
  await first.grant(stream, 5);
  void stream.subscribe('markets', ({ seq }) => seen.push(seq));
  await first.confirm(null);
  const order = errorOf(stream.placeOrder(ORDER));
  await refuseOrder(first);
  const second = await two.line();
  await second.next();
  first.send({ type: 'markets', ...AT, snapshot: true, data: [] });
  first.socket.ping();
  await once(first.socket, 'pong');
  assert.deepEqual([seen, first.socket.readyState], [[], WebSocket.OPEN]);
  await refuseOrder(second);
  const third = await one.line();
  await once(first.socket, 'close');
  await refuseOrder(third);
  const candidate = await two.line(null);
  third.socket.terminate();
  for (const { socket } of [second, candidate])
    if (socket.readyState !== WebSocket.CLOSED) await once(socket, 'close');
  await refuseOrder(await two.line());
  const last = await one.line(null);
  stream.close();
  await once(last.socket, 'close');
  assert.equal((await order).code, 'connection_failed');
});

test('a stream on which nothing happens goes on to a machine where something has, and to no other', async () => {
  const [still, other] = [await Script.start(), await Script.start()];
  still.open({}, [other.url]);
  const first = await still.line();
  first.send(...Array.from({ length: 20 }, (_, beat) => ({ ...HEARTBEAT, seq: beat })));
  first.socket.ping();
  await once(first.socket, 'pong');
  assert.deepEqual(still.dialled, [still.url]);
  first.send(...Array.from({ length: 11 }, () => HEARTBEAT));
  await once((await other.line()).socket, 'close');
  assert.equal(first.socket.readyState, WebSocket.OPEN);
  first.send(...Array.from({ length: 10 }, () => HEARTBEAT));
  const newer = await other.line(AT.seq + 1);
  await once(first.socket, 'close');
  assert.equal(newer.socket.readyState, WebSocket.OPEN);
  assert.deepEqual(still.dialled, [still.url, other.url, other.url]);
});

test('a connection to a machine that a request finds stopping is given up', async () => {
  const [one, two] = [await Script.start(), await Script.start()];
  const client = new ToteClient({ url: [one.url, two.url], key: 'tote_secret' });
  const stream = client.openStream({ webSocket: WebSocket, silenceMsMax: Number.POSITIVE_INFINITY });
  closing.push(() => stream.close());
  void stream.subscribe('markets', () => undefined);
  const first = await one.line();
  await first.confirm(null);
  const cancelled = errorOf(stream.cancelOrder('bet_7', { retryForMs: 0 }));
  first.refuse((await first.next())['id'], 'journal_backlog');
  const candidate = await two.line(null);
  two.http.removeAllListeners('request').on('request', (_request, response: ServerResponse) => {
    response.writeHead(503).end('{"success":false,"error":"shutting_down"}');
  });
  assert.deepEqual(
    [(await cancelled).code, (await errorOf(client.getTime({ retryForMs: 0 }))).code],
    ['journal_backlog', 'shutting_down'],
  );
  first.send(HEARTBEAT);
  await once(candidate.socket, 'close');
  assert.equal(first.socket.readyState, WebSocket.OPEN);
});
