/**
 * Real NATS servers that have lost acknowledged orders and a change of leaders: their files are put back to an
 * earlier state.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../engine/base/assert.js';
import { askUntil } from '../support/ask-until.js';
import { tote, toteErrors, toteText } from '../support/processes/cli.js';
import type { Server } from '../support/processes/server.js';
import { historyOf, openLog } from '../support/replication/log-history.js';
import { NO_NATS } from '../support/replication/nats.js';
import {
  batchesOf,
  event,
  type Pair,
  place,
  startMachine,
  startPair,
} from '../support/replication/replicated.js';

const options = { skip: NO_NATS };

/** While servers start again the order may be refused for a while. */
async function betOf(server: Server, bettor: Pair['bettor'], key: string): Promise<string> {
  const { data } = await askUntil(
    () => place(server, bettor, key),
    ({ status }) => {
      assert.ok(status === 201 || status === 503, `${status}`);
      return status === 201;
    },
  );
  return data.bet.id;
}

test('what NATS servers have lost is published anew, and no epoch is led twice', options, async (t) => {
  const { nats, leader: a, b: standby, dirB, bettor } = await startPair(t);
  const bets = new Map([['k1', await betOf(a, bettor, 'k1')]]);
  const kept = await nats.keepFiles();
  bets.set('k2', await betOf(a, bettor, 'k2'));
  assert.equal((await a.stop()).code, 0);
  const b = await standby.leading;
  await b.push({ BTC: 50_000 });
  const again = startMachine({ nats, node: 'a', dataDir: a.dataDir });
  t.after(() => again.run.signal('SIGKILL'));
  await event(again.run, 'following');
  bets.set('k3', await betOf(b, bettor, 'k3'));
  const before = await historyOf(nats);
  await again.run.findInErrors((text) => (text.includes(`"epoch":2`) ? text : null));

  await nats.goBack(kept);
  assert.ok((await historyOf(nats)).messages < before.messages, 'messages are lost');
  // Its next order finds that out. It ends without an answer, and the machine that has everything leads.
  const late = place(b, bettor, 'k4').then(
    ({ status }) => status,
    () => 0,
  );
  const ended = await b.run.ended;
  assert.equal(ended.code, 1);
  assert.match(ended.stderr, /replication_went_back/);
  assert.notEqual(await late, 201);
  const next = await again.leading;
  await next.push({ BTC: 50_000 });
  for (const [key, id] of bets) assert.equal(await betOf(next, bettor, key), id);
  bets.set('k4', await betOf(next, bettor, 'k4'));

  const follower = startMachine({ nats, node: 'b', dataDir: dirB });
  t.after(() => follower.run.signal('SIGKILL'));
  await event(follower.run, 'following');
  assert.equal((await next.stop()).code, 0);
  const last = await follower.leading;
  for (const [key, id] of bets) assert.equal(await betOf(last, bettor, key), id);
  assert.equal((await last.stop()).code, 0);
  const { leaders, batches } = await historyOf(nats);
  assert.deepEqual([...leaders.keys()], [1, 3, 4]);
  const chains = batchesOf(dirB).map(({ chain }) => chain);
  const acknowledged = batches.map(({ row }) => row.chain);
  assert.deepEqual(chains, acknowledged);
});

test(
  'a machine without what the leader had told of leads once an operator accepts the loss',
  options,
  async (t) => {
    const { nats, leader: a, b: standby, bettor } = await startPair(t);
    const bet = await betOf(a, bettor, 'k1');
    const ofNats = ['--nats', nats.url];
    const promoteAnyway = ['promote', 'b', '--accept-loss', ...ofNats];
    assert.match(await toteErrors(promoteAnyway, 2), /a leads, so nothing is lost/);
    assert.match((await tote(['promote', 'a', ...ofNats])).stderr, /a leads already/);
    // The questions alone must not end it.
    assert.equal(await betOf(a, bettor, 'k1'), bet);
    assert.equal((await place(a, bettor, 'k2')).status, 201);
    standby.run.signal('SIGSTOP');
    await a.kill();
    const log = await openLog(nats);
    t.after(() => log.close());
    const lease = must(await log.readLease(), 'a lease');
    // As if the log had had 50 commands more, which it has lost with the machine.
    await log.writeLease({ ...lease, lastSeq: lease.lastSeq + 50 }, lease.revision);
    standby.run.signal('SIGCONT');
    const { reason } = await event(standby.run, 'replication_away');
    const sentence = /start a, which has them\. If its disk is lost, npx tote promote b --accept-loss/;
    assert.match(String(reason), sentence);
    for (const node of ['a', 'b']) assert.equal((await tote(['promote', node, ...ofNats])).code, 3);
    const nobody = await toteErrors(['promote', 'c', '--accept-loss', ...ofNats], 3);
    assert.match(nobody, /no standby with the name c follows/);
    assert.match(await toteText(promoteAnyway), /^leader +b\nepoch +2\n.*\ntold to seq +\d+$/m);
    assert.equal(await betOf(await standby.leading, bettor, 'k1'), bet);
  },
);
