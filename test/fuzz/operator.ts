/**
 * Requests to the operator API that must change nothing: a wrong token, or one mistake in body, path or method; and
 * reads.
 */
import { ENDPOINTS } from '../../http/operator/endpoints.js';
import type { Rng } from '../support/reference/random/rng.js';
import type { Prepared, Target } from './requests.js';
import { CLOCK_STEPS, DOLLARS, FLAGS, NOT_ORDERS, PATH_SEGMENTS, QUERIES, TEXTS } from './values.js';

export interface OperatorTarget {
  readonly token: string;
  readonly accountId: string;
  readonly keyId: string;
}

interface Field {
  readonly usual: string;
  readonly bad: readonly string[];
}
interface Endpoint {
  readonly method: string;
  readonly path: (ids: Ids) => string;
  readonly fields: Readonly<Record<string, Field>>;
}
export interface Ids {
  readonly accountId: string;
  readonly keyId: string;
  readonly roundId: string;
}

const PREFIX = '/operator/v1';
const field = (usual: string, bad: readonly string[]): Field => ({ usual, bad });
const TIER = ['"gold"', '"GOLD "', '"__proto__"', '""', '0', 'null', '["GOLD"]', '"G\\u0000LD"'];
const SCOPES = [
  ...['[]', '["*"]', '["markets:read","markets:read"]', '"markets:read"', '[null]'],
  ...['{"0":"markets:read"}'],
];
const TIMES = [
  ...['"1970-01-01T00:00:00Z"', '"tomorrow"', '"9999999-01-01T00:00:00Z"', '0', '1e999', '""', '{}'],
  ...['"\\ud800"'],
];
const RULES = [
  ...['null', '[]', '{"nope":1}', '{"feeBps":-1}', '{"feeBps":"1"}', '{"limits":{"XXX":{}}}'],
  ...['{"__proto__":{"feeBps":1}}'],
];
const REASON = [`"${'r'.repeat(501)}"`, '1', 'null', '[]', '{"length":1}'];
const TRANSFER = { amount: field('1', ['0', '-0', ...DOLLARS]), reference: field('"fuzz"', TEXTS) };

const READS: readonly ((ids: Ids) => string)[] = ENDPOINTS.filter(({ method }) => method === 'GET').map(
  ({ path }) =>
    ({ accountId, keyId }) =>
      path
        .replace('/accounts/{id}', `/accounts/${accountId}`)
        .replace('/keys/{id}', `/keys/${keyId}`)
        .replace('{id}', 'bet_1')
        .replace('{crypto}', 'BTC'),
);
const change = (
  method: string,
  path: string | Endpoint['path'],
  fields: Readonly<Record<string, Field>>,
): Endpoint => ({ method, path: typeof path === 'string' ? () => path : path, fields });
const NAMES = ['""', '1', '[]'];

export const CHANGES: readonly Endpoint[] = [
  change('POST', '/accounts', {
    tier: field('"GOLD"', TIER),
    balance: field('1', DOLLARS),
    name: field('"n"', NAMES),
    reference: field('"fuzz"', TEXTS),
  }),
  change('PATCH', ({ accountId }) => `/accounts/${accountId}`, {
    tier: field('"VIP"', TIER),
    frozen: field('false', FLAGS),
  }),
  change('POST', ({ accountId }) => `/accounts/${accountId}/deposits`, TRANSFER),
  change('POST', ({ accountId }) => `/accounts/${accountId}/withdrawals`, TRANSFER),
  change('POST', ({ accountId }) => `/accounts/${accountId}/keys`, {
    scopes: field('["markets:read"]', SCOPES),
    expiresAt: field('null', TIMES),
  }),
  change('PATCH', ({ keyId }) => `/keys/${keyId}`, { enabled: field('true', FLAGS) }),
  change('PUT', '/trading', { enabled: field('true', FLAGS), reason: field('"r"', REASON) }),
  change('PATCH', '/markets/BTC_ONE_DAY', { suspended: field('false', FLAGS) }),
  change('POST', ({ roundId }) => `/rounds/${roundId}/void`, { reason: field('"r"', ['""', ...REASON]) }),
  change('PATCH', ({ keyId }) => `/keys/${keyId}`, {
    expiresAt: field('"2099-01-01T00:00:00Z"', TIMES.slice(1)),
  }),
  change('POST', '/keys/key_999999/rotate', {
    overlapSeconds: field('1', ['-1', '0.5', '2592001', '"1"', 'null']),
    expiresAt: field('null', TIMES),
  }),
  change('POST', '/prices/ETH/confirm', {
    price: field('67000', DOLLARS),
    reason: field('"r"', ['""', ...REASON]),
  }),
  change('POST', '/clock/confirm', { time: field('"2020-01-01T00:00:00Z"', TIMES) }),
  change('PUT', '/rules', { overrides: field('{"feeBps":250}', RULES), dryRun: field('true', FLAGS) }),
  change('POST', '/house/deposits', TRANSFER),
  change('POST', '/house/withdrawals', TRANSFER),
  change('POST', '/clock', { advanceMs: field('1', CLOCK_STEPS) }),
];
/** No price in these bodies of POST /prices may be accepted. */
const PRICES: readonly string[] = [
  '[]',
  '{"crypto":"BTC","price":67000}',
  ...['0', '-1', '-0', '1e999', '5e-324', '"67000"', 'null', 'NaN'].map(
    (price) => `[{"crypto":"BTC","price":${price}}]`,
  ),
  ...['"btc"', '"__proto__"', '0', 'null'].map((crypto) => `[{"crypto":${crypto},"price":67000}]`),
  '[{"crypto":"BTC","price":67000,"timestamp":"9999-01-01T00:00:00Z"}]',
  '[{"crypto":"BTC","price":67000,"timestamp":1}]',
  '[{"crypto":"BTC","price":67000,"__proto__":{}}]',
  '[{"crypto":"BTC","price":67000},null]',
  `[${'{"crypto":"BTC","price":0},'.repeat(500)}{"crypto":"BTC","price":0}]`,
];

export function operatorRequest(rng: Rng, { operator, roundIds }: Target): Prepared {
  const ids = { accountId: operator.accountId, keyId: operator.keyId, roundId: rng.pick(roundIds) };
  const isAllowed = rng.chance(0.8);
  const authorization = isAllowed ? `Bearer ${operator.token}` : strangeToken(rng, operator.token);
  const made = rng.weighted<() => Made>([
    [15, () => read(rng, ids)],
    [60, () => badBody(rng, ids)],
    [10, () => ({ method: 'POST', path: '/prices', type: 'application/json', body: rng.pick(PRICES) })],
    [15, () => badPlace(rng, ids)],
  ])();
  const isRead = made.method === 'GET' || made.method === 'HEAD' || made.method === 'OPTIONS';
  const body = Buffer.from(made.body);
  const lines = [
    `${made.method} ${PREFIX}${made.path} HTTP/1.1`,
    'Host: fuzz',
    ...(authorization === null ? [] : [`Authorization: ${authorization}`]),
    ...(made.type === null ? [] : [`Content-Type: ${made.type}`]),
    ...(body.length === 0 ? [] : [`Content-Length: ${body.length}`]),
  ];
  return {
    bytes: Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]),
    method: made.method,
    mustRefuse: !(isAllowed && isRead),
    isFramed: true,
    about: 'operator',
  };
}

interface Made {
  readonly method: string;
  readonly path: string;
  readonly type: string | null;
  readonly body: string;
}

function read(rng: Rng, ids: Ids): Made {
  const query = rng.chance(0.4) ? `?${rng.pick(QUERIES)}` : '';
  return {
    method: rng.pick(['GET', 'GET', 'HEAD']),
    path: `${rng.pick(READS)(ids)}${query}`,
    type: null,
    body: '',
  };
}

function badBody(rng: Rng, ids: Ids): Made {
  const endpoint = rng.pick(CHANGES);
  const names = Object.keys(endpoint.fields);
  const wrong = rng.pick(names);
  const made = { method: endpoint.method, path: endpoint.path(ids), type: 'application/json' };
  const body = (how: (name: string, field: Field) => string | null): string =>
    `{${Object.entries(endpoint.fields)
      .flatMap(([name, field]) => how(name, field) ?? [])
      .join(',')}}`;
  const usual = (name: string, field: Field): string => `"${name}":${field.usual}`;
  return rng.weighted<() => Made>([
    [
      70,
      () => ({
        ...made,
        body: body((name, field) =>
          name === wrong ? `"${name}":${rng.pick(field.bad)}` : usual(name, field),
        ),
      }),
    ],
    [5, () => ({ ...made, body: body(() => null) })],
    [5, () => ({ ...made, body: body(usual).replace('{', '{"__proto__":{},') })],
    [5, () => ({ ...made, body: body(usual).replace(`"${wrong}"`, `"${wrong} "`) })],
    [5, () => ({ ...made, body: body(usual).padEnd(rng.pick([16_385, 100_000])) })],
    [
      5,
      () => ({ ...made, body: body(usual), type: rng.pick([null, '', 'text/plain', 'application/jsonp']) }),
    ],
    [5, () => ({ ...made, body: rng.pick(NOT_ORDERS) })],
  ])();
}

function badPlace(rng: Rng, ids: Ids): Made {
  const endpoint = rng.pick(CHANGES);
  const path = endpoint.path(ids);
  const fields = Object.entries(endpoint.fields).map(([name, { usual }]) => `"${name}":${usual}`);
  const made = { method: endpoint.method, path, type: 'application/json', body: `{${fields.join(',')}}` };
  const segment = rng.pick(PATH_SEGMENTS.filter((known) => known !== 'BTC_ONE_DAY'));
  return rng.pick<() => Made>([
    () => ({ ...made, method: rng.pick(['DELETE', 'BREW', 'post', 'TRACE']) }),
    () => ({ ...made, path: `${path}/${segment}` }),
    () => ({ ...made, path: `/accounts/${segment}/deposits`, body: '{"amount":1,"reference":"fuzz"}' }),
    () => ({ ...made, method: 'PATCH', path: `/keys/${segment}`, body: '{"enabled":false}' }),
    () => ({ ...made, method: 'POST', path: `/keys/${segment}/rotate`, body: '{"overlapSeconds":1}' }),
    () => ({ ...made, method: 'PATCH', path: `/markets/${segment}`, body: '{"suspended":true}' }),
    () => ({ ...made, method: 'POST', path: `/rounds/${segment}/void`, body: '{"reason":"r"}' }),
    () => ({
      ...made,
      method: 'POST',
      path: `/accounts/${ids.accountId}/withdrawals`,
      body: '{"amount":9999999,"reference":"fuzz"}',
    }),
  ])();
}

function strangeToken(rng: Rng, token: string): string | null {
  return rng.pick([
    ...[null, '', 'Bearer', token, `Basic ${token}`, `Bearer ${token}0`, `Bearer ${token.slice(0, -1)}`],
    ...[`Bearer ${token} ${token}`, `Bearer "${token}"`, `Bearer, Bearer ${token}`],
    ...[`Bearer ${'k'.repeat(1_000)}`, 'Bearer \xff\xfe', "Bearer ' OR 1=1 --"],
  ]);
}
