/** Bodies of every form, split at every place. After a chunked one the connection closes: see `exchange.ts`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawClient } from '../../support/http/raw-client.js';
import { echo, HOST, until, withBench } from '../../support/http/transport-bench.js';

const BODY = '{"marketId":"BTC_ONE_MINUTE"}';
const CHUNKED = `10\r\n${BODY.slice(0, 16)}\r\n1\r\n${BODY.slice(16, 17)}\r\nc\r\n${BODY.slice(17)}\r\n0\r\n\r\n`;
const withLength = (body: string): string[] => [`Content-Length: ${body.length}`, '', body];

/** Whole, byte by byte, and in two parts at every place of its end and its body. */
function* cutsOf(text: string): Generator<readonly string[]> {
  yield [text];
  yield [...text];
  for (let cut = text.indexOf('\r\n\r\n') + 1; cut < text.length; cut++) {
    yield [text.slice(0, cut), text.slice(cut)];
  }
}

async function sendParts(client: RawClient, parts: readonly string[]): Promise<void> {
  for (const part of parts) {
    client.send(part);
    await new Promise(setImmediate);
  }
}

test('a body with a length arrives complete, however it is split', () =>
  withBench(echo, async (bench) => {
    const client = await bench.client();
    const text = ['POST / HTTP/1.1', HOST, ...withLength(BODY)].join('\r\n');
    let requests = 0;
    for (const parts of cutsOf(text)) {
      await sendParts(client, parts);
      await bench.sees(++requests);
    }
    assert.ok(bench.seen.every(({ body, fault }) => body === BODY && fault === null));
    await until(() => client.received.split('fine').length === requests + 1);
  }));

test('a chunked body arrives complete, however it is split, and its connection closes after the answer', () =>
  withBench(echo, async (bench) => {
    const text = ['POST / HTTP/1.1', HOST, 'Transfer-Encoding: chunked', '', CHUNKED].join('\r\n');
    for (const parts of cutsOf(text)) {
      const client = await bench.client();
      await sendParts(client, parts);
      assert.match(await client.toEnd(), /^HTTP\/1\.1 200 OK\r\n.*Connection: close\r\n.*\r\n\r\nfine$/s);
    }
    assert.ok(bench.seen.every(({ body, fault }) => body === BODY && fault === null));
  }));

test('nothing behind a chunked body is processed', () =>
  withBench(echo, async (bench) => {
    const chunked = ['POST / HTTP/1.1', HOST, 'Transfer-Encoding: chunked', '', CHUNKED].join('\r\n');
    const hidden = ['GET /hidden HTTP/1.1', HOST, '', ''].join('\r\n');
    const together = await bench.client();
    together.send(chunked + hidden);
    await together.toEnd();
    const after = await bench.client();
    after.send(chunked);
    await bench.sees(1);
    after.send(hidden);
    await after.toEnd();
    assert.ok(bench.seen.every(({ path }) => path === '/'));
  }));

test('an empty body is a body', () =>
  withBench(echo, async (bench) => {
    const client = await bench.ask('POST / HTTP/1.1', HOST, ...withLength(''));
    client.send('POST / HTTP/1.1', HOST, '', '');
    client.send('POST / HTTP/1.1', HOST, 'Transfer-Encoding: chunked', '', '0', '', '');
    assert.ok((await bench.sees(3)).every(({ body, fault }) => body === '' && fault === null));
  }));

test('bodies that stall at the same moment are all refused, some at a time', () =>
  withBench(echo, async (bench) => {
    const clients = await Promise.all(Array.from({ length: 60 }, () => bench.client()));
    for (const client of clients) client.send('POST / HTTP/1.1', HOST, 'Content-Length: 9', '', '{');
    await until(() => bench.transport.slow.size === clients.length);
    bench.advance(7_001);
    const seen = bench.seen.length;
    assert.ok(seen > 0 && seen < clients.length, 'others have their turn in between');
    for (const client of clients) assert.match(await client.toEnd(), /request_timeout$/);
    assert.equal(bench.seen.length, clients.length);
  }));
