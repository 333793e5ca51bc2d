/**
 * Secrets never reach a log, the journal or an answer in clear: a server with the most detailed log is used in every
 * way, with secrets also where they do not belong, and searched.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ENDPOINTS } from '../../../http/operator/endpoints.js';
import { addOperatorToken } from '../../../persistence/data-dir/operator-tokens.js';
import { refused } from '../../support/api/api-client.js';
import { Sandbox } from '../../support/api/api-client-sandbox.js';
import { buildPage } from '../../support/console/console-page.js';
import { Client } from '../../support/http/client.js';
import { newDataDir } from '../../support/processes/server.js';

const ORDER = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 10 };
const ALL_SCOPES = ['markets:read', 'positions:read', 'orders:write'];
const ROUTES = [
  ...ENDPOINTS.map(({ method, path }) => ({ method, path: `/operator/v1${path}` })),
  { method: 'GET', path: '/metrics' },
];
const GUESS = `toteop_${'g'.repeat(43)}`;

const dataDir = newDataDir();
const ann = addOperatorToken(join(dataDir, 'operator-tokens'), 'ann', 'admin', '2026-11-22T12:00:00.000Z');
let sandbox: Sandbox;

before(async () => {
  buildPage();
  sandbox = await Sandbox.start({ dataDir, env: { TOTE_DEMO: '1', TOTE_LOG_LEVEL: 'trace' } });
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

const targetOf = (path: string, id: string): string => path.replace('{id}', id).replace('{crypto}', 'BTC');

/** The texts of all answers. */
async function askOperators(accountId: string, keyId: string, secrets: readonly string[]): Promise<string[]> {
  const answers: string[] = [];
  for (const token of [sandbox.server.token, ann, GUESS]) {
    const client = new Client(sandbox.server.operatorUrl, { Authorization: `Bearer ${token}` });
    for (const { method, path } of ROUTES) {
      const id = path.includes('/keys/') ? keyId : accountId;
      // Routes that make a key show its secret, which is their job.
      const targets = path.endsWith('/keys') || path.endsWith('/rotate') ? [] : [targetOf(path, id)];
      for (const misplaced of secrets)
        targets.push(targetOf(path, misplaced), `${targetOf(path, id)}?limit=${misplaced}`);
      const body = method === 'GET' ? undefined : JSON.stringify({ reason: 'as it must be' });
      for (const target of targets) answers.push((await client.send(method, target, body)).text);
    }
  }
  return answers;
}

test('keys, tokens and the master secret are in no answer, no log and no file but their own', async () => {
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
  const { token } = sandbox.server;
  secrets.push(token, ann, GUESS);
  const answers = await askOperators(accountId, keyId, secrets);

  const running = filesOf(dataDir);
  const ending = await sandbox.server.stop();
  assert.equal(ending.code, 0, ending.stderr);
  assert.ok(!`${ending.stdout}${ending.stderr}`.includes(demo), 'the demo key is not in a log');
  for (const [path, bytes] of filesOf(dataDir))
    assert.equal(bytes.includes(demo), path.endsWith('/demo'), `the demo key is in its lines alone: ${path}`);
  const outputs: readonly (readonly [string, Buffer])[] = [
    ['stdout', Buffer.from(ending.stdout)],
    ['stderr', Buffer.from(ending.stderr)],
    ...answers.map((text) => ['an answer', Buffer.from(text)] as const),
    ...[...running].map(([path, bytes]) => [`${path} (running)`, bytes] as const),
    ...filesOf(dataDir),
  ];
  const isText = outputs.some(([, bytes]) => bytes.includes('placeOrder') || bytes.includes('betPlaced'));
  assert.ok(isText, 'the journal is text');
  const digest = createHash('sha256').update(secret).digest('hex');
  const isKnown = outputs.some(([, bytes]) => bytes.includes(digest));
  assert.ok(isKnown, 'the journal knows a key by its digest');
  assert.match(ending.stderr, /"path":"\/operator\/v1\/accounts\/(tote_|toteop_)?\[secret\]"/);
  for (const [where, bytes] of outputs) {
    for (const text of secrets) {
      if (text === token && where.includes('operator-token')) continue;
      for (const [form, needle] of formsOf(text))
        assert.ok(!bytes.includes(needle), `${where} holds a secret ${form}`);
    }
  }
});

test('stored secrets are files that nobody else can read', () => {
  const files = filesOf(dataDir);
  const secretFiles = [...files].filter(([path]) => /secret|token/.test(path));
  assert.equal(secretFiles.length, 3, 'the master secret, the operator token and the list of tokens');
  for (const [path, bytes] of secretFiles) {
    assert.equal(statSync(path).mode & 0o777, 0o600, path);
    const needles = [bytes, Buffer.from(bytes.toString('utf8').trim()), Buffer.from(bytes.toString('hex'))];
    for (const [other, content] of files) {
      if (other === path) continue;
      for (const needle of needles) assert.ok(!content.includes(needle), `${other} holds what ${path} does`);
    }
  }
});
