/** `traceparent`: a valid one is taken, and nothing from anything else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceContextOf } from '../../../http/kit/request-log.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const FOUND = { traceId: TRACE, spanId: SPAN };

test('a valid header gives trace and span, in its version and in later ones', () => {
  for (const header of [
    `00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-00`,
    `cc-${TRACE}-${SPAN}-01`,
    `cc-${TRACE}-${SPAN}-01-what-the-future-adds`,
  ])
    assert.deepEqual(traceContextOf(header), FOUND, header);
});

test('what is not valid gives nothing', () => {
  for (const header of [
    '',
    'x',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-01-`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-1`,
    `cc-${TRACE}-${SPAN}-01more`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-02`,
    `cc-${TRACE}-${SPAN}-01-${'x'.repeat(500)}`,
    `00-${TRACE}-${SPAN}-01\n`,
    `00-"${TRACE.slice(1)}-${SPAN}-01`,
    `00-${TRACE}-\n${SPAN.slice(1)}-01`,
  ])
    assert.equal(traceContextOf(header), null, header);
});
