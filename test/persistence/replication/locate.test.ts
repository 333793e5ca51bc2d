/**
 * The replicated log: joining its messages gives what was split, nothing else is taken for a batch, and a journal finds
 * its place whatever the log has lived through.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { sealBatch } from '../../../persistence/journal/segment/batch-row.js';
import { deleteCovered, locate } from '../../../persistence/replication/log/locate.js';
import {
  BatchJoiner,
  type BatchPart,
  decodeMessage,
  encodeMessage,
  idOf,
  partsOf,
} from '../../../persistence/replication/log/message.js';
import { LOG_BEGIN } from '../../../persistence/replication/log/replicated-log.js';
import { forAll } from '../../support/for-all.js';
import { ModelLog } from './model-log.js';
import { BEGINNING, batchAfter, batches, follow, journalOf, lead, succeed } from './support.js';

type Step = 'batch' | 'long' | 'takeover' | 'unfinished';
const anyLife = fc.array(fc.constantFrom<Step>('batch', 'batch', 'long', 'takeover', 'unfinished'), {
  maxLength: 25,
  size: 'max',
});

async function live(steps: readonly Step[]): Promise<{ log: ModelLog; rows: StoredBatch[] }> {
  const log = new ModelLog();
  const rows: StoredBatch[] = [];
  let epoch = 1;
  let leader = await lead(log);
  const takeOver = async (): Promise<void> => {
    epoch += 1;
    leader = await succeed(log, rows.at(-1) ?? BEGINNING, epoch);
  };
  for (const step of steps) {
    log.bytesMax = step === 'batch' ? 1_000_000 : 1_024 + 4;
    const row = batchAfter(rows.at(-1) ?? BEGINNING, 2);
    if (step === 'takeover') await takeOver();
    else if (step === 'unfinished') {
      for (const part of partsOf(row, epoch, 4).slice(0, 2))
        await log.append(encodeMessage(part), idOf(part), log.entries.length);
      await takeOver();
    } else {
      await leader.publish(row);
      rows.push(row);
    }
  }
  return { log, rows };
}

test('every journal that the log has come by is found, and what follows it is what is missing', async () => {
  await fc.assert(
    fc.asyncProperty(anyLife, fc.nat(), async (steps, pick) => {
      const { log, rows } = await live(steps);
      const own = rows.slice(0, pick % (rows.length + 1));
      assert.deepEqual((await locate(log, journalOf(own)))?.at, journalOf(own).end);
    }),
  );
});

test('a journal that goes on behind the end of the log is ahead of it', async () => {
  await fc.assert(
    fc.asyncProperty(anyLife, async (steps) => {
      const { log, rows } = await live(steps);
      const ahead = [...rows, batchAfter(rows.at(-1) ?? BEGINNING, 1, 'own')];
      assert.deepEqual((await locate(log, journalOf(ahead)))?.at, journalOf(rows).end);
    }),
  );
});

test('a last batch in whose place the log has another one is to be taken back', async () => {
  await fc.assert(
    fc.asyncProperty(anyLife, fc.nat(), fc.integer({ min: 1, max: 4 }), async (steps, pick, count) => {
      const { log, rows } = await live([...steps, 'batch']);
      const shared = rows.slice(0, pick % rows.length);
      const own = [...shared, batchAfter(shared.at(-1) ?? BEGINNING, count, 'own')];
      assert.equal(await locate(log, journalOf(own)), null);
    }),
  );
});

test('a journal that is ahead waits behind parts without an end, and is to be taken back once they have one', async () => {
  const { log, rows } = await live(['batch', 'takeover']);
  log.bytesMax = 1_024 + 4;
  const end = rows.at(-1) ?? BEGINNING;
  const other = partsOf(batchAfter(end, 2), 2, 4);
  const append = (part: (typeof other)[number]): Promise<void> =>
    log.append(encodeMessage(part), idOf(part), log.entries.length);
  await append(other[0] as BatchPart);
  log.lease = null;
  const own = [...rows, batchAfter(end, 1, 'own')];
  const from = await (await follow(log, own)).untilLeaderless();
  assert.deepEqual([from.end.sequence, from.at.lastSeq], [log.entries.length, end.lastSeq]);
  const waiting = await follow(log, own);
  for (const part of other.slice(1)) await append(part);
  await assert.rejects(waiting.untilLeaderless(), { code: 'replication_unpublished' });
  await assert.rejects(follow(log, own), /its last batch is to be taken back/);
});

test('retention says to a journal that does not reach the snapshot how far a backup has to', async () => {
  const { log, rows } = await live(Array.from({ length: 20 }, () => 'batch' as const));
  await deleteCovered(log, rows[9]?.lastSeq ?? 0);
  assert.ok(log.first > 5);
  const needed =
    /replicated log begins .* after sequence number \d+, .* a backup that reaches at least sequence number \d+ is needed/;
  await assert.rejects(locate(log, journalOf(rows.slice(0, 5))), needed);
  await assert.rejects(locate(log, journalOf([])), { code: 'replication_behind' });
  await assert.rejects(follow(log, [], { exchange: 'another' }), { code: 'secret_invalid' });
});

test('retention leaves a place to every journal that reaches it, also between parts', async () => {
  await fc.assert(
    fc.asyncProperty(anyLife, fc.nat(), async (steps, pick) => {
      const { log, rows } = await live([...steps, 'long']);
      const own = rows.slice(0, pick % (rows.length + 1));
      await deleteCovered(log, own.at(-1)?.lastSeq ?? 0);
      assert.deepEqual((await locate(log, journalOf(own)))?.at, journalOf(own).end);
    }),
  );
});

test('a last batch to be taken back whose place the log has deleted asks for a backup', async () => {
  const { log, rows } = await live(['batch', 'batch', 'batch', 'batch']);
  const own = [...rows.slice(0, 1), batchAfter(rows[0] ?? BEGINNING, 2, 'own')];
  assert.equal(await locate(log, journalOf(own)), null);
  await deleteCovered(log, rows[1]?.lastSeq ?? 0);
  await assert.rejects(locate(log, journalOf(own)), { code: 'replication_behind' });
});

test('a log that a leader began in the midst of its journal asks others for a backup', async () => {
  const rows = batches(4);
  const log = new ModelLog();
  await (await succeed(log, rows[2] ?? BEGINNING, 1)).publish(rows[3] ?? assert.fail('a batch'));
  const { lastSeq } = rows[2] ?? BEGINNING;
  for (const own of [[], rows.slice(0, 2)])
    await assert.rejects(locate(log, journalOf(own)), {
      code: 'replication_behind',
      message: new RegExp(`a backup that reaches at least sequence number ${lastSeq} is needed`),
    });
  assert.deepEqual((await locate(log, journalOf(rows.slice(0, 3))))?.at, journalOf(rows.slice(0, 3)).end);
});

test('a journal of another history is refused', async () => {
  const { log } = await live(['batch', 'batch', 'batch']);
  const other = [batchAfter(BEGINNING, 1, 'other')];
  other.push(batchAfter(other[0] ?? BEGINNING, 1, 'other'));
  await assert.rejects(locate(log, journalOf(other)), { code: 'replication_diverged' });
  const beginning = { place: LOG_BEGIN, at: journalOf(other).end, epoch: 0 };
  assert.deepEqual(await locate(new ModelLog(), journalOf(other)), beginning);
});

const isDamaged = (error: Error & { code?: string }): boolean => error.code === 'replication_damaged';

test('a batch of any text and length comes out of its messages as it went in', () => {
  forAll(
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
      const joined = parts.map((part, index) => joiner.add(decodeMessage(encodeMessage(part), index), index));
      assert.deepEqual(joined.at(-1), row);
      assert.ok(joined.slice(0, -1).every((value) => value === null));
      assert.ok(parts.every((part) => part.text.length <= bytesMax));
    },
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
