/**
 * Secrets never reach a log or the journal in clear: a server with the most detailed log is used in every way, and
 * searched.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { refused } from '../../support/api/api-client.js';
import { Sandbox } from '../../support/api/api-client-sandbox.js';
import { buildPage } from '../../support/console/console-page.js';

const ORDER = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 10 };
const ALL_SCOPES = ['markets:read', 'positions:read', 'orders:write'];

let sandbox: Sandbox;

before(async () => {
  buildPage();
  sandbox = await Sandbox.start({ env: { TOTE_DEMO: '1', TOTE_LOG_LEVEL: 'trace' } });
});
after(() => sandbox.remove());

function filesOf(folder: string): Map<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(names.flatMap((name) => contentOf(join(folder, name))));
}

function contentOf(path: string): [path: string, bytes: Buffer][] {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return [];
  try {
    return [[path, readFileSync(path)]];
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

const formsOf = (secret: string): readonly (readonly [form: string, bytes: Buffer])[] => [
  ['as it is', Buffer.from(secret)],
  ['without its prefix', Buffer.from(secret.replace(/^tote_/, ''))],
  ['in hex', Buffer.from(Buffer.from(secret).toString('hex'))],
  ['in base64', Buffer.from(Buffer.from(secret).toString('base64').replace(/=+$/, ''))],
  ['in UTF-16', Buffer.from(secret, 'utf16le')],
];

test('keys, the token and the master secret are in no log and in no file but their own', async () => {
  await sandbox.openRounds({ BTC: 67_000 }, 'FIVE_MINUTES');
  const secrets: string[] = [];
  const [, demo = ''] = /^curl .*X-API-Key: (tote_\S{43})'.*$/m.exec(await sandbox.server.demo()) ?? [];
  assert.equal((await sandbox.api(demo).get('/positions')).status, 200);
  const { accountId, api, keyId, secret } = await sandbox.trader();
  secrets.push(secret);
  secrets.push((await sandbox.key(accountId, { scopes: ALL_SCOPES })).secret);
  await api.place(ORDER, { 'Idempotency-Key': 'once' });
  await api.place(ORDER, { 'Idempotency-Key': 'once' });
  refused(await api.order({ ...ORDER, amount: 0 }), 400, 'invalid_request');
  refused(await api.order({ ...ORDER, [secret]: secret }), 400, 'invalid_request');
  refused(await api.get(`/markets/${secret}`), 404, 'market_not_found');
  refused(await api.get(`/no/such/path/${secret}?key=${secret}`), 404, 'not_found');
  refused(await sandbox.api(`${secret}x`).get('/markets'), 401, 'invalid_api_key');
  await sandbox.operator.patch(`/keys/${keyId}`, { enabled: false });
  refused(await api.get('/markets'), 403, 'key_disabled');
  await fetch(`${sandbox.server.operatorUrl}/operator/v1/status`, {
    headers: { Authorization: `Bearer ${secret}` },
  });
  await sandbox.closeMinute({ BTC: 67_001 });
  const { dataDir, token } = sandbox.server;
  secrets.push(token);

  const running = filesOf(dataDir);
  const ending = await sandbox.server.stop();
  assert.equal(ending.code, 0, ending.stderr);
  assert.ok(!`${ending.stdout}${ending.stderr}`.includes(demo), 'the demo key is not in a log');
  for (const [path, bytes] of filesOf(dataDir))
    assert.equal(bytes.includes(demo), path.endsWith('/demo'), `the demo key is in its lines alone: ${path}`);
  const outputs: readonly (readonly [string, Buffer])[] = [
    ['stdout', Buffer.from(ending.stdout)],
    ['stderr', Buffer.from(ending.stderr)],
    ...[...running].map(([path, bytes]) => [`${path} (running)`, bytes] as const),
    ...filesOf(dataDir),
  ];
  const isText = outputs.some(([, bytes]) => bytes.includes('placeOrder') || bytes.includes('betPlaced'));
  assert.ok(isText, 'the journal is text');
  const digest = createHash('sha256').update(secret).digest('hex');
  const isKnown = outputs.some(([, bytes]) => bytes.includes(digest));
  assert.ok(isKnown, 'the journal knows a key by its digest');
  for (const [where, bytes] of outputs) {
    for (const text of secrets) {
      if (text === token && where.includes('operator-token')) continue;
      for (const [form, needle] of formsOf(text))
        assert.ok(!bytes.includes(needle), `${where} holds a secret ${form}`);
    }
  }
});

test('stored secrets are files that nobody else can read', () => {
  const files = filesOf(sandbox.server.dataDir);
  const secretFiles = [...files].filter(([path]) => /secret|token/.test(path));
  assert.equal(secretFiles.length, 2, 'the master secret and the operator token');
  for (const [path, bytes] of secretFiles) {
    assert.equal(statSync(path).mode & 0o777, 0o600, path);
    const needles = [bytes, Buffer.from(bytes.toString('utf8').trim()), Buffer.from(bytes.toString('hex'))];
    for (const [other, content] of files) {
      if (other === path) continue;
      for (const needle of needles) assert.ok(!content.includes(needle), `${other} holds what ${path} does`);
    }
  }
});
