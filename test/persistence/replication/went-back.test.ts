/**
 * A log that has lost acknowledged messages: nobody leads without them, and a machine that has them publishes them
 * anew.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { EpochFile } from '../../../persistence/replication/epoch-file.js';
import { PlaceLost } from '../../../persistence/replication/log/follower.js';
import { type Leader, REFUSALS_MAX } from '../../../persistence/replication/log/leader.js';
import { newDataDir } from '../../support/processes/server.js';
import { ModelLog } from './model-log.js';
import {
  BEGINNING,
  batchAfter,
  batches,
  epochMemory,
  follow,
  journalOf,
  leadNew,
  succeed,
} from './support.js';

async function led(rows: readonly StoredBatch[]): Promise<{ log: ModelLog; leader: Leader }> {
  const { log, leader } = await leadNew();
  for (const row of rows) await leader.publish(row);
  await leader.renew();
  return { log, leader };
}

/** While the leader still tries to publish again. */
function afterSomeReads(log: ModelLog, act: () => void | Promise<void>): void {
  let tries = 0;
  const read = log.read.bind(log);
  log.read = async (sequence) => {
    tries += 1;
    if (tries === REFUSALS_MAX / 2) await act();
    return read(sequence);
  };
}

test('a leader whose messages are lost tries again for a while, and then ends without a word to anybody', async () => {
  const rows = batches(4);
  const { log, leader } = await led(rows);
  log.entries.length = 2;
  await assert.rejects(leader.publish(batchAfter(rows.at(-1) ?? BEGINNING)), {
    code: 'replication_went_back',
  });
  assert.equal(log.entries.length, 2);
});

test('a leader goes on when the log shows its messages again', async () => {
  const rows = batches(4);
  const { log, leader } = await led(rows);
  const hidden = log.entries.splice(2);
  afterSomeReads(log, () => void log.entries.push(...hidden));
  await leader.publish(batchAfter(rows.at(-1) ?? BEGINNING));
  assert.equal(log.entries.length, rows.length + 2);
});

test('a leader publishes nothing behind the same number of another history', async () => {
  const rows = batches(4);
  const { log, leader } = await led(rows);
  log.entries.length = 2;
  // A successor publishes the lost messages, and comes to exactly the number that this leader expects.
  afterSomeReads(log, async () => {
    const successor = await succeed(log, rows[0] ?? BEGINNING, 2, 'b');
    for (const row of rows.slice(1, 3)) await successor.publish(row);
    assert.equal(log.entries.length, rows.length + 1);
  });
  await assert.rejects(leader.publish(batchAfter(rows.at(-1) ?? BEGINNING)), { code: 'replication_fenced' });
  assert.equal(log.entries.length, rows.length + 1);
});

test('a standby that has all leads at the end of what is left, with an epoch above all that it has seen', async () => {
  const rows = batches(6);
  const { log } = await led(rows);
  await succeed(log, rows.at(-1) ?? BEGINNING, 7, 'a');
  const epochs = epochMemory();
  await assert.rejects((await follow(log, rows, { epochs })).untilLeaderless(2), /does not lead/);
  log.entries.length = 3;
  log.lease = null;
  const standby = await follow(log, rows, { epochs });
  const from = await standby.untilLeaderless();
  assert.deepEqual([from.end.sequence, from.at, from.epoch], [3, journalOf(rows.slice(0, 2)).end, 8]);
  assert.deepEqual(standby.lost, []);
});

test('a standby without what the leader had told of does not lead until an operator accepts the loss', async () => {
  const rows = batches(6);
  const { log } = await led(rows);
  log.entries.length = 3;
  const standby = await follow(log, rows.slice(0, 2));
  await assert.rejects(standby.untilLeaderless(19), /does not lead/);
  assert.deepEqual(standby.lost, [], 'what is missing may come a little later than the lease');
  await assert.rejects(standby.untilLeaderless(100), /does not lead/);
  assert.match(standby.lost[0] ?? '', /start a, which has them\. .* npx tote promote b --accept-loss$/);
  const lease = log.lease ?? assert.fail('a lease');
  log.lease = { ...lease, revision: lease.revision - 1, lastSeq: 0 };
  await assert.rejects(standby.untilLeaderless(100), /does not lead/, 'a server that lags tells nothing');
  log.lease = { ...lease, isReleased: true, successor: 'b', lastSeq: 0 };
  const { end, epoch } = await standby.untilLeaderless();
  assert.deepEqual([end.sequence, epoch, standby.lost.at(-1)], [3, 2, null]);
});

test('nobody begins an empty log of an exchange that was led before an operator has chosen a machine', async () => {
  for (const role of ['auto', 'standby'] as const) {
    const { log } = await leadNew();
    const [lease] = [log.lease ?? assert.fail('a lease'), log.entries.splice(0)];
    log.lease = null;
    const standby = await follow(log, batches(2), { epochs: epochMemory(1), role });
    await assert.rejects(standby.untilLeaderless(100), /does not lead/);
    assert.match(standby.lost[0] ?? '', /log is empty.* ends at 3; .* npx tote promote b --accept-loss$/);
    log.lease = { ...lease, epoch: 0, isReleased: true, successor: 'b' };
    assert.equal((await standby.untilLeaderless()).epoch, 2);
  }
});

test('a standby notices that what it has read is gone, whether or not others stand in its place', async () => {
  const rows = batches(6);
  const { log, leader } = await led(rows);
  const read = log.read.bind(log);
  const standby = await follow(log, []);
  let failures = 1;
  log.read = (sequence) =>
    sequence === 4 && failures-- > 0 ? Promise.reject(new Error('no answer')) : read(sequence);
  await assert.rejects(standby.untilLeaderless(1), /does not lead/);
  assert.deepEqual(standby.taken, rows);
  log.first = log.entries.length + 1;
  await assert.rejects(standby.untilLeaderless(6), /does not lead/, 'retention deletes what it has read');
  log.first = 1;
  await leader.renew();
  const lost = log.entries.splice(3);
  await assert.rejects(standby.untilLeaderless(6), PlaceLost);
  log.entries.push(...lost);
  await leader.release('');
  log.entries.length = 3;
  await assert.rejects(standby.untilLeaderless(2), PlaceLost);
  const successor = await succeed(log, rows[1] ?? BEGINNING, 2);
  for (const row of rows.slice(2)) await successor.publish(row);
  const next = batchAfter(rows.at(-1) ?? BEGINNING);
  await successor.publish(next);
  assert.ok(log.entries.length > lost.length + 3);
  await assert.rejects(standby.untilLeaderless(), PlaceLost);
  const again = await follow(log, rows);
  await assert.rejects(again.untilLeaderless(1), /does not lead/);
  assert.deepEqual(again.taken, [next]);
});

test('a standby of an empty log looks for its place anew once another machine begins it elsewhere', async () => {
  const rows = batches(4);
  const log = new ModelLog();
  const standby = await follow(log, rows);
  await succeed(log, rows[2] ?? BEGINNING, 2);
  await assert.rejects(standby.untilLeaderless(), PlaceLost);
});

test('a standby passes over what its journal has, batch by batch, and ends where another history begins', async () => {
  const rows = batches(4);
  const { log } = await led(rows);
  log.entries.length = 2;
  const standby = await follow(log, rows);
  const successor = await succeed(log, rows[0] ?? BEGINNING, 2);
  for (const row of rows.slice(1, 3)) await successor.publish(row);
  await assert.rejects(standby.untilLeaderless(1), /does not lead/);
  assert.deepEqual(standby.taken, []);
  await successor.publish(batchAfter(rows[2] ?? BEGINNING, 1, 'other'));
  await assert.rejects(standby.untilLeaderless(), { code: 'replication_unpublished' });
});

test('a standby begins no exchange, and a leader by its role waits for a lease that nobody renews', async () => {
  const { log, leader } = await led(batches(2));
  const second = await follow(log, [], { role: 'leader' });
  await assert.rejects(second.untilLeaderless(9), /does not lead/);
  await leader.renew();
  await assert.rejects(second.untilLeaderless(), { code: 'replication_led' });
  const lapsing = { ...(log.lease ?? assert.fail('a lease')), lastSeq: 0 };
  for (const role of ['leader', 'auto', 'standby'] as const)
    for (const lease of [null, lapsing]) {
      const empty = new ModelLog();
      empty.lease = lease;
      const from = (await follow(empty, [], { role })).untilLeaderless(100);
      await (role === 'standby' ? assert.rejects(from, /does not lead/) : from);
    }
});

test('a takeover counts as its lease until that is written, and an operator sees how far a standby is', async () => {
  const rows = batches(4);
  const { log, leader } = await led(rows);
  await leader.release('');
  const { lease } = log;
  await succeed(log, rows.at(-1) ?? BEGINNING, 2, 'c');
  log.lease = lease;
  const standby = await follow(log, [], { batchMs: 300 });
  await assert.rejects(standby.untilLeaderless(9), /does not lead/);
  assert.deepEqual(standby.statuses, ['5, 0, 0, a', '3, 600, 600, a', '1, 1200, 1200, a', '0, 0, 500, c']);
  assert.equal((await standby.untilLeaderless()).epoch, 3);
});

test('the highest epoch outlives the process, and only rises', () => {
  const path = join(newDataDir(), 'epoch');
  const file = new EpochFile(path);
  assert.equal(file.highest, 0);
  for (const epoch of [3, 2, 61]) file.raise(epoch);
  assert.equal(new EpochFile(path).highest, 61);
  for (const text of ['', '61\n', 'tote-epoch v1 -1\n', 'tote-epoch v1 61']) {
    writeFileSync(path, text);
    assert.throws(() => new EpochFile(path), { code: 'file_unreadable' });
  }
});
