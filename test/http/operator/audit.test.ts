/** `GET /audit`: each action with its operator and reason, and the refusals; filtered, in pages, and after a crash. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import type { AuditEntry } from '../../../http/operator/resources/audit.js';
import { addOperatorToken } from '../../../persistence/data-dir/operator-tokens.js';
import { askUntil } from '../../support/ask-until.js';
import { Client } from '../../support/http/client.js';
import { newDataDir, Server } from '../../support/processes/server.js';

const AT = '2026-11-22T12:00:00.000Z';
const dataDir = newDataDir();
const tokensFile = join(dataDir, 'operator-tokens');
const annToken = addOperatorToken(tokensFile, 'ann', 'admin', AT);
const bobToken = addOperatorToken(tokensFile, 'bob', 'read', AT);
const WRONG = 'guessed-0123456789abcdef';
let server: Server;
let ann: Client;
let bob: Client;

const clientWith = (token: string): Client =>
  new Client(`${server.operatorUrl}/operator/v1`, { Authorization: `Bearer ${token}` });
async function start(): Promise<void> {
  server = await Server.start({ dataDir });
  [ann, bob] = [clientWith(annToken), clientWith(bobToken)];
}
before(start);
after(() => server.remove());

async function audit(query = ''): Promise<readonly AuditEntry[]> {
  const { status, data, text } = await bob.get<readonly AuditEntry[]>(`/audit${query}`);
  assert.equal(status, 200, text);
  return data;
}

/** On record within a second or so. */
async function refused(action: string): Promise<AuditEntry> {
  const [entry] = await askUntil(
    () => audit(`?action=${action}`),
    ({ length }) => length > 0,
  );
  return must(entry, 'an entry');
}

test('an action is in the list when its answer has come: who, why, when, what, and to what', async () => {
  const reason = 'moved from the old exchange';
  const made = await ann.post<{ id: string }>('/accounts', {
    name: 'Ada',
    tier: 'GOLD',
    balance: 12.5,
    reason,
  });
  const [entry] = await audit();
  assert.ok(entry !== undefined && entry.seq > 0 && Date.parse(entry.time) > 0);
  assert.deepEqual(
    { ...entry, seq: 0, time: '' },
    {
      seq: 0,
      time: '',
      action: 'createAccount',
      operator: 'ann',
      reason,
      target: made.data.id,
      details: { balance: 12.5, name: 'Ada', tier: 'GOLD' },
    },
  );
  const account = made.data.id;
  const key = await ann.post<{ id: string; secret: string }>(`/accounts/${account}/keys`, {
    scopes: ['markets:read'],
  });
  const rotated = await ann.post<{ id: string; secret: string }>(`/keys/${key.data.id}/rotate`, {});
  const [second, first] = await audit();
  assert.deepEqual([first?.action, first?.target, first?.reason], ['createKey', key.data.id, null]);
  assert.deepEqual(first?.details, { accountId: account, scopes: ['markets:read'] });
  assert.equal(second?.details.newKeyId, rotated.data.id);
  const text = JSON.stringify(await audit());
  for (const secret of [key.data.secret, rotated.data.secret, annToken, bobToken, 'digest'])
    assert.ok(!text.includes(secret));
});

test('new rules are listed with what is not as before', async () => {
  for (const feeBps of [250, 275]) {
    const ifMatch = { 'If-Match': (await ann.get('/rules')).headers.get('etag') ?? '' };
    const body = JSON.stringify({ overrides: { feeBps }, reason: 'autumn' });
    assert.equal((await ann.send('PUT', '/rules', body, ifMatch)).status, 200);
  }
  const [second, first] = await audit('?action=configure');
  assert.deepEqual(first?.details.changed, [{ name: 'feeBps', from: null, to: 250 }]);
  assert.deepEqual(second?.details.changed, [{ name: 'feeBps', from: 250, to: 275 }]);
  assert.deepEqual([second?.target, second?.operator, second?.reason], ['rules', 'ann', 'autumn']);
});

test('what was refused is in the same list: by role with the name, and wrong tokens with their address', async () => {
  assert.equal((await bob.put('/trading', { enabled: false, reason: 'my own' })).status, 403);
  const denied = await refused('roleDenied');
  assert.deepEqual([denied.operator, denied.target], ['bob', 'PUT /trading']);
  assert.deepEqual(denied.details, { role: 'read', times: 1 });
  assert.equal((await clientWith(WRONG).get('/house')).status, 401);
  const guessed = await refused('tokenRefused');
  assert.deepEqual([guessed.operator, guessed.target], [null, null]);
  assert.deepEqual(guessed.details, { wrong: 1, refused: 0, addresses: ['127.0.0.1'] });
  assert.ok(!JSON.stringify(await audit()).includes(WRONG));
});

test('it is filtered by operator, action and time, and pages follow their cursors', async () => {
  const all = await audit();
  assert.deepEqual(
    await audit('?operator=ann'),
    all.filter(({ operator }) => operator === 'ann'),
  );
  assert.deepEqual(
    await audit('?operator=ann&action=configure'),
    all.filter(({ operator, action }) => operator === 'ann' && action === 'configure'),
  );
  assert.deepEqual(
    (await audit('?operator=bob')).map(({ action }) => action),
    ['roleDenied'],
  );
  await ann.post('/clock', { advanceMs: 60_000 });
  const [moved] = await audit();
  const at = moved?.time ?? '';
  assert.deepEqual(
    (await audit(`?from=${at}`)).map(({ action }) => action),
    ['moveClock'],
  );
  assert.deepEqual(await audit(`?to=${at}`), all);
  assert.deepEqual(await audit('?from=2099-01-01T00:00:00Z'), []);

  const paged: AuditEntry[] = [];
  for (let cursor = ''; ; ) {
    const { text } = await bob.get(`/audit?limit=3${cursor}`);
    const { data, nextCursor } = JSON.parse(text) as { data: AuditEntry[]; nextCursor: string | null };
    paged.push(...data);
    if (nextCursor === null) break;
    assert.equal(data.length, 3);
    cursor = `&cursor=${nextCursor}`;
  }
  assert.deepEqual(paged, [moved, ...all]);
});

test('a query that it does not know is refused with what it expects', async () => {
  assert.match(
    (await bob.get('/audit?action=fly')).error,
    /^invalid_request: action must be one of configure, /,
  );
  assert.match((await bob.get('/audit?operator=a%20b')).error, /^invalid_request: operator must be the name/);
  assert.match((await bob.get('/audit?limit=201')).error, /^invalid_request: limit must be/);
  assert.match((await bob.get('/audit?cursor=x')).error, /^invalid_request: cursor must be/);
});

test('all of it is there after a crash', async () => {
  const before = await audit();
  await server.kill();
  await start();
  assert.deepEqual((await audit()).slice(-before.length), before);
});
