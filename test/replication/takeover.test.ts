/**
 * Two machines on three real NATS servers: the standby takes over when the leader dies, is stopped or hands over, and who led
 * before acknowledges nothing any more.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { dataDirLayout } from '../../persistence/data-dir/layout.js';
import { openJournalReader } from '../../persistence/journal/reader.js';
import { NO_NATS } from '../support/nats.js';
import { batchesOf, event, place, startMachine, startPair } from '../support/replicated.js';
import { newDataDir, removeDataDir } from '../support/server.js';

const options = { skip: NO_NATS };

test(
  'a standby takes over from a leader that was killed, with every acknowledged order',
  options,
  async (t) => {
    const { nats, leader, b, dirB, bettor } = await startPair(t);
    const placed = await Promise.all(Array.from({ length: 30 }, (_, at) => place(leader, bettor, `k${at}`)));
    assert.ok(placed.every(({ status }) => status === 201));
    await leader.kill();
    const successor = await b.leading;
    await successor.push({ BTC: 50_000 });
    for (const [at, { data }] of placed.entries()) {
      const replayed = await place(successor, bettor, `k${at}`);
      assert.equal(replayed.status, 201);
      assert.equal(replayed.data.bet.id, data.bet.id);
    }
    const added = await place(successor, bettor, 'new');
    assert.equal(added.data.bet.id, 'bet_31');
    // The one before comes back as a standby, and both journals are the same.
    const again = startMachine({ nats, node: 'a', dataDir: leader.dataDir });
    await event(again.run, 'following');
    assert.equal((await successor.stop()).code, 0);
    const first = await again.leading;
    assert.equal((await place(first, bettor, 'new')).data.bet.id, 'bet_31');
    assert.equal((await first.stop()).code, 0);
    const behind = batchesOf(dirB);
    assert.deepEqual(batchesOf(leader.dataDir).slice(0, behind.length), behind);
  },
);

test('a leader that was stopped and wakes up acknowledges nothing, and ends', options, async (t) => {
  const { leader, b, bettor } = await startPair(t);
  leader.run.signal('SIGSTOP');
  const late = place(leader, bettor, 'late').then(
    ({ status }) => status,
    () => 0,
  );
  const successor = await b.leading;
  await successor.push({ BTC: 50_000 });
  const own = await place(successor, bettor, 'own');
  assert.equal(own.status, 201);
  leader.run.signal('SIGCONT');
  const ended = await leader.run.ended;
  assert.equal(ended.code, 1);
  assert.match(ended.stderr, /replication_fenced/);
  assert.notEqual(await late, 201);
  // The order that was sent to it can be placed by its successor.
  const placed = await place(successor, bettor, 'late');
  assert.equal(placed.status, 201);
  assert.notEqual(placed.data.bet.id, own.data.bet.id);
});

test(
  'a batch that only the disk of a dead leader has is taken back when it follows its successor',
  options,
  async (t) => {
    const { nats, leader, b, dirB, bettor } = await startPair(t);
    assert.equal((await place(leader, bettor, 'first')).status, 201);
    const before = openJournalReader(dataDirLayout(leader.dataDir));
    const { lastSeq } = before;
    await Promise.all([0, 1, 2].map((index) => nats.killServer(index)));
    const lost = place(leader, bettor, 'lost').then(
      ({ status }) => status,
      () => 0,
    );
    while (before.lastSeq === lastSeq) await new Promise((resolve) => setImmediate(resolve));
    before.close();
    await leader.kill();
    assert.notEqual(await lost, 201);
    for (const index of [0, 1, 2]) nats.startServer(index);
    const successor = await b.leading;
    await successor.push({ BTC: 50_000 });
    assert.equal((await place(successor, bettor, 'other')).data.bet.id, 'bet_2');
    const again = startMachine({ nats, node: 'a', dataDir: leader.dataDir });
    await event(again.run, 'batch_taken_back');
    await event(again.run, 'following');
    assert.equal((await successor.stop()).code, 0);
    const first = await again.leading;
    assert.equal((await place(first, bettor, 'other')).data.bet.id, 'bet_2');
    assert.equal((await first.stop()).code, 0);
    const kept = readdirSync(join(leader.dataDir, 'journal')).filter((name) =>
      name.startsWith('taken-back-'),
    );
    assert.equal(kept.length, 1);
    const behind = batchesOf(dirB);
    assert.deepEqual(batchesOf(leader.dataDir).slice(0, behind.length), behind);
  },
);

test('a leader that is stopped cleanly hands over at once', options, async (t) => {
  const { leader, b, bettor } = await startPair(t);
  assert.equal((await place(leader, bettor, 'first')).status, 201);
  const stopping = leader.stop();
  const successor = await b.leading;
  assert.equal((await stopping).code, 0);
  assert.equal((await place(successor, bettor, 'first')).data.bet.id, 'bet_1');
});

test('with another master secret a standby refuses to follow', options, async (t) => {
  const { nats } = await startPair(t);
  const dataDir = newDataDir();
  t.after(() => removeDataDir(dataDir));
  const { run } = startMachine({ nats, node: 'c', dataDir });
  const ended = await run.ended;
  assert.equal(ended.code, 1);
  assert.match(ended.stderr, /secret_invalid/);
});

test('a second leader is refused while the first one leads', options, async (t) => {
  const { nats, dirB, b } = await startPair(t);
  b.run.signal('SIGTERM');
  await b.run.ended;
  const { run } = startMachine({ nats, node: 'b', dataDir: dirB, role: 'leader' });
  const ended = await run.ended;
  assert.equal(ended.code, 1);
  assert.match(ended.stderr, /replication_led/);
});
