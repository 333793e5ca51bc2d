/**
 * Authorisation: every endpoint, at both base paths, against every kind of key, by the rules of docs/bots/api.md
 * (`expected`).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateKeySecret, isWellFormedKey, keyDigest } from '../../../crypto/api-keys.js';
import { SCOPES, type Scope, TIERS, type Tier } from '../../../engine/model/domain.js';
import { ApiDocument } from '../../support/api/api-document.js';
import { codeOf, Harness, type Reply, withBettor } from './harness.js';

const READS: readonly Scope[] = ['markets:read', 'positions:read'];
const BASES = ['/v1', '/api/v1'];
const ORDER = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 };
const LIMITS = { keyRead: 120, keyWrite: 1, keyCancel: 1, account: 240, ip: 300 };

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly scope: Scope;
  readonly success: number;
  readonly code?: string;
}

const get = (path: string, scope: Scope): Endpoint => ({ method: 'GET', path, scope, success: 200 });
const absent = (method: string, path: string, scope: Scope, code: string): Endpoint => {
  return { method, path, scope, success: 404, code };
};

/** `ROUND` and `FOREIGN` stand for a round and for another account's order. */
const ENDPOINTS: readonly Endpoint[] = [
  get('/time', 'markets:read'),
  get('/limits', 'positions:read'),
  get('/markets', 'markets:read'),
  get('/markets/BTC_ONE_DAY', 'markets:read'),
  get('/markets/BTC_ONE_DAY/rounds', 'markets:read'),
  get('/prices', 'markets:read'),
  get('/account', 'positions:read'),
  get('/account/ledger', 'positions:read'),
  get('/positions', 'positions:read'),
  get('/orders', 'positions:read'),
  absent('GET', '/orders/FOREIGN', 'positions:read', 'order_not_found'),
  absent('DELETE', '/orders/FOREIGN', 'orders:cancel', 'order_not_found'),
  { method: 'DELETE', path: '/orders', scope: 'orders:cancel', success: 200 },
  get('/orders/by-idempotency-key/NEVER', 'positions:read'),
  { method: 'POST', path: '/orders', scope: 'orders:write', success: 201 },
  { method: 'POST', path: '/orders/quote', scope: 'positions:read', success: 200 },
  get('/rounds', 'markets:read'),
  get('/rounds/ROUND', 'markets:read'),
  absent('GET', '/rounds/ROUND/proof', 'markets:read', 'round_not_found'),
  absent('GET', '/orders/FOREIGN/proof', 'positions:read', 'order_not_found'),
  absent('GET', '/orders/FOREIGN/receipt', 'positions:read', 'order_not_found'),
  get('/keys', 'markets:read'),
];

/** Differences from an enabled key with all scopes of a Silver account. */
interface Making {
  readonly tier?: Tier;
  readonly scopes?: readonly Scope[];
  readonly isDowngraded?: boolean;
  readonly isDisabled?: boolean;
  readonly isExpired?: boolean;
  readonly isFrozen?: boolean;
}

/** As a client presents it, with facts for the rules. */
interface Key extends Making {
  readonly kind: string;
  readonly secret: string;
  readonly isKnown: boolean;
  readonly scopes: readonly Scope[];
}

function expected(key: Key, { scope, success, code = '' }: Endpoint): { status: number; code: string } {
  if (key.secret === '') return { status: 401, code: 'missing_api_key' };
  if (!key.isKnown) return { status: 401, code: 'invalid_api_key' };
  if (key.isDisabled) return { status: 403, code: 'key_disabled' };
  if (key.isExpired) return { status: 403, code: 'key_expired' };
  if (!key.scopes.includes(scope)) return { status: 403, code: 'insufficient_scope' };
  const isWrite = !READS.includes(scope);
  if (isWrite && key.tier === 'BRONZE') return { status: 403, code: 'tier_too_low' };
  if (isWrite && key.isFrozen) return { status: 403, code: 'account_frozen' };
  return { status: success, code };
}

function makeKey(api: Harness, kind: string, making: Making): Key {
  const { tier = 'SILVER', isDowngraded = false, isDisabled = false, isExpired = false, isFrozen } = making;
  const scopes = making.scopes ?? (tier === 'BRONZE' ? READS : SCOPES);
  const expiry = isExpired ? { expiresAtMs: api.clock.wallMs + 1 } : {};
  const { account, key, secret } = api.bettor({ tier, scopes, ...expiry });
  if (isDisabled) api.submit({ kind: 'updateKey', key, enabled: false });
  if (isDowngraded) api.submit({ kind: 'updateAccount', account, tier: 0, frozen: null });
  if (isFrozen) api.submit({ kind: 'updateAccount', account, tier: null, frozen: true });
  api.clock.pass(1);
  return { ...making, kind, secret, isKnown: true, scopes, tier: isDowngraded ? 'BRONZE' : tier };
}

function knownKeys(api: Harness): Key[] {
  const makings: Record<string, Making> = {
    ...Object.fromEntries(TIERS.map((tier) => [`all scopes of ${tier}`, { tier }])),
    ...Object.fromEntries(SCOPES.map((scope) => [`${scope} alone`, { scopes: [scope] }])),
    ...Object.fromEntries(
      READS.map((scope) => [`${scope} alone, BRONZE`, { scopes: [scope], tier: 'BRONZE' as const }]),
    ),
    downgraded: { isDowngraded: true },
    'downgraded from VIP': { tier: 'VIP', isDowngraded: true },
    frozen: { isFrozen: true },
    'frozen, tier too low': { isFrozen: true, isDowngraded: true },
    disabled: { isDisabled: true },
    expired: { isExpired: true },
    'disabled and expired': { isDisabled: true, isExpired: true },
    'expired, without scope': { isExpired: true, scopes: ['orders:cancel'] },
    'disabled, tier too low': { isDisabled: true, isDowngraded: true },
    'without scope, tier too low': { scopes: ['orders:cancel'], isDowngraded: true },
  };
  return Object.entries(makings).map(([kind, making]) => makeKey(api, kind, making));
}

function unknownKeys(secret: string): Key[] {
  const forms = {
    'no header': '',
    'not a key at all': 'nonsense',
    'one character short': secret.slice(0, -1),
    'one character more': `${secret}A`,
    'the last character altered': secret.slice(0, -1) + (secret.endsWith('A') ? 'B' : 'A'),
    'another case': secret.toUpperCase(),
    'never issued': generateKeySecret(),
    'with a blank': `${secret} `,
    'as a Bearer token': `Bearer ${secret}`,
    'two keys': `${secret}, ${secret}`,
    'outside ASCII': 'é'.repeat(48),
  };
  return Object.entries(forms).map(([kind, form]) => {
    return { kind, secret: form, isKnown: false, scopes: [] };
  });
}

const documentedPath = (path: string): string =>
  path.replace(/BTC_ONE_DAY|ROUND|FOREIGN/, '{id}').replace('NEVER', '{key}');

test('the matrix has every endpoint of the API document that asks for a key', () => {
  const documented = new ApiDocument()
    .operations()
    .filter(([, { security }]) => security?.length !== 0)
    .map(([name]) => name);
  const tried = ENDPOINTS.map(({ method, path }) => `${method} ${documentedPath(path)}`);
  assert.deepEqual(tried.sort(), documented.sort());
});

/** A key of an account of its own sees the bets that it placed, and no other's. */
function checkOwn(cell: string, path: string, reply: Reply, own: Set<string>): void {
  const { data } = JSON.parse(reply.text) as {
    data: { bet: { id: string } } | { cancelled: number } | { id: string }[];
  };
  if ('bet' in data) own.add(data.bet.id);
  else if (Array.isArray(data) && (path === '/orders' || path === '/positions'))
    assert.deepEqual(new Set(data.map(({ id }) => id)), own, cell);
}

test('every endpoint with every kind of key', () => {
  const api = new Harness();
  api.open();
  const round = api.host.engine.currentRound(4)?.roundNumber;
  const { secret } = api.bettor();
  const foreign = (JSON.parse(api.order(secret, ORDER).text) as { data: { bet: { id: string } } }).data.bet
    .id;
  for (const key of [...unknownKeys(secret), ...knownKeys(api)]) {
    const own = new Set<string>();
    for (const base of BASES) {
      for (const endpoint of ENDPOINTS) {
        const { method } = endpoint;
        const path = endpoint.path.replace('ROUND', `BTC_ONE_DAY_${round}`).replace('FOREIGN', foreign);
        const body = method === 'POST' ? { body: ORDER } : {};
        const reply = api.send(method, base + path, { key: key.secret, ...body });
        const { status, code } = expected(key, endpoint);
        const cell = `${key.kind}: ${method} ${base}${path}`;
        assert.equal(reply.status, status, `${cell}: ${reply.text}`);
        if (status >= 400) assert.equal(codeOf(reply), code, cell);
        else if (endpoint.path !== '/orders/quote') checkOwn(cell, endpoint.path, reply, own);
        if (status === 401) assert.equal(reply.headers.get('www-authenticate'), 'ApiKey header="X-API-Key"');
      }
    }
  }
});

test('a key that was tried before it was made is good once it is made', () => {
  const { api, secret } = withBettor();
  const next = `${secret.slice(0, -1)}${Number(secret.at(-1)) + 1}`;
  assert.equal(codeOf(api.get('/v1/prices', next)), 'invalid_api_key');
  assert.deepEqual([api.bettor().secret, api.get('/v1/prices', next).status], [next, 200]);
});

test('a key is refused from the millisecond of its expiry on, and what changes counts for the next request', () => {
  const api = new Harness({ limits: LIMITS });
  const { account, key, secret } = api.bettor({ tier: 'GOLD', expiresAtMs: api.clock.wallMs + 2_000 });
  const order = (): string => codeOf(api.send('POST', '/v1/orders', { key: secret, body: '{' }));
  const cancel = (): string => codeOf(api.send('DELETE', '/v1/orders', { key: secret, query: 'x=1' }));
  const change = (command: Parameters<Harness['submit']>[0], code: string): void => {
    api.submit(command);
    api.settle();
    assert.equal(cancel(), code);
  };
  assert.equal(order(), 'invalid_request', 'the body is read last');
  assert.equal(order(), 'rate_limited', 'behind the limits');
  change({ kind: 'updateAccount', account, tier: 0, frozen: true }, 'tier_too_low');
  change({ kind: 'updateAccount', account, tier: 2, frozen: null }, 'account_frozen');
  change({ kind: 'updateKey', key, enabled: false }, 'key_disabled');
  change({ kind: 'updateKey', key, enabled: true }, 'account_frozen');
  change({ kind: 'expireKey', key, expiresAtMs: api.clock.wallMs + 1_000 }, 'account_frozen');
  api.clock.pass(999);
  assert.equal(cancel(), 'account_frozen');
  api.clock.pass(1);
  assert.equal(cancel(), 'key_expired');
  change({ kind: 'updateKey', key, enabled: false }, 'key_disabled');
});

test('keys are 256 random bits in a form of their own', () => {
  const secrets = new Set(Array.from({ length: 100 }, generateKeySecret));
  assert.equal(secrets.size, 100);
  for (const secret of secrets) assert.ok(isWellFormedKey(secret), secret);
  const others = [42, 44].map((length) => `tote_${'a'.repeat(length)}`);
  for (const text of ['', 'tote_', `tote-${'a'.repeat(43)}`, ...others])
    assert.ok(!isWellFormedKey(text), text);
  assert.match(keyDigest('x'), /^[0-9a-f]{64}$/);
});
