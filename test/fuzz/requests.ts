/** Well-formed HTTP requests with any method, path, key, header and body. Each must be answered in the envelope. */
import { assert } from '../../engine/base/assert.js';
import { defaultRules } from '../../engine/model/rules.js';
import { apiDocument } from '../../http/api/endpoints.js';
import type { Rng } from '../support/reference/random/rng.js';
import type { OperatorTarget } from './operator.js';
import { type Body, orderBody } from './orders.js';
import { idempotencyKey, PATH_SEGMENTS, QUERIES } from './values.js';

export interface Prepared {
  readonly bytes: Buffer;
  readonly method: string;
  readonly mustRefuse: boolean;
  /** The answer must be in the envelope, and the connection stays open. */
  readonly isFramed: boolean;
  readonly about: 'operator' | 'round' | null;
}

const PLAIN = { isFramed: true, about: null };

export interface Target {
  readonly secrets: readonly string[];
  readonly readers: readonly string[];
  /** These rounds are, or once were, open to bets. */
  readonly roundIds: readonly string[];
  readonly operator: OperatorTarget;
}

const READ_PATHS = Object.entries(apiDocument(defaultRules(''))['paths'] ?? {})
  .filter(([, methods]) => 'get' in methods)
  .map(([path]) => path);
const RETRIED_ORDERS = 25;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'BREW', 'get'];
const JSON_TYPES = ['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON'];
const OTHER_TYPES = [
  ...['text/plain', '', 'application/jsonp', 'application/json; charset=utf-16', 'multipart/form-data'],
];
const OTHER_HEADERS = [
  ...['X-Forwarded-For: 1.2.3.4', 'X-HTTP-Method-Override: DELETE', 'Expect: 100-continue'],
  ...['Accept: */*;q=0', 'Accept-Encoding: gzip', 'Accept-Encoding: gzip;q=0.5, br, *;q=0'],
  ...['Accept-Encoding: ,;q=gzip', 'If-None-Match: *', 'If-None-Match: "x", W/', 'Range: bytes=0-1'],
  ...['Cookie: a=b', 'X-Empty:', 'Connection: keep-alive', 'X-Request-Id: mine'],
  ...['Origin: https://example.com', 'Authorization: Bearer x'],
];

export function prepare(rng: Rng, target: Target, serial: number): Prepared {
  return rng.weighted<() => Prepared>([
    [55, () => order(rng, target, serial)],
    [5, () => retriedOrder(target, serial)],
    [5, () => quote(rng, target, serial)],
    [40, () => anything(rng, target)],
  ])();
}

function retriedOrder({ secrets }: Target, serial: number): Prepared {
  const number = serial % RETRIED_ORDERS;
  const bytes = Buffer.from('{"marketId":"BTC_ONE_DAY","prediction":"UP","amount":2}');
  const lines = [
    'POST /v1/orders HTTP/1.1',
    'Host: fuzz',
    `X-API-Key: ${secrets[number % secrets.length]}`,
    'Content-Type: application/json',
    `Idempotency-Key: retried-${number}`,
    `Content-Length: ${bytes.length}`,
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
  return { ...PLAIN, bytes: Buffer.concat([head, bytes]), method: 'POST', mustRefuse: false };
}

function order(rng: Rng, target: Target, serial: number): Prepared {
  const body = orderBody(rng);
  const key = rng.weighted([
    [92, { text: rng.pick(target.secrets), isBad: false }],
    [4, { text: rng.pick(target.readers), isBad: true }],
    [4, { text: strangeKey(rng, target), isBad: true }],
  ]);
  const idempotency = idempotencyKey(rng, serial);
  const type = rng.chance(0.96)
    ? { text: rng.pick(JSON_TYPES), isBad: false }
    : { text: rng.pick(OTHER_TYPES), isBad: true };
  const lines = [`X-API-Key: ${key.text}`, `Content-Type: ${type.text}`];
  if (idempotency.text !== null) lines.push(`Idempotency-Key: ${idempotency.text}`);
  if (rng.chance(0.1)) lines.push(rng.pick(OTHER_HEADERS));
  const base = rng.chance(0.8) ? '/v1' : '/api/v1';
  const query = rng.weighted([
    [96, { text: '', isBad: false }],
    [1, { text: '?&', isBad: false }],
    [3, { text: '?expectedPercent=50', isBad: true }],
  ]);
  const bytes = framed(rng, 'POST', `${base}/orders${query.text}`, lines, body);
  const mustRefuse = body.isBad || key.isBad || idempotency.isBad || type.isBad || query.isBad;
  return { ...PLAIN, bytes, method: 'POST', mustRefuse };
}

/** It places nothing, and that its order would be refused is an answer, too. */
function quote(rng: Rng, target: Target, serial: number): Prepared {
  const made = order(rng, target, serial);
  const bytes = Buffer.from(made.bytes.toString('latin1').replace('/orders', '/orders/quote'), 'latin1');
  return { ...made, bytes, mustRefuse: false };
}

function anything(rng: Rng, target: Target): Prepared {
  const method = rng.chance(0.6) ? 'GET' : rng.pick(METHODS);
  let path = rng.chance(0.9)
    ? rng.pick(['/v1', '/api/v1'])
    : rng.pick(['', '/v2', '/operator/v1', '/v1/v1', '//v1']);
  const known = rng.pick(READ_PATHS);
  const isKnown = rng.chance(0.6);
  path += isKnown
    ? known.replace(/\{\w+\}/, () => nameIn(rng, known, method, target))
    : `${rng.pick(['/markets/', '/rounds/', '/orders/', '/'])}${rng.pick(PATH_SEGMENTS)}`;
  // Nothing rests there, so that no stake goes back untold.
  const query = method === 'DELETE' && path.endsWith('/orders') ? ['marketId=ETH_ONE_DAY'] : [];
  if (rng.chance(0.4)) query.push(rng.pick(QUERIES));
  if (query.length > 0) path += `?${query.join('&')}`;
  const lines: string[] = [];
  if (rng.chance(0.9)) {
    lines.push(`X-API-Key: ${rng.chance(0.8) ? rng.pick(target.secrets) : strangeKey(rng, target)}`);
  }
  while (rng.chance(0.3)) lines.push(rng.pick(OTHER_HEADERS));
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  const cancelsAll = method === 'DELETE' && /\/orders(\?|$)/.test(path);
  // A POST here may be an order without a body; nothing else of it changes anything.
  const body = { bytes: Buffer.from(rng.chance(0.1) ? 'body' : ''), isBad: true };
  const bytes = framed(rng, method, path, lines, body);
  const about = isKnown && known.startsWith('/rounds/') ? 'round' : null;
  return { ...PLAIN, bytes, method, mustRefuse: !isRead && !cancelsAll, about };
}

function nameIn(rng: Rng, path: string, method: string, { roundIds }: Target): string {
  if (path.startsWith('/rounds/')) return rng.pick(roundIds);
  if (path.includes('{key}')) return `again-${rng.integer(0, 50)}`;
  if (!path.startsWith('/orders/')) return 'BTC_ONE_DAY';
  return `bet_${method === 'DELETE' ? 999_999_999 : rng.integer(1, 2_000)}`;
}

function strangeKey(rng: Rng, { secrets }: Target): string {
  const secret = rng.pick(secrets);
  const at = rng.integer(0, secret.length - 1);
  return rng.pick([
    ...['', ' ', 'x', secret.slice(0, at), `${secret}0`, `${secret.slice(0, at)}~${secret.slice(at + 1)}`],
    ...[`${secret}, ${secret}`, secret.toUpperCase(), '\xff\xfe', `tote_${'A'.repeat(43)}`],
    ...['k'.repeat(1_000), "' OR 1=1 --"],
  ]);
}

/** With a length, or in chunks of any size. A request without a body has neither. */
function framed(rng: Rng, method: string, path: string, lines: readonly string[], { bytes }: Body): Buffer {
  const isChunked = bytes.length > 0 && rng.chance(0.05);
  const framing = isChunked
    ? ['Transfer-Encoding: chunked']
    : bytes.length > 0
      ? [`Content-Length: ${bytes.length}`]
      : [];
  const head = [`${method} ${path} HTTP/1.1`, 'Host: fuzz', ...lines, ...framing, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), isChunked ? chunks(rng, bytes) : bytes]);
}

function chunks(rng: Rng, bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  // Too many small ones end a connection unanswered.
  const least = Math.ceil(bytes.length / 100);
  for (let at = 0; at < bytes.length; ) {
    const size = Math.min(rng.integer(least, Math.max(64, least)), bytes.length - at);
    assert(size > 0, 'a chunk without bytes is the last one');
    const hex = size.toString(16);
    parts.push(
      Buffer.from(`${rng.chance(0.5) ? hex : hex.toUpperCase()}\r\n`),
      bytes.subarray(at, at + size),
      Buffer.from('\r\n'),
    );
    at += size;
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}
