/** The server's replies, their time and their connection; connections, listening, closing, and programming errors. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import type { HttpHandler, HttpResponder } from '../../../engine/model/ports.js';
import { echo, HOST, TransportBench, until, withBench } from '../../support/http/transport-bench.js';

const get = (path: string): string[] => [`GET ${path} HTTP/1.1`, HOST, '', ''];
const fine: HttpHandler = (_request, responder) => responder.send(200, [], 'fine');

class Later {
  readonly responders: HttpResponder[] = [];
  readonly handler: HttpHandler = (_request, responder) => {
    this.responders.push(responder);
  };

  answer(index: number, body = 'late'): void {
    must(this.responders[index], 'a request that waits').send(200, [], body);
  }
}

type Work = (bench: TransportBench, later: Later) => Promise<void>;
const withLater = (work: Work, later = new Later()): Promise<void> =>
  withBench(later.handler, (bench) => work(bench, later));

test('status, headers and body are sent as given, and a string as UTF-8', () =>
  withBench(
    ({ path }, responder) => {
      const text = '{"é":"€"}';
      responder.send(429, ['Retry-After', '7', 'X-Two', 'a b'], path === '/text' ? text : Buffer.from(text));
    },
    async (bench) => {
      for (const path of ['/text', '/bytes']) {
        const answer = await (await bench.ask(...get(path))).sees(/\}$/);
        assert.match(
          answer,
          /^HTTP\/1\.1 429 Too Many Requests\r\nRetry-After: 7\r\nX-Two: a b\r\nDate: [^\r]+\r\nContent-Length: 12\r\n\r\n/,
        );
        assert.equal(Buffer.from(answer.slice(-12), 'latin1').toString(), '{"é":"€"}');
        assert.doesNotMatch(answer, /uwebsockets/i);
      }
    },
  ));

test('HEAD has the length without the body, 204 and 304 neither, and few of them are the last', (t) =>
  withBench(
    ({ path }, responder) =>
      responder.send(Number(path.slice(1)), ['X-A', 'b'], path === '/200' ? 'body' : ''),
    async (bench) => {
      const random = t.mock.method(Math, 'random', () => 0.01);
      const client = await bench.client();
      for (const line of ['HEAD /200', 'HEAD /204', 'GET /204', 'GET /304', 'HEAD /200', 'GET /200']) {
        client.received = '';
        client.send(`${line} HTTP/1.1`, HOST, '', '');
        const answer = await client.sees(line === 'GET /200' ? /body$/ : /\r\n\r\n/);
        const length = /content-length: (\d+)/i.exec(answer)?.[1];
        assert.equal(length, line.endsWith('/200') ? '4' : undefined, line);
        assert.match(answer, line === 'GET /200' ? /\r\n\r\nbody$/ : /\r\n\r\n$/);
      }
      assert.deepEqual([bench.seen.length, client.isClosed], [6, false]);
      random.mock.mockImplementation(() => 0);
      client.received = '';
      client.send('HEAD /200 HTTP/1.1', HOST, '', '');
      await client.sees(/\r\n\r\n$/);
      bench.advance(0);
      assert.match(await client.toEnd(), /b\r\nConnection: close\r\nContent-Length: 4\r\n\r\n$/);
    },
  ));

test('an answer may come later, also for HEAD, and the connection stays open', () =>
  withLater(async (bench, later) => {
    const client = await bench.ask('HEAD / HTTP/1.1', HOST, '', '');
    await bench.sees(1);
    later.answer(0);
    await client.sees(/Content-Length: 4\r\n.*\r\n\r\n$/s);
    client.send('POST / HTTP/1.1', HOST, 'Content-Length: 2', '', '{}');
    await bench.sees(2);
    later.answer(1);
    assert.match(await client.sees(/late$/), /late$/);
  }));

test('Connection: close is honoured and said again, once, and nothing behind it is processed', () =>
  withBench(fine, async (bench) => {
    for (const close of ['close', 'Close', 'keep-alive, close'])
      for (const [method, more, body] of [
        ['GET', '', ''],
        ['POST', 'Content-Length: 2\r\n', '{}'],
      ]) {
        const lines = [`${method} / HTTP/1.1`, HOST, `${more}Connection: ${close}`, '', body ?? ''];
        const answer = await bench.askAndClose(...lines);
        assert.match(answer, /^HTTP\/1\.1 200 OK\r\n.*fine$/s);
        assert.equal(answer.match(/^Connection: close\r$/gm)?.length, 1, close);
        await bench.askAndClose(lines.join('\r\n') + ['GET /hidden HTTP/1.1', HOST, '', ''].join('\r\n'));
      }
    assert.ok(bench.seen.every(({ path }) => path === '/'));
  }));

test('nothing is sent after a disconnect', () =>
  withLater(async (bench, later) => {
    const client = await bench.ask(...get('/'));
    await bench.sees(1);
    await client.close();
    await until(() => bench.transport.connections === 0);
    later.answer(0);
  }));

test('requests in one packet are answered in order', () =>
  withBench(fine, async (bench) => {
    const client = await bench.ask(get('/1').join('\r\n') + get('/2').join('\r\n') + get('/3').join('\r\n'));
    await bench.sees(3);
    await until(() => client.received.split('fine').length === 4);
    assert.equal(bench.seen.map(({ path }) => path).join(), '/1,/2,/3');
    const post = ['POST / HTTP/1.1', HOST, 'Content-Length: 2', '', '{}'].join('\r\n');
    for (const many of [get('/').join('\r\n'), post]) {
      const flood = await bench.client();
      flood.send(many.repeat(3_000));
      await until(() => flood.isClosed);
    }
    assert.ok(bench.seen.length < 2_000, 'a client that sends on holds up no others');
  }));

test('a request behind an unanswered one closes the connection', () =>
  withLater(async (bench, later) => {
    const client = await bench.ask(...get('/1'));
    await bench.sees(1);
    client.send(...get('/2'));
    assert.deepEqual([await client.toEnd(), bench.seen.length], ['', 1]);
    later.answer(0);
  }));

test('an answer larger than all buffers arrives complete', () =>
  withBench(
    (_request, responder) => responder.send(200, [], 'x'.repeat(30_000_000)),
    async (bench) => {
      const client = await bench.client();
      client.socket.pause();
      client.send(...get('/'));
      await until(() => bench.transport.slow.size === 1);
      bench.advance(29_999);
      client.socket.resume();
      // The head is short: beyond the body's length little is left to come.
      await until(() => client.received.length > 30_000_000);
      await until(() => client.received.length >= client.received.indexOf('\r\n\r\n') + 4 + 30_000_000);
      const [head = '', body = ''] = client.received.split('\r\n\r\n');
      assert.match(head, /Content-Length: 30000000$/);
      assert.ok(body === 'x'.repeat(30_000_000));
      assert.equal(bench.transport.slow.size, 0);
    },
  ));

test('an answer that nobody reads is abandoned', () =>
  withBench(
    (_request, responder) => responder.send(200, [], Buffer.alloc(30_000_000)),
    async (bench) => {
      const client = await bench.client();
      client.socket.pause();
      client.send(...get('/'));
      await until(() => bench.transport.slow.size === 1);
      bench.advance(30_000);
      await until(() => bench.transport.connections === 0);
      assert.equal(bench.transport.slow.size, 0);
    },
  ));

for (const [method, status] of Object.entries({ GET: 200, POST: 201, HEAD: 200 })) {
  const most = method === 'HEAD' ? 5_000 : 1_000;
  test(`a client that sends ${method} and never reads its ${status} is disconnected, not buffered for`, () =>
    withBench(
      (_request, responder) => responder.send(status, [], 'x'.repeat(50_000)),
      async (bench) => {
        const client = await bench.client();
        client.socket.pause();
        const many = [`${method} / HTTP/1.1`, HOST, '', ''].join('\r\n').repeat(100);
        await until(() => bench.transport.connections === 1);
        for (let sent = 0; sent < 10_000 && bench.transport.connections > 0; sent += 100) {
          client.send(many);
          await new Promise(setImmediate);
        }
        await until(() => bench.transport.connections === 0 || bench.seen.length > most);
        // The kernel buffers a few MB of a connection: 10,000 answers of GET would be 500 MB.
        assert.ok(bench.seen.length < most, `${bench.seen.length} answers`);
      },
    ));
}

test('connections above the cap are closed at once, and free places are reused', () =>
  withBench(
    fine,
    async (bench) => {
      const clients = [await bench.client(), await bench.client()];
      await until(() => bench.transport.connections === 2);
      assert.equal(await (await bench.client()).toEnd(), '');
      assert.equal(bench.transport.connections, 2);
      for (const client of clients) client.send(...get('/'));
      for (const client of clients) await client.sees(/fine$/);
      await clients[0]?.close();
      await until(() => bench.transport.connections === 1);
      const fourth = await bench.ask(...get('/'));
      assert.match(await fourth.sees(/fine$/), /fine$/);
    },
    { connectionsMax: 2 },
  ));

test('a taken port is reported, and can be used once it is free', async () => {
  const first = await new TransportBench(fine).start();
  const sentence = /cannot listen on 127\.0\.0\.1:\d+: the port is taken/;
  await assert.rejects(new TransportBench(fine).start(first.port), sentence);
  await first.stop();
  const second = await new TransportBench(fine).start(first.port);
  assert.equal(second.port, first.port);
  await second.stop();
});

test('closing answers pending requests and closes the rest', () =>
  withLater(async (bench, later) => {
    const idle = await bench.client();
    const waiting = await bench.ask(...get('/'));
    await bench.sees(1);
    let isClosed = false;
    const closing = bench.transport.close().then(() => {
      isClosed = true;
    });
    const refused = connect(bench.port, '127.0.0.1');
    const error = await new Promise<NodeJS.ErrnoException>((resolve) => refused.once('error', resolve));
    assert.equal(error.code, 'ECONNREFUSED');
    assert.equal(isClosed, false, 'an answer is pending');
    later.answer(0);
    await closing;
    assert.match(await waiting.toEnd(), /^HTTP\/1\.1 200 OK\r\nConnection: close\r\n.*late$/s);
    assert.deepEqual([await idle.toEnd(), bench.transport.connections], ['', 0]);
  }));

test('closing does not wait for ever', () =>
  withLater(async (bench, later) => {
    const client = await bench.ask(...get('/'));
    await bench.sees(1);
    const closing = bench.transport.close();
    bench.advance(10_000);
    await closing;
    assert.equal(await client.toEnd(), '');
    later.answer(0);
  }));

test('closing waits a second for the rest of a body', () =>
  withBench(echo, async (bench) => {
    const half = await bench.ask('POST / HTTP/1.1', HOST, 'Content-Length: 9', '', '{');
    await until(() => bench.transport.slow.size === 1);
    const closing = bench.transport.close();
    bench.advance(1_000);
    assert.match(await half.toEnd(), /request_timeout$/);
    await closing;
  }));

test('an exception in a handler is answered with 500 and its id, and the connection closed', async () => {
  const broken = new Error('broken');
  const bench = await new TransportBench(() => assert.fail(broken)).start();
  const requests = [
    get('/'),
    ['POST / HTTP/1.1', HOST, 'Content-Length: 2', '', '{}'],
    ['POST / HTTP/1.1', HOST, 'Transfer-Encoding: xchunked', '', '0', '', ''],
    ['POST / HTTP/1.1', HOST, 'Content-Length: 1000000', '', ''],
  ];
  for (const [index, lines] of requests.entries()) {
    const answer = await bench.askAndClose(...lines);
    assert.match(answer, /^HTTP\/1\.1 500 /);
    assert.ok(answer.includes(`X-Request-Id: fault-${index + 1}\r\n`), answer);
    const logged = `logged as fault-${index + 1}"}`;
    assert.ok(answer.endsWith(`"internal_error: an error of the server, ${logged}`), answer);
    assert.equal(bench.faults.length, index + 1);
  }
  const slow = await bench.ask('POST / HTTP/1.1', HOST, 'Content-Length: 2', '', '{');
  await until(() => bench.transport.slow.size === 1);
  bench.advance(10_000);
  assert.match(await slow.toEnd(), /^HTTP\/1\.1 500 /);
  assert.deepEqual(bench.faults, new Array(5).fill(broken));
  await bench.stop();
});

test('an exception after the answer is reported, too', async () => {
  const bench = await new TransportBench((_request, responder) => {
    responder.send(200, [], 'fine');
    responder.send(200, [], 'again');
  }).start();
  assert.match(await (await bench.ask(...get('/'))).sees(/fine$/), /fine$/);
  assert.match(String(bench.faults[0]), /a request is answered once/);
  await bench.stop();
});
