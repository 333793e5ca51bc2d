/** Messages of the replicated log: joining gives what was split, and nothing else is taken for a batch. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sealBatch } from '../../../persistence/journal/segment/batch-row.js';
import {
  BatchJoiner,
  type BatchPart,
  decodeMessage,
  encodeMessage,
  idOf,
  partsOf,
} from '../../../persistence/replication/log/message.js';
import { BEGINNING, batchAfter } from './support.js';

const isDamaged = (error: Error & { code?: string }): boolean => error.code === 'replication_damaged';

test('a batch of any text and length comes out of its messages as it went in', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 100, size: 'max' }),
      fc.integer({ min: 1, max: 64 }),
      (text, bytesMax) => {
        const row = sealBatch(BEGINNING, {
          firstSeq: 1,
          lastSeq: 4,
          timeMs: 9,
          commands: JSON.stringify(text),
          digest: 'd',
        });
        const parts = partsOf(row, 7, bytesMax);
        assert.equal(new Set(parts.map(idOf)).size, parts.length);
        const joiner = new BatchJoiner(BEGINNING, 7);
        const joined = parts.map((part, index) =>
          joiner.add(decodeMessage(encodeMessage(part), index), index),
        );
        assert.deepEqual(joined.at(-1), row);
        assert.ok(joined.slice(0, -1).every((value) => value === null));
        assert.ok(parts.every((part) => part.text.length <= bytesMax));
      },
    ),
  );
});

test('the id of a message has the chain hash, and the epoch: a successor that publishes it anew publishes another one', () => {
  const row = batchAfter(BEGINNING);
  assert.deepEqual(partsOf(row, 1, 1_000).map(idOf), [`${row.chain}.1`]);
  assert.deepEqual(partsOf(row, 2, 1_000).map(idOf), [`${row.chain}.2`]);
});

test('what does not follow is refused: another epoch, a part too few, changed text, another place', () => {
  const row = batchAfter(BEGINNING);
  const [one] = partsOf(row, 1, 1_000);
  const [, second] = partsOf(row, 1, 4);
  assert.ok(one !== undefined && second !== undefined);
  const joiner = (epoch: number): BatchJoiner => new BatchJoiner(BEGINNING, epoch);
  assert.throws(() => joiner(2).add(one, 5), isDamaged);
  assert.throws(() => joiner(1).add(second, 5), isDamaged);
  assert.throws(() => joiner(1).add({ ...one, text: Buffer.from('[]') }, 5), isDamaged);
  assert.throws(() => new BatchJoiner({ lastSeq: 3, chain: 'c' }, 1).add(one, 5), isDamaged);
  const takeover = { kind: 'takeover', node: 'b', run: 'r', position: BEGINNING } as const;
  assert.throws(() => joiner(2).add({ ...takeover, epoch: 2 }, 5), isDamaged);
  const position = { lastSeq: 1, chain: 'c' };
  assert.throws(() => joiner(2).add({ ...takeover, epoch: 3, position }, 5), isDamaged);
  assert.equal(joiner(2).add({ ...takeover, epoch: 3 }, 5), null);
});

test('bytes that are no message are refused', () => {
  for (const text of ['', '{}\n', 'x\n[]', '{"kind":"other"}\n', '{"kind":"batch"'])
    assert.throws(() => decodeMessage(Buffer.from(text), 1), isDamaged, text);
  const part = partsOf(batchAfter(BEGINNING), 1, 1_000)[0] as BatchPart;
  assert.deepEqual(decodeMessage(encodeMessage(part), 1), part);
});
