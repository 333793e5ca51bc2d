/** A standby by hand: its status, planned changes of the leader, and a directory made from a backup. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from '@nats-io/transport-node';
import type { OrderTrace } from '../../engine/model/operators.js';
import { askUntil } from '../support/ask-until.js';
import { Client } from '../support/http/client.js';
import { tote, toteErrors, toteJson, toteText } from '../support/processes/cli.js';
import { newDataDir } from '../support/processes/server.js';
import { hangingDisk, isAvailable } from '../support/programs.js';
import { NO_NATS } from '../support/replication/nats.js';
import {
  batchesOf,
  event,
  type Pair,
  place,
  startMachine,
  startPair,
  TOKEN,
} from '../support/replication/replicated.js';

const options = { skip: NO_NATS };

test('a standby by hand', options, async (t) => {
  const pair = await startPair(t);
  await t.test('it says that it is one, and whom it follows', () => tellsOfItself(pair));
  await t.test('the trace of an order says when the log had it', () => tracesOrder(pair));
  await t.test('promote and demote make no stream, and say which is missing', () => makesNoStream(pair));
  await t.test('promote and demote change the leader without a lapse', () => changesLeader(pair));
});

async function tracesOrder({ leader, bettor }: Pair): Promise<void> {
  const { data } = await place(leader, bettor, 'first');
  // The trace is written just after the answer.
  const trace = () => leader.operator.get<OrderTrace>('/orders/trace?id=first');
  const { stages } = (await askUntil(trace, ({ status }) => status === 200)).data;
  assert.equal(stages.map(({ stage }) => stage).join(), 'gateway,engine,commit,replicated,answered');
  assert.ok(stages.every(({ tookMs }) => tookMs >= 0));
  process.env['TOTE_OPERATOR_TOKEN'] = TOKEN;
  const asked = await tote(['trace', data.bet.id, leader.dataDir, '--server', leader.operatorUrl]);
  delete process.env['TOTE_OPERATOR_TOKEN'];
  assert.match(asked.stdout, /^replicated +\d/m, asked.stderr);
}

async function tellsOfItself({ b }: Pair): Promise<void> {
  const { operatorUrl } = (await event(b.run, 'standby_listening')) as { operatorUrl: string };
  const anyone = new Client(operatorUrl, {});
  b.run.signal('SIGHUP');
  assert.equal((await anyone.get('/healthz')).status, 200);
  const ready = await anyone.get('/readyz');
  assert.deepEqual([ready.status, ready.error], [503, 'standby']);
  const operator = new Client(`${operatorUrl}/operator/v1`, { Authorization: `Bearer ${TOKEN}` });
  assert.match((await operator.post('/accounts', {})).error, /^standby: this server follows a: ask there$/);
  assert.equal((await new Client(`${operatorUrl}/operator/v1`, {}).get('/status')).status, 401);
  const guesser = new Client(operatorUrl, { Authorization: 'Bearer guessed' });
  assert.equal((await guesser.get('/operator/v1/status')).status, 401);
  assert.equal((await guesser.get('/metrics')).status, 401);
  assert.deepEqual((await event(b.run, 'operator_tokens_refused'))['addresses'], ['127.0.0.1']);
  const page = await fetch(`${operatorUrl}/metrics`, { headers: { Authorization: `Bearer ${TOKEN}` } });
  assert.match(await page.text(), /^tote_operator_tokens_refused_total\{reason="wrong"\} 2$/m);
  const { role, node, leader, lease, epoch } = await askUntil(
    async () => (await operator.get<Record<string, unknown>>('/status')).data,
    (data) => data['messagesBehind'] === 0 && data['leader'] !== null,
  );
  assert.deepEqual([role, node, leader, lease, epoch], ['standby', 'b', 'a', 'held', 1]);
}

async function makesNoStream({ nats }: Pair): Promise<void> {
  const before = await nats.streamNames();
  for (const command of [['promote', 'b'], ['demote']]) {
    const mistyped = await toteErrors([...command, '--nats', nats.url, '--stream', 'toto'], 2);
    assert.match(mistyped, /--stream: the NATS servers have no exchange's stream with the name toto/);
    const impossible = await toteErrors([...command, '--nats', nats.url, '--stream', 'to.to'], 2);
    assert.match(impossible, /--stream: expected letters, digits/);
    const vain = await toteErrors([...command, '--nats', nats.url, '--ca', 'ca.pem'], 2);
    assert.match(vain, /--ca: is of use only with tls:/);
  }
  assert.deepEqual(await nats.streamNames(), before);
}

async function changesLeader({ nats, leader, b, bettor }: Pair): Promise<void> {
  assert.match(leader.run.stdout, /^ {2}replication +a leads \(an answer is given once NATS has it, too\)$/m);
  const connection = await connect({ servers: nats.servers });
  for (const noReport of ['null', 'no JSON']) connection.publish('tote.standbys', noReport);
  await connection.flush();
  assert.equal((await place(leader, bettor, 'first')).status, 201);
  const mistyped = await tote(['promote', 'B', '--nats', nats.url]);
  assert.match(mistyped.stderr, /no standby with the name B follows; a goes on/);
  assert.deepEqual([mistyped.code, (await tote(['promote', '', '--nats', nats.url])).code], [3, 2]);
  const promoted = await toteJson<{ tookMs: number }>(['promote', 'b', '--nats', nats.url]);
  const { tookMs, ...change } = promoted;
  assert.deepEqual(change, { from: 'a', leader: 'b', epoch: 2 });
  assert.ok(tookMs > 0);
  assert.equal((await leader.run.ended).code, 0);
  assert.equal((await place(await b.leading, bettor, 'first')).data.bet.id, 'bet_1');
  assert.equal((await tote(['promote', 'b', '--nats', nats.url])).code, 2);
  const other = startMachine({ nats, node: 'a', dataDir: leader.dataDir });
  await event(other.run, 'following');
  const demoted = await tote(['demote', '--nats', nats.url]);
  assert.match(demoted.stdout, /^from +b\nleader +a\nepoch +3\ntook +\d+ ms\n$/);
  assert.equal((await event(b.run, 'handover_requested'))['to'], null);
  const last = await other.leading;
  assert.match(await toteErrors(['demote', '--nats', nats.url], 3), /no standby follows; a goes on/);
  assert.equal((await last.stop()).code, 0);
  // As by a leader that was paused, and wakes up between two questions.
  connection.subscribe('tote.hand-over', { callback: (_, message) => void message.respond('a') });
  assert.match((await tote(['promote', 'b', '--nats', nats.url])).stderr, /no leader answers/);
  await connection.close();
}

test('a standby whose disk hangs does not lead, and promote fails with the name of who does', {
  skip: NO_NATS || !isAvailable('strace'),
}, async (t) => {
  const { nats, leader, b, bettor } = await startPair(t);
  using _disk = await hangingDisk(b.run.pid);
  assert.equal((await place(leader, bettor, 'first')).status, 201);
  const promoted = toteErrors(['promote', 'b', '--nats', nats.url], 3);
  await leader.run.ended;
  const again = startMachine({ nats, node: 'a', dataDir: leader.dataDir });
  t.after(() => again.run.signal('SIGKILL'));
  assert.match(await promoted, /a leads now, and not b/);
});

test('a standby that was made from a backup goes on where the backup ended', options, async (t) => {
  const { nats, leader, b, bettor } = await startPair(t);
  b.run.signal('SIGTERM');
  await b.run.ended;
  assert.equal((await place(leader, bettor, 'first')).status, 201);
  const dataDir = join(newDataDir(), 'made');
  await toteText(['backup', dataDir, leader.dataDir]);
  assert.equal((await place(leader, bettor, 'second')).status, 201);
  const other = startMachine({ nats, node: 'c', dataDir, env: { TOTE_FEED: 'simulated' } });
  assert.equal((await other.run.ended).code, 1, other.run.stderr);
  assert.match(other.run.stderr, /TOTE_FEED: this data directory runs with/);
  const c = startMachine({ nats, node: 'c', dataDir });
  await event(c.run, 'following');
  assert.equal((await leader.stop()).code, 0);
  const successor = await c.leading;
  assert.equal((await place(successor, bettor, 'first')).data.bet.id, 'bet_1');
  assert.equal((await place(successor, bettor, 'second')).data.bet.id, 'bet_2');
  assert.equal((await successor.stop()).code, 0);
  const behind = batchesOf(leader.dataDir);
  assert.deepEqual(batchesOf(dataDir).slice(0, behind.length), behind);
});
