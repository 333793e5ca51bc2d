/** Requests at the handler: methods, headers, bodies of every form, and faults. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { echo, HOST, until, withBench } from '../../support/http/transport-bench.js';

test('a request arrives with all its headers', () =>
  withBench(echo, async (bench) => {
    const client = await bench.ask(
      'POST /v1/orders%2F?a=1&b=%20?c HTTP/1.1',
      HOST,
      'x-API-key: secret',
      'Idempotency-Key: k-1',
      'Content-Type: application/json; charset=utf-8',
      'Content-Encoding: gzip',
      'Authorization: Bearer t',
      'If-None-Match: "a"',
      'If-None-Match: W/"b"',
      'Accept-Encoding: gzip;q=0.5',
      'Accept-Encoding: br',
      'X-Forwarded-For: 203.0.113.9',
      'Traceparent: 00-4bf9-00f0-01',
      'Content-Length: 4',
      '',
      '{"a"',
    );
    const answer = await client.sees(/fine$/);
    assert.match(
      answer,
      /^HTTP\/1\.1 200 OK\r\nContent-Type: text\/plain\r\nDate: [^\r]+\r\nContent-Length: 4\r\n\r\nfine$/,
    );
    assert.deepEqual(bench.seen, [
      {
        method: 'POST',
        path: '/v1/orders%2F',
        query: 'a=1&b=%20?c',
        address: '127.0.0.1',
        apiKey: 'secret',
        idempotencyKey: 'k-1',
        contentType: 'application/json; charset=utf-8',
        contentEncoding: 'gzip',
        authorization: 'Bearer t',
        ifNoneMatch: '"a", W/"b"',
        acceptEncoding: 'gzip;q=0.5, br',
        traceparent: '00-4bf9-00f0-01',
        body: '{"a"',
        fault: null,
      },
    ]);
  }));

test('every method arrives as it was sent', () =>
  withBench(echo, async (bench) => {
    const client = await bench.client();
    const methods = [
      ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'PROPFIND', 'get'],
    ];
    for (const [index, method] of methods.entries()) {
      client.send(`${method} /a HTTP/1.1`, HOST, '', '');
      await bench.sees(index + 1);
      await client.sees(/fine$/);
      client.received = '';
    }
    assert.equal(bench.seen.map(({ method }) => method).join(), methods.join());
    assert.equal(client.isClosed, false);
  }));

test('an absent header differs from an empty one where it matters', () =>
  withBench(echo, async (bench) => {
    await bench.ask('GET / HTTP/1.1', HOST, '', 'GET / HTTP/1.1', HOST, 'Idempotency-Key:', '', '');
    const [without, empty] = await bench.sees(2);
    assert.deepEqual([without?.idempotencyKey, empty?.idempotencyKey], [null, '']);
    assert.deepEqual([without?.apiKey, without?.contentType, without?.authorization], ['', '', '']);
  }));

test('blanks and bytes above ASCII are dropped at either end of a value', () =>
  withBench(echo, async (bench) => {
    const client = await bench.client();
    const values = ['btc', ' btc', '\tbtc \t ', 'btc-\xe9', '\xf0\x9f\x9a\x80btc-'];
    for (const value of values) client.send('GET / HTTP/1.1', HOST, `Idempotency-Key:${value}`, '', '');
    const keys = (await bench.sees(values.length)).map(({ idempotencyKey }) => idempotencyKey);
    assert.deepEqual(keys, ['btc', 'btc', 'btc', 'btc-', 'btc-']);
  }));

test('different values of one header are joined, equal ones count once', () =>
  withBench(echo, async (bench) => {
    for (const [at, values] of ['ab', 'aa'].entries()) {
      const lines = ['X-API-Key', 'Idempotency-Key'].flatMap((name) =>
        [...values].map((value) => `${name}: ${value}`),
      );
      await bench.ask('GET / HTTP/1.1', HOST, ...lines, '', '');
      await bench.sees(at + 1);
    }
    const [different, equal] = await bench.sees(2);
    assert.deepEqual([different?.apiKey, different?.idempotencyKey], ['a, b', 'a, b']);
    assert.deepEqual([equal?.apiKey, equal?.idempotencyKey], ['a', 'a']);
  }));

const withLength = (body: string): string[] => [`Content-Length: ${body.length}`, '', body];

const chunk = (bytes: number): string => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;
const chunked = (chunks: string): string[] => ['Transfer-Encoding: chunked', '', `${chunks}0\r\n\r\n`];

test('a body may have 16 KiB', () =>
  withBench(echo, async (bench) => {
    const client = await bench.client();
    client.send('POST / HTTP/1.1', HOST, ...withLength('x'.repeat(16_384)));
    await bench.sees(1);
    client.send('POST / HTTP/1.1', HOST, ...chunked(chunk(16_000) + chunk(384)));
    assert.ok((await bench.sees(2)).every(({ body, fault }) => body.length === 16_384 && fault === null));
  }));

test('a longer body is refused once it has been received, and the connection closes', () =>
  withBench(echo, async (bench) => {
    const bodies = [
      withLength('x'.repeat(16_385)),
      withLength('x'.repeat(200_000)),
      chunked(chunk(16_000) + chunk(385)),
      chunked(chunk(100).repeat(170)),
    ];
    for (const lines of bodies) {
      const answer = await bench.askAndClose('POST / HTTP/1.1', HOST, ...lines);
      const sentence = /^HTTP\/1\.1 400 Bad Request\r\n.*Connection: close\r\n.*\r\n\r\nbody_too_large$/s;
      assert.match(answer, sentence);
    }
    assert.ok(bench.seen.every(({ body, fault }) => body === '' && fault?.code === 'body_too_large'));
    assert.equal(bench.seen.length, bodies.length);
  }));

test('a body announced as far too long is refused without waiting for it', () =>
  withBench(echo, async (bench) => {
    for (const bytes of ['262145', '1000000000', '99999999999999999']) {
      const answer = await bench.askAndClose('POST / HTTP/1.1', HOST, `Content-Length: ${bytes}`, '', '');
      assert.match(answer, /body_too_large$/);
    }
  }));

test('an endless body is cut off', () =>
  withBench(echo, async (bench) => {
    const client = await bench.ask('POST / HTTP/1.1', HOST, 'Transfer-Encoding: chunked', '', '');
    while (!client.isClosed) {
      client.send(chunk(30_000));
      await new Promise(setImmediate);
    }
    const [request] = await bench.sees(1);
    assert.equal(request?.fault?.code, 'body_too_large');
    const inPieces = (pieces: number): Promise<string> =>
      bench.askAndClose('POST / HTTP/1.1', HOST, ...chunked(chunk(1).repeat(pieces)));
    assert.match(await inPieces(1_023), /fine$/);
    assert.match(await inPieces(1_024), /body_too_large$/);
    assert.equal(bench.seen.length, 3);
    const late = await bench.client();
    const fillTurns = (): void => {
      if (late.isClosed) return;
      for (let pieces = 0; pieces < 2_048; pieces++) bench.transport.piecesInTurn.add();
      setImmediate(fillTurns);
    };
    fillTurns();
    late.send('POST / HTTP/1.1', HOST, ...chunked(chunk(1).repeat(9)));
    assert.equal(await late.toEnd(), '', 'others have sent many pieces');
    assert.match(await inPieces(9), /fine$/);
  }));

test('a body slightly too long that does not arrive is refused after a second', () =>
  withBench(echo, async (bench) => {
    const client = await bench.ask('POST / HTTP/1.1', HOST, 'Content-Length: 20000', '', '');
    await until(() => bench.transport.slow.size === 1);
    bench.advance(999);
    assert.equal(bench.seen.length, 0);
    bench.advance(1);
    assert.match(await client.toEnd(), /body_too_large$/);
  }));

for (const head of ['Content-Length: 100', 'Transfer-Encoding: chunked']) {
  test(`a body that trickles in, or never begins, is refused before the library ends it (${head})`, () =>
    withBench(echo, async (bench) => {
      const silent = await bench.ask('POST / HTTP/1.1', HOST, head, '', '');
      const client = await bench.ask('POST / HTTP/1.1', HOST, head, '', '');
      if (head === 'Transfer-Encoding: chunked') client.send('50\r\n');
      client.send('x');
      await until(() => bench.transport.slow.size === 2);
      for (let second = 1; second < 7; second++) {
        client.send('x');
        await new Promise(setImmediate);
        bench.advance(1_000);
      }
      assert.equal(bench.seen.length, 0);
      bench.advance(999);
      assert.equal(bench.seen.length, 0);
      bench.advance(1);
      for (const one of [silent, client]) assert.match(await one.toEnd(), /request_timeout$/);
      assert.equal(bench.transport.slow.size, 0);
    }));
}

test('requests that the library refuses do not reach the handler', () =>
  withBench(echo, async (bench) => {
    for (const lines of [
      ['GET / HTTP/1.1', HOST, `X-Long: ${'x'.repeat(5_000)}`, '', ''],
      ['GET / HTTP/1.1', HOST, ...new Array<string>(120).fill('X: y'), '', ''],
      ['GET / HTTP/1.0', HOST, '', ''],
      ['GET / HTTP/1.1', '', ''],
    ]) {
      assert.match(await bench.askAndClose(...lines), /^HTTP\/1\.1 (400|431|505) /, lines.join());
    }
    assert.deepEqual(bench.seen, []);
  }));

test('clients are distinguished, also after all connections were from one', () =>
  withBench(echo, async (bench) => {
    const get = ['GET / HTTP/1.1', HOST, '', ''];
    const first = await bench.client('127.0.0.1');
    first.send(...get);
    await bench.sees(1);
    const second = await bench.client('127.0.0.2');
    second.send(...get);
    await bench.sees(2);
    first.send(...get);
    await bench.sees(3);
    await first.close();
    await until(() => bench.transport.connections === 1);
    const third = await bench.client('127.0.0.3');
    second.send(...get);
    await bench.sees(4);
    third.send(...get);
    await bench.sees(5);
    await second.close();
    await third.close();
    await until(() => bench.transport.connections === 0);
    (await bench.client('127.0.0.4')).send(...get);
    const addresses = (await bench.sees(6)).map(({ address }) => address).join(' ');
    assert.equal(addresses, '127.0.0.1 127.0.0.2 127.0.0.1 127.0.0.2 127.0.0.3 127.0.0.4');
  }));

test('behind a trusted proxy the forwarded address counts', () =>
  withBench(
    echo,
    async (bench) => {
      const proxy = await bench.client('127.0.0.2');
      proxy.send('GET / HTTP/1.1', HOST, 'X-Forwarded-For: 1.1.1.1', 'X-Forwarded-For: 203.0.113.9', '', '');
      await bench.sees(1);
      const other = await bench.client('127.0.0.1');
      other.send('GET / HTTP/1.1', HOST, 'X-Forwarded-For: 203.0.113.9', '', '');
      const addresses = (await bench.sees(2)).map(({ address }) => address);
      assert.deepEqual(addresses, ['203.0.113.9', '127.0.0.1']);
    },
    { trustedProxies: ['127.0.0.2'] },
  ));
