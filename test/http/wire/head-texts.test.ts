/** A head in bytes, compared with the same head as text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HeadTexts } from '../../../http/wire/head-texts.js';

const POLICIES = [
  { name: 'key', limit: 120 },
  { name: 'ip', limit: 999_999_999 },
];
const LAST = ['', '\r\nETag: "one"'];

const head = fc.record({
  status: fc.constantFrom('200 OK', '201 Created'),
  last: fc.constantFrom(...LAST),
  kind: fc.constantFrom(0, 1),
  remaining: fc.oneof(fc.nat(120), fc.nat(999_999_999)),
  resetSeconds: fc.nat(60),
  requestNumber: fc.oneof(fc.nat(20), fc.maxSafeNat()),
});

test('a head in bytes is the same as its text, whatever the last one was', () => {
  fc.assert(
    fc.property(fc.array(head, { maxLength: 20 }), (heads) => {
      const texts = new HeadTexts('run0', POLICIES);
      for (const { status, last, kind, remaining, resetSeconds, requestNumber } of heads) {
        const text = `${status}\r\n${texts.limitHead(kind)}${texts.tail(remaining, resetSeconds, requestNumber)}${last}`;
        const bytes = texts.bytes(status, last, kind, remaining, resetSeconds, requestNumber);
        assert.equal(Buffer.from(bytes).toString('latin1'), text);
      }
    }),
  );
});
