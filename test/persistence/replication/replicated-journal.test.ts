/** The journal of a leader: nothing is acknowledged before disk and log both have it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Batch, SpaceLevel } from '../../../engine/model/ports.js';
import { ReplicatedJournal } from '../../../persistence/replication/replicated-journal.js';
import { MemoryJournal } from '../../support/host/memory-journal.js';

const BATCH: Batch = { firstSeq: 1, lastSeq: 2, timeMs: 1, commands: '[1,2]', digest: 'd' };

function open(level: SpaceLevel | null = null, isOpened = true) {
  const disk = new MemoryJournal();
  const published: number[] = [];
  const durable: number[] = [];
  const replicated: number[] = [];
  const failures: Error[] = [];
  const asked: number[] = [];
  const clock = { leaseMs: 3_000, nowMs: 0, monotonicMs: () => clock.nowMs };
  const publisher = {
    publish: ({ lastSeq }: Batch) => published.push(lastSeq),
    confirm: (lastSeq: number) => asked.push(lastSeq),
    close: () => Promise.resolve(),
  };
  const onReplicated = (seq: number) => replicated.push(seq);
  const journal = new ReplicatedJournal(disk, publisher, clock, onReplicated, level, () => false);
  disk.open({
    onDurable: (seq) => journal.written(seq),
    onFailure: (error) => journal.fail(error),
    onLost: () => undefined,
    onSpaceLevel: (level) => journal.spaceLevel(level),
  });
  const levels: SpaceLevel[] = [];
  const events = {
    onDurable: (seq: number) => durable.push(seq),
    onFailure: (error: Error) => failures.push(error),
    onLost: () => undefined,
    onSpaceLevel: (told: SpaceLevel) => levels.push(told),
  };
  if (isOpened) journal.open(events);
  return { disk, journal, events, published, asked, clock, durable, replicated, failures, levels };
}

test('a batch is durable once disk and log have it, whichever comes first', () => {
  for (const isDiskFirst of [true, false]) {
    const { disk, journal, clock, published, durable, replicated } = open();
    journal.commit(BATCH);
    assert.deepEqual(published, [2]);
    clock.nowMs = 5;
    if (isDiskFirst) disk.ack();
    else journal.published(2);
    assert.deepEqual([durable, replicated], [[], []]);
    assert.equal(journal.awaitsLog, isDiskFirst);
    clock.nowMs = 7;
    if (isDiskFirst) journal.published(2);
    else disk.ack();
    assert.deepEqual([durable, replicated], [[2], [2]]);
    assert.deepEqual([journal.awaitsLog, journal.writtenMs], [false, isDiskFirst ? 5 : 7]);
  }
});

test('what took longer than the lease is acknowledged only once the log was asked again who leads', () => {
  for (const isDiskFirst of [true, false]) {
    const { disk, journal, asked, clock, durable, failures } = open();
    journal.commit(BATCH);
    if (isDiskFirst) disk.ack();
    else journal.published(2);
    // The process is stopped, and both answers are there when it goes on.
    clock.nowMs += 3_001;
    if (isDiskFirst) journal.published(2);
    else disk.ack();
    assert.deepEqual([asked, durable], [[2], []]);
    clock.nowMs += 3_001;
    journal.published(2);
    assert.deepEqual([asked, durable], [[2, 2], []]);
    clock.nowMs += 3_000;
    journal.published(2);
    assert.deepEqual(durable, [2]);
    journal.commit({ ...BATCH, firstSeq: 3, lastSeq: 4 });
    journal.fail(new Error('overtaken'));
    assert.equal(failures.length, 1);
  }
});

test('who is overtaken before anything is ready for a leader is told of it then', () => {
  const { journal, events, failures } = open(null, false);
  journal.fail(new Error('overtaken'));
  journal.open(events);
  const messages = failures.map(({ message }) => message);
  assert.deepEqual(messages, ['overtaken']);
});

test('after a failure of either nothing is acknowledged', () => {
  for (const fails of ['disk', 'log'] as const) {
    const { disk, journal, durable, failures } = open();
    journal.commit(BATCH);
    if (fails === 'disk') {
      journal.published(2);
      disk.fail(new Error('no'));
      disk.ack();
    } else {
      journal.fail(new Error('no'));
      disk.ack();
    }
    assert.deepEqual([failures.length, durable], [1, []]);
  }
});

test('a leader learns the space level that its disk had as a standby, and each later one', () => {
  const { journal, levels } = open('soft');
  journal.spaceLevel('ok');
  assert.deepEqual(levels, ['soft', 'ok']);
});
