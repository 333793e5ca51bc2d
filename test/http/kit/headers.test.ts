/** `Accept-Encoding` (RFC 9110, section 12.5.3) and `traceparent`: what is valid is taken, and nothing from the rest. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptsGzip } from '../../../http/kit/accepts-gzip.js';
import { traceContextOf } from '../../../http/kit/request-log.js';

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

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const VALID = `00-${TRACE}-${SPAN}-01`;
const LATER = `cc-${TRACE}-${SPAN}-01`;

test('a valid traceparent gives trace and span, in its version and in later ones', () => {
  for (const header of [VALID, `00-${TRACE}-${SPAN}-00`, LATER, `${LATER}-what-the-future-adds`])
    assert.deepEqual(traceContextOf(header), { traceId: TRACE, spanId: SPAN }, header);
});

test('a traceparent that is not valid gives nothing', () => {
  for (const header of [
    ...['', 'x', `ff-${TRACE}-${SPAN}-01`, `${VALID}-more`, `${VALID}-`, `${VALID}\n`, `${VALID}, ${VALID}`],
    ...[`00-${TRACE}-${SPAN}`, `00-${TRACE}-${SPAN}-1`, `${LATER}more`, `${LATER}-${'x'.repeat(500)}`],
    ...[`00-${'0'.repeat(32)}-${SPAN}-01`, `00-${TRACE}-${'0'.repeat(16)}-01`],
    ...[`00-${TRACE.toUpperCase()}-${SPAN}-01`, `00-"${TRACE.slice(1)}-${SPAN}-01`],
    `00-${TRACE}-\n${SPAN.slice(1)}-01`,
  ])
    assert.equal(traceContextOf(header), null, header);
});
