/** Hand-written parts of answers: numbers print as JSON.stringify prints them, a head in bytes has all of its lines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AMOUNT_CENTS_MAX } from '../../../engine/base/money.js';
import { HeadTexts } from '../../../http/wire/head-texts.js';
import { hundredthsText, oddsText } from '../../../http/wire/wire.js';
import { forAll, forMany } from '../../support/for-all.js';

test('hundredths print as JSON numbers', () => {
  const some = [0, 1, 9, 10, 99, 100, 101, 110, 1_000, AMOUNT_CENTS_MAX - 1, AMOUNT_CENTS_MAX];
  forMany(
    { examples: [...some, ...some.map((cents) => 0 - cents)].map((cents): [number] => [cents]) },
    fc.integer({ min: -AMOUNT_CENTS_MAX, max: AMOUNT_CENTS_MAX }),
    (cents) => assert.equal(hundredthsText(cents), JSON.stringify(cents / 100)),
  );
});

test('odds print with at most four decimals and no trailing zero', () => {
  const some = [10_000, 10_001, 10_010, 10_100, 11_000, 19_800, 20_000, 123_456_789];
  forMany(
    { examples: some.map((odds): [number] => [odds]) },
    fc.integer({ min: 10_000, max: 1_000_000_000_000 }),
    (odds) => assert.equal(oddsText(odds), JSON.stringify(odds / 10_000)),
  );
});

const POLICIES = [
  { name: 'key', limit: 120 },
  { name: 'ip', limit: 999_999_999 },
];

const head = fc.record({
  status: fc.constantFrom(200, 201),
  last: fc.constantFrom('', '\r\nETag: "one"'),
  kind: fc.constantFrom(0, 1),
  remaining: fc.oneof(fc.nat(120), fc.nat(999_999_999)),
  resetSeconds: fc.nat(60),
  requestNumber: fc.oneof(fc.nat(20), fc.maxSafeNat()),
});

test('a head in bytes has all of its lines, whatever the last one was', () => {
  forAll(fc.array(head, { maxLength: 20 }), (heads) => {
    const texts = new HeadTexts('run0', POLICIES);
    for (const { status, last, kind, remaining, resetSeconds, requestNumber } of heads) {
      const { name, limit } = POLICIES[kind] as (typeof POLICIES)[0];
      const limits = `X-RateLimit-Limit: ${limit}\r\nRateLimit-Policy: "key";q=120;w=60, "ip";q=999999999;w=60\r\n`;
      const left = `RateLimit: "${name}";r=${remaining};t=${resetSeconds}\r\nX-RateLimit-Reset: ${resetSeconds}\r\n`;
      const rest = `X-RateLimit-Remaining: ${remaining}\r\nX-Request-Id: run0-${requestNumber}${last}`;
      const bytes = texts.bytes(status, last, kind, remaining, resetSeconds, requestNumber);
      const text = `${status} ${status === 200 ? 'OK' : 'Created'}\r\n${limits}${left}${rest}`;
      assert.equal(Buffer.from(bytes).toString('latin1'), text);
    }
  });
});
