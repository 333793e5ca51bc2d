/** Each command survives encoding and decoding, whatever its fields; unknown ones are refused. */
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeCommand, encodeCommand, type Upcasters } from '../../../engine/model/command-codec.js';
import { anyCommand } from '../../support/engine/any-command.js';

test('every command survives encoding and decoding', () => {
  fc.assert(
    fc.property(anyCommand, (original) => {
      // fast-check's records have no prototype; JSON's have one.
      deepEqual(decodeCommand(JSON.parse(encodeCommand(original))), structuredClone(original));
    }),
    { numRuns: 5_000, seed: 20_261_121 },
  );
});

test('an unknown kind or version of a command is refused', () => {
  const known = JSON.parse(encodeCommand({ kind: 'advance', timeMs: 1 })) as unknown[];
  equal(decodeCommand(known).kind, 'advance');
  throws(() => decodeCommand(['teleport', 1, 1, {}]), /teleport/);
  throws(() => decodeCommand([known[0], 2, ...known.slice(2)]), /version 2/);
  throws(() => decodeCommand({ kind: 'advance' }), /JSON array/);
  throws(() => decodeCommand(['__proto__', 1, 1, {}]));
  throws(() => decodeCommand(['constructor', undefined, 1, {}]));
});

test('an older version is upgraded to the current one step by step', () => {
  const current = JSON.parse(
    encodeCommand({ kind: 'deposit', timeMs: 7, account: 3, amountCents: 250, reference: 'r' }),
  );
  // Forms that no program has written: version 0 had dollars and no reference, 1 dollars.
  const older = ['deposit', 0, 7, { account: 3, dollars: 2.5 }];
  const upcasters: Upcasters = {
    deposit: {
      0: ([kind, , timeMs, fields]) => [kind, 1, timeMs, { ...(fields as object), reference: 'r' }],
      1: ([kind, , timeMs, fields]) => {
        const { dollars, ...others } = fields as { dollars: number };
        return [kind, 2, timeMs, { ...others, amountCents: dollars * 100 }];
      },
    },
  };
  deepEqual(decodeCommand(older, upcasters), decodeCommand(current));
  deepEqual(decodeCommand(current, upcasters), decodeCommand(current));
});

test('prices of the first version have their source in the evidence', () => {
  const fields = { asset: 'BTC', price: 67_000, priceTimeMs: 5, evidence: 'push ref 1' };
  const late = decodeCommand(['openLate', 1, 7, fields]);
  deepEqual(late, { kind: 'openLate', timeMs: 7, ...fields, asset: 0, source: null });
  const closing = decodeCommand(['boundaryPrice', 1, 7, { ...fields, boundaryMs: 6 }]);
  deepEqual(closing, { kind: 'boundaryPrice', timeMs: 7, ...fields, asset: 0, boundaryMs: 6, source: null });
});

test('a version without an upcaster is refused, and so is an upcaster that does not advance it', () => {
  const text = ['advance', 0, 1, {}];
  throws(() => decodeCommand(text), /"advance" of version 0, which this program has no upcaster for/);
  throws(() => decodeCommand(text, { deposit: { 0: () => ['advance', 1, 1, {}] } }), /of version 0/);
  throws(() => decodeCommand(text, { advance: { 0: (old) => old } }), /becomes the next version/);
  const all = {
    [-1]: (old: readonly unknown[]) => old,
    1: (old: readonly unknown[]) => [old[0], 2, old[2], {}],
  };
  throws(() => decodeCommand(['advance', 2, 1, {}], { advance: all }), /version 2/);
  throws(() => decodeCommand(['advance', 'x', 1, {}], { advance: all }), /version x/);
});
