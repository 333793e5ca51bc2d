/**
 * `GET /audit`: each action with its operator and reason, and the refusals; filtered, in pages, and after a crash. The
 * journal has the same.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { OPERATOR_KINDS } from '../../../engine/model/operators.js';
import type { AuditEntry } from '../../../http/operator/audit.js';
import { addOperatorToken } from '../../../persistence/data-dir/operator-tokens.js';
import { askUntil } from '../../support/ask-until.js';
import type { Client } from '../../support/http/client.js';
import { toteLines, toteText } from '../../support/processes/cli.js';
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

async function start(): Promise<void> {
  server = await Server.start({ dataDir });
  [ann, bob] = [server.operatorWith(annToken), server.operatorWith(bobToken)];
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
  const ada = { name: 'Ada', tier: 'GOLD', balance: 12.5, reference: 'wire', reason };
  const made = await ann.post<{ id: string }>('/accounts', ada);
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
      details: { balance: 12.5, name: 'Ada', tier: 'GOLD', reference: 'wire' },
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
  assert.equal((await server.operatorWith(WRONG).get('/house')).status, 401);
  const guessed = await refused('tokenRefused');
  assert.deepEqual([guessed.operator, guessed.target], [null, null]);
  assert.deepEqual(guessed.details, { wrong: 1, refused: 0, addresses: ['127.0.0.1'] });
  assert.ok(!JSON.stringify(await audit()).includes(WRONG));
});

test('it is filtered by operator, action and time, and pages follow their cursors', async () => {
  const all = await audit();
  const ofAnn = all.filter(({ operator }) => operator === 'ann');
  assert.deepEqual(await audit('?operator=ann'), ofAnn);
  const configured = ofAnn.filter(({ action }) => action === 'configure');
  assert.deepEqual(await audit('?operator=ann&action=configure'), configured);
  assert.equal((await audit('?operator=bob')).map(({ action }) => action).join(), 'roleDenied');
  await ann.post('/clock', { advanceMs: 60_000 });
  const [moved] = await audit();
  const at = moved?.time ?? '';
  assert.equal((await audit(`?from=${at}`)).map(({ action }) => action).join(), 'moveClock');
  assert.deepEqual(await audit(`?to=${at}`), all);
  assert.deepEqual(await audit('?from=2099-01-01T00:00:00Z'), []);

  const paged: AuditEntry[] = [];
  for (let cursor = ''; ; ) {
    const from = paged.length % 2 === 0 ? '2020-01-01T00:00:00Z' : '2020-01-01T01:00:00%2B01:00';
    const { text } = await bob.get(`/audit?limit=3&from=${from}${cursor}`);
    const { data, nextCursor } = JSON.parse(text) as { data: AuditEntry[]; nextCursor: string | null };
    paged.push(...data);
    if (nextCursor === null) break;
    assert.equal(data.length, 3);
    cursor = `&cursor=${nextCursor}`;
    assert.match((await bob.get(`/audit?operator=ann${cursor}`)).error, /cursor must be/);
  }
  assert.deepEqual(paged, [moved, ...all]);
});

test('a query that it does not know is refused with what it expects', async () => {
  assert.match((await bob.get('/audit?action=fly')).error, /^invalid_request: action must be one of con/);
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

interface Line {
  readonly kind: string;
  readonly command: { readonly by?: { readonly operator: string; readonly reason: string } };
}

/** No price is held back in this test. */
const NOT_SENT = ['confirmPrice'];

test('who and why stand in the journal beside every action, and clients read why trading is off', async () => {
  const bettor = await server.createBettor();
  await server.toNextDay({ BTC: 100_000 });
  const market = await bettor.api.get<{ currentRound: { id: string } }>('/markets/BTC_ONE_MINUTE');
  const { accountId, keyId } = bettor;
  const money = (reference: string) => ({ amount: 5, reference });
  const spare = await server.operator.post<{ id: string; secret: string }>(`/accounts/${accountId}/keys`, {
    scopes: ['markets:read'],
  });
  const { headers } = await ann.get('/rules');
  const ifMatch = { 'If-Match': headers.get('etag') ?? '' };
  const actions: readonly (readonly [kind: string, method: string, path: string, body: object])[] = [
    ['createAccount', 'POST', '/accounts', { tier: 'GOLD' }],
    ['updateAccount', 'PATCH', `/accounts/${accountId}`, { frozen: true }],
    ['deposit', 'POST', `/accounts/${accountId}/deposits`, money('d')],
    ['withdraw', 'POST', `/accounts/${accountId}/withdrawals`, money('w')],
    ['depositHouse', 'POST', '/house/deposits', money('h')],
    ['createKey', 'POST', `/accounts/${accountId}/keys`, { scopes: ['markets:read'] }],
    ['updateKey', 'PATCH', `/keys/${keyId}`, { enabled: true }],
    ['withdrawHouse', 'POST', '/house/withdrawals', money('o')],
    ['expireKey', 'PATCH', `/keys/${spare.data.id}`, { expiresAt: '2099-01-01T00:00:00Z' }],
    ['rotateKey', 'POST', `/keys/${spare.data.id}/rotate`, { overlapSeconds: 60 }],
    ['configure', 'PUT', '/rules', { overrides: { feeBps: 310 } }],
    ['suspendMarket', 'PATCH', '/markets/ETH_ONE_MINUTE', { suspended: true }],
    ['voidRound', 'POST', `/rounds/${market.data.currentRound.id}/void`, {}],
    ['moveClock', 'POST', '/clock', { advanceMs: 1_500 }],
    ['setTrading', 'PUT', '/trading', { enabled: false }],
  ];
  for (const [kind, method, path, body] of actions) {
    const sent = { ...body, reason: `because of ${kind}` };
    const { status, text } = await ann.send(method, path, JSON.stringify(sent), ifMatch);
    assert.ok(status === 200 || status === 201, `${kind}: ${text}`);
  }
  await ann.patch(`/accounts/${accountId}`, { frozen: false });
  const order = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 5 };
  const refused = await bettor.api.post('/orders', order);
  assert.equal(refused.error, 'trading_disabled: because of setTrading');
  const tooLong = await ann.patch(`/accounts/${accountId}`, { frozen: true, reason: 'x'.repeat(501) });
  assert.match(tooLong.error, /^invalid_request: reason/);
  const entries = await audit('?operator=ann');
  for (const [kind] of actions) {
    const entry = entries.find(({ action, reason }) => action === kind && reason === `because of ${kind}`);
    assert.ok(entry !== undefined, kind);
    assert.ok(entry.target !== null && !/undefined|_0$/.test(entry.target), `${kind}: ${entry.target}`);
  }
  for (const { secret: shown } of [bettor, spare.data]) assert.ok(!JSON.stringify(entries).includes(shown));
  await server.stop();

  const lines = await toteLines<Line>(['replay', dataDir]);
  for (const [kind] of actions) {
    const found = lines.filter((line) => line.kind === kind).map(({ command }) => command.by);
    const why = { operator: 'ann', reason: `because of ${kind}` };
    const withReason = found.filter((by) => by?.reason === why.reason);
    assert.deepEqual(withReason, [why], kind);
  }
  assert.deepEqual([...actions.map(([kind]) => kind), ...NOT_SENT].sort(), [...OPERATOR_KINDS].sort());
  const unexplained = lines.filter(({ kind }) => kind === 'updateAccount').at(-1);
  assert.deepEqual(unexplained?.command.by, { operator: 'ann', reason: '' });
  const first = lines.find(({ command }) => command.by?.operator === 'operator');
  assert.deepEqual([first?.kind, first?.command.by?.reason], ['createAccount', '']);
  const own = await toteLines<Line>(['replay', dataDir, '--operator', 'ann']);
  assert.equal(own.length, lines.filter(({ command }) => command.by?.operator === 'ann').length);
  assert.ok(own.length > actions.length && own.every(({ command }) => command.by?.operator === 'ann'));
  const words = await toteText(['replay', dataDir, '--explain']);
  assert.match(words, /updateAccount .* by operator ann, reason "because of updateAccount"\n/);
  assert.match(words, /setTrading .* by operator ann, reason "because of setTrading"\n/);
});
