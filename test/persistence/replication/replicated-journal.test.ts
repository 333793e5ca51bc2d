/** The journal of a leader: nothing is acknowledged before disk and log both have it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Batch } from '../../../engine/model/ports.js';
import { HandedDisk } from '../../../persistence/replication/handed-disk.js';
import { ReplicatedJournal } from '../../../persistence/replication/replicated-journal.js';
import { MemoryJournal } from '../../support/memory-journal.js';

const BATCH: Batch = { firstSeq: 1, lastSeq: 2, timeMs: 1, commands: '[1,2]', digest: 'd' };

function open() {
  const disk = new MemoryJournal();
  const published: number[] = [];
  const durable: number[] = [];
  const replicated: number[] = [];
  const failures: Error[] = [];
  const publisher = {
    publish: ({ lastSeq }: Batch) => published.push(lastSeq),
    close: () => Promise.resolve(),
  };
  const journal = new ReplicatedJournal(disk, publisher, (seq) => replicated.push(seq));
  journal.open({
    onDurable: (seq) => durable.push(seq),
    onFailure: (error) => failures.push(error),
    onSpaceLevel: () => undefined,
  });
  return { disk, journal, published, durable, replicated, failures };
}

test('a batch is durable once disk and log have it, whichever comes first', () => {
  for (const isDiskFirst of [true, false]) {
    const { disk, journal, published, durable, replicated } = open();
    journal.commit(BATCH);
    assert.deepEqual(published, [2]);
    if (isDiskFirst) disk.ack();
    else journal.published(2);
    assert.deepEqual([durable, replicated], [[], []]);
    assert.equal(journal.awaitsLog, isDiskFirst);
    if (isDiskFirst) journal.published(2);
    else disk.ack();
    assert.deepEqual([durable, replicated], [[2], [2]]);
    assert.equal(journal.awaitsLog, false);
  }
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
    assert.equal(failures.length, 1);
    assert.deepEqual(durable, []);
  }
});

test('a disk that was handed over tells its new owner the space level', () => {
  const memory = new MemoryJournal();
  const disk = new HandedDisk(memory);
  const events = { onDurable: () => undefined, onFailure: () => undefined };
  disk.open({ ...events, onSpaceLevel: () => undefined });
  memory.space('soft');
  const levels: string[] = [];
  disk.open({ ...events, onSpaceLevel: (level) => levels.push(level) });
  memory.space('ok');
  assert.deepEqual(levels, ['soft', 'ok']);
});
