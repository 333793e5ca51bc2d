/**
 * Authorisation (specification, section 5): a generated matrix of every endpoint, at both base paths, against every
 * kind of key. The expected answer comes from the specification's own rules, written out in `expected`.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ApiClient, BASES, refused } from '../../support/api/api-client.js';
import { Sandbox } from '../../support/api/api-client-sandbox.js';
import type { OrderResult, Position } from '../../support/api/spec.js';

const READS = ['markets:read', 'positions:read'];
const ALL = [...READS, 'orders:write', 'orders:cancel'];
const TIERS = ['BRONZE', 'SILVER', 'GOLD', 'PLATINUM', 'VIP'];
const ORDER = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 };

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly scope: string;
  /** What a key that may use it is answered. */
  readonly success: number;
  readonly code?: string;
}
/** `ROUND` and `FOREIGN` stand for a round and for another account's order. */
const ENDPOINTS: readonly Endpoint[] = [
  { method: 'GET', path: '/time', scope: 'markets:read', success: 200 },
  { method: 'GET', path: '/limits', scope: 'positions:read', success: 200 },
  { method: 'GET', path: '/markets', scope: 'markets:read', success: 200 },
  { method: 'GET', path: '/markets/BTC_ONE_DAY', scope: 'markets:read', success: 200 },
  { method: 'GET', path: '/markets/BTC_ONE_DAY/rounds', scope: 'markets:read', success: 200 },
  { method: 'GET', path: '/prices', scope: 'markets:read', success: 200 },
  { method: 'GET', path: '/account', scope: 'positions:read', success: 200 },
  { method: 'GET', path: '/account/ledger', scope: 'positions:read', success: 200 },
  { method: 'GET', path: '/positions', scope: 'positions:read', success: 200 },
  { method: 'GET', path: '/orders', scope: 'positions:read', success: 200 },
  { method: 'GET', path: '/orders/FOREIGN', scope: 'positions:read', success: 404, code: 'order_not_found' },
  {
    method: 'DELETE',
    path: '/orders/FOREIGN',
    scope: 'orders:cancel',
    success: 404,
    code: 'order_not_found',
  },
  { method: 'GET', path: '/orders/by-idempotency-key/NEVER', scope: 'positions:read', success: 200 },
  { method: 'POST', path: '/orders', scope: 'orders:write', success: 201 },
  { method: 'POST', path: '/orders/quote', scope: 'positions:read', success: 200 },
  { method: 'GET', path: '/rounds', scope: 'markets:read', success: 200 },
  { method: 'GET', path: '/rounds/ROUND', scope: 'markets:read', success: 200 },
  {
    method: 'GET',
    path: '/rounds/ROUND/proof',
    scope: 'markets:read',
    success: 404,
    code: 'round_not_found',
  },
  {
    method: 'GET',
    path: '/orders/FOREIGN/proof',
    scope: 'positions:read',
    success: 404,
    code: 'order_not_found',
  },
  { method: 'GET', path: '/keys', scope: 'markets:read', success: 200 },
];

/** The path as the API document has it. */
const documentedPath = (path: string): string =>
  path
    .replace('BTC_ONE_DAY', '{id}')
    .replace(/ROUND|FOREIGN/, '{id}')
    .replace('NEVER', '{key}');

/** A key as a client presents it, and what the rules need to know of it. */
interface Key {
  readonly kind: string;
  /** null: no header at all. */
  readonly secret: string | null;
  readonly isKnown: boolean;
  readonly isDisabled?: boolean;
  readonly isExpired?: boolean;
  readonly isFrozen?: boolean;
  readonly scopes: readonly string[];
  readonly tier: string;
}

function expected(key: Key, endpoint: Endpoint): { status: number; code: string } {
  if (key.secret === null || key.secret === '') return { status: 401, code: 'missing_api_key' };
  if (!key.isKnown) return { status: 401, code: 'invalid_api_key' };
  if (key.isDisabled) return { status: 403, code: 'key_disabled' };
  if (key.isExpired) return { status: 403, code: 'key_expired' };
  if (!key.scopes.includes(endpoint.scope)) return { status: 403, code: 'insufficient_scope' };
  const isWrite = endpoint.scope === 'orders:write' || endpoint.scope === 'orders:cancel';
  if (isWrite && key.tier === 'BRONZE') return { status: 403, code: 'tier_too_low' };
  if (isWrite && key.isFrozen) return { status: 403, code: 'account_frozen' };
  return { status: endpoint.success, code: endpoint.code ?? '' };
}

let sandbox: Sandbox;
let roundId = '';
let foreignOrderId = '';

before(async () => {
  sandbox = await Sandbox.start();
  await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
  const trader = await sandbox.trader();
  roundId = (await trader.api.market('BTC_ONE_DAY')).currentRound?.id ?? '';
  foreignOrderId = ((await trader.api.order(ORDER)).data as OrderResult).bet.id;
});
after(() => sandbox.remove());

/** What differs from an enabled key with all scopes of a Silver account. */
interface Making {
  readonly tier?: string;
  readonly scopes?: readonly string[];
  readonly downgraded?: boolean;
  readonly disabled?: boolean;
  readonly expired?: boolean;
  readonly frozen?: boolean;
}

const EXPIRES_IN_MS = 10_000;

async function makeKey(kind: string, making: Making): Promise<Key> {
  const { tier = 'SILVER' } = making;
  const scopes = making.scopes ?? (tier === 'BRONZE' ? READS : ALL);
  const { accountId, keyId } = await sandbox.trader({ tier, scopes: ['markets:read'] });
  await sandbox.operator.patch(`/keys/${keyId}`, { enabled: false });
  const expiresAt = new Date(sandbox.nowMs + EXPIRES_IN_MS).toISOString();
  const made = await sandbox.key(accountId, { scopes, ...(making.expired && { expiresAt }) });
  if (making.disabled) await sandbox.operator.patch(`/keys/${made.id}`, { enabled: false });
  if (making.downgraded) await sandbox.operator.patch(`/accounts/${accountId}`, { tier: 'BRONZE' });
  if (making.frozen) await sandbox.operator.patch(`/accounts/${accountId}`, { frozen: true });
  return {
    kind,
    secret: made.secret,
    isKnown: true,
    isDisabled: making.disabled ?? false,
    isExpired: making.expired ?? false,
    isFrozen: making.frozen ?? false,
    scopes,
    tier: making.downgraded ? 'BRONZE' : tier,
  };
}

async function knownKeys(): Promise<Key[]> {
  const keys: Key[] = [];
  const make = async (kind: string, making: Making): Promise<void> => {
    keys.push(await makeKey(kind, making));
  };
  for (const tier of TIERS) await make(`all scopes of ${tier}`, { tier });
  for (const scope of ALL) await make(`${scope} alone`, { scopes: [scope] });
  for (const scope of READS) await make(`${scope} alone, BRONZE`, { scopes: [scope], tier: 'BRONZE' });
  await make('downgraded', { downgraded: true });
  await make('downgraded from VIP', { tier: 'VIP', downgraded: true });
  await make('frozen', { frozen: true });
  await make('disabled', { disabled: true });
  await make('expired', { expired: true });
  await make('disabled and expired', { disabled: true, expired: true });
  await make('expired, without scope', { expired: true, scopes: ['orders:cancel'] });
  await make('disabled, tier too low', { disabled: true, downgraded: true });
  await make('without scope, tier too low', { scopes: ['orders:cancel'], downgraded: true });
  return keys;
}

function unknownKeys(secret: string): Key[] {
  const last = secret.endsWith('A') ? 'B' : 'A';
  const forms: readonly (readonly [kind: string, secret: string | null])[] = [
    ['no header', null],
    ['an empty header', ''],
    ['not a key at all', 'nonsense'],
    ['one character short', secret.slice(0, -1)],
    ['one character more', `${secret}A`],
    ['the last character altered', secret.slice(0, -1) + last],
    ['another case', secret.toUpperCase()],
    ['never issued', `tote_${'x'.repeat(43)}`],
    ['as a Bearer token', `Bearer ${secret}`],
    ['two keys', `${secret}, ${secret}`],
    ['an operator token', sandbox.server.token],
    ['a very long one', 'k'.repeat(2_000)],
  ];
  return forms.map(([kind, form]) => ({ kind, secret: form, isKnown: false, scopes: [], tier: '' }));
}

function send(api: ApiClient, { method, path }: Endpoint): ReturnType<ApiClient['get']> {
  const at = path.replace('ROUND', roundId).replace('FOREIGN', foreignOrderId);
  return method === 'POST' ? api.send(method, at, { body: JSON.stringify(ORDER) }) : api.send(method, at);
}

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly security?: readonly object[] }>>>
  >;
}

test('the matrix has every endpoint of the API document that asks for a key', async () => {
  const response = await fetch(`${sandbox.server.publicUrl}/v1/openapi.json`);
  const document = (await response.json()) as Document;
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { security }]) => security?.length !== 0)
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  const tried = ENDPOINTS.map(({ method, path }) => `${method} ${documentedPath(path)}`);
  assert.deepEqual(tried.sort(), documented.sort());
});

/** A key of an account of its own sees the bets that it placed, and no other's. */
function checkOwn(cell: string, path: string, data: unknown, own: Set<string>): void {
  if (path === '/orders' && !Array.isArray(data)) own.add((data as OrderResult).bet.id);
  if (path !== '/orders' && path !== '/positions') return;
  const shown = Array.isArray(data) ? (data as readonly Position[]).map(({ id }) => id) : [...own];
  assert.deepEqual(new Set(shown), own, cell);
}

test('every endpoint with every kind of key', async (context) => {
  const known = await knownKeys();
  await sandbox.advance(EXPIRES_IN_MS);
  const keys = [...unknownKeys(known[1]?.secret ?? ''), ...known];
  let cells = 0;
  for (const key of keys) {
    const own = new Set<string>();
    for (const base of BASES) {
      const api = sandbox.api(key.secret).at(base);
      for (const endpoint of ENDPOINTS) {
        const answered = await send(api, endpoint);
        const { status, code } = expected(key, endpoint);
        const cell = `${key.kind}: ${endpoint.method} ${base}${endpoint.path}`;
        assert.equal(answered.status, status, `${cell}: ${answered.text}`);
        assert.equal(answered.error.split(':')[0], code, cell);
        if (code === '') checkOwn(cell, endpoint.path, answered.data, own);
        cells++;
      }
    }
  }
  context.diagnostic(`${keys.length} kinds of key, ${cells} cells`);
  await sandbox.checkConservation();
});

test('a key expires at exactly its millisecond', async () => {
  const { accountId } = await sandbox.trader();
  const expiresAt = new Date(sandbox.nowMs + 5_000).toISOString();
  const { secret } = await sandbox.key(accountId, { scopes: ALL, expiresAt });
  const api = sandbox.api(secret);
  await sandbox.advance(4_999);
  assert.equal((await api.get('/markets')).status, 200);
  assert.equal((await api.order(ORDER)).status, 201);
  await sandbox.advance(1);
  refused(await api.get('/markets'), 403, 'key_expired');
  refused(await api.order(ORDER), 403, 'key_expired');
});

test('disabling, enabling, freezing and tiers take effect with the next request', async () => {
  const { accountId, keyId, api } = await sandbox.trader({ tier: 'SILVER' });
  const steps: readonly (readonly [path: string, body: object, status: number, code: string])[] = [
    [`/keys/${keyId}`, { enabled: false }, 403, 'key_disabled'],
    [`/keys/${keyId}`, { enabled: true }, 201, ''],
    [`/accounts/${accountId}`, { tier: 'BRONZE' }, 403, 'tier_too_low'],
    [`/accounts/${accountId}`, { tier: 'GOLD' }, 201, ''],
    [`/accounts/${accountId}`, { frozen: true }, 403, 'account_frozen'],
    [`/accounts/${accountId}`, { frozen: false }, 201, ''],
  ];
  for (const [path, body, status, code] of steps) {
    assert.equal((await sandbox.operator.patch(path, body)).status, 200);
    refused(await api.order(ORDER), status, code);
  }
});

test('each tier may have as many active keys as the specification says', async () => {
  for (const [index, tier] of TIERS.entries()) {
    const keysMax = index + 1;
    const created = await sandbox.operator.post<{ id: string }>('/accounts', { tier });
    const path = `/accounts/${created.data.id}/keys`;
    const ids: string[] = [];
    for (let n = 0; n < keysMax; n++) {
      const made = await sandbox.key(created.data.id, { scopes: ['markets:read'] });
      ids.push(made.id);
    }
    refused(await sandbox.operator.post(path, { scopes: ['markets:read'] }), 409, 'too_many_keys');
    // A disabled key does not count, and cannot be enabled while another took its place.
    await sandbox.operator.patch(`/keys/${ids[0]}`, { enabled: false });
    const expiresAt = new Date(sandbox.nowMs + 1_000).toISOString();
    await sandbox.key(created.data.id, { scopes: ['markets:read'], expiresAt });
    refused(await sandbox.operator.patch(`/keys/${ids[0]}`, { enabled: true }), 409, 'too_many_keys');
    // Nor does an expired one.
    await sandbox.advance(1_000);
    assert.equal((await sandbox.operator.patch(`/keys/${ids[0]}`, { enabled: true })).status, 200);
    refused(await sandbox.operator.post(path, { scopes: ['markets:read'] }), 409, 'too_many_keys');
  }
});

test('scopes that write need Silver when the key is made', async () => {
  const created = await sandbox.operator.post<{ id: string }>('/accounts', { tier: 'BRONZE' });
  for (const scope of ['orders:write', 'orders:cancel']) {
    const made = await sandbox.operator.post(`/accounts/${created.data.id}/keys`, { scopes: [scope] });
    refused(made, 403, 'tier_too_low');
  }
});

test('after a downgrade the keys stay, but none can be made', async () => {
  const { accountId, api } = await sandbox.trader({ tier: 'GOLD', scopes: READS });
  const second = sandbox.api((await sandbox.key(accountId, { scopes: READS })).secret);
  await sandbox.operator.patch(`/accounts/${accountId}`, { tier: 'BRONZE' });
  assert.equal((await api.get('/positions')).status, 200);
  assert.equal((await second.get('/positions')).status, 200);
  const made = await sandbox.operator.post(`/accounts/${accountId}/keys`, { scopes: READS });
  refused(made, 409, 'too_many_keys');
});

test("another account's bets are never shown", async () => {
  const mine = await sandbox.trader();
  const theirs = await sandbox.trader();
  const { bet } = await mine.api.place(ORDER);
  assert.deepEqual(await theirs.api.positions('?status=all'), []);
  assert.deepEqual(await theirs.api.orders(), []);
  assert.deepEqual(
    (await mine.api.orders()).map(({ id }) => id),
    [bet.id],
  );
});
