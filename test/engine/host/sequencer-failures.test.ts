/**
 * The sequencer when journal or engine fail: nothing is acknowledged that is not durable, and the process ends once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssertionError, must } from '../../../engine/base/assert.js';
import { codeOf, NOON_MS, TestClock, TestHost } from '../../support/host/host.js';

function pass(host: TestHost, seconds: number): void {
  for (let beat = 0; beat < seconds * 4; beat++) {
    host.clock.pass(250);
    host.sequencer.heartbeat();
  }
}

test('a failed commit acknowledges nothing, then or later', () => {
  const host = new TestHost(new TestClock());
  const released: string[] = [];
  const seq = host.deposit();
  host.sequencer.whenDurable(seq, () => released.push('first'));
  host.endTurn();
  host.sequencer.whenDurable(host.deposit(), () => released.push('second'));
  host.journal.fail(new Error('EIO'));
  assert.deepEqual([host.fatal.length, host.fatal[0]?.message], [1, 'EIO']);
  assert.deepEqual([codeOf(host.order()), host.sequencer.stopped], ['shutting_down', true]);
  host.journal.ack();
  host.sequencer.whenDurable(seq, () => released.push('later'));
  host.journal.fail(new Error('again'));
  pass(host, 60);
  host.endTurn();
  assert.deepEqual(released, []);
  assert.equal(host.sequencer.durableSeq, seq - 1);
  assert.equal(host.fatal.length, 1, 'fatal once');
  assert.equal(host.journal.inFlight, null, 'nothing more is written');
});

test('with lost files nothing is acknowledged or accepted: who waits is refused, unless the files hold the command', () => {
  for (const isWritten of [false, true]) {
    const losses: number[] = [];
    const host = new TestHost(new TestClock(), { onJournalLost: ({ heldSeq }) => losses.push(heldSeq) });
    const told: string[] = [];
    const wait = (name: string, seq: number): void =>
      host.sequencer.whenDurable(
        seq,
        () => told.push(`${name} durable`),
        () => told.push(`${name} refused`),
      );
    const durable = host.sequencer.durableSeq;
    wait('in flight', host.deposit());
    host.endTurn();
    wait('open', host.deposit());
    host.journal.lose(isWritten);
    assert.deepEqual(told, isWritten ? ['open refused'] : ['in flight refused', 'open refused']);
    assert.deepEqual(losses, [isWritten ? durable + 1 : durable]);
    assert.deepEqual([codeOf(host.order()), host.deposit()], ['journal_unavailable', -1]);
    assert.equal(host.sequencer.gate, 'journal_unavailable');
    wait('before', durable);
    wait('after', host.engine.seq);
    assert.deepEqual(told.slice(-2), ['before durable', 'after refused']);
    host.endTurn();
    host.lifecycle.pump();
    pass(host, 60);
    const { fatal, journal } = host;
    assert.deepEqual([fatal, journal.inFlight], [[], null], 'the process stays up and writes nothing');
  }
});

test('files that are lost while the server stops end it as a failure', async () => {
  const host = new TestHost(new TestClock());
  host.deposit();
  host.endTurn();
  const drained = host.sequencer.drain();
  host.journal.lose();
  await assert.rejects(drained, /deleted/);
  assert.equal(host.fatal.length, 1);
});

test('a commit that hangs for more than 30 s is fatal, but a stopped process is not a hang', () => {
  const host = new TestHost(new TestClock());
  host.sequencer.heartbeat();
  host.deposit();
  host.endTurn();
  host.clock.pass(600_000);
  host.sequencer.heartbeat();
  assert.equal(host.fatal.length, 0, 'ten minutes without a heartbeat count as one second');
  pass(host, 29);
  assert.equal(host.fatal.length, 0);
  host.clock.pass(1);
  host.sequencer.heartbeat();
  assert.match(host.fatal[0]?.message ?? '', /disk .* not answered for 30 s/);
});

test('a replicated log that is away is waited for, and by a server that stops for 30 s', async () => {
  const host = new TestHost(new TestClock());
  host.deposit();
  host.endTurn();
  host.journal.awaitsLog = true;
  pass(host, 600);
  const drained = host.sequencer.drain();
  pass(host, 30);
  assert.equal(host.fatal.length, 0);
  pass(host, 1);
  await assert.rejects(drained, /NATS servers have taken nothing for 30 s/);
  assert.equal(host.fatal.length, 1);
});

test('after an engine exception earlier commands are committed and released, then the process ends', () => {
  // With a number the command is in the open batch, whose digest is then unknown: that is dropped.
  for (const hasNumber of [false, true]) {
    const host = new TestHost(new TestClock());
    const released: number[] = [];
    const before = host.deposit();
    host.sequencer.whenDurable(before, () => released.push(before));
    host.endTurn();
    const waiting = host.deposit();
    host.sequencer.whenDurable(waiting, () => released.push(waiting));
    host.sequencer.onEvents(Boolean, Boolean, Boolean, () => must(null, 'a reader'));
    const timeMs = hasNumber ? NOON_MS : NOON_MS - 1;
    const outcome = host.sequencer.submit({ kind: 'setTrading', timeMs, enabled: false, reason: '' });
    assert.equal(codeOf(outcome), 'shutting_down');
    assert.equal(host.deposit(), -1, 'no command is taken any more');
    host.sequencer.whenDurable(waiting, () => released.push(-1));
    assert.equal(host.fatal.length, 0, 'not before the earlier ones are durable');
    host.settle();
    assert.deepEqual(released, hasNumber ? [before] : [before, waiting]);
    assert.ok(host.fatal[0] instanceof AssertionError);
    assert.equal(host.journal.recover().seq, hasNumber ? before : waiting);
  }
});

test('an engine exception with nothing open ends the process at once', () => {
  const host = new TestHost(new TestClock());
  host.sequencer.submit({ kind: 'settle', timeMs: NOON_MS - 1, betsMax: 1 });
  assert.ok(host.fatal[0] instanceof AssertionError);
});
