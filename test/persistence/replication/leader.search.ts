/**
 * A leader at the replicated log: each batch there once and in order, whatever answers are lost, and nothing after a
 * successor.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { must } from '../../../engine/base/assert.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { Leader } from '../../../persistence/replication/log/leader.js';
import { BatchJoiner } from '../../../persistence/replication/log/message.js';
import { LOG_BEGIN } from '../../../persistence/replication/log/replicated-log.js';
import { byEffort } from '../../support/effort.js';
import { type Fault, ModelLog } from './model-log.js';
import {
  AT_START,
  BEGINNING,
  batchAfter,
  batches,
  journalOf,
  LEASE_MS,
  lead,
  leadNew,
  ofLeader,
  succeed,
} from './support.js';

const RUNS = byEffort({ test: 100, prove: 300, night: 20_000 });
const anyFault = fc.constantFrom<Fault>('none', 'none', 'lost', 'answerLost', 'late');

function faults(list: readonly Fault[]): () => Fault {
  const left = [...list];
  return () => left.shift() ?? 'none';
}

function follow(log: ModelLog): StoredBatch[] {
  const joiner = new BatchJoiner(BEGINNING);
  return log.messages
    .map((message, index) => joiner.add(message, index + 1))
    .filter((row): row is StoredBatch => row !== null);
}

const isFenced = (error: Error & { code?: string }): boolean => error.code === 'replication_fenced';

test('whatever answers are lost, each batch is in the log once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyFault, { maxLength: 40, size: 'max' }),
      fc.boolean(),
      fc.integer({ min: 1, max: 12 }),
      async (list, knowsIds, count) => {
        const log = new ModelLog(faults(list));
        log.knowsIds = knowsIds;
        // Down to parts of a few bytes.
        log.bytesMax = 1_024 + count;
        const leader = await lead(log);
        const rows = batches(count);
        for (const row of rows) await leader.publish(row);
        assert.deepEqual(follow(log), rows);
      },
    ),
    { numRuns: RUNS },
  );
});

test('who was overtaken publishes nothing more, whatever answers are lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyFault, { maxLength: 20, size: 'max' }), fc.nat(4), async (list, before) => {
      const rows = batches(before);
      const quiet = new ModelLog();
      const old = await lead(quiet);
      for (const row of rows) await old.publish(row);
      const end = rows.at(-1) ?? BEGINNING;
      await succeed(quiet, end, 2, 'b');
      const log = new ModelLog(faults(list));
      log.entries.push(...quiet.entries);
      // The same leader, over a network that now loses answers.
      const { append, read } = log;
      quiet.append = append.bind(log);
      quiet.read = read.bind(log);
      await assert.rejects(old.publish(batchAfter(end, 1, 'z')), isFenced);
      assert.equal(log.entries.length, before + 2);
    }),
    { numRuns: RUNS },
  );
});

test('of two that take over at one place, one leads and the other reads on', async () => {
  const log = new ModelLog();
  const both = await Promise.all(['a', 'b'].map((node) => Leader.takeOver(log, AT_START, ofLeader(node))));
  assert.deepEqual([both.filter((leader) => leader !== null).length, log.messages.length], [1, 1]);
});

test('parts of a batch that a leader left unfinished count for nothing, and it publishes all of them anew', async () => {
  const log = new ModelLog();
  log.bytesMax = 1_024 + 4;
  const first = await lead(log);
  const [row] = batches(1);
  assert.ok(row !== undefined);
  await first.publish(row);
  const parts = log.entries.length - 1;
  assert.ok(parts > 2);
  log.entries.length = parts;
  const again = await succeed(log, BEGINNING, 2);
  await again.publish(row);
  assert.deepEqual([follow(log), log.entries.length], [[row], parts + 1 + parts]);
});

test('a leader that asks whether it still leads learns that a successor is in the place of its last message', async () => {
  const { log, leader } = await leadNew();
  await leader.publish(batches(1)[0] ?? assert.fail('a batch'));
  log.entries.length = 1;
  await succeed(log, BEGINNING, 2, 'b');
  await assert.rejects(leader.confirm(), isFenced);
});

test('a leader renews its lease, gives it back, and learns from a later epoch', async () => {
  const { log, leader } = await leadNew();
  assert.deepEqual(log.lease, {
    ...{ holder: 'a', epoch: 1, isReleased: false, successor: '' },
    ...{ lastSeq: 0, exchange: 'of tests', revision: 1 },
  });
  await leader.renew();
  assert.equal(log.lease?.revision, 2);
  await leader.release('');
  assert.equal(log.lease?.isReleased, true);
  await leader.renew();
  assert.equal(log.lease?.isReleased, true);
  const successor = await succeed(log, BEGINNING, 2, 'b');
  assert.deepEqual([log.lease?.holder, successor.epoch], ['b', 2]);
});

test('a leader that was overtaken ends, also where the log has lost the takeover, and leaves the lease alone', async () => {
  const { log, leader } = await leadNew();
  await succeed(log, BEGINNING, 2, 'b');
  log.entries.length = 1;
  await assert.rejects(leader.renew(), isFenced);
  assert.deepEqual([log.lease?.holder, log.lease?.epoch], ['b', 2]);
});

test('a lease that was given back stays so, though a renewal was under way', async () => {
  const { log, leader } = await leadNew();
  const write = log.writeLease.bind(log);
  let arrive: () => void = () => undefined;
  log.writeLease = async (entry, revision) => {
    if (!entry.isReleased) await new Promise<void>((resolve) => (arrive = resolve));
    return write(entry, revision);
  };
  const renewal = leader.renew();
  await leader.release('b');
  arrive();
  await renewal;
  assert.deepEqual([log.lease?.isReleased, log.lease?.successor], [true, 'b']);
});

test('the lease tells how far the log has come, and no less while what the log has lost is published anew', async () => {
  const { log, leader } = await leadNew();
  const rows = batches(3);
  for (const row of rows) await leader.publish(row);
  await leader.renew();
  const end = rows.at(-1)?.lastSeq ?? 0;
  assert.equal(log.lease?.lastSeq, end);
  log.entries.length = 2;
  const at = journalOf(rows.slice(0, 1)).end;
  const from = { end: log.entries[1] ?? LOG_BEGIN, at, epoch: 2, toldSeq: end, leaseRevision: 0 };
  await Leader.takeOver(log, from, ofLeader('b'));
  assert.deepEqual([log.lease?.holder, log.lease?.lastSeq], ['b', end]);
});

async function publishedOne() {
  const log = new ModelLog();
  let nowMs = 0;
  const leader = await lead(log, 'a', () => nowMs);
  const [row, next] = batches(2);
  await leader.publish(must(row, 'a batch'));
  /** The log loses the batch, and a successor without it comes to the same number; meanwhile the lease lapses. */
  const overtake = async (): Promise<void> => {
    log.entries.length = 1;
    await succeed(log, BEGINNING, 2, 'b');
    nowMs += LEASE_MS + 1;
  };
  return { log, publishNext: () => leader.publish(must(next, 'a batch')), overtake };
}

test('a leader whose lease may have lapsed publishes nothing behind the same number of another history', async () => {
  const { log, publishNext, overtake } = await publishedOne();
  await overtake();
  await assert.rejects(publishNext(), isFenced);
  assert.equal(log.entries.length, 2);
});

test('a leader that is stopped while it publishes sees what its message came to stand behind', async () => {
  const { log, publishNext, overtake } = await publishedOne();
  const append = log.append.bind(log);
  log.append = async (...args) => {
    log.append = append;
    await overtake();
    return append(...args);
  };
  await assert.rejects(publishNext(), isFenced);
});
