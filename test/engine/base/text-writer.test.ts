/** Integers and times are as JavaScript prints them; piece by piece the text is as concatenation would give it. */
import { equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AssertionError } from '../../../engine/base/assert.js';
import { integerText } from '../../../engine/base/integer-text.js';
import { isoText } from '../../../engine/base/iso-text.js';
import { TextWriter } from '../../../engine/base/text-writer.js';
import { forAll, forMany } from '../../support/for-all.js';

const encoder = new TextEncoder();

const anyPiece = fc.oneof(
  fc.maxSafeNat(),
  fc.nat(99_999_999),
  fc.nat(9_999),
  fc.string({ unit: 'grapheme', maxLength: 40, size: 'max' }),
);

function written(pieces: readonly (number | string)[], as: 'text' | 'bytes'): string {
  const into = new TextWriter();
  for (const piece of pieces) {
    if (typeof piece === 'number') into.integer(piece);
    else if (as === 'text') into.text(piece);
    else into.bytes(encoder.encode(piece));
    into.byte(0x2c);
  }
  return into.toString();
}

test('pieces of any kind are written one behind the other', () => {
  forAll(fc.array(anyPiece), fc.constantFrom('text' as const, 'bytes' as const), (pieces, as) => {
    equal(written(pieces, as), pieces.map((piece) => `${piece},`).join(''));
  });
});

const INTEGER_TEXTS = [integerText, (value: number) => written([value], 'text').slice(0, -1)];

test('every integer is written as `String` prints it', () => {
  const near = [0, 1, 2, 3, 4, 7, 8, 11, 12, 15].flatMap((exponent) =>
    [-1, 0, 1].map((off) => Math.max(0, 10 ** exponent + off)),
  );
  const values = fc.oneof(fc.maxSafeNat(), fc.nat(99_999_999));
  const examples = [...near, 2 ** 31, 2 ** 48 - 1, Number.MAX_SAFE_INTEGER].map((value): [number] => [value]);
  for (const textOf of INTEGER_TEXTS)
    forMany({ numRuns: 200, examples }, values, (value) => equal(textOf(value), `${value}`));
});

test('anything else is a programming error', () => {
  for (const textOf of INTEGER_TEXTS)
    for (const value of [-1, 0.5, 12_345.5, Number.NaN, Number.POSITIVE_INFINITY])
      throws(() => textOf(value), AssertionError, `${value}`);
  throws(() => new TextWriter().integer(2 ** 53), AssertionError);
});

test('a text may become longer than any before it, and another follows from its beginning', () => {
  const into = new TextWriter();
  const long = 'ü'.repeat(300_000);
  into.text(long);
  into.integer(7);
  equal(into.toString(), `${long}7`);
  into.clear();
  into.integer(42);
  equal(into.toString(), '42');
});

test('times print as ISO 8601 in UTC with milliseconds', () => {
  for (const timeMs of [0, 999, 86_399_999, 86_400_000, 951_782_400_000, 1_709_164_800_001])
    equal(isoText(timeMs), new Date(timeMs).toISOString());
  forAll(fc.integer({ min: 0, max: 253_402_300_799_999 }), (timeMs) => {
    equal(isoText(timeMs), new Date(timeMs).toISOString());
  });
});
