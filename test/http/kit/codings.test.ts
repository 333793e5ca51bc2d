/** The form of a body for a client, by its Accept-Encoding (RFC 9110, section 12.5.3). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Coding, chooseCoding } from '../../../http/kit/codings.js';

const BOTH: readonly Coding[] = ['br', 'gzip'];

const CHOICES: readonly (readonly [acceptEncoding: string, choice: Coding | null])[] = [
  ['', null],
  ['gzip', 'gzip'],
  ['GZip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0.8, gzip', 'gzip'],
  ['br ; q=0.8 , gzip ; q=0.801', 'gzip'],
  ['gzip;q=0', null],
  ['gzip;q=0.000, br;q=0.001', 'br'],
  ['*', 'br'],
  ['*;q=0.5, br;q=0', 'gzip'],
  ['*;q=0', null],
  ['gzip, *;q=0', 'gzip'],
  ['identity', null],
  ['identity, gzip;q=0.9', null],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['identity;q=0', null],
  ['identity;q=0, gzip', 'gzip'],
  ['deflate, zstd', null],
  ['gzip;q=2', null],
  ['gzip;q=0.5555', null],
  ['gzip;q=', null],
  ['gzip;level=1', null],
  ['gzip;q=1;q=1', null],
  [',, gzip ,', 'gzip'],
  ['gzipped', null],
  [`${'x, '.repeat(500)}gzip`, 'gzip'],
];

test('the form with the greatest weight is chosen, and what is not well-formed is passed over', () => {
  // The second time from memory.
  for (const [acceptEncoding, choice] of [...CHOICES, ...CHOICES])
    assert.equal(chooseCoding(acceptEncoding, BOTH), choice, acceptEncoding);
  assert.equal(chooseCoding('br', ['gzip']), null);
  assert.equal(chooseCoding('br, gzip;q=0.1', ['gzip']), 'gzip');
  assert.equal(chooseCoding('br, gzip', []), null);
});

test('nothing that a client sends breaks it, and what it chooses is wanted', () => {
  const part = fc.constantFrom('gzip', 'br', 'identity', '*', ';q=0', ';q=0.5', ',', ' ', '=', ';', '\u00e9');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const acceptEncoding = parts.join('');
      const choice = chooseCoding(acceptEncoding, BOTH);
      assert.equal(chooseCoding(acceptEncoding, BOTH), choice);
      if (choice !== null) assert.ok(acceptEncoding.includes(choice) || acceptEncoding.includes('*'));
    }),
  );
});
