/** A follower's batches on their way to the disk, and the takeover behind them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import type { JournalWriterEvents, StoredBatch } from '../../../engine/model/ports.js';
import { dataDirLayout } from '../../../persistence/data-dir/layout.js';
import { sealBatch } from '../../../persistence/journal/segment/batch-row.js';
import type { ToReplication } from '../../../persistence/replication/messages.js';
import { Replica } from '../../../persistence/replication/replica.js';
import type { ReplicationEvents } from '../../../persistence/replication/thread.js';
import { applyBatch } from '../support/made-dir.js';
import { BEGINNING } from './support.js';

function rowsOf(count: number): StoredBatch[] {
  const engine = new Engine();
  const rows: StoredBatch[] = [];
  for (let timeMs = 1; timeMs <= count; timeMs++) {
    const reference = `deposit-${timeMs}`;
    const batch = applyBatch(engine, [{ kind: 'depositHouse', timeMs, amountCents: 1, reference }]);
    rows.push(sealBatch(rows.at(-1) ?? BEGINNING, batch));
  }
  return rows;
}

const ROWS = rowsOf(5);

async function follow() {
  const engine = new Engine();
  const given: number[] = [];
  let disk: JournalWriterEvents | null = null;
  const posted: ToReplication[] = [];
  const threads: ReplicationEvents[] = [];
  const failures: Error[] = [];
  const replica = new Replica(
    { engine, masterSecret: Buffer.alloc(32), dir: dataDirLayout('/nowhere') },
    {
      open: (events) => {
        disk = events;
      },
      commit: ({ lastSeq }) => given.push(lastSeq),
      close: async () => void given.push(Number.NaN),
    },
    (events) => {
      threads.push(events);
      return { post: (message) => posted.push(message), close: () => Promise.resolve() };
    },
    { leaseMs: 3_000, monotonicMs: () => 0 },
    {
      onStatus: () => undefined,
      onTrouble: () => undefined,
      onPublished: () => undefined,
      onHandOver: () => undefined,
      onFailure: (error) => failures.push(error),
    },
  );
  const thread = must(threads[0], 'the thread');
  thread.onMessage({ kind: 'joined', seq: 0 });
  assert.equal(await replica.joined, true);
  const onDisk = must<JournalWriterEvents>(disk, 'an open disk');
  const taken = (): number => posted.filter(({ kind }) => kind === 'taken').length;
  const lose = (): void => onDisk.onLost({ error: new Error('lost'), heldSeq: 0, rescue: [] });
  return { replica, engine, given, onDisk, lose, thread, posted, taken, failures };
}

test('batches go to the disk at once, and the lead comes when it has them all', async () => {
  const { replica, engine, given, onDisk, thread, posted, taken } = await follow();
  for (const row of ROWS.slice(0, 4)) thread.onMessage({ kind: 'batch', row });
  assert.deepEqual(given, [1, 2, 3, 4], 'no batch waits for another one');
  assert.deepEqual([engine.seq, taken()], [4, 0]);
  onDisk.onDurable(1);
  assert.deepEqual([taken(), replica.replicatedSeq[0]], [1, 1n]);
  for (const seq of [1, 5, 6]) replica.snapshotTaken(seq);
  let leads = false;
  void replica.leading.then(() => {
    leads = true;
  });
  thread.onMessage({ kind: 'leading', epoch: 1, sequence: 4 });
  await Promise.resolve();
  assert.equal(leads, false, 'a batch is not on the disk');
  onDisk.onDurable(3);
  assert.equal(taken(), 3);
  onDisk.onDurable(4);
  assert.equal(taken(), 4);
  await replica.leading;
  assert.deepEqual([replica.replicatedSeq[0], replica.isFollowing], [4n, false]);
  for (const seq of [7, 8]) replica.snapshotTaken(seq);
  thread.onMessage({ kind: 'handOver', to: 'c' });
  replica.release();
  const last = [
    { kind: 'covered', seq: 5 },
    ...[
      { kind: 'covered', seq: 6 },
      { kind: 'release', successor: 'c' },
    ],
  ];
  assert.deepEqual(posted.slice(taken()), last, 'the log keeps what came after the last three snapshots');
  await replica.close();
  thread.onMessage({ kind: 'batch', row: must(ROWS[4], 'a batch') });
  assert.equal(given.at(-1), Number.NaN, 'its journal is closed, which no server has opened yet');
});

test('a machine whose journal was deleted ends, as a follower and as a leader: the log has what was acknowledged', async () => {
  const follower = await follow();
  follower.lose();
  assert.equal(follower.failures.length, 1);
  const { replica, thread, lose, failures } = await follow();
  thread.onMessage({ kind: 'leading', epoch: 1, sequence: 0 });
  const journal = await replica.leading;
  const ofLeader: Error[] = [];
  const durable: number[] = [];
  journal.open({
    onDurable: (seq) => durable.push(seq),
    onFailure: (error) => ofLeader.push(error),
    onLost: () => assert.fail('it does not stay up'),
    onSpaceLevel: () => undefined,
  });
  journal.commit(must(ROWS[0], 'a batch'));
  lose();
  journal.published(1);
  assert.deepEqual([failures.length, ofLeader.length, durable], [0, 1, []]);
});

test('a batch that the engine does not agree with ends the follower, and a disk that is nearly full', async () => {
  const { thread, given, failures } = await follow();
  thread.onMessage({ kind: 'batch', row: { ...must(ROWS[0], 'a batch'), digest: '0'.repeat(16) } });
  assert.equal(failures.length, 1);
  assert.deepEqual(given, []);
  const full = await follow();
  for (const level of ['soft', 'hard'] as const) full.onDisk.onSpaceLevel(level);
  assert.match(String(full.failures), /^[^,]*Too little space is left[^,]*, and start again/);
});
