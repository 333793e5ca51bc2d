/** Every action of an operator is in the journal with the name of the token and the reason, and shown so. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { OPERATOR_KINDS } from '../../../engine/model/operators.js';
import type { AuditEntry } from '../../../http/operator/resources/audit.js';
import { addOperatorToken } from '../../../persistence/data-dir/operator-tokens.js';
import { Client } from '../../support/http/client.js';
import { toteLines, toteText } from '../../support/processes/cli.js';
import { newDataDir, Server } from '../../support/processes/server.js';

interface Line {
  readonly kind: string;
  readonly command: { readonly by?: { readonly operator: string; readonly reason: string } };
}

/** No price is held back in this test. */
const NOT_SENT = ['confirmPrice'];

test('who and why stand in the journal beside every action, and clients read why trading is off', async (t) => {
  const dataDir = newDataDir();
  const secret = addOperatorToken(
    join(dataDir, 'operator-tokens'),
    'ann',
    'admin',
    '2026-11-22T12:00:00.000Z',
  );
  const server = await Server.start({ dataDir });
  t.after(() => server.remove());
  const bettor = await server.createBettor();
  await server.toNextDay();
  await server.push({ BTC: 100_000 });
  const market = await bettor.api.get<{ currentRound: { id: string } }>('/markets/BTC_ONE_MINUTE');
  const ann = new Client(`${server.operatorUrl}/operator/v1`, { Authorization: `Bearer ${secret}` });
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
  const refused = await bettor.api.post('/orders', {
    marketId: 'BTC_ONE_MINUTE',
    prediction: 'UP',
    amount: 5,
  });
  assert.equal(refused.error, 'trading_disabled: because of setTrading');
  const tooLong = await ann.patch(`/accounts/${accountId}`, { frozen: true, reason: 'x'.repeat(501) });
  assert.match(tooLong.error, /^invalid_request: reason/);
  const audit = await ann.get<readonly AuditEntry[]>('/audit?operator=ann');
  for (const [kind] of actions) {
    const entry = audit.data.find(({ action, reason }) => action === kind && reason === `because of ${kind}`);
    assert.ok(entry !== undefined, kind);
    assert.ok(entry.target !== null && !/undefined|_0$/.test(entry.target), `${kind}: ${entry.target}`);
  }
  for (const { secret: shown } of [bettor, spare.data]) assert.ok(!audit.text.includes(shown));
  await server.stop();

  const lines = await toteLines<Line>(['replay', dataDir]);
  for (const [kind] of actions) {
    const found = lines.filter((line) => line.kind === kind && line.command.by?.operator === 'ann');
    assert.deepEqual(found[0]?.command.by, { operator: 'ann', reason: `because of ${kind}` }, kind);
  }
  assert.deepEqual([...actions.map(([kind]) => kind), ...NOT_SENT].sort(), [...OPERATOR_KINDS].sort());
  const unexplained = lines.filter(({ kind }) => kind === 'updateAccount').at(-1);
  assert.deepEqual(unexplained?.command.by, { operator: 'ann', reason: '' });
  const first = lines.find(({ kind }) => kind === 'createAccount');
  assert.deepEqual(first?.command.by, { operator: 'operator', reason: '' });
  const own = await toteLines<Line>(['replay', dataDir, '--operator', 'ann']);
  assert.equal(own.length, lines.filter(({ command }) => command.by?.operator === 'ann').length);
  assert.ok(own.length > actions.length && own.every(({ command }) => command.by?.operator === 'ann'));
  const words = await toteText(['replay', dataDir, '--explain']);
  assert.match(words, /updateAccount .* by operator ann, reason "because of updateAccount"\n/);
  assert.match(words, /setTrading .* by operator ann, reason "because of setTrading"\n/);
});
