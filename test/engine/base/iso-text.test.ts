import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isoText } from '../../../engine/base/iso-text.js';

test('times print as ISO 8601 in UTC with milliseconds', () => {
  for (const timeMs of [0, 999, 86_399_999, 86_400_000, 951_782_400_000, 1_709_164_800_001])
    assert.equal(isoText(timeMs), new Date(timeMs).toISOString());
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (timeMs) => {
      assert.equal(isoText(timeMs), new Date(timeMs).toISOString());
    }),
  );
});
