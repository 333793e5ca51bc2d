/**
 * Request smuggling, one technique after the other. Each request hides a second one where a proxy in front would see
 * a body and a server that parsed the lengths differently would see a request. Ambiguous requests must be refused and
 * their connection closed; others must be read by their only length.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawClient } from '../../support/http/raw-client.js';
import { echo, HOST, type TransportBench, withBench } from '../../support/http/transport-bench.js';

const HIDDEN = ['GET /hidden HTTP/1.1', HOST, '', ''].join('\r\n');

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const LAST_CHUNK = '0\r\n\r\n';

type Body = (hidden: string) => string;
/** In its lines `{all}` is the length of the body, `{none}` that of nothing. */
type Technique = readonly [name: string, framing: readonly string[], body: Body];

/** A proxy that goes by the length sees one body; a server that goes by chunks sees the end, and a request behind. */
const behindChunks: Body = (request) => `${LAST_CHUNK}${request}`;
/** A server that goes by a shorter length sees a request behind it. */
const inChunks: Body = (request) => `${chunk(request)}${LAST_CHUNK}`;
const plain: Body = (request) => request;

type Framings = Readonly<Record<string, readonly string[]>>;
const each = (framings: Framings, body: Body): Technique[] =>
  Object.entries(framings).map(([name, framing]) => [name, framing, body]);

const LENGTHS: Framings = {
  'CL.CL, the first longer': ['Content-Length: {all}', 'Content-Length: {none}'],
  'CL.CL, the last longer': ['Content-Length: {none}', 'Content-Length: {all}'],
  'a list of lengths': ['Content-Length: {none}, {all}'],
  'a length with a plus': ['Content-Length: +{all}'],
  'a length with a minus': ['Content-Length: -{all}'],
  'a length in hexadecimal': ['Content-Length: 0x{all}'],
  'a length with an exponent': ['Content-Length: {all}e0'],
  'a length with a point': ['Content-Length: {all}.0'],
  'a length in two words': ['Content-Length: {none} {all}'],
  'an empty length': ['Content-Length:'],
  'an empty length and another': ['Content-Length:', 'Content-Length: {all}'],
  'a length twice, once with a zero': ['Content-Length: {all}', 'Content-Length: 0{all}'],
  'a space before the colon of CL': ['Content-Length : {all}'],
  'CL on a folded line': ['Content-Length:', ' {all}'],
  'CL behind a bare line feed': ['X: y\nContent-Length: {all}'],
  'CL behind a NUL': ['X: y\x00Content-Length: {all}'],
};

const CODINGS: Framings = {
  'CL.TE': ['Content-Length: {all}', 'Transfer-Encoding: chunked'],
  'an empty TE': ['Transfer-Encoding:'],
  'TE twice': ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
  'TE with a byte behind it': ['Transfer-Encoding: chunked\xff'],
  'TE with a byte before it': ['Transfer-Encoding: \xa0chunked'],
  'TE: xchunked': ['Transfer-Encoding: xchunked'],
  'TE: identity': ['Transfer-Encoding: identity'],
  'TE: chunked, identity': ['Transfer-Encoding: chunked, identity'],
  'TE: identity, chunked': ['Transfer-Encoding: identity, chunked'],
  'TE: gzip, chunked': ['Transfer-Encoding: gzip, chunked'],
  'TE: chunked twice': ['Transfer-Encoding: chunked, chunked'],
  'TE: "chunked"': ['Transfer-Encoding: "chunked"'],
  'TE: chunked;q=1': ['Transfer-Encoding: chunked;q=1'],
  'TE with a vertical tab': ['Transfer-Encoding: \x0bchunked'],
  'TE with a trailing NUL': ['Transfer-Encoding: chunked\x00'],
  'TE in two lines': ['Transfer-Encoding: chunked', 'Transfer-Encoding: x'],
  'a space before the colon of TE': ['Transfer-Encoding : chunked'],
  'TE on a folded line': ['Transfer-Encoding:', ' chunked'],
  'a space before the name': [' Transfer-Encoding: chunked'],
  'TE behind a bare line feed': ['X: y\nTransfer-Encoding: chunked'],
  'TE behind a bare carriage return': ['X: y\rTransfer-Encoding: chunked'],
};

/** By their chunks. */
const CHUNKED: Readonly<Record<string, Body>> = {
  'a chunk of a negative size': (request) => `-1\r\n${request}`,
  'a chunk of 0x size': (request) => `0x0\r\n\r\n${request}`,
  'a chunk beyond 64 bits': (request) => `10000000000000000\r\n\r\n${request}`,
  'a chunk extension': (request) => chunk(request).replace('\r\n', ';name=value\r\n') + LAST_CHUNK,
  'chunks with bare line feeds': (request) => `0\n\n${request}`,
  'a chunk without its end': (request) => `1\r\nx0\r\n\r\n${request}`,
};

/** The end of the request is ambiguous: it is refused by this server or its parser, and the connection is closed. */
const DOUBTFUL: readonly Technique[] = [
  ...each(LENGTHS, plain),
  ...each(CODINGS, behindChunks),
  ['TE.CL', ['Transfer-Encoding: chunked', 'Content-Length: {none}'], inChunks],
  ...Object.entries(CHUNKED).map(([name, body]): Technique => [name, ['Transfer-Encoding: chunked'], body]),
];

/** One way to read the length, and the hidden request is inside it: a body that is no order. */
const PLAIN: readonly Technique[] = [
  ['a length', ['Content-Length: {all}'], plain],
  ['the same length twice', ['Content-Length: {all}', 'Content-Length: {all}'], plain],
  ['a length with a byte above ASCII', ['Content-Length: {all}\xff'], plain],
  ['a name in capitals', ['CONTENT-LENGTH: {all}'], plain],
  ['a length with zeros before', ['Content-Length: 000{all}'], plain],
  ['an underscore in the name', ['Transfer_Encoding: x', 'Content-Length: {all}'], plain],
  ['chunks', ['Transfer-Encoding: chunked'], inChunks],
  ['CHUNKED', ['Transfer-Encoding: CHUNKED'], inChunks],
];

async function send(bench: TransportBench, method: string, [, framing, body]: Technique): Promise<RawClient> {
  const content = body(HIDDEN);
  const lines = framing.map((line) =>
    line.replaceAll('{all}', String(content.length)).replaceAll('{none}', '0'),
  );
  return await bench.ask(`${method} / HTTP/1.1`, HOST, ...lines, '', content);
}

for (const technique of DOUBTFUL) {
  test(`${technique[0]} is refused, and the connection closed`, () =>
    withBench(echo, async (bench) => {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const client = await send(bench, method, technique);
        // A request that waits for more of its body ends here.
        client.socket.end();
        const answers = [...(await client.toEnd()).matchAll(/HTTP\/1\.1 (\d{3})/g)];
        assert.match(answers[0]?.[1] ?? '', /^(400|413|501|505|)$/, client.received);
        assert.ok(answers.length <= 1, client.received);
      }
      assert.ok(bench.seen.every(({ path, fault }) => path === '/' && fault !== null));
    }));
}

for (const technique of PLAIN) {
  test(`${technique[0]} is one request with one body`, () =>
    withBench(echo, async (bench) => {
      await (await send(bench, 'POST', technique)).sees(/fine$/);
      const shown = bench.seen.map(({ path, body, fault }) => [path, body, fault]);
      assert.deepEqual(shown, [['/', HIDDEN, null]]);
    }));
}
