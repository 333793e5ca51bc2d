/** TLS on both ports of a real server: the clients that may connect, the certificate they see, and a reload. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, type TestContext, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { StreamClient } from '../../support/api/stream-client.js';
import { askUntil } from '../../support/ask-until.js';
import { replace, selfSigned, signedBy } from '../../support/http/certificates.js';
import { httpsSend } from '../../support/http/https.js';
import { newFolder } from '../../support/new-folder.js';
import { linesOf } from '../../support/processes/log-lines.js';
import { scrape } from '../../support/processes/scrape.js';
import { Server } from '../../support/processes/server.js';
import { isAvailable } from '../../support/programs.js';

const skip = isAvailable('openssl') ? false : 'openssl is missing';
const folder = newFolder();

const pair = skip === false ? selfSigned(folder, 'public') : null;
let shared: Promise<Server> | undefined;
after(async () => (await shared)?.remove());
async function sharedServer() {
  const { cert, certFile, keyFile } = must(pair, 'a pair of files');
  shared ??= Server.start({ env: { TOTE_TLS_CERT_FILE: certFile, TOTE_TLS_KEY_FILE: keyFile } });
  return { server: await shared, cert, certFile };
}

const start = (t: TestContext, env: Readonly<Record<string, string>>): Promise<Server> =>
  Server.startFor(t, { env: { TOTE_LOG_LEVEL: 'info', ...env } });

const portOf = (url: string): number => Number(new URL(url).port);

async function reload(server: Server): Promise<void> {
  const linesNow = (stderr: string) =>
    linesOf(stderr, 'reloaded').filter(({ msg }) => msg.startsWith('certificates'));
  const before = linesNow(server.run.stderr).length;
  server.run.signal('SIGHUP');
  await server.run.findInErrors((stderr) => linesNow(stderr)[before]);
}

test('orders, pages and streams are served over TLS, and only over TLS', { skip }, async () => {
  const { server, cert } = await sharedServer();
  assert.match(server.run.stdout, /public API +https:\/\/127\.0\.0\.1:\d+\/v1/);
  assert.match(server.run.stdout, /operator API +http:\/\/127/);
  await server.toNextDay({ BTC: 60_000 });
  await server.advance(299_000);
  await server.push({ BTC: 60_000 });
  await server.advance(3_000);
  await server.push({ BTC: 60_000 });
  const { secret } = await server.createBettor();
  const to = { port: portOf(server.publicUrl), ca: cert };
  const stream = await StreamClient.open(server.publicUrl, secret, { ca: cert });
  await stream.subscribe('account');
  const headers = { 'X-API-Key': secret, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ marketId: 'BTC_FIVE_MINUTES', prediction: 'UP', amount: 25 });
  const placed = await httpsSend(to, 'POST', '/v1/orders', { headers, body });
  assert.equal(placed.status, 201, placed.text);
  assert.equal((await httpsSend(to, 'GET', '/docs')).status, 200);
  const large = await httpsSend(to, 'POST', '/v1/orders', { headers, body: ' '.repeat(20_000) });
  assert.equal(large.status, 413);
  const plain = connect(to.port, '127.0.0.1');
  plain.write('GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n');
  let received = '';
  plain.setEncoding('latin1').on('data', (piece: string) => {
    received += piece;
  });
  await once(plain, 'close');
  assert.ok(!received.includes('HTTP'), received);
  stream.socket.close();
  const endsAt = await askUntil(
    async () => (await scrape(server)).value('tote_certificate_ends_timestamp_seconds') ?? 0,
    (seconds) => seconds > 0,
  );
  assert.equal(endsAt * 1_000, Date.parse(new X509Certificate(cert).validTo), 'alarms know its end');
});

/** A bot in a process of its own, since Node reads the certificates to trust at its start. */
const BOT = `
  const [url, key, client, ws] = process.argv.slice(1);
  const { ToteClient } = await import(client);
  const { default: webSocket } = await import(ws);
  const bot = new ToteClient({ url, key });
  const { timeMs } = await bot.getTime();
  const connected = new Promise((resolve) => {
    const stream = bot.openStream({ webSocket, onState: ({ state }) => state === 'connected' && resolve(stream) });
  });
  (await connected).close();
  console.log('at', timeMs);
`;

test('tote-client speaks to it, requests and stream, once it trusts the certificate', { skip }, async () => {
  const { server, certFile } = await sharedServer();
  const { secret } = await server.createBettor();
  const modules = [new URL('../../../client/index.js', import.meta.url).href, import.meta.resolve('ws')];
  const bot = spawn(
    process.execPath,
    ['--input-type=module', '--eval', BOT, '--', `${server.publicUrl}/v1`, secret, ...modules],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: certFile }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  assert.match(await text(bot.stdout), /^at \d/);
});

test('TLS 1.2 and 1.3 are spoken, and nothing older', { skip }, async () => {
  const { server } = await sharedServer();
  const speak = (version: string): string => {
    const options = ['s_client', '-connect', `127.0.0.1:${portOf(server.publicUrl)}`, `-${version}`];
    const { stdout, stderr } = spawnSync('openssl', [...options, '-cipher', 'ALL:@SECLEVEL=0'], {
      input: '',
    });
    return `${stdout}\n${stderr}`;
  };
  assert.match(speak('tls1_1'), /alert protocol version/);
  assert.match(speak('tls1_2'), /New, TLSv1\.2, Cipher is ECDHE/);
  assert.match(speak('tls1_3'), /New, TLSv1\.3, Cipher is TLS_/);
});

test('SIGHUP puts another certificate in force for new connections, and drops none', { skip }, async (t) => {
  const first = selfSigned(folder, 'first');
  const second = selfSigned(folder, 'second');
  const [certFile, keyFile] = [join(folder, 'live.crt'), join(folder, 'live.key')];
  const files = { certFile, keyFile };
  replace(files, first);
  const env = { TOTE_GATEWAYS: '3', TOTE_TLS_CERT_FILE: certFile, TOTE_TLS_KEY_FILE: keyFile };
  const server = await start(t, env);
  const { secret } = await server.createBettor();
  const to = { port: portOf(server.publicUrl), ca: [first.cert, second.cert] };
  const kept = { ...to, agent: new Agent({ keepAlive: true, maxSockets: 1 }) };
  t.after(() => kept.agent.destroy());
  const stream = await StreamClient.open(server.publicUrl, secret, { ca: first.cert });
  const seenBy = async (): Promise<string[]> => {
    const seen: string[] = [];
    // Three gateways take turns: each answers at least one of these.
    for (let n = 0; n < 5; n++) seen.push((await httpsSend(to, 'GET', '/v1/time')).server);
    return [...new Set(seen)];
  };
  assert.equal((await httpsSend(kept, 'GET', '/v1/time')).server, 'first');
  replace(files, second);
  await reload(server);
  assert.deepEqual(await seenBy(), ['second']);
  assert.equal((await httpsSend(kept, 'GET', '/v1/time')).server, 'first', 'the connection is the old one');
  await stream.subscribe('account');
  const { code } = await server.stop();
  assert.equal(code, 0);
});

test('the operator port can demand a client certificate, in addition to the token', { skip }, async (t) => {
  const pair = selfSigned(folder, 'operator');
  const authority = selfSigned(folder, 'authority');
  const alice = signedBy(folder, authority, 'alice');
  const stranger = signedBy(folder, selfSigned(folder, 'elsewhere'), 'stranger');
  const server = await start(t, {
    TOTE_OPERATOR_TLS_CERT_FILE: pair.certFile,
    TOTE_OPERATOR_TLS_KEY_FILE: pair.keyFile,
    TOTE_OPERATOR_TLS_CLIENT_CA_FILE: authority.certFile,
  });
  assert.match(server.run.stdout, /operator API +https:/);
  const to = { port: portOf(server.operatorUrl), ca: pair.cert };
  const status = '/operator/v1/status';
  const headers = { Authorization: `Bearer ${server.token}` };
  for (const path of [status, '/healthz', '/']) {
    const without = await httpsSend(to, 'GET', path, { headers });
    assert.equal(without.status, 401);
    assert.match(without.error, /^client_certificate_required: /);
  }
  await assert.rejects(
    httpsSend({ ...to, cert: stranger.cert, key: stranger.key }, 'GET', status, { headers }),
  );
  const known = { ...to, cert: alice.cert, key: alice.key };
  assert.match((await httpsSend(known, 'GET', status)).error, /^invalid_operator_token/);
  assert.equal((await httpsSend(known, 'GET', status, { headers })).status, 200);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  // A client that comes again resumes its session, and its certificate counts again.
  for (let n = 0; n < 3; n++) {
    assert.equal((await httpsSend({ ...known, agent }, 'GET', status, { headers })).status, 200);
    agent.destroy();
  }
  writeFileSync(authority.certFile, stranger.cert);
  await reload(server);
  await assert.rejects(httpsSend(known, 'GET', status, { headers }), 'the authority is no longer trusted');
});
