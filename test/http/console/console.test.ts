/**
 * The console's files, sessions and stream over plain HTTP, against a real server: rights of a browser, and of no
 * other page.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { LiveMessage } from '../../../http/console/live-message.js';
import { SESSION_ENDED } from '../../../http/console/watchers.js';
import { addOperatorToken, removeOperatorToken } from '../../../persistence/data-dir/operator-tokens.js';
import { ConsoleClient, ConsoleStream } from '../../support/console/console-client.js';
import { buildPage } from '../../support/console/console-page.js';
import { Client, type HeaderFields } from '../../support/http/client.js';
import { newDataDir, Server } from '../../support/processes/server.js';

/** The compressed form, which has a tag of its own, is made meanwhile. */
const AS_IT_IS = { 'Accept-Encoding': 'identity' };

const dataDir = newDataDir();
const tokensFile = join(dataDir, 'operator-tokens');
const annToken = addOperatorToken(tokensFile, 'ann', 'support', '2026-11-22T12:00:00.000Z');
let server: Server;
let client: ConsoleClient;
before(async () => {
  buildPage();
  server = await Server.start({ dataDir });
  client = new ConsoleClient(server.operatorUrl);
});
after(() => server.remove());

async function watch(headers: HeaderFields, from = client): Promise<ConsoleStream> {
  const stream = await from.stream(headers);
  assert.ok(stream instanceof ConsoleStream, `the stream is refused with ${String(stream)}`);
  return stream;
}

test('the page needs no token, loads nothing from elsewhere, and cannot be framed; there is nothing else', async () => {
  const page = await client.get('/console');
  assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
  assert.equal(page.headers.get('cache-control'), 'no-cache');
  assert.equal(page.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
  assert.deepEqual((page.headers.get('content-security-policy') ?? '').split('; ').toSorted(), [
    ...["base-uri 'none'", "connect-src 'self'", "default-src 'none'", "form-action 'none'"],
    ...["frame-ancestors 'none'", "img-src 'self'", "script-src 'self'", "style-src 'self'"],
  ]);
  assert.doesNotMatch(page.text, /https?:\/\/|style=|<script>|<style/);
  const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
  assert.equal(files.length, 3);
  for (const path of files) {
    const file = await client.get(path, AS_IT_IS);
    assert.equal(file.status, 200, path);
    assert.equal(file.headers.get('x-content-type-options'), 'nosniff');
    const again = await client.get(path, { ...AS_IT_IS, 'If-None-Match': file.headers.get('etag') ?? '' });
    assert.equal(again.status, 304);
  }
  for (const path of ['/console/..%2Foperator-token', '/console/main.tsx', '/console/session/x', '/consolex'])
    assert.equal((await client.get(path)).status, 404, path);
  assert.equal((await client.send('POST', '/console', {}, {})).status, 405);
  const publicly = new Client(server.publicUrl, {});
  assert.equal((await publicly.get('/console')).status, 404, 'the public port knows no console');
});

test('a token opens a session, whose id no script and no other site can have; behind TLS it goes over nothing else', async () => {
  const { session, setCookie, cookie, reads } = await client.loggedIn(server.token);
  const { port } = new URL(server.operatorUrl);
  assert.ok(setCookie.startsWith(`tote_console_${port}=`), 'another server here has a cookie of its own');
  const form =
    /^\w+=[\w-]{22}\.\w+\.\w+\.[\w-]{43}\.operator; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/;
  assert.match(setCookie, form);
  assert.deepEqual({ ...session, csrfToken: '' }, { name: 'operator', role: 'admin', csrfToken: '' });
  assert.ok(!JSON.stringify(session).includes(cookie.split('=')[1] ?? ''), 'the body does not tell the id');
  const shown = await client.get<typeof session>('/console/session', reads);
  assert.equal(shown.data.csrfToken, session.csrfToken);
  assert.equal(shown.headers.get('cache-control'), 'no-store');
  assert.equal((await client.get('/operator/v1/status', reads)).status, 200);
  const overTls = new ConsoleClient(server.operatorUrl, server.operatorUrl.replace('http:', 'https:'));
  assert.match((await overTls.loggedIn(server.token)).setCookie, /; Secure$/);
});

test('without a session there is none, and what asks for one is 401', async () => {
  const none = await client.get('/console/session');
  assert.deepEqual([none.status, none.data], [200, null]);
  const { cookie } = await client.loggedIn(server.token);
  const [name = '', id = ''] = cookie.split('=');
  for (const Cookie of [`${name}=`, `${name}=${'A'.repeat(43)}`, `tote_console=${id}`, 'other=1', ''])
    assert.equal((await client.get('/operator/v1/status', { Cookie })).status, 401, Cookie);
  const planted = { Cookie: `${cookie}; ${name}=${'A'.repeat(43)}` };
  assert.equal((await client.get('/operator/v1/status', planted)).status, 401, 'one of two is not ours');
});

test('a login from a page of another origin is refused: nobody is logged in as somebody else', async () => {
  for (const Origin of ['http://evil.example', 'null', `${client.origin}.evil.example`, '']) {
    const refused = await client.login(server.token, { Origin });
    assert.equal(refused.status, 403, Origin);
    assert.match(refused.error, /^csrf_refused/);
  }
});

test('a change needs the origin and the CSRF token of the session, but with a token in the header neither', async () => {
  const { reads, writes } = await client.loggedIn(server.token);
  const other = await client.loggedIn(server.token);
  const { Origin = '', 'X-CSRF-Token': csrf = '' } = writes;
  const forged = [
    reads,
    { ...reads, Origin },
    { ...reads, 'X-CSRF-Token': csrf },
    { ...writes, Origin: 'http://evil.example' },
    { ...writes, Origin: 'null' },
    { ...writes, 'X-CSRF-Token': other.session.csrfToken },
    { ...writes, 'X-CSRF-Token': csrf.slice(1) },
  ];
  const before = await server.operator.get<unknown[]>('/accounts');
  for (const headers of forged) {
    const refused = await client.send('POST', '/operator/v1/accounts', { tier: 'GOLD' }, headers);
    assert.equal(refused.status, 403, JSON.stringify(headers));
    assert.match(refused.error, /^csrf_refused/);
  }
  const after = await server.operator.get<unknown[]>('/accounts');
  assert.equal(after.data.length, before.data.length, 'nothing was made');
  const made = await client.send('POST', '/operator/v1/accounts', { tier: 'GOLD' }, writes);
  assert.equal(made.status, 201, made.text);
  const headers = { ...reads, Authorization: `Bearer ${server.token}` };
  assert.equal((await client.send('POST', '/operator/v1/accounts', { tier: 'GOLD' }, headers)).status, 201);
  const wrong = { ...reads, Authorization: 'Bearer wrong' };
  assert.equal((await client.get('/operator/v1/status', wrong)).status, 401, 'the session does not help it');
});

test('logging out ends the session and its stream, and needs the CSRF token, too', async () => {
  const { reads, writes } = await client.loggedIn(server.token);
  const stream = await watch(writes);
  assert.equal((await client.send('DELETE', '/console/session', undefined, reads)).status, 403);
  assert.equal((await client.get('/operator/v1/status', reads)).status, 200);
  const ended = await client.send('DELETE', '/console/session', undefined, writes);
  assert.equal(ended.status, 204);
  assert.match(ended.headers.get('set-cookie') ?? '', /^tote_console_\d+=; .*Max-Age=0/);
  assert.match((await client.get('/operator/v1/status', reads)).error, /^invalid_session/);
  assert.equal(await stream.closed, SESSION_ENDED);
});

test('a second login ends the first session of the same browser', async () => {
  const first = await client.loggedIn(server.token);
  assert.equal((await client.login(server.token, first.reads)).status, 201);
  assert.equal((await client.get('/operator/v1/status', first.reads)).status, 401);
});

test('the stream is for sessions, and for pages of this origin alone', async () => {
  const { reads, writes } = await client.loggedIn(server.token);
  assert.deepEqual([await client.stream({}), await client.stream(reads)], [401, 403]);
  assert.equal(await client.stream({ ...writes, Origin: 'http://evil.example' }), 403);
  assert.equal(await client.stream({ Authorization: `Bearer ${server.token}`, Origin: client.origin }), 401);
  assert.equal((await client.get('/console/stream', writes)).status, 426);
});

test('the stream tells what changes: rounds, bets and where the money is', async () => {
  const { writes } = await client.loggedIn(server.token);
  await server.toNextDay({ BTC: 60_000 });
  const stream = await watch(writes);
  const marketIn = ({ markets }: LiveMessage) => markets.find(({ id }) => id === 'BTC_FIVE_MINUTES');
  const open = await stream.next((message) => marketIn(message)?.round !== null);
  const shown = marketIn(open) ?? assert.fail('the market is active');
  const { asset, price, suspendedSequence, minStakeCents } = shown;
  assert.deepEqual([asset, price, suspendedSequence, minStakeCents], ['BTC', 60_000, 0, 100]);
  assert.deepEqual([open.isClockManual, open.arePricesSimulated], [true, false]);
  assert.equal(open.timeMs, await server.nowMs());
  const { api } = await server.createBettor();
  const order = { marketId: 'BTC_FIVE_MINUTES', prediction: 'UP', amount: 25 };
  assert.equal((await api.post('/orders', order)).status, 201);
  const bet = await stream.next((message) => marketIn(message)?.round?.bets === 1);
  assert.equal(bet.totals.openStakesCents, 2_500);
  await server.operator.patch('/markets/BTC_FIVE_MINUTES', { suspended: true });
  await stream.next((message) => (marketIn(message)?.suspendedSequence ?? 0) > 0);
  const { sequence } = (await server.operator.get<{ sequence: number }>('/rules')).data;
  const put = JSON.stringify({ overrides: { markets: ['BTC_ONE_MINUTE'] } });
  await server.operator.send('PUT', '/rules', put, { 'If-Match': `"${sequence}"` });
  await stream.next(({ suspended }) => suspended.length === 0);
  stream.send('anything');
  assert.equal(await stream.closed, 1008, 'nothing is expected from a page');
});

test('a session outlives a restart, and ends with its token: revoked by SIGHUP, the stream closes and the next request is 401', async () => {
  const { cookie, session } = await client.loggedIn(annToken);
  assert.deepEqual([session.name, session.role], ['ann', 'support']);
  await server.stop();
  server = await Server.start({ dataDir });
  // The name of the cookie has the port, which is another one here.
  const { port, origin: Origin } = new URL(server.operatorUrl);
  const reads = { Cookie: cookie.replace(/_\d+=/, `_${port}=`) };
  const writes = { ...reads, Origin, 'X-CSRF-Token': session.csrfToken };
  const browser = new ConsoleClient(server.operatorUrl);
  const stream = await watch(writes, browser);
  assert.equal((await browser.send('PUT', '/console/session', undefined, reads)).status, 403);
  const renewed = await browser.send('PUT', '/console/session', undefined, writes);
  assert.match(renewed.headers.get('set-cookie') ?? '', /\.ann; Path=/);
  removeOperatorToken(tokensFile, 'ann');
  server.run.signal('SIGHUP');
  assert.equal(await stream.closed, SESSION_ENDED);
  assert.match((await browser.get('/operator/v1/house', reads)).error, /^invalid_session/);
});
