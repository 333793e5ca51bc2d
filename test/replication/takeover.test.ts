/**
 * Two machines on three real NATS servers: the standby takes over when the leader dies, is stopped or hands over, and the
 * old leader acknowledges nothing any more. The tests run at once on the same servers: each has its own exchange.
 */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { askUntil } from '../support/ask-until.js';
import { newDataDir, type Server } from '../support/processes/server.js';
import { hangingDisk, isAvailable } from '../support/programs.js';
import { NO_NATS } from '../support/replication/nats.js';
import {
  batchesOf,
  event,
  exchangesOnOneCluster,
  place,
  startMachine,
} from '../support/replication/replicated.js';

const feeBps = async ({ operator }: Server): Promise<number> =>
  (await operator.get<{ rules: { feeBps: number } }>('/rules')).data.rules.feeBps;

describe('two machines', { skip: NO_NATS, concurrency: true }, () => {
  const startExchange = exchangesOnOneCluster();

  test('a standby takes over from a leader that was killed, with every acknowledged order', async (t) => {
    const TOTE_RULES_FILE = `${newDataDir()}/rules.json`;
    writeFileSync(TOTE_RULES_FILE, '{}');
    const { nats, env, leader, b, dirB, bettor } = await startExchange(t, { env: { TOTE_RULES_FILE } });
    const placed = await Promise.all(Array.from({ length: 30 }, (_, at) => place(leader, bettor, `k${at}`)));
    writeFileSync(TOTE_RULES_FILE, '{ "feeBps": 200 }');
    await leader.kill();
    const successor = await b.leading;
    const { changes } = await event(b.run, 'rules_in_force');
    // By the file as it is now, not as it was when the standby began.
    assert.deepEqual(changes, [{ name: 'feeBps', before: 300, after: 200 }]);
    await successor.push({ BTC: 50_000 });
    for (const [at, { data }] of placed.entries()) {
      const replayed = await place(successor, bettor, `k${at}`);
      assert.deepEqual([replayed.status, replayed.data.bet.id], [201, data.bet.id]);
    }
    assert.equal((await place(successor, bettor, 'new')).data.bet.id, 'bet_31');
    // The first leader comes back as a standby, takes over at once when this one is stopped, and both journals are the same.
    const again = startMachine({ nats, node: 'a', dataDir: leader.dataDir, env });
    await event(again.run, 'following');
    writeFileSync(TOTE_RULES_FILE, '{');
    const stopping = successor.stop();
    const first = await again.leading;
    assert.equal(await feeBps(first), 200, 'a mistake in the file keeps nobody from leading');
    writeFileSync(TOTE_RULES_FILE, '{}');
    assert.equal((await stopping).code, 0);
    assert.equal((await place(first, bettor, 'new')).data.bet.id, 'bet_31');
    assert.equal((await first.stop()).code, 0);
    // Told to stop on its way from a standby to a leader, it ends as cleanly.
    const hurried = startMachine({ nats, node: 'b', dataDir: dirB, env });
    await event(hurried.run, 'leading');
    hurried.run.signal('SIGTERM');
    assert.equal((await hurried.run.ended).code, 0);
    assert.equal(existsSync(`${dirB}/journal/in-use`), false);
    const behind = batchesOf(leader.dataDir);
    assert.deepEqual(batchesOf(dirB).slice(0, behind.length), behind);
  });

  test('a leader that was stopped and wakes up acknowledges nothing, and ends', async (t) => {
    const { leader, b, bettor } = await startExchange(t);
    leader.run.signal('SIGSTOP');
    const late = place(leader, bettor, 'late').catch(() => ({ status: 0 }));
    const successor = await b.leading;
    await successor.push({ BTC: 50_000 });
    const own = await place(successor, bettor, 'own');
    assert.equal(own.status, 201);
    leader.run.signal('SIGCONT');
    const ended = await leader.run.ended;
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /"event":"failed","code":"replication_fenced",.* This server does not lead/);
    assert.notEqual((await late).status, 201);
    // Its successor can place the order.
    const placed = await place(successor, bettor, 'late');
    assert.equal(placed.status, 201);
    assert.notEqual(placed.data.bet.id, own.data.bet.id);
  });

  test('a leader that is cut off and idle tells nobody that there is nothing', async (t) => {
    const { links, leader, b, bettor } = await startExchange(t, { hasLinks: true });
    for (const link of links) link.cut('both');
    const successor = await b.leading;
    await successor.push({ BTC: 50_000 });
    assert.equal((await place(successor, bettor, 'k')).status, 201);
    const api = leader.api(bettor.secret);
    const order = '{"marketId":"BTC_FIVE_MINUTES","prediction":"UP","amount":10,"roundId":"ETH_ONE_DAY_1"}';
    const ofAccount = ['orders/by-idempotency-key/k', 'orders/bet_1', 'positions', 'account'];
    const reads = [...ofAccount, 'account/ledger', 'rounds/BTC_ONE_DAY_1'].map((path) => api.get(`/${path}`));
    const ofNewKey = leader.api((await successor.createBettor()).secret).get('/account');
    const writes = [api.send('DELETE', '/orders'), api.send('POST', '/orders', order)];
    const asked = [...reads, ofNewKey, ...writes];
    for (const { text } of await Promise.all(asked)) assert.match(text, /: another machine may lead/);
  });

  test('a standby with another master secret and a second leader are refused', async (t) => {
    const { nats, env, dirB, b } = await startExchange(t);
    const refused = await startMachine({ nats, node: 'c', env }).run.ended;
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /"start_refused","code":"secret_invalid",.* is another exchange's/);
    b.run.signal('SIGTERM');
    await b.run.ended;
    const ended = await startMachine({ nats, node: 'b', dataDir: dirB, role: 'leader', env }).run.ended;
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /"start_refused","code":"replication_led"/);
  });

  test('a leader that cannot end, since its disk hangs, lets a standby lead', {
    skip: !isAvailable('strace'),
  }, async (t) => {
    // With as many threads, Node waits for the journal's before it ends the replication's.
    const env = { TOTE_GATEWAYS: '10', TOTE_LEASE_SECONDS: '30' };
    const { leader, b, bettor } = await startExchange(t, { env, envB: { TOTE_GATEWAYS: '0' } });
    using _disk = await hangingDisk(leader.run.pid);
    const over = place(leader, bettor, 'hangs').catch(() => null);
    const status = () => leader.operator.get<{ backlog: number }>('/status');
    await askUntil(status, ({ data }) => data.backlog > 0);
    let successor: Server | null = null;
    void b.leading.then((server) => {
      successor = server;
    });
    // The first signal waits for the disk. A later one forces the end.
    await askUntil(
      () => leader.run.signal('SIGTERM'),
      () => successor !== null,
    );
    assert.deepEqual([await over, leader.run.isRunning], [null, true]);
  });
});
