/** Each command survives encoding and decoding, whatever its fields; unknown ones are refused. */
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCommand, encodeCommand } from '../../../engine/model/command-codec.js';
import { anyCommand } from '../../support/engine/any-command.js';
import { forMany } from '../../support/for-all.js';

test('every command survives encoding and decoding', () => {
  forMany({ numRuns: 5_000, seed: 20_261_121 }, anyCommand, (original) => {
    // fast-check's records have no prototype; JSON's have one.
    deepEqual(decodeCommand(JSON.parse(encodeCommand(original))), structuredClone(original));
  });
});

test('an unknown kind or version of a command is refused', () => {
  const known = JSON.parse(encodeCommand({ kind: 'advance', timeMs: 1 })) as unknown[];
  equal(decodeCommand(known).kind, 'advance');
  throws(() => decodeCommand(['teleport', 1, 1, {}]), /teleport/);
  for (const version of [0, 2, 'x'])
    throws(
      () => decodeCommand([known[0], version, ...known.slice(2)]),
      new RegExp(`"advance" of version ${version}, which this version does not know`),
    );
  throws(() => decodeCommand({ kind: 'advance' }), /JSON array/);
  throws(() => decodeCommand(['__proto__', 1, 1, {}]));
  throws(() => decodeCommand(['constructor', undefined, 1, {}]));
});
