/** A journal's place in the replicated log, whatever the log has lived through. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { deleteCovered, locate } from '../../../persistence/replication/log/locate.js';
import {
  type BatchPart,
  encodeMessage,
  idOf,
  partsOf,
} from '../../../persistence/replication/log/message.js';
import { LOG_BEGIN } from '../../../persistence/replication/log/replicated-log.js';
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
      const located = await locate(log, journalOf(own));
      assert.deepEqual(located?.at, journalOf(own).end);
    }),
  );
});

test('a journal that goes on behind the end of the log is ahead of it', async () => {
  await fc.assert(
    fc.asyncProperty(anyLife, async (steps) => {
      const { log, rows } = await live(steps);
      const ahead = [...rows, batchAfter(rows.at(-1) ?? BEGINNING, 1, 'own')];
      const located = await locate(log, journalOf(ahead));
      assert.deepEqual(located?.at, journalOf(rows).end);
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
  assert.equal(from.end.sequence, log.entries.length);
  assert.equal(from.at.lastSeq, end.lastSeq);
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
    /replicated log begins after it .* a backup that reaches at least sequence number \d+ is needed/;
  await assert.rejects(locate(log, journalOf(rows.slice(0, 5))), needed);
  await assert.rejects(locate(log, journalOf([])), { code: 'replication_behind' });
});

test('retention leaves a place to every journal that reaches it, also between parts', async () => {
  await fc.assert(
    fc.asyncProperty(anyLife, fc.nat(), async (steps, pick) => {
      const { log, rows } = await live([...steps, 'long']);
      const own = rows.slice(0, pick % (rows.length + 1));
      await deleteCovered(log, own.at(-1)?.lastSeq ?? 0);
      const located = await locate(log, journalOf(own));
      assert.deepEqual(located?.at, journalOf(own).end);
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
