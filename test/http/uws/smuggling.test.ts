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

interface Technique {
  readonly name: string;
  /** `{all}` is the length of the body, `{none}` that of nothing. */
  readonly framing: readonly string[];
  readonly body: (hidden: string) => string;
}

/** A proxy that goes by the length sees one body; a server that goes by chunks sees the end, and a request behind. */
const behindChunks = (request: string): string => `${LAST_CHUNK}${request}`;
/** A server that goes by a shorter length sees a request behind it. */
const inChunks = (request: string): string => `${chunk(request)}${LAST_CHUNK}`;
const plain = (request: string): string => request;

/** The end of the request is ambiguous: it is refused by this server or its parser, and the connection is closed. */
const DOUBTFUL: readonly Technique[] = [
  { name: 'CL.TE', framing: ['Content-Length: {all}', 'Transfer-Encoding: chunked'], body: behindChunks },
  { name: 'TE.CL', framing: ['Transfer-Encoding: chunked', 'Content-Length: {none}'], body: inChunks },
  {
    name: 'CL.CL, the first longer',
    framing: ['Content-Length: {all}', 'Content-Length: {none}'],
    body: plain,
  },
  {
    name: 'CL.CL, the last longer',
    framing: ['Content-Length: {none}', 'Content-Length: {all}'],
    body: plain,
  },
  { name: 'a list of lengths', framing: ['Content-Length: {none}, {all}'], body: plain },
  { name: 'a length with a plus', framing: ['Content-Length: +{all}'], body: plain },
  { name: 'a length with a minus', framing: ['Content-Length: -{all}'], body: plain },
  { name: 'a length in hexadecimal', framing: ['Content-Length: 0x{all}'], body: plain },
  { name: 'a length with an exponent', framing: ['Content-Length: {all}e0'], body: plain },
  { name: 'a length with a point', framing: ['Content-Length: {all}.0'], body: plain },
  { name: 'a length in two words', framing: ['Content-Length: {none} {all}'], body: plain },
  { name: 'an empty length', framing: ['Content-Length:'], body: plain },
  { name: 'an empty length and another', framing: ['Content-Length:', 'Content-Length: {all}'], body: plain },
  {
    name: 'a length twice, once with a zero',
    framing: ['Content-Length: {all}', 'Content-Length: 0{all}'],
    body: plain,
  },
  { name: 'an empty TE', framing: ['Transfer-Encoding:'], body: behindChunks },
  {
    name: 'TE twice',
    framing: ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
    body: behindChunks,
  },
  { name: 'TE with a byte behind it', framing: ['Transfer-Encoding: chunked\xff'], body: behindChunks },
  { name: 'TE with a byte before it', framing: ['Transfer-Encoding: \xa0chunked'], body: behindChunks },
  { name: 'TE: xchunked', framing: ['Transfer-Encoding: xchunked'], body: behindChunks },
  { name: 'TE: identity', framing: ['Transfer-Encoding: identity'], body: behindChunks },
  { name: 'TE: chunked, identity', framing: ['Transfer-Encoding: chunked, identity'], body: behindChunks },
  { name: 'TE: identity, chunked', framing: ['Transfer-Encoding: identity, chunked'], body: behindChunks },
  { name: 'TE: gzip, chunked', framing: ['Transfer-Encoding: gzip, chunked'], body: behindChunks },
  { name: 'TE: chunked twice', framing: ['Transfer-Encoding: chunked, chunked'], body: behindChunks },
  { name: 'TE: "chunked"', framing: ['Transfer-Encoding: "chunked"'], body: behindChunks },
  { name: 'TE: chunked;q=1', framing: ['Transfer-Encoding: chunked;q=1'], body: behindChunks },
  { name: 'TE with a vertical tab', framing: ['Transfer-Encoding: \x0bchunked'], body: behindChunks },
  { name: 'TE with a trailing NUL', framing: ['Transfer-Encoding: chunked\x00'], body: behindChunks },
  {
    name: 'TE in two lines',
    framing: ['Transfer-Encoding: chunked', 'Transfer-Encoding: x'],
    body: behindChunks,
  },
  { name: 'a space before the colon of TE', framing: ['Transfer-Encoding : chunked'], body: behindChunks },
  { name: 'a space before the colon of CL', framing: ['Content-Length : {all}'], body: plain },
  { name: 'TE on a folded line', framing: ['Transfer-Encoding:', ' chunked'], body: behindChunks },
  { name: 'CL on a folded line', framing: ['Content-Length:', ' {all}'], body: plain },
  { name: 'a space before the name', framing: [' Transfer-Encoding: chunked'], body: behindChunks },
  { name: 'TE behind a bare line feed', framing: ['X: y\nTransfer-Encoding: chunked'], body: behindChunks },
  { name: 'CL behind a bare line feed', framing: ['X: y\nContent-Length: {all}'], body: plain },
  {
    name: 'TE behind a bare carriage return',
    framing: ['X: y\rTransfer-Encoding: chunked'],
    body: behindChunks,
  },
  { name: 'CL behind a NUL', framing: ['X: y\x00Content-Length: {all}'], body: plain },
  { name: 'a chunk of a negative size', framing: ['Transfer-Encoding: chunked'], body: (r) => `-1\r\n${r}` },
  { name: 'a chunk of 0x size', framing: ['Transfer-Encoding: chunked'], body: (r) => `0x0\r\n\r\n${r}` },
  {
    name: 'a chunk beyond 64 bits',
    framing: ['Transfer-Encoding: chunked'],
    body: (r) => `10000000000000000\r\n\r\n${r}`,
  },
  {
    name: 'a chunk extension',
    framing: ['Transfer-Encoding: chunked'],
    body: (r) => `${r.length.toString(16)};name=value\r\n${r}\r\n${LAST_CHUNK}`,
  },
  { name: 'chunks with bare line feeds', framing: ['Transfer-Encoding: chunked'], body: (r) => `0\n\n${r}` },
  {
    name: 'a chunk without its end',
    framing: ['Transfer-Encoding: chunked'],
    body: (r) => `1\r\nx0\r\n\r\n${r}`,
  },
];

/** One way to read the length, and the hidden request is inside it: a body that is no order. */
const PLAIN: readonly Technique[] = [
  { name: 'a length', framing: ['Content-Length: {all}'], body: plain },
  { name: 'the same length twice', framing: ['Content-Length: {all}', 'Content-Length: {all}'], body: plain },
  { name: 'a length with a byte above ASCII', framing: ['Content-Length: {all}\xff'], body: plain },
  { name: 'a name in capitals', framing: ['CONTENT-LENGTH: {all}'], body: plain },
  { name: 'a length with zeros before', framing: ['Content-Length: 000{all}'], body: plain },
  { name: 'chunks', framing: ['Transfer-Encoding: chunked'], body: inChunks },
  { name: 'CHUNKED', framing: ['Transfer-Encoding: CHUNKED'], body: inChunks },
  {
    name: 'an underscore in the name',
    framing: ['Transfer_Encoding: x', 'Content-Length: {all}'],
    body: plain,
  },
];

async function send(bench: TransportBench, method: string, { framing, body }: Technique): Promise<RawClient> {
  const content = body(HIDDEN);
  const lines = framing.map((line) =>
    line.replaceAll('{all}', String(content.length)).replaceAll('{none}', '0'),
  );
  const client = await bench.client();
  client.send(`${method} / HTTP/1.1`, HOST, ...lines, '', content);
  return client;
}

for (const technique of DOUBTFUL) {
  test(`${technique.name} is refused, and the connection closed`, () =>
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
  test(`${technique.name} is one request with one body`, () =>
    withBench(echo, async (bench) => {
      const client = await send(bench, 'POST', technique);
      await client.sees(/fine$/);
      assert.deepEqual(
        bench.seen.map(({ path, body, fault }) => [path, body, fault]),
        [['/', HIDDEN, null]],
      );
    }));
}
