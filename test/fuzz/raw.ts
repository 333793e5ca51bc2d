/**
 * Requests that violate HTTP: torn request lines, ambiguous lengths, bytes changed, cut or duplicated. The server
 * must refuse each one, answer its only possible meaning, or close the connection.
 */
import type { Rng } from '../support/reference/random/rng.js';
import { type Prepared, prepare, type Target } from './requests.js';

const REQUEST_LINES = [
  'GET /v1/markets HTTP/1.0',
  'GET /v1/markets HTTP/2.0',
  'GET /v1/markets HTTP/1.1 ',
  'GET  /v1/markets HTTP/1.1',
  'GET /v1/markets',
  'GET\t/v1/markets\tHTTP/1.1',
  ' GET /v1/markets HTTP/1.1',
  'GET http://other.example/v1/markets HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'CONNECT 127.0.0.1:80 HTTP/1.1',
  'PRI * HTTP/2.0',
  `GET /${'x'.repeat(9_000)} HTTP/1.1`,
  'GET /v1/markets\x00 HTTP/1.1',
  'GET /v1/mark\xffets HTTP/1.1',
  'G\x00T /v1/markets HTTP/1.1',
  '',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
];

/** Most contradict each other or give the end of the request in an unusual way. */
const FRAMINGS = [
  ...['Content-Length: {n}\r\nContent-Length: {m}', 'Content-Length: {n}\r\nTransfer-Encoding: chunked'],
  'Transfer-Encoding: chunked\r\nContent-Length: {n}',
  ...['Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', 'Transfer-Encoding: xchunked'],
  ...['Transfer-Encoding: chunked, chunked', 'Transfer-Encoding:\tchunked', 'Transfer-Encoding : chunked'],
  ...['Transfer_Encoding: chunked', 'Transfer-Encoding: \x0bchunked', 'Content-Length: +{n}'],
  ...['Content-Length: -{n}', 'Content-Length: {n}.0', 'Content-Length: 0x{n}', 'Content-Length: {n}, {n}'],
  ...['Content-Length: 99999999999999999999', 'Content-Length: {n} ', 'Content-Length:\r\n {n}'],
  ...['Content-Length : {n}', 'content-length: 00{n}', 'X: y\nContent-Length: {n}'],
  'X: y\rContent-Length: {n}',
];

const CHUNKED_BODIES = [
  ...['0\r\n\r\n', '2\r\n{}\r\n0\r\n\r\n', '2;ext=1\r\n{}\r\n0\r\n\r\n', '2\n{}\n0\n\n'],
  ...['FFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n', '-2\r\n{}\r\n0\r\n\r\n', '0x2\r\n{}\r\n0\r\n\r\n'],
  ...['2\r\n{}0\r\n\r\n', '2\r\n{}\r\n0\r\nX-Trailer: 1\r\n\r\n', '\r\n\r\n', '3\r\n{}\r\n0\r\n\r\n'],
];

const HEADER_LINES = [
  ...[': no name', 'no colon', 'X-\x00: nul', 'X-Y: a\x00b', `X-Long: ${'x'.repeat(20_000)}`],
  ...[' folded: yes', 'X-Y: a\r\n folded', 'X Y: space in a name', 'Host: other', '\xff\xfe: name'],
];

const ORDER = '{"marketId":"BTC_ONE_DAY","prediction":"UP","amount":1}';

export function rawRequest(rng: Rng, target: Target, serial: number): Prepared {
  const bytes = rng.weighted<() => Buffer>([
    [30, () => mutated(rng, withBody(rng, target, serial))],
    [10, () => withLines(rng, target, rng.pick(REQUEST_LINES), [])],
    [30, () => withLines(rng, target, 'POST /v1/orders HTTP/1.1', [framing(rng)])],
    [15, () => withLines(rng, target, 'POST /v1/orders HTTP/1.1', [rng.pick(HEADER_LINES)])],
    [10, () => pipelined(rng, target, serial)],
    [5, () => noise(rng)],
  ])();
  return { bytes, method: '', mustRefuse: false, isFramed: false, about: null };
}

const framing = (rng: Rng): string =>
  rng
    .pick(FRAMINGS)
    .replaceAll('{n}', String(ORDER.length))
    .replaceAll('{m}', String(rng.integer(0, 2 * ORDER.length)));

function withLines(rng: Rng, { secrets }: Target, requestLine: string, lines: readonly string[]): Buffer {
  const key = [`X-API-Key: ${rng.pick(secrets)}`, 'Content-Type: application/json'];
  const ending = rng.chance(0.95) ? '\r\n' : '\n';
  const head = [requestLine, 'Host: fuzz', ...key, ...lines, '', ''].join(ending);
  return Buffer.from(head + (rng.chance(0.5) ? ORDER : rng.pick(CHUNKED_BODIES)), 'latin1');
}

function mutated(rng: Rng, original: Buffer): Buffer {
  let bytes: Buffer = Buffer.from(original);
  for (let times = rng.integer(1, 4); times > 0 && bytes.length > 1; times--) {
    const at = rng.integer(0, bytes.length - 1);
    const length = rng.integer(1, Math.min(16, bytes.length - at));
    const before = bytes.subarray(0, at);
    const rest = bytes.subarray(at + length);
    const piece = bytes.subarray(at, at + length);
    bytes = rng.weighted<() => Buffer>([
      [4, () => Buffer.concat([before, Buffer.from([rng.integer(0, 255)]), bytes.subarray(at + 1)])],
      [2, () => Buffer.concat([before, rest])],
      [1, () => Buffer.concat([before, piece, piece, rest])],
      [1, () => Buffer.concat([before, Buffer.from('\r\n'), piece, rest])],
      [1, () => before],
    ])();
  }
  return bytes;
}

/** The server may close the connection, but must not confuse two requests that come at once. */
const pipelined = (rng: Rng, target: Target, serial: number): Buffer =>
  Buffer.concat([withBody(rng, target, serial), withBody(rng, target, serial + 1)]);

/** No HEAD: its answer has a length and no body, so that nobody could tell where the next answer begins. */
function withBody(rng: Rng, target: Target, serial: number): Buffer {
  const prepared = prepare(rng, target, serial);
  return prepared.method === 'HEAD' ? withBody(rng, target, serial) : prepared.bytes;
}

const noise = (rng: Rng): Buffer =>
  Buffer.from(Array.from({ length: rng.integer(1, 400) }, () => rng.integer(0, 255)));
