/** A request as a transport hands it to a handler, and the headers of an answer. */
import assert from 'node:assert/strict';
import type { HeadBytes, HeaderBlock, HeaderList, HttpRequest } from '../../../engine/model/ports.js';

/** A test names only the facts that it is about. */
export const plainRequest = (
  facts: Partial<HttpRequest> & Pick<HttpRequest, 'method' | 'path'>,
): HttpRequest => ({
  query: '',
  address: '127.0.0.1',
  apiKey: '',
  idempotencyKey: null,
  contentType: '',
  contentEncoding: '',
  authorization: '',
  ifNoneMatch: '',
  acceptEncoding: '',
  body: new Uint8Array(0),
  fault: null,
  ...facts,
});

/** Alternating names and values, from any form. */
export function headerList(headers: HeaderList | HeaderBlock | HeadBytes): HeaderList {
  // Behind its status line.
  if (headers instanceof Uint8Array) return headerList(`${Buffer.from(headers)}`.replace(/^\d+ .*\r\n/, ''));
  if (typeof headers !== 'string') return headers;
  return headers.split('\r\n').flatMap((line) => {
    const colon = line.indexOf(': ');
    assert.ok(colon > 0, `"${line}" is a header`);
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
}
