/**
 * The scanner of orders against JSON: the same commands from everything that the encoder can write, and from near
 * misses.
 */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeCommand, encodeCommand } from '../../../engine/model/command-codec.js';
import type { Command } from '../../../engine/model/commands.js';
import { decodeCommands } from '../../../persistence/replay/decode-batch.js';
import { anyCommand, anyOrder } from '../../support/engine/any-command.js';
import { plainOrder } from '../../support/engine/plain-order.js';
import { forMany } from '../../support/for-all.js';

const ORDER = plainOrder({
  ...{ timeMs: 1_767_614_400_000, account: 17, key: 4_242, market: 3, side: 1, stakeCents: 1_050 },
  fairShareE6: 512_345,
  idempotency: { keyHigh: 2 ** 48 - 1, keyLow: 0, body: 10 },
});
const TEXT = encodeCommand(ORDER);

function ordinarily(text: string): Command[] {
  const values: unknown = JSON.parse(text);
  if (!Array.isArray(values)) throw new Error('no list');
  return values.map((value) => decodeCommand(value));
}

function outcome(decode: (text: string) => Command[], text: string): Command[] | null {
  try {
    return decode(text);
  } catch {
    return null;
  }
}

function expectAgreement(text: string): Command[] | null {
  const expected = outcome(ordinarily, text);
  deepEqual(outcome(decodeCommands, text), expected, text);
  return expected;
}

const batchText = (commands: readonly Command[]): string => `[${commands.map(encodeCommand).join(',')}]`;
const anyBatch = fc.array(fc.oneof({ arbitrary: anyOrder, weight: 4 }, anyCommand), { maxLength: 8 });

test('a batch comes back as it was, whatever is in it', () => {
  forMany({ numRuns: 3_000, seed: 20_261_121 }, anyBatch, (commands) => {
    // fast-check's records have no prototype; JSON's have one.
    deepEqual(decodeCommands(batchText(commands)), structuredClone(commands));
  });
});

test('text with bytes changed, removed or inserted is read like JSON', () => {
  const alphabet = [...'[]{}",:\\ -+.eE0123456789nulUPDOWN_\t\u00e9\u20ac'].map((letter) =>
    Buffer.from(letter),
  );
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    removed: fc.nat(3),
    letters: fc.array(fc.constantFrom(...alphabet), { maxLength: 3 }),
  });
  let accepted = 0;
  forMany(
    { numRuns: 8_000, seed: 20_261_122 },
    anyBatch,
    fc.array(edit, { minLength: 1, maxLength: 2 }),
    (commands, edits) => {
      let bytes = Buffer.from(batchText(commands));
      for (const { at, removed, letters } of edits) {
        const place = Math.floor(at * bytes.length);
        bytes = Buffer.concat([bytes.subarray(0, place), ...letters, bytes.subarray(place + removed)]);
      }
      if (expectAgreement(bytes.toString()) !== null) accepted += 1;
    },
  );
  equal(accepted > 200, true, `enough of the changed texts were still batches: ${accepted}`);
});

test('so is an order with one byte changed to any other', () => {
  for (let place = 0; place < TEXT.length; place += 1) {
    for (let byte = 0x20; byte < 0x7f; byte += 1) {
      const text = TEXT.slice(0, place) + String.fromCharCode(byte) + TEXT.slice(place + 1);
      expectAgreement(`[${text}]`);
      expectAgreement(`[${TEXT},${text}]`);
    }
  }
});

test('so is an order truncated anywhere, after a longer text was read', () => {
  for (let end = 0; end <= TEXT.length; end += 1) {
    decodeCommands(`[${TEXT},${TEXT},${TEXT}]`);
    expectAgreement(`[${TEXT.slice(0, end)}]`);
    expectAgreement(`[${TEXT},${TEXT.slice(0, end)}]`);
    expectAgreement(`[${TEXT},${TEXT.slice(0, end)}`);
  }
});

test('numbers at the edges', () => {
  const numbers = [
    ...['0', '-0', '-1', '-2', '-01', '00', '01', '1.0', '1e3', '1E3', '.5', '+1', '', 'null', '"1"'],
  ];
  const long = [
    ...['999999999', '1000000000', '999999999999999', '1000000000000000', '9007199254740993'],
    ...['99999999999999999999'],
  ];
  const fields = TEXT.match(/(?<=[,[])-?\d+(?=[,\]])/g) ?? [];
  equal(fields.length, 12);
  for (const number of [...numbers, ...long]) {
    let from = 0;
    for (const field of fields) {
      const at = TEXT.indexOf(field, from);
      from = at + field.length;
      expectAgreement(`[${TEXT.slice(0, at)}${number}${TEXT.slice(from)}]`);
    }
  }
});

test('white space, empty lists, other values and nothing at all', () => {
  for (const text of [
    ...['', ' ', '[]', '[ ]', '[', ']', '[,]', 'null', '{}', '[1]', '["a"]', '[[]]', '[null]', '[{}]'],
  ]) {
    expectAgreement(text);
  }
  for (const text of [` [${TEXT}]`, `[${TEXT}] `, `[ ${TEXT}]`, `[${TEXT} ]`]) expectAgreement(text);
  for (const text of [`[${TEXT} ,${TEXT}]`, `[${TEXT},]`]) expectAgreement(text);
  expectAgreement(`[${TEXT}${TEXT}]`);
  expectAgreement(`[${TEXT},"a",${TEXT}]`);
  expectAgreement(`[${TEXT.slice(0, -1)},5]]`);
});
