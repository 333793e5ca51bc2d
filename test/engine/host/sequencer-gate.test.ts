/**
 * The sequencer's refusals of orders, and the commands that it still accepts: a bounded backlog, a full disk, an
 * unsound clock.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, liveHost, NOON_MS } from '../../support/host/host.js';

test('with a full backlog orders are refused, while duplicates and operators are still answered', () => {
  const host = liveHost({ backlogCommandsMax: 3 });
  assert.equal(codeOf(host.order(0, 900)), 'accepted');
  host.deposit();
  assert.deepEqual([codeOf(host.order()), host.sequencer.gate], ['accepted', 'journal_backlog']);
  assert.deepEqual([codeOf(host.order()), codeOf(host.order(0, 900))], ['journal_backlog', 'replayed']);
  assert.ok(host.deposit() > 0);
  host.settle();
  assert.deepEqual([host.sequencer.gate, codeOf(host.order())], [null, 'accepted']);
});

test('while a command is not durable for more than 1 s orders are refused', () => {
  const host = liveHost();
  host.deposit();
  host.endTurn();
  host.clock.pass(1_000);
  host.sequencer.heartbeat();
  assert.equal(host.sequencer.gate, null, 'exactly one second is not too old');
  host.deposit();
  host.clock.pass(1);
  host.sequencer.heartbeat();
  assert.equal(codeOf(host.order()), 'journal_backlog');
  host.clock.pass(800);
  host.journal.ack();
  assert.equal(codeOf(host.order()), 'accepted', 'the command that still waits is 801 ms old');
});

test('the disk reserve refuses orders only; the hard mark ends the process', () => {
  let diskFull = 0;
  const host = liveHost({ onDiskFull: () => diskFull++ });
  host.journal.space('soft');
  assert.equal(host.sequencer.gate, null);
  host.journal.space('reserve');
  assert.equal(codeOf(host.order()), 'disk_reserve');
  assert.ok(host.deposit() > 0);
  host.journal.space('ok');
  assert.equal(codeOf(host.order()), 'accepted');
  host.journal.space('hard');
  assert.equal(codeOf(host.order()), 'disk_reserve');
  assert.deepEqual([diskFull, host.fatal], [1, []]);
});

test('the gravest reason comes first', async () => {
  const host = liveHost({ backlogCommandsMax: 1 });
  host.deposit();
  assert.equal(host.sequencer.gate, 'journal_backlog');
  host.journal.space('reserve');
  assert.equal(host.sequencer.gate, 'disk_reserve');
  host.clock.wallMs -= 5_000;
  host.sequencer.heartbeat();
  assert.equal(host.sequencer.gate, 'clock_unsynchronised');
  const drained = host.sequencer.drain();
  assert.equal(host.sequencer.gate, 'shutting_down');
  host.settle();
  await drained;
});

test('time never goes backwards, and stands still while the clock is not sound', () => {
  const host = liveHost();
  const start = host.sequencer.stampMs();
  host.clock.wallMs -= 900;
  assert.deepEqual([host.sequencer.stampMs(), codeOf(host.order())], [start, 'accepted'], 'a small step');
  host.clock.wallMs += 3_600_000;
  assert.equal(host.sequencer.stampMs(), start, 'an hour ahead at once');
  assert.equal(codeOf(host.order()), 'clock_unsynchronised');
  host.run(9_900);
  const current = host.engine.currentRound(0)?.roundNumber;
  assert.equal(current, Math.floor(NOON_MS / 60_000), 'no round ended early');
  host.clock.wallMs -= 3_600_000 - 900;
  host.run(10_200);
  assert.equal(host.sequencer.stampMs(), host.clock.wallMs);
  void host.sequencer.drain();
  assert.equal(host.engine.timeMs, host.clock.wallMs, 'who goes on begins there');
});
