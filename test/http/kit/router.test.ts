/** The router that both APIs share: any shape of path. `routing.test.ts` has a known path's word to other methods. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Method, type Routed, Router } from '../../../http/kit/router.js';

const route = (method: Method, path: string, usualValues: readonly string[] = []): Routed => ({
  method,
  path,
  usualValues,
});

const ROUTES = [
  route('GET', '/orders'),
  route('POST', '/orders'),
  route('DELETE', '/orders/{id}'),
  route('POST', '/orders/quote'),
  route('GET', '/markets/{id}', ['BTC']),
  route('GET', '/markets/{id}/rounds'),
  route('PUT', '/markets/all/rounds/{round}'),
  route('GET', '/a/{one}/b/{two}'),
  route('PATCH', '/a/{other}/b/{names}'),
];
const router = new Router(['/v1', '/api/v1'], ROUTES);

function find(method: string, path: string): string | null {
  const found = router.find(path);
  if (found === null) return null;
  const { byMethod, allow } = found.resource;
  const at = byMethod.get(method);
  return at === undefined ? `only ${allow}` : [`${at.method} ${at.path}`, ...found.params].join(' ');
}

test('a route is found by its method and path, below each base', () => {
  for (const base of ['/v1', '/api/v1']) {
    for (const [method, path, expected] of [
      ['GET', '/orders', 'GET /orders'],
      ['POST', '/orders', 'POST /orders'],
      ['DELETE', '/orders/bet_1', 'DELETE /orders/{id} bet_1'],
      ['POST', '/orders/quote', 'POST /orders/quote'],
      ['GET', '/markets/BTC', 'GET /markets/{id} BTC'],
      ['GET', '/markets/ETH', 'GET /markets/{id} ETH'],
      ['GET', '/markets/BTC/rounds', 'GET /markets/{id}/rounds BTC'],
      ['PUT', '/markets/all/rounds/7', 'PUT /markets/all/rounds/{round} 7'],
      ['GET', '/a/1/b/2', 'GET /a/{one}/b/{two} 1 2'],
      ['PATCH', '/a/1/b/2', 'PATCH /a/{other}/b/{names} 1 2'],
    ] as const) {
      assert.equal(find(method, base + path), expected);
    }
  }
});

test('a literal segment takes precedence over a parameter, if it leads to a route', () => {
  assert.equal(find('DELETE', '/v1/orders/quote'), 'only POST, OPTIONS');
  assert.equal(find('GET', '/v1/markets/all'), 'GET /markets/{id} all');
  assert.equal(find('GET', '/v1/markets/all/rounds'), 'GET /markets/{id}/rounds all');
});

test('all other paths are unknown, however odd', () => {
  for (const path of [
    ...['', '/', 'v1/orders', '*', '/v1', '/v1/', '/v1/orders/', '/v1//orders', '/v1/markets/', '/v2/orders'],
    ...['/v1/markets//rounds', '/v1/markets/BTC/', '/v1/markets/BTC/rounds/', '/v1/markets/BTC/rounds/7'],
    ...['/v1/a/1/b', '/v1/a/1/b/2/3', '/v1/__proto__', '/V1/orders', '/'.repeat(100_000)],
  ]) {
    assert.equal(find('GET', path), null, path.slice(0, 40));
  }
  assert.equal(find('GET', '/v1/markets/constructor'), 'GET /markets/{id} constructor');
});

test('a duplicate route is a programming error', () => {
  const twice = [route('GET', '/a/{b}'), route('GET', '/a/{c}')];
  assert.throws(() => new Router(['/v1'], twice), /GET \/a\/\{c\}/);
});
