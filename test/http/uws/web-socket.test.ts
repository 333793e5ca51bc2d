/** WebSockets of the transport: connections are counted, and waiting messages are sent before the end. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import WebSocket from 'ws';
import type { HttpRequest, StreamOwner, StreamSocket } from '../../../engine/model/ports.js';
import { Connection, type ConnectionHost } from '../../../http/stream/connection.js';
import { FLOOD_PER_SECOND } from '../../../http/stream/limits.js';
import { UwsTransport } from '../../../http/uws/transport.js';
import { systemClock } from '../../../process/clock.js';
import { RawClient } from '../../support/http/raw-client.js';

interface Opened {
  readonly socket: StreamSocket;
  readonly ponged: Promise<unknown>;
  readonly closed: Promise<unknown>;
}

const nothing = (): void => undefined;
const QUIET = { onOpen: nothing, onFault: nothing, onMessage: nothing, onPing: nothing, onRoom: nothing };

async function serve(connectionsMax = 10, owned: (socket: StreamSocket) => StreamOwner | null = () => null) {
  const errors: unknown[] = [];
  const opened: ((opened: Opened) => void)[] = [];
  const requests: HttpRequest[] = [];
  let nowMs = 0;
  const transport = new UwsTransport({
    clock: { ...systemClock, monotonicMs: () => nowMs },
    trustedProxies: [],
    connectionsMax,
    streamPaths: ['/stream'],
    onFault: (error) => `fault-${errors.push(error)}`,
  });
  const port = await transport.listen('127.0.0.1', 0, (request, responder) => {
    requests.push(request);
    if (request.upgrade === undefined || request.apiKey === 'refused' || request.fault !== null) {
      responder.send(404, [], 'no');
      return;
    }
    request.upgrade.accept('', (socket): StreamOwner => {
      const events = new EventEmitter();
      opened.shift()?.({ socket, ponged: once(events, 'pong'), closed: once(events, 'closed') });
      const onPong = () => events.emit('pong');
      return owned(socket) ?? { ...QUIET, onPong, onClosed: () => events.emit('closed') };
    });
  });
  const url = `127.0.0.1:${port}/stream`;
  return {
    transport,
    errors,
    requests,
    async close(until: Promise<unknown> | null = null) {
      const closing = transport.close();
      await until;
      nowMs += 250;
      await closing;
      assert.deepEqual(errors, []);
    },
    async connect(headers: Record<string, string> = {}) {
      const open = new Promise<Opened>((resolve) => opened.push(resolve));
      const client = new WebSocket(`ws://${url}`, { headers });
      await once(client, 'open');
      return { client, ...(await open) };
    },
    url,
  };
}

test('a WebSocket is a connection like others: it counts, and it frees its place', async () => {
  const server = await serve(2);
  const [first, second] = [await server.connect(), await server.connect()];
  assert.equal(server.transport.connections, 2);
  const third = new WebSocket(`ws://${server.url}`);
  await once(third, 'error');
  first.client.close();
  await first.closed;
  assert.equal(server.transport.connections, 1);
  const fourth = await server.connect();
  assert.equal(server.transport.connections, 2);
  for (const { client } of [fourth, second]) client.terminate();
  await Promise.all([fourth.closed, second.closed]);
  assert.equal(server.transport.connections, 0);
  await server.close();
});

test('a refused upgrade, a plain GET and any other upgrade are answered', async () => {
  const server = await serve();
  const client = new WebSocket(`ws://${server.url}`, { headers: { 'X-API-Key': 'refused' } });
  const [, response] = await once(client, 'unexpected-response');
  assert.equal((response as { statusCode: number }).statusCode, 404);
  assert.equal((await fetch(`http://${server.url}`)).status, 404);
  assert.equal(server.requests[1]?.upgrade, undefined);
  const upgrade = ['Connection: keep-alive, upgrade', 'Upgrade: WebSocket', 'Sec-WebSocket-Version: 13'];
  const ask = async (lines: readonly string[], key = `${'A'.repeat(22)}==`): Promise<string> => {
    const raw = await RawClient.open(Number(new URL(`ws://${server.url}`).port));
    raw.send('GET /stream HTTP/1.1', `Sec-WebSocket-Key: ${key}`, ...lines, 'Host: x', '', '');
    return raw.sees(/ 101 /);
  };
  assert.match(await ask(upgrade), /^HTTP\/1\.1 101 /);
  const refused = [await ask(upgrade, '*'.repeat(24)), await ask([...upgrade, 'Content-Length: 1'])];
  for (const [at, line] of upgrade.entries())
    for (const other of ['X: y', `${line}8`]) refused.push(await ask(upgrade.with(at, other)));
  for (const answer of refused) assert.match(answer, /^HTTP\/1\.1 404 .*\r\n\r\nno$/s);
  await server.close();
});

test('the key of a subprotocol is taken as the header; different ones are none', async () => {
  const server = await serve();
  const open = async (protocols: string[], headers: Record<string, string>): Promise<string> => {
    const client = new WebSocket(`ws://${server.url}`, protocols, { headers });
    // The client itself refuses an answer that names none of its protocols.
    client.on('error', () => undefined).on('open', () => client.terminate());
    await new Promise((resolve) => client.on('close', resolve));
    return server.requests.at(-1)?.apiKey ?? '';
  };
  assert.equal(await open(['tote.v1', 'tote.key.secret'], {}), 'secret');
  assert.equal(await open(['tote.v1', 'tote.key.secret'], { 'X-API-Key': 'secret' }), 'secret');
  assert.equal(await open(['tote.key.one', 'tote.key.two'], {}), 'one, two');
  assert.equal(await open(['tote.v1'], {}), '');
  await server.close();
});

test('a ping is answered by the client, and its owner is told', async () => {
  const server = await serve();
  const { client, socket, ponged } = await server.connect();
  socket.ping();
  await ponged;
  client.terminate();
  await server.close();
  socket.ping();
  assert.deepEqual(server.errors, []);
});

for (const isStopping of [false, true])
  test(`a client that has not read for long gets all that waits, and then the reason, stopping: ${isStopping}`, async () => {
    const server = await serve();
    const { client, socket } = await server.connect();
    let sent = 0;
    const received: unknown[] = [];
    client.on('message', (text) => received.push(text));
    client.pause();
    for (; socket.waitingBytes < 2_000_000; sent += 1) socket.send('x'.repeat(100_000));
    const closed = once(client, 'close');
    socket.close(4408, 'slow_consumer');
    assert.equal(server.transport.connections, 0, 'its place is free');
    // Keeps this process running.
    await server.connect();
    const stopped = isStopping ? server.close(closed) : null;
    client.resume();
    assert.deepEqual([...(await closed).map(String), received.length], ['4408', 'slow_consumer', sent]);
    await (stopped ?? server.close());
  });

test('texts that are sent together arrive one by one, in order, however long they are', async () => {
  const server = await serve();
  const { client, socket, closed } = await server.connect();
  const texts = Array.from({ length: 60 }, (_, at) => `${at} ${'x'.repeat(at * 40)}`);
  const received: string[] = [];
  const all = new Promise<void>((resolve) => {
    client.on('message', (message) => {
      if (received.push(String(message)) === 2 * texts.length + 1) resolve();
    });
  });
  assert.equal(socket.sendAll(texts), true);
  socket.sendAll(texts.toReversed());
  socket.send('last');
  await all;
  assert.deepEqual(received, [...texts, ...texts.toReversed(), 'last']);
  client.pause();
  while (socket.sendAll(texts));
  assert.ok(socket.waitingBytes > 0);
  client.terminate();
  await closed;
  assert.equal(socket.sendAll(texts), true, 'nothing is sent after the end');
  await server.close();
});

class Watched extends Connection {
  readonly alive = new EventEmitter();

  override onPong(): void {
    super.onPong();
    this.alive.emit('pong');
  }
}

test('a client that answers no pings finds 4408 and the reason when it reads again, one that floods 4429', async () => {
  const host: ConnectionHost = {
    ...{ moment: () => ({ seq: 1, timeMs: 1 }), monotonicMs: () => 0 },
    ...{ ...QUIET, onHeard: nothing, onRequest: nothing, onClosed: nothing, sendAnswers: nothing },
  };
  let stream!: Watched;
  const server = await serve(10, (socket) => {
    stream = new Watched(socket, { key: 1, account: 1, address: '' }, host);
    return stream;
  });
  const { client } = await server.connect();
  for (let pings = 0; pings < 4; pings++) {
    const ponged = once(stream.alive, 'pong');
    stream.ping();
    await ponged;
  }
  assert.equal(stream.endedBy, null);
  const texts: string[] = [];
  client.on('message', (data) => texts.push(String(data)));
  client.pause();
  for (let pings = 0; pings < 3; pings++) stream.ping();
  assert.equal(stream.endedBy, 'slow_consumer');
  const closed = once(client, 'close');
  client.resume();
  assert.deepEqual((await closed).map(String), ['4408', 'slow_consumer']);
  assert.match(texts.at(-1) ?? '', /"code":"slow_consumer","message":"no answer to 2 pings"/);
  for (const sign of ['ping', 'pong'] as const) {
    const flood = await server.connect();
    const ended = once(flood.client, 'close');
    for (let sent = 0; sent <= FLOOD_PER_SECOND; sent++) flood.client[sign]();
    assert.deepEqual((await ended).map(String), ['4429', 'rate_limited']);
  }
  await server.close();
});
