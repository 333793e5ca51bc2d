/** The documents that need no key: their caching, their readers, and the rules in force in them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultRules } from '../../../engine/model/rules.js';
import { Harness, withBettor } from '../api/harness.js';

const DOCUMENTS = ['/v1/openapi.json', '/api/v1/openapi.json'];
const PAGES = ['', '/quickstart', '/round.svg', '/style.css', '/start.js', '/swagger-ui.css'].map(
  (path) => `/docs${path}`,
);
const rules = defaultRules('f'.repeat(64));

test('a client with the newest copy gets 304 without a body', () => {
  const api = new Harness();
  for (const path of [...DOCUMENTS, ...PAGES]) {
    const whole = api.get(path, '');
    const etag = whole.headers.get('etag') ?? '';
    assert.match(etag, /^"[\w-]{22}"$/, path);
    for (const ifNoneMatch of [etag, `W/${etag}`, `"x", ${etag}`, `"x",W/${etag} , "y"`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const { status, text, headers } = api.send(method, path, { ifNoneMatch });
        assert.deepEqual([status, text, headers.get('etag')], [304, '', etag], `${path} ${ifNoneMatch}`);
        assert.equal(headers.get('cache-control'), whole.headers.get('cache-control'));
        assert.equal(headers.get('content-type'), undefined);
        assert.ok(headers.has('x-ratelimit-remaining') && headers.has('x-request-id'));
      }
    }
    for (const ifNoneMatch of ['', '"x"', etag.slice(1, -1), `${etag}x`])
      assert.equal(api.send('GET', path, { ifNoneMatch }).status, 200, `${path} ${ifNoneMatch}`);
  }
});

test('pages of any origin may read the API document, and nothing else', () => {
  const { api, secret } = withBettor();
  const originsOf = (path: string, key = ''): unknown =>
    api.get(path, key).headers.get('access-control-allow-origin');
  for (const path of DOCUMENTS) {
    assert.equal(originsOf(path), '*');
    const { headers } = api.send('GET', path, { ifNoneMatch: '*' });
    assert.equal(headers.get('access-control-allow-origin'), '*');
  }
  for (const path of [...PAGES, '/v1/markets', '/v1/orders', '/v1/nowhere']) {
    assert.equal(originsOf(path, secret), undefined, path);
    const preflight = api.send('OPTIONS', path, { key: secret });
    assert.equal(preflight.headers.get('access-control-allow-origin'), undefined, path);
  }
});

test('the root leads a browser to the documents', () => {
  const api = new Harness();
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = api.send(method, '/', {});
    assert.deepEqual([status, headers.get('location')], [302, '/docs']);
  }
  assert.equal(api.send('POST', '/', {}).status, 404);
});

test('the guide loads a stylesheet and pictures alone, and all of its links lead somewhere', () => {
  const api = new Harness();
  const [, ...names] = [
    ...api.get('/docs/quickstart', '').text.matchAll(/<li><a href="\/docs\/([\w-]+)"/g),
  ].map(([, name]) => name ?? '');
  const pages = new Map(
    ['quickstart', ...names].map((name) => [name, api.get(`/docs/${name}`, '')] as const),
  );
  assert.equal(pages.size, 8);
  const anchorsOf = (text: string): string[] =>
    [...text.matchAll(/<h\d id="([^"]+)"/g)].map(([, id]) => id ?? '');
  for (const [name, { status, headers, text }] of pages) {
    assert.equal(status, 200, name);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(
      headers.get('content-security-policy'),
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    assert.doesNotMatch(text, /<script|<style|\sstyle=|\son\w+=/);
    const anchors = anchorsOf(text);
    assert.equal(new Set(anchors).size, anchors.length, 'no anchor stands twice');
    const links = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link]) => link ?? '');
    assert.ok(links.length > 10);
    for (const link of links.filter((address) => !address.startsWith('http'))) {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? text : api.get(path, '').text;
      assert.ok(path === '' || api.get(path, '').status === 200, `${name}: ${link}`);
      assert.ok(anchor === undefined || anchorsOf(target).includes(anchor), `${name}: ${link}`);
    }
  }
});

test('the API document, its page and the guide link to each other', () => {
  const api = new Harness();
  const { externalDocs } = JSON.parse(api.get('/v1/openapi.json', '').text);
  assert.equal(externalDocs.url, '/docs/quickstart');
  const page = api.get('/docs', '').text;
  assert.match(page, /href="\/docs\/quickstart"/);
  const { tags } = JSON.parse(api.get('/v1/openapi.json', '').text) as { tags: { name: string }[] };
  const linked = [...page.matchAll(/#operations-tag-(\w+)/g)].map(([, tag]) => tag);
  const names = tags.map(({ name }) => name);
  assert.deepEqual(linked, names);
  assert.match(api.get('/docs/quickstart', '').text, /href="\/docs"/);
});

test('the guide shows the rules in force, also after a change', () => {
  const unusual = { ...rules, feeBps: 250, cutoffMs: 45_000, slippageE2: 100, openBetsMax: 7 };
  const api = new Harness({ rules: unusual });
  const before = api.get('/docs/concepts', '');
  for (const words of ['2.5%', 'oddsAtBet * 0.975', '45 seconds before', '1 point<', 'at most 7<'])
    assert.ok(before.text.includes(words), words);
  assert.doesNotMatch(before.text, /0\.97\b|\b3%|20 seconds|15 points/);
  api.configure((defaults) => ({ ...defaults, feeBps: 400 }));
  const after = api.get('/docs/concepts', '');
  assert.match(after.text, /4%: a WIN pays <code>amount \* oddsAtBet \* 0\.96</);
  assert.notEqual(after.headers.get('etag'), before.headers.get('etag'));
  assert.match(api.get('/v1/openapi.json', '').text, /oddsAtBet \* 0\.96 \(the fee is 4%\)/);
});
