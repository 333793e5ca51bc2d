/** Unknown commands are refused. That each survives encoding and decoding is in persistence/replay/decode-batch.test.ts. */
import { equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCommand, encodeCommand } from '../../../engine/model/command-codec.js';

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
