/** Rarer takeovers than those of takeover.test.ts: a clock that is far off, rate limits, a batch that only one disk has. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { dataDirLayout } from '../../persistence/data-dir/layout.js';
import { JournalReader } from '../../persistence/journal/reader.js';
import { newDataDir, type Server } from '../support/processes/server.js';
import { pathOfTimeService } from '../support/processes/time-service.js';
import { NO_NATS } from '../support/replication/nats.js';
import {
  batchesOf,
  event,
  exchangesOnOneCluster,
  place,
  startMachine,
} from '../support/replication/replicated.js';

describe('two machines', { skip: NO_NATS, concurrency: true }, () => {
  const startExchange = exchangesOnOneCluster();

  test('a standby that takes over with a clock far ahead of the journal settles nothing until it is confirmed', async (t) => {
    const longAgo = new Date(Date.now() - 7 * 86_400_000).toISOString();
    const folder = newDataDir();
    const PATH = pathOfTimeService(folder, 'no');
    const { leader, b, bettor } = await startExchange(t, {
      env: { TOTE_CLOCK_START: longAgo },
      envB: { TOTE_CLOCK: 'system', TOTE_CHANGE_SETUP: 'clock', PATH },
    });
    assert.equal((await place(leader, bettor, 'first')).status, 201);
    await leader.kill();
    const successor = await b.leading;
    const { clock } = (await successor.operator.get<{ clock: { condition: string } }>('/status')).data;
    assert.equal(clock.condition, 'unconfirmed');
    assert.equal((await place(successor, bettor, 'second')).error.split(':')[0], 'clock_unsynchronised');
    const body = { time: new Date().toISOString(), reason: 'a test' };
    assert.equal((await successor.operator.post('/clock/confirm', body)).status, 200);
    const { ordersRefused } = (await successor.operator.get<{ ordersRefused: string | null }>('/status'))
      .data;
    assert.equal(ordersRefused, null);
  });

  test('rate limits begin anew with a new leader, Idempotency-Keys do not', async (t) => {
    const { leader, b, bettor } = await startExchange(t, { env: { TOTE_RATE_LIMITS: 'key_write=2' } });
    const statuses = async (server: Server, ...keys: string[]) => {
      const answers = [];
      for (const key of keys) answers.push(await place(server, bettor, key));
      return answers.map(({ status, data }) => (status === 201 ? data.bet.id : status));
    };
    assert.deepEqual(await statuses(leader, 'first', 'second', 'third'), ['bet_1', 'bet_2', 429]);
    assert.equal((await leader.stop()).code, 0);
    const successor = await b.leading;
    await successor.push({ BTC: 50_000 });
    assert.deepEqual(await statuses(successor, 'first', 'third', 'fourth'), ['bet_1', 'bet_3', 429]);
  });

  test('a batch that only the disk of a dead leader has is taken back when it follows its successor', async (t) => {
    const { nats, env, links, leader, b, dirB, bettor } = await startExchange(t, { hasLinks: true });
    assert.equal((await place(leader, bettor, 'first')).status, 201);
    const before = new JournalReader(dataDirLayout(leader.dataDir));
    const { lastSeq } = before;
    for (const link of links) link.cut('both');
    const lost = place(leader, bettor, 'lost').then(
      ({ status }) => status,
      () => 0,
    );
    while (before.lastSeq === lastSeq) await new Promise((resolve) => setImmediate(resolve));
    before.close();
    await leader.kill();
    assert.notEqual(await lost, 201);
    const successor = await b.leading;
    await successor.push({ BTC: 50_000 });
    assert.equal((await place(successor, bettor, 'other')).data.bet.id, 'bet_2');
    const again = startMachine({ nats, node: 'a', dataDir: leader.dataDir, env });
    await event(again.run, 'batch_rolled_back');
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
  });
});
