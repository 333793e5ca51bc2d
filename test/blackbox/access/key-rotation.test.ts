/** Keys that operators let expire and replace, through a real server: what works when, and that secrets are shown once. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
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
  sandbox = await Sandbox.start();
});
after(() => sandbox.remove());

const iso = (inMs: number): string => new Date(sandbox.nowMs + inMs).toISOString();
/** The status, and the error's code, that a key has for a read. */
async function reads(secret: string | undefined): Promise<string> {
  const { status, error = '' } = await sandbox.api(secret ?? '').get('/positions');
  return status === 200 ? '200' : `${status} ${error.split(':')[0]}`;
}
async function refused(
  path: string,
  method: 'post' | 'patch',
  body: object,
  status: number,
  code: string,
): Promise<void> {
  const answered = await sandbox.operator[method](path, body);
  assert.equal(answered.status, status, answered.text);
  assert.ok(answered.error.startsWith(code), answered.text);
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

test('without an overlap the old key is refused at once', async () => {
  const { keyId, secret } = await sandbox.trader();
  const made = await sandbox.operator.post<Key>(`/keys/${keyId}/rotate`, {
    overlapSeconds: 0,
    expiresAt: iso(5_000),
  });
  assert.equal(made.data.expiresAt, iso(5_000));
  assert.deepEqual([await reads(secret), await reads(made.data.secret)], ['403 key_expired', '200']);
  await refused(`/keys/${keyId}/rotate`, 'post', {}, 403, 'key_expired');
});

test('an expiry is set or brought forward, and takes effect on the millisecond', async () => {
  const { keyId, secret } = await sandbox.trader();
  const set = await sandbox.operator.patch<Key>(`/keys/${keyId}`, { expiresAt: iso(10_000) });
  assert.equal(set.data.expiresAt, iso(10_000));
  await refused(
    `/keys/${keyId}`,
    'patch',
    { expiresAt: iso(10_001) },
    400,
    'invalid_request: the key expires earlier',
  );
  await refused(`/keys/${keyId}`, 'patch', { expiresAt: iso(0) }, 400, 'invalid_request: expiresAt is past');
  await refused(`/keys/${keyId}`, 'patch', {}, 400, 'invalid_request: one of enabled and expiresAt');
  await refused(
    `/keys/${keyId}`,
    'patch',
    { enabled: false, expiresAt: iso(1) },
    400,
    'invalid_request: one of',
  );
  await refused('/keys/key_999', 'patch', { expiresAt: iso(1) }, 404, 'key_not_found');
  assert.equal((await sandbox.operator.patch(`/keys/${keyId}`, { expiresAt: iso(2_000) })).status, 200);
  await sandbox.advance(1_999);
  assert.equal(await reads(secret), '200');
  await sandbox.advance(1);
  assert.equal(await reads(secret), '403 key_expired');
});

test('a rotation is refused where the body or the key is not fit for it', async () => {
  const { keyId } = await sandbox.trader();
  const path = `/keys/${keyId}/rotate`;
  await refused(path, 'post', { overlapSeconds: -1 }, 400, 'invalid_request: overlapSeconds');
  await refused(path, 'post', { overlapSeconds: 2_592_001 }, 400, 'invalid_request: overlapSeconds');
  await refused(
    path,
    'post',
    { overlapSeconds: 10, expiresAt: iso(10_000) },
    400,
    'invalid_request: expiresAt must be after',
  );
  await refused(path, 'post', { scopes: ['markets:read'] }, 400, 'invalid_request');
  await refused('/keys/key_999/rotate', 'post', { overlapSeconds: -1 }, 404, 'key_not_found');
  await sandbox.operator.patch(`/keys/${keyId}`, { enabled: false });
  await refused(path, 'post', {}, 403, 'key_disabled');
});

test('the house pays out what it has besides its seeds, each reference once', async () => {
  await sandbox.openRounds({ BTC: 100 });
  const { balance, openSeeds } = await sandbox.house();
  assert.ok(openSeeds > 0);
  const path = '/house/withdrawals';
  await refused(path, 'post', { amount: balance + 0.01, reference: 'all' }, 400, 'insufficient_balance');
  const paid = await sandbox.operator.post<{ type: string; balance: number }>(path, {
    amount: 1_000.5,
    reference: 'dividend',
  });
  assert.equal(paid.status, 201, paid.text);
  assert.deepEqual([paid.data.type, paid.data.balance], ['withdrawal', balance - 1_000.5]);
  const again = await sandbox.operator.post(path, { amount: 1_000.5, reference: 'dividend' });
  assert.equal(again.headers.get('x-idempotent-replay'), 'true');
  await refused(path, 'post', { amount: 7, reference: 'dividend' }, 409, 'reference_conflict');
  await refused(
    '/house/deposits',
    'post',
    { amount: 1_000.5, reference: 'dividend' },
    409,
    'reference_conflict',
  );
  sandbox = await sandbox.restart('kill');
  assert.equal((await sandbox.house()).balance, balance - 1_000.5);
  await sandbox.checkConservation();
});
