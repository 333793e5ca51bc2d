/** A leader with a replicated log, on three real NATS servers: when these are away nothing is lost. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { askUntil } from '../support/ask-until.js';
import type { Server } from '../support/processes/server.js';
import { historyOf, openLog } from '../support/replication/log-history.js';
import { NatsCluster, type NatsOptions, NO_NATS } from '../support/replication/nats.js';
import { batchesOf, event, startMachine } from '../support/replication/replicated.js';

const options = { skip: NO_NATS };
const ORDER = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 10 };

async function startCluster(t: TestContext, of: NatsOptions = {}): Promise<NatsCluster> {
  const nats = await NatsCluster.start(of);
  t.after(() => nats.remove());
  return nats;
}

test('a lost stream is named, and without servers messages are as long as before', options, async (t) => {
  const nats = await startCluster(t, { servers: 1, payloadMax: 2_048 });
  const log = await openLog(nats);
  t.after(() => log.close());
  assert.equal(log.bytesMax, 2_048);
  await nats.deleteStream('tote');
  const appended = log.append(new Uint8Array(1), 'one', 0);
  await assert.rejects(appended, /^Error: nobody has the stream tote or its lease now/);
  await assert.rejects(
    log.read(1),
    /^Error: the stream tote or its lease .* is gone: restart tote on a standby,/,
  );
  await nats.killServer(0);
  await assert.rejects(log.read(1));
  assert.equal(log.bytesMax, 2_048);
});

test(
  'every batch of the journal is in the log, in parts where the servers take no longer ones',
  options,
  async (t) => {
    const nats = await startCluster(t, { payloadMax: 2_048 });
    const server = await startMachine({ nats, node: 'a' }).leading;
    t.after(() => server.remove());
    await server.push({ BTC: 50_000 });
    const bettor = await server.createBettor();
    const answers = await Promise.all(Array.from({ length: 60 }, () => bettor.api.post('/orders', ORDER)));
    assert.ok(answers.every(({ status }) => status === 201));
    assert.equal((await server.stop()).code, 0);
    const { batches, messages } = await historyOf(nats);
    const onDisk = batchesOf(server.dataDir);
    const rows = batches.map(({ row }) => row);
    assert.deepEqual(rows, onDisk);
    assert.ok(messages > onDisk.length + 1, 'some batch had several parts');
  },
);

test(
  'without a quorum orders are refused, reads go on, and all goes on by itself when it is back',
  options,
  async (t) => {
    const nats = await startCluster(t);
    const machine = startMachine({ nats, node: 'a' });
    const server: Server = await machine.leading;
    t.after(() => server.remove());
    await server.push({ BTC: 50_000 });
    const bettor = await server.createBettor();
    const place = (key: string) =>
      bettor.api.send<{ bet: { id: string } }>('POST', '/orders', JSON.stringify(ORDER), {
        'Idempotency-Key': key,
      });
    assert.equal((await place('before')).status, 201);
    await Promise.all([nats.killServer(0), nats.killServer(1)]);
    // Accepted, and not acknowledged before the log has it.
    const waiting = place('meanwhile');
    // Its failure is asked for below.
    waiting.catch(() => undefined);
    let attempts = 0;
    // One that is accepted takes long.
    const attempt = () => Promise.race([place(`refused-${attempts++}`), pause(100, { error: '' })]);
    await askUntil(attempt, ({ error }) => error.startsWith('journal_backlog'));
    assert.equal((await bettor.api.get('/markets/BTC_FIVE_MINUTES')).status, 200);
    assert.equal((await event(machine.run, 'replication_away'))['level'], 40);
    nats.startServer(0);
    nats.startServer(1);
    const answered = await waiting;
    assert.equal(answered.status, 201);
    assert.equal((await event(machine.run, 'order_slow'))['betId'], answered.data.bet.id);
    await askUntil(
      () => place('after'),
      ({ status }) => status === 201,
    );
    await event(machine.run, 'replication_restored');
    assert.equal((await place('meanwhile')).data.bet.id, answered.data.bet.id);
    assert.equal((await server.stop()).code, 0);
    const { batches } = await historyOf(nats);
    const rows = batches.map(({ row }) => row);
    assert.deepEqual(rows, batchesOf(server.dataDir));
  },
);
