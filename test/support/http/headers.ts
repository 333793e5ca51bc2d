/** Alternating names and values, from either form. */
import assert from 'node:assert/strict';
import type { HeaderBlock, HeaderList } from '../../../engine/model/ports.js';

export function headerList(headers: HeaderList | HeaderBlock): HeaderList {
  if (typeof headers !== 'string') return headers;
  return headers.split('\r\n').flatMap((line) => {
    const colon = line.indexOf(': ');
    assert.ok(colon > 0, `"${line}" is a header`);
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
}
