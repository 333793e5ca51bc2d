/** Header values arrive as they were sent, with the bytes outside ASCII that the HTTP library drops at either end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { echo, HOST, type TransportBench, withBench } from '../../support/http/transport-bench.js';

const ROCKET = Buffer.from('🚀').toString('latin1');

/** What the handler sees of a request with these lines, each as latin1, in one packet. */
async function seenOf(bench: TransportBench, ...lines: string[]): Promise<TransportBench['seen'][number]> {
  const client = await bench.client();
  const before = bench.seen.length;
  client.send('POST /a?b HTTP/1.1', HOST, ...lines, '', '');
  const seen = (await bench.sees(before + 1))[before];
  assert.ok(seen);
  return seen;
}

test('bytes outside ASCII are kept in values', () =>
  withBench(echo, async (bench) => {
    for (const value of [
      `btc-${ROCKET}`,
      `${ROCKET}btc`,
      `${ROCKET}btc${ROCKET}`,
      `${ROCKET}`,
      `b${ROCKET}c`,
    ]) {
      const whole = Buffer.from(value, 'latin1').toString();
      const seen = await seenOf(
        bench,
        `X-API-Key: ${value}`,
        `Idempotency-Key: ${value}`,
        `Content-Type: ${value}`,
        `Authorization: ${value}`,
      );
      assert.equal(seen.apiKey, whole);
      assert.equal(seen.idempotencyKey, whole);
      assert.equal(seen.contentType, whole);
      assert.equal(seen.authorization, whole);
    }
    // A single byte, which is no character of UTF-8, is not dropped either.
    assert.equal((await seenOf(bench, 'Idempotency-Key: btc-\xe9')).idempotencyKey, 'btc-\ufffd');
    assert.equal((await seenOf(bench, 'Idempotency-Key:btc-\xe9')).idempotencyKey, 'btc-\ufffd');
    assert.equal((await seenOf(bench, 'Idempotency-Key:\xe9 btc')).idempotencyKey, '\ufffd btc');
  }));

test('blanks around a value are trimmed', () =>
  withBench(echo, async (bench) => {
    for (const value of ['btc', ' btc', '\tbtc \t ', '   btc', ' btc ']) {
      assert.equal((await seenOf(bench, `Idempotency-Key:${value}`)).idempotencyKey, 'btc');
    }
    for (const value of ['', ' ', ' \t ']) {
      assert.equal((await seenOf(bench, `Idempotency-Key:${value}`)).idempotencyKey, '');
    }
  }));

test('bytes in one header do not affect another', () =>
  withBench(echo, async (bench) => {
    const seen = await seenOf(
      bench,
      `User-Agent: ${ROCKET}`,
      'Idempotency-Key: btc',
      `X-Other:${ROCKET}`,
      'X-API-Key: a',
      'X-API-Key: b',
    );
    assert.equal(seen.idempotencyKey, 'btc');
    assert.equal(seen.apiKey, 'a, b');
  }));

test('an address with bytes outside ASCII is not an address', () =>
  withBench(
    echo,
    async (bench) => {
      assert.equal((await seenOf(bench, 'X-Forwarded-For: 8.8.8.8')).address, '8.8.8.8');
      assert.equal((await seenOf(bench, 'X-Forwarded-For: 8.8.8.8\xa0')).address, '127.0.0.1');
    },
    { trustedProxies: ['127.0.0.1'] },
  ));

test('on one connection and on many, each request has its own values', () =>
  withBench(echo, async (bench) => {
    const clients = await Promise.all([bench.client(), bench.client(), bench.client()]);
    let requests = 0;
    for (let round = 0; round < 20; round++) {
      for (const [index, client] of clients.entries()) {
        // Longer and shorter by turns, so that what the last one left behind is seen if anything is.
        const key = `${'k'.repeat((round * 7) % 40)}${index}`;
        const isOdd = (round + index) % 2 === 1;
        client.send('GET / HTTP/1.1', HOST, `Idempotency-Key: ${key}${isOdd ? ROCKET : ''}`, '', '');
        const seen = (await bench.sees(++requests))[requests - 1];
        assert.equal(seen?.idempotencyKey, isOdd ? `${key}🚀` : key);
      }
    }
  }));

test('a head that arrives in pieces, after refused ones, is read as the library parsed it', () =>
  withBench(echo, async (bench) => {
    const marked = (value: string): string =>
      ['GET / HTTP/1.1', HOST, `Idempotency-Key: ${value}`, '', ''].join('\r\n');
    const other = await bench.client();
    const client = await bench.client();
    const whole = marked('btc');
    for (let cut = 1; cut < whole.length; cut++) {
      other.send(marked(`btc${ROCKET}`));
      assert.equal((await bench.sees(cut * 2 - 1)).at(-1)?.idempotencyKey, 'btc🚀');
      client.send(whole.slice(0, cut));
      // Its turn to arrive, before the rest is sent.
      await new Promise(setImmediate);
      client.send(whole.slice(cut));
      assert.equal((await bench.sees(cut * 2)).at(-1)?.idempotencyKey, 'btc');
    }
  }));
