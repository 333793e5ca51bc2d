/** Paths and methods: found or not, and the documents that need no key. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BASES } from '../../../http/api/endpoint.js';
import { ENDPOINTS } from '../../../http/api/endpoints.js';
import { codeOf, errorOf, Harness, withBettor } from './harness.js';

const READ_METHODS = 'GET, HEAD, OPTIONS';

test('unknown paths are 404 in the envelope, with a key and without', () => {
  const { api, secret } = withBettor();
  for (const path of [
    ...['', '/v1', '/markets', '/v2/markets', '/v1/orders/bet_1/round', '/api/v1/api/v1/markets'],
    ...['/operator/v1/status', '/docs/../package.json', '/docs/index.html', '/v1/markets/%2e%2e/prices'],
  ]) {
    for (const key of ['', secret]) {
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
        const reply = api.send(method, path, { key });
        assert.deepEqual([reply.status, codeOf(reply)], [404, 'not_found'], `${method} ${path}`);
      }
    }
  }
});

test('a market id is found by its exact text only', () => {
  const { api, secret } = withBettor();
  const statusOf = (id: string) => api.get(`/v1/markets/${id}`, secret).status;
  assert.deepEqual([statusOf('BTC_ONE_MINUTE'), statusOf('BTC%5FONE_MINUTE')], [200, 200]);
  for (const id of [
    ...['btc_one_minute', 'BTC', 'DOGE_ONE_MINUTE', 'BTC_ONE_MINUTE%20', '0', '__proto__', '%2F', '%00'],
  ]) {
    const reply = api.get(`/v1/markets/${id}`, secret);
    assert.deepEqual([reply.status, codeOf(reply)], [404, 'market_not_found'], id);
  }
  assert.equal(api.get('/v1/markets/BTC_ONE_MINUTE', secret, 'anything=1').status, 200);
});

test('a known path says which methods it takes', () => {
  const { api, secret } = withBettor();
  for (const base of BASES) {
    for (const path of new Set(['/openapi.json', ...ENDPOINTS.map((endpoint) => endpoint.path)])) {
      const methods = ENDPOINTS.filter((endpoint) => endpoint.path === path).map(({ method }) => method);
      const allow =
        methods.length === 0 ? READ_METHODS : [...methods, 'OPTIONS'].join(', ').replace('GET', 'GET, HEAD');
      for (const key of ['', secret]) {
        const options = api.send('OPTIONS', `${base}${path}`, { key });
        assert.deepEqual([options.status, options.text, options.headers.get('allow')], [204, '', allow]);
        assert.equal(options.headers.get('content-type'), undefined);
        const others = ['HEAD', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'BREW', 'get'];
        for (const method of others.filter((one) => !allow.split(', ').includes(one))) {
          const reply = api.send(method, `${base}${path}`, { key });
          assert.deepEqual([reply.status, codeOf(reply)], [405, 'method_not_allowed'], `${method} ${path}`);
          assert.equal(reply.headers.get('allow'), allow);
        }
      }
    }
  }
  assert.equal(api.send('POST', '/v1/markets', { key: secret }).status, 405);
  assert.equal(api.send('POST', '/docs', {}).headers.get('allow'), READ_METHODS);
});

test('faults found by the transport are answered in the envelope, whatever the path', () => {
  const api = new Harness();
  const fault = { code: 'body_too_large', detail: 'the body may have at most 16384 bytes' } as const;
  const reply = api.send('POST', '/nowhere', { fault });
  assert.equal(reply.status, 413);
  assert.equal(errorOf(reply), 'body_too_large: the body may have at most 16384 bytes');
});

test('answers have the type JSON, and those to a GET that have no tag must not be stored', () => {
  const { api, secret } = withBettor();
  for (const path of ['/v1/time', '/v1/positions', '/v1/nowhere', '/v1/markets/x']) {
    const { headers } = api.get(path, secret);
    assert.equal(headers.get('content-type'), 'application/json');
    assert.equal(headers.get('cache-control'), 'no-store');
  }
  assert.equal(api.order(secret, {}).headers.get('content-type'), 'application/json');
});

test('the page of the document loads only from this server', () => {
  const api = new Harness();
  const page = api.get('/docs', '');
  assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
  const policy = page.headers.get('content-security-policy') ?? '';
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
  assert.doesNotMatch(policy, /unsafe|https?:/);
  assert.doesNotMatch(page.text, /<script>|<style|https?:|\son\w+=/);
  const linked = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
  assert.equal(linked.length, 11);
  for (const path of linked.filter((found) => !found.startsWith('#'))) {
    const asset = api.get(path, '');
    assert.equal(asset.status, 200, path);
    assert.ok(asset.text.length > 50, path);
  }
  assert.match(api.get('/docs/start.js', '').text, /\/v1\/openapi\.json/);
  assert.equal(api.get('/docs/', '').text, page.text);
});
