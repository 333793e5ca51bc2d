/** Whether a client gets gzip, by its Accept-Encoding (RFC 9110, section 12.5.3). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptsGzip } from '../../../http/kit/accepts-gzip.js';

const GZIP = [
  ...['gzip', 'GZip', 'x-gzip', 'gzip, deflate, br', 'br ; q=1 , gzip ; q=0.801', '*', '*;q=0.5, br;q=0'],
  ...['gzip, *;q=0', 'identity;q=0.5, gzip;q=0.5', 'identity;q=0, gzip', ',, gzip ,'],
  `${'x, '.repeat(500)}gzip`,
];
const PLAIN = [
  ...['', 'br', 'deflate, zstd', 'gzip;q=0', 'gzip;q=0.000, br', '*;q=0', 'identity', 'identity;q=0'],
  ...['identity, gzip;q=0.9', 'gzip;q=2', 'gzip;q=0.5555', 'gzip;q=', 'gzip;level=1', 'gzip;q=1;q=1'],
  'gzipped',
];

test('gzip is sent to who prefers it to the body as it is; what is not well-formed is passed over', () => {
  for (const acceptEncoding of GZIP) assert.equal(acceptsGzip(acceptEncoding), true, acceptEncoding);
  for (const acceptEncoding of PLAIN) assert.equal(acceptsGzip(acceptEncoding), false, acceptEncoding);
});
