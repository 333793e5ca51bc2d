/**
 * The operator port writes no secret down: a server with the most detailed log is used on all routes, with secrets also
 * where they do not belong, and its files and answers are searched.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ENDPOINTS } from '../../../http/operator/endpoints.js';
import { addOperatorToken } from '../../../persistence/data-dir/operator-tokens.js';
import { Client } from '../../support/http/client.js';
import { newDataDir, removeDataDir, Server } from '../../support/processes/server.js';

const ROUTES = [
  ...ENDPOINTS.map(({ method, path }) => ({ method, path: `/operator/v1${path}` })),
  { method: 'GET', path: '/metrics' },
];

const dataDir = newDataDir();
const ann = addOperatorToken(join(dataDir, 'operator-tokens'), 'ann', 'admin', '2026-11-22T12:00:00.000Z');
const GUESS = `toteop_${'g'.repeat(43)}`;
let server: Server;
before(async () => {
  server = await Server.start({ dataDir, env: { TOTE_LOG_LEVEL: 'trace' } });
});
after(async () => {
  await server.kill();
  removeDataDir(dataDir);
});

const targetOf = (path: string, id: string): string => path.replace('{id}', id).replace('{crypto}', 'BTC');

test('no token and no key is in what the server writes or answers, wherever they were sent to', async () => {
  const { accountId, keyId, secret } = await server.createBettor();
  const secrets = [server.token, ann, secret, GUESS];
  const answers: string[] = [];
  for (const token of [server.token, ann, GUESS]) {
    const client = new Client(server.operatorUrl, { Authorization: `Bearer ${token}` });
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
  const { stdout, stderr } = await server.stop();
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dataDir, name))
    .filter((path) => statSync(path).isFile() && !path.endsWith('operator-token'));
  const written = [
    ...answers.map((text) => ['an answer', text] as const),
    ['stdout', stdout] as const,
    ['stderr', stderr] as const,
    ...files.map((path) => [path, readFileSync(path, 'latin1')] as const),
  ];
  assert.match(stderr, /"path":"\/operator\/v1\/accounts\/(tote_|toteop_)?\[secret\]"/);
  for (const [where, text] of written) {
    for (const found of secrets)
      assert.ok(!text.includes(found), `${where} holds a secret: ${text.slice(0, 300)}`);
  }
});
