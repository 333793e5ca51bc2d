/** Alternating names and values, from any form. */
import assert from 'node:assert/strict';
import type { HeadBytes, HeaderBlock, HeaderList } from '../../../engine/model/ports.js';

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
