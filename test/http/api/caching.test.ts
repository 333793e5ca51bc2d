/** Tags, 304 and compressed forms of public data: right for each client, and made once for all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { COMPRESSED_BYTES_MIN } from '../../../http/kit/tagged-body.js';
import { askUntil } from '../../support/ask-until.js';
import { Harness, type Reply } from './harness.js';

const MARKET = '/v1/markets/BTC_ONE_DAY';
const PATHS = ['/v1/markets', MARKET, '/v1/prices'];

function exchange(): { api: Harness; secret: string } {
  const api = new Harness();
  for (let asset = 0; asset < 14; asset++) api.open(asset, 100.25 + asset);
  return { api, secret: api.bettor().secret };
}
const etagOf = ({ headers }: Reply): string => headers.get('etag') ?? '';

test('a client with the bytes that it would get is told 304, by any gateway', () => {
  const { api, secret } = exchange();
  const other = api.newApi();
  for (const path of PATHS) {
    for (const acceptEncoding of ['', 'gzip']) {
      const whole = api.send('GET', path, { key: secret, acceptEncoding });
      const etag = etagOf(whole);
      assert.match(etag, /^"[\w-]{22}(-gzip)?"$/);
      for (const handler of [api.handler, other]) {
        for (const method of ['GET', 'HEAD']) {
          const request = { key: secret, acceptEncoding, ifNoneMatch: `"x", W/${etag}` };
          const { status, text, headers } = api.send(method, path, request, handler);
          assert.deepEqual([status, text, headers.get('etag')], [304, '', etag], path);
          assert.equal(headers.get('cache-control'), 'private, no-cache');
          assert.equal(headers.get('vary'), whole.headers.get('vary'));
          assert.equal(headers.get('content-type'), undefined);
          assert.equal(headers.get('content-encoding'), undefined);
          assert.ok(headers.has('x-ratelimit-remaining') && headers.has('x-request-id'));
        }
      }
      assert.equal(api.send('GET', path, { key: secret, acceptEncoding, ifNoneMatch: '"x"' }).status, 200);
    }
  }
});

test('a key that may not read is told so, whatever tag it names', () => {
  const { api } = exchange();
  for (const path of PATHS) assert.equal(api.send('GET', path, { ifNoneMatch: '*' }).status, 401);
  const { secret } = api.bettor({ scopes: ['positions:read'] });
  for (const path of PATHS)
    assert.equal(api.send('GET', path, { key: secret, ifNoneMatch: '*' }).status, 403);
});

test('a tag stands for exact bytes: countdowns, ticks and bets change it', () => {
  const { api, secret } = exchange();
  const tags = new Set<string>();
  const look = (path: string): Reply => api.get(path, secret);
  for (const path of ['/v1/markets', MARKET]) {
    for (const change of [
      () => undefined,
      () => api.clock.pass(50),
      () => {
        api.ticks[0] = (api.ticks[0] ?? 100) + 1;
      },
      () => api.order(secret, { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 }),
    ]) {
      change();
      const [reply, again] = [look(path), look(path)];
      assert.equal(etagOf(again), etagOf(reply));
      assert.ok(!tags.has(etagOf(reply)), reply.text);
      tags.add(etagOf(reply));
    }
  }
  const before = look('/v1/prices');
  api.ticks[0] = 105;
  api.clock.pass(1_000);
  assert.equal(etagOf(look('/v1/prices')), etagOf(before), 'prices change with a round only');
  api.closeMinute(104);
  assert.notEqual(etagOf(look('/v1/prices')), etagOf(before));
});

test('who asks for gzip gets the same answer compressed, unless it is short', () => {
  const { api, secret } = exchange();
  for (const path of PATHS) {
    const plain = api.get(path, secret);
    const isLong = plain.bytes.length >= COMPRESSED_BYTES_MIN;
    assert.deepEqual([isLong, plain.headers.get('content-encoding')], [path === '/v1/markets', undefined]);
    for (const acceptEncoding of ['gzip', 'deflate, br;q=1, gzip;q=0.5', '*']) {
      const zipped = api.send('GET', path, { key: secret, acceptEncoding });
      assert.equal(zipped.headers.get('content-encoding'), isLong ? 'gzip' : undefined);
      assert.equal(zipped.headers.get('vary'), isLong ? 'Accept-Encoding' : undefined);
      assert.equal(zipped.headers.get('vary'), plain.headers.get('vary'));
      assert.equal(etagOf(zipped) === etagOf(plain), !isLong, 'each form has a tag of its own');
      assert.equal(isLong ? gunzipSync(zipped.bytes).toString() : zipped.text, plain.text);
      if (isLong) assert.ok(zipped.bytes.length < plain.bytes.length / 5);
      const head = api.send('HEAD', path, { key: secret, acceptEncoding });
      assert.deepEqual(head.bytes, zipped.bytes, 'HEAD has the length of what GET sends');
    }
    for (const acceptEncoding of ['br', 'gzip;q=0', 'identity, gzip;q=0.5'])
      assert.equal(api.send('GET', path, { key: secret, acceptEncoding }).text, plain.text);
    // The tag of the one form does not vouch for the other.
    const named = { key: secret, acceptEncoding: 'gzip', ifNoneMatch: etagOf(plain) };
    assert.equal(api.send('GET', path, named).status, isLong ? 200 : 304);
  }
});

test('documents are compressed once, beside the thread, and served as they are until then', async () => {
  const api = new Harness();
  for (const path of ['/v1/openapi.json', '/docs/quickstart', '/docs/swagger-ui-bundle.js']) {
    const plain = api.get(path, '');
    const ask = (acceptEncoding: string): Reply => api.send('GET', path, { acceptEncoding });
    assert.deepEqual(ask('gzip, br').bytes, plain.bytes);
    const zipped = await askUntil(
      () => ask('gzip, br'),
      ({ headers }) => headers.has('content-encoding'),
    );
    assert.equal(zipped.headers.get('content-encoding'), 'gzip');
    assert.deepEqual(gunzipSync(zipped.bytes), Buffer.from(plain.bytes));
    assert.notEqual(etagOf(zipped), etagOf(plain));
    for (const { headers } of [plain, zipped]) assert.equal(headers.get('vary'), 'Accept-Encoding');
    const known = api.send('GET', path, { acceptEncoding: 'gzip', ifNoneMatch: etagOf(zipped) });
    assert.deepEqual([known.status, etagOf(known)], [304, etagOf(zipped)]);
  }
  const script = api.send('GET', '/docs/start.js', { acceptEncoding: 'gzip' });
  assert.equal(script.headers.get('vary'), undefined, 'a short page is not compressed');
});

test('answers about an account are neither tagged nor compressed', () => {
  const { api, secret } = exchange();
  for (let bet = 0; bet < 20; bet++)
    api.order(secret, { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 });
  for (const path of ['/v1/positions', '/v1/orders', '/v1/limits', '/v1/time']) {
    const { headers } = api.send('GET', path, { key: secret, acceptEncoding: 'gzip', ifNoneMatch: '*' });
    const shown = ['etag', 'content-encoding', 'vary', 'cache-control'].map((name) => headers.get(name));
    assert.deepEqual(shown, [undefined, undefined, undefined, 'no-store']);
  }
});
