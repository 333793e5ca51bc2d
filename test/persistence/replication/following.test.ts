/** A follower's batches on their way to the disk, the takeover behind them, and its watch over the lease. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import type { JournalWriterEvents, StoredBatch } from '../../../engine/model/ports.js';
import { dataDirLayout } from '../../../persistence/data-dir/layout.js';
import { sealBatch } from '../../../persistence/journal/segment/batch-row.js';
import { LeaseWatch } from '../../../persistence/replication/log/follower.js';
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

test('batches go to the disk at once, and only who has them all leads', async () => {
  const { replica, engine, given, onDisk, thread, posted, taken } = await follow();
  for (const row of ROWS.slice(0, 4)) thread.onMessage({ kind: 'batch', row });
  assert.deepEqual(given, [1, 2, 3, 4], 'no batch waits for another one');
  assert.deepEqual([engine.seq, taken()], [4, 0]);
  onDisk.onDurable(1);
  assert.deepEqual([taken(), replica.replicatedSeq[0]], [1, 1n]);
  for (const seq of [1, 5, 6]) replica.snapshotTaken(seq);
  assert.throws(() => thread.onMessage({ kind: 'leading', epoch: 1, sequence: 4 }), /has what it read/);
  onDisk.onDurable(3);
  assert.equal(taken(), 3);
  onDisk.onDurable(4);
  assert.equal(taken(), 4);
  thread.onMessage({ kind: 'leading', epoch: 1, sequence: 4 });
  const journal = await replica.leading;
  assert.deepEqual([replica.replicatedSeq[0], replica.isFollowing], [4n, false]);
  for (const seq of [7, 8]) replica.snapshotTaken(seq);
  thread.onMessage({ kind: 'handOver', to: 'c' });
  thread.onMessage({ kind: 'renewed', atMs: -LEASE_MS - 1 });
  assert.equal(journal.mayBeSucceeded, true, 'it was told late');
  replica.release();
  thread.onMessage({ kind: 'renewed', atMs: 0 });
  assert.equal(journal.mayBeSucceeded, true, 'it has given the lease back');
  const covered = [5, 6].map((seq) => ({ kind: 'covered', seq }));
  const last = [...covered, { kind: 'release', successor: 'c' }];
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
  assert.deepEqual([failures.length, given], [1, []]);
  const full = await follow();
  for (const level of ['soft', 'hard'] as const) full.onDisk.onSpaceLevel(level);
  assert.match(String(full.failures), /^[^,]*Too little space is left[^,]*, and start again/);
});

/** A lease has lapsed only for a watcher of all of it. */
const LEASE_MS = 3_000;
const entry = (revision: number, isReleased = false, successor = ''): Parameters<LeaseWatch['saw']>[0] => ({
  revision,
  holder: 'a',
  epoch: 1,
  isReleased,
  successor,
  lastSeq: 0,
  exchange: null,
});

test('a lease that is renewed is held, and lapses when it is not', () => {
  const watch = new LeaseWatch(LEASE_MS, 'b');
  for (let nowMs = 0; nowMs < 10_000; nowMs += 500)
    assert.equal(watch.saw(entry(Math.floor(nowMs / 1_000)), nowMs), 'held');
  assert.equal(watch.saw(entry(10), 10_000), 'held');
  for (let nowMs = 10_500; nowMs < 13_000; nowMs += 500) assert.equal(watch.saw(entry(10), nowMs), 'held');
  assert.deepEqual([watch.saw(entry(10), 13_000), watch.renewedMs], ['lapsed', 10_000]);
});

test('who was stopped, or saw nothing, has not watched: the lease begins anew', () => {
  const watch = new LeaseWatch(LEASE_MS, 'b');
  assert.deepEqual([watch.saw(entry(1), 0), watch.saw(entry(1), 60_000)], ['held', 'held']);
  for (let nowMs = 60_500; nowMs < 63_000; nowMs += 500) assert.equal(watch.saw(entry(1), nowMs), 'held');
  assert.equal(watch.saw(entry(1), 63_000), 'lapsed');
  assert.equal(watch.renewedMs, 0, 'nobody has renewed it since');
});

test('a lease that was given back, or never taken, needs no waiting', () => {
  const watch = new LeaseWatch(LEASE_MS, 'b');
  assert.deepEqual([watch.saw(null, 0), watch.saw(entry(1, true), 10)], ['none', 'released']);
  assert.equal(watch.saw(entry(1, true, 'b'), 11), 'released');
  assert.deepEqual([watch.saw(entry(1, true, 'c'), 12), watch.saw(entry(2), 20)], ['held', 'held']);
});

test('after a takeover the lease of an earlier leader says nothing, until the new one would have lapsed', () => {
  for (const old of [null, entry(1, true), entry(1)]) {
    const watch = new LeaseWatch(LEASE_MS, 'b');
    for (let nowMs = 0; nowMs <= 3_000; nowMs += 500) watch.saw(old, nowMs);
    watch.tookOver(2, 3_000);
    for (let nowMs = 3_500; nowMs < 6_000; nowMs += 500) assert.equal(watch.saw(old, nowMs), 'held');
    assert.equal(watch.saw(old, 6_000), 'lapsed');
  }
});

test('answers of a server that lags behind are no renewal', () => {
  const watch = new LeaseWatch(LEASE_MS, 'b');
  for (let nowMs = 0; nowMs < 3_000; nowMs += 250)
    assert.equal(watch.saw(entry(nowMs % 500 === 0 ? 2 : 1), nowMs), 'held');
  assert.equal(watch.saw(entry(1), 3_000), 'lapsed');
});
