/** Keys that operators let expire and replace, through a real server: what works when, and that secrets are shown once. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { refused } from '../../support/api/api-client.js';
import { Sandbox } from '../../support/api/api-client-sandbox.js';

interface Key {
  readonly id: string;
  readonly accountId: string;
  readonly secret?: string;
  readonly scopes: readonly string[];
  readonly enabled: boolean;
  readonly expiresAt: string | null;
  readonly replaces?: Key;
}

let sandbox: Sandbox;
before(async () => {
  sandbox = await Sandbox.shared();
});

const iso = (inMs: number): string => new Date(sandbox.nowMs + inMs).toISOString();
/** The status, and the error's code, that a key has for a read. */
async function reads(secret: string | undefined): Promise<string> {
  const { status, error = '' } = await sandbox.api(secret ?? '').get('/positions');
  return status === 200 ? '200' : `${status} ${error.split(':')[0]}`;
}
test('a rotated key and its successor both work until the overlap ends, also after a restart', async () => {
  const { accountId, keyId, secret } = await sandbox.trader({ tier: 'SILVER' });
  const made = await sandbox.operator.post<Key>(`/keys/${keyId}/rotate`, { overlapSeconds: 60 });
  assert.equal(made.status, 201, made.text);
  const { secret: next, replaces, ...key } = made.data;
  assert.deepEqual(
    { ...key, createdAt: undefined },
    {
      ...{ id: key.id, accountId, scopes: replaces?.scopes, enabled: true, expiresAt: null },
      createdAt: undefined,
    },
  );
  assert.notEqual(key.id, keyId);
  assert.equal(replaces?.id, keyId);
  assert.equal(replaces?.expiresAt, iso(60_000));
  assert.deepEqual([await reads(secret), await reads(next)], ['200', '200']);
  sandbox = await sandbox.restart('kill');
  await sandbox.advance(59_999);
  assert.deepEqual([await reads(secret), await reads(next)], ['200', '200']);
  await sandbox.advance(1);
  assert.deepEqual([await reads(secret), await reads(next)], ['403 key_expired', '200']);
  const listed = await sandbox.operator.get<Key[]>(`/keys?accountId=${accountId}`);
  assert.deepEqual(
    listed.data.map(({ id, expiresAt }) => [id, expiresAt]),
    [
      [keyId, iso(0)],
      [key.id, null],
    ],
  );
  const everything = listed.text + sandbox.server.run.stderr + sandbox.server.run.stdout;
  const journal = join(sandbox.server.dataDir, 'journal');
  const files = readdirSync(journal).map((name) => readFileSync(join(journal, name), 'latin1'));
  for (const text of [everything, ...files]) assert.ok(!text.includes(next ?? 'no secret'));
});

test('what an operator changes of a key or an account counts for the next request', async () => {
  const { accountId, keyId, secret } = await sandbox.trader({ tier: 'SILVER' });
  const order = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 };
  const steps: readonly (readonly [path: string, body: object, status: number, code: string])[] = [
    [`/keys/${keyId}`, { enabled: false }, 403, 'key_disabled'],
    [`/keys/${keyId}`, { enabled: true }, 400, 'round_not_live'],
    [`/accounts/${accountId}`, { tier: 'BRONZE' }, 403, 'tier_too_low'],
    [`/accounts/${accountId}`, { tier: 'GOLD' }, 400, 'round_not_live'],
    [`/accounts/${accountId}`, { frozen: true }, 403, 'account_frozen'],
    [`/accounts/${accountId}`, { frozen: false }, 400, 'round_not_live'],
    [`/keys/${keyId}`, { expiresAt: iso(2_000) }, 400, 'round_not_live'],
  ];
  for (const [path, body, status, code] of steps) {
    assert.equal((await sandbox.operator.patch(path, body)).status, 200);
    refused(await sandbox.api(secret).order(order), status, code);
  }
  await sandbox.advance(1_999);
  assert.equal(await reads(secret), '200');
  await sandbox.advance(1);
  assert.equal(await reads(secret), '403 key_expired');
});

test('a change of a key that cannot be meant is refused, and says why', async () => {
  const { keyId, secret } = await sandbox.trader();
  assert.equal((await sandbox.operator.patch(`/keys/${keyId}`, { expiresAt: iso(10_000) })).status, 200);
  const wrong: readonly (readonly [path: string, body: object, status: number, error: string])[] = [
    [`/keys/${keyId}`, { expiresAt: iso(10_001) }, 400, 'invalid_request: the key expires earlier'],
    [`/keys/${keyId}`, { expiresAt: iso(0) }, 400, 'invalid_request: expiresAt is past'],
    [`/keys/${keyId}`, {}, 400, 'invalid_request: one of enabled and expiresAt'],
    [`/keys/${keyId}`, { enabled: false, expiresAt: iso(1) }, 400, 'invalid_request: one of'],
    ['/keys/key_999', { expiresAt: iso(1) }, 404, 'key_not_found'],
    [`/keys/${keyId}/rotate`, { overlapSeconds: -1 }, 400, 'invalid_request: overlapSeconds'],
    [`/keys/${keyId}/rotate`, { overlapSeconds: 2_592_001 }, 400, 'invalid_request: overlapSeconds'],
    [
      `/keys/${keyId}/rotate`,
      { overlapSeconds: 5, expiresAt: iso(5_000) },
      400,
      'invalid_request: expiresAt must',
    ],
    [`/keys/${keyId}/rotate`, { scopes: ['markets:read'] }, 400, 'invalid_request'],
    ['/keys/key_999/rotate', {}, 404, 'key_not_found'],
  ];
  for (const [path, body, status, error] of wrong) {
    const method = path.endsWith('rotate') ? 'post' : 'patch';
    const answered = await sandbox.operator[method](path, body);
    assert.equal(answered.status, status, answered.text);
    assert.ok(answered.error.startsWith(error), answered.text);
  }
  const made = await sandbox.operator.post<Key>(`/keys/${keyId}/rotate`, { overlapSeconds: 0 });
  assert.deepEqual([await reads(secret), await reads(made.data.secret)], ['403 key_expired', '200']);
  refused(await sandbox.operator.post(`/keys/${keyId}/rotate`, {}), 403, 'key_expired');
});
