/**
 * The sequencer: group commit, the order of acknowledgements, the bounded backlog, and what happens when the
 * journal or the engine fails. The disk is in the test's hand; the engine is the real one.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssertionError } from '../../engine/assert.js';
import { Engine } from '../../engine/engine.js';
import type { EngineEvent, Outcome } from '../../engine/events.js';
import { codeOf, NOON_MS, TestClock, TestHost } from '../support/host.js';

/** First and last number of the batch that is being written, or null. */
const writing = ({ journal: { inFlight } }: TestHost): [number, number] | null =>
  inFlight === null ? null : [inFlight.firstSeq, inFlight.lastSeq];

/** A host with a live round of market 0, and a fresh price. */
function liveHost(options: ConstructorParameters<typeof TestHost>[1] = {}): TestHost {
  const host = new TestHost(new TestClock(), options);
  host.lifecycle.start();
  const taken = host.tracker.offer(
    { asset: 0, price: 95_000, timeMs: NOON_MS, source: 'test', origin: '' },
    NOON_MS,
  );
  assert.equal(taken.taken, true);
  host.lifecycle.pump();
  host.settle();
  assert.equal(codeOf(host.order()), 'accepted');
  host.settle();
  return host;
}

test('commands of one turn are one batch; what comes during its commit is the next', () => {
  const host = new TestHost(new TestClock());
  const first = host.deposit();
  host.deposit();
  assert.equal(writing(host), null, 'nothing is written before the turn ends');
  host.endTurn();
  assert.deepEqual(writing(host), [first, first + 1]);
  host.deposit();
  host.deposit();
  host.deposit();
  host.endTurn();
  assert.deepEqual(writing(host), [first, first + 1], 'one commit at a time');
  host.journal.ack();
  assert.deepEqual(writing(host), [first + 2, first + 4]);
  host.journal.ack();
  assert.equal(host.sequencer.durableSeq, first + 4);
  assert.equal(host.journal.recover().rollingDigest(), host.engine.rollingDigest());
});

test('a full batch is closed and the next one begins; each row has its own digest', () => {
  const host = new TestHost(new TestClock(), { batchCommandsMax: 2 });
  const before = host.journal.durable.length;
  for (let i = 0; i < 5; i++) host.deposit();
  host.settle();
  const sizes = host.journal.durable.slice(before).map((batch) => batch.lastSeq - batch.firstSeq + 1);
  assert.deepEqual(sizes, [2, 2, 1]);
  host.journal.recover();
});

test('the next batch is handed over, then readers hear, then waiters are released, in order', () => {
  const host = new TestHost(new TestClock());
  const log: string[] = [];
  host.sequencer.onEvents((seq, events) => log.push(`read ${seq} ${events.length}`));
  const first = host.deposit();
  host.sequencer.whenDurable(first, () =>
    log.push(`first, next in flight: ${host.journal.inFlight !== null}`),
  );
  const second = host.deposit();
  host.endTurn();
  const third = host.deposit();
  host.sequencer.whenDurable(third, () => log.push('third'));
  host.sequencer.whenDurable(second, () => log.push('second'));
  assert.equal(log.length, 0, 'nothing before the disk says so');
  host.journal.ack();
  assert.deepEqual(log, [`read ${first} 1`, `read ${second} 1`, 'first, next in flight: true', 'second']);
  host.journal.ack();
  assert.deepEqual(log.slice(4), [`read ${third} 1`, 'third']);
  host.sequencer.whenDurable(third, () => log.push('at once'));
  assert.equal(log.at(-1), 'at once');
});

test('waiters whose answers take long are released over several turns, in order, and before the end', async () => {
  const clock = new TestClock();
  const host = new TestHost(clock);
  const released: number[] = [];
  const seq = host.deposit();
  for (let waiter = 0; waiter < 40; waiter++) {
    host.sequencer.whenDurable(seq, () => {
      released.push(waiter);
      clock.pass(0.5);
    });
  }
  host.endTurn();
  host.journal.ack();
  assert.equal(released.length, 8);
  const later = host.deposit();
  host.sequencer.whenDurable(later, () => released.push(40));
  let isDrained = false;
  const drained = host.sequencer.drain().then(() => {
    isDrained = true;
  });
  host.endTurn();
  assert.equal(released.length, 16);
  host.journal.ack();
  assert.equal(host.sequencer.durableSeq, later);
  assert.equal(released.length, 24, 'those who came first are released first');
  await Promise.resolve();
  assert.equal(isDrained, false);
  host.settle();
  assert.deepEqual(released, [...Array(41).keys()]);
  await drained;
});

test('a waiter may submit again; what it submits joins a later batch', () => {
  const host = new TestHost(new TestClock());
  const seqs: number[] = [host.deposit()];
  host.sequencer.whenDurable(seqs[0] ?? 0, () => seqs.push(host.deposit()));
  host.endTurn();
  host.journal.ack();
  assert.equal(seqs.length, 2);
  assert.equal(host.sequencer.durableSeq, seqs[0]);
  host.settle();
  assert.equal(host.sequencer.durableSeq, seqs[1]);
});

test('waiting for a command that does not exist is a programming error', () => {
  const host = new TestHost(new TestClock());
  assert.throws(() => host.sequencer.whenDurable(host.engine.seq + 1, () => undefined), AssertionError);
});

test('rejections and replays write nothing', () => {
  const host = liveHost();
  const { seq } = host.engine;
  assert.equal(codeOf(host.order(0, 77)), 'accepted');
  assert.equal(codeOf(host.order(0, 77)), 'replayed');
  assert.equal(codeOf(host.order(-1)), 'market_not_found');
  assert.equal(host.engine.seq, seq + 1);
  host.settle();
  assert.equal(host.sequencer.durableSeq, seq + 1);
  assert.equal(host.journal.commands().filter(({ kind }) => kind === 'placeOrder').length, 2);
});

test('readers get every durable command once and in order, whatever the batches', () => {
  const host = new TestHost(new TestClock(), { batchCommandsMax: 3 });
  const from = host.engine.seq;
  const seen: number[] = [];
  const readers: EngineEvent[] = [];
  host.sequencer.onEvents((seq, events) => {
    seen.push(seq);
    readers.push(...events);
  });
  for (let i = 0; i < 20; i++) {
    host.deposit();
    if (i % 4 === 0) host.endTurn();
    if (i % 7 === 0) host.journal.ack();
  }
  host.settle();
  assert.deepEqual(
    seen,
    Array.from({ length: 20 }, (_, i) => from + 1 + i),
  );
  assert.ok(readers.every(({ type }) => type === 'balanceMoved'));
});

test('what is due by the time of a command is carried out before it', () => {
  const host = liveHost();
  host.clock.pass(55_000);
  assert.equal(codeOf(host.order()), 'round_not_live');
  host.settle();
  assert.equal(host.journal.commands().at(-1)?.kind, 'advance');
});

test('a failed commit acknowledges nothing, neither then nor later', () => {
  const host = new TestHost(new TestClock());
  const released: string[] = [];
  const seq = host.deposit();
  host.sequencer.whenDurable(seq, () => released.push('first'));
  host.endTurn();
  host.sequencer.whenDurable(host.deposit(), () => released.push('second'));
  host.journal.fail(new Error('EIO'));
  assert.deepEqual(
    host.fatal.map(({ message }) => message),
    ['EIO'],
  );
  assert.equal(codeOf(host.order()), 'shutting_down');
  assert.equal(host.sequencer.stopped, true);
  host.journal.ack();
  host.sequencer.whenDurable(seq, () => released.push('later'));
  host.journal.fail(new Error('again'));
  host.clock.pass(60_000);
  host.sequencer.heartbeat();
  host.endTurn();
  assert.deepEqual(released, []);
  assert.equal(host.sequencer.durableSeq, seq - 1);
  assert.equal(host.fatal.length, 1, 'fatal once');
  assert.equal(host.journal.inFlight, null, 'nothing more is written');
});

test('a commit that hangs for more than 30 s is fatal; a stopped process is no hang', () => {
  const host = new TestHost(new TestClock());
  host.sequencer.heartbeat();
  host.deposit();
  host.endTurn();
  host.clock.pass(600_000);
  host.sequencer.heartbeat();
  assert.equal(host.fatal.length, 0, 'ten minutes without a heartbeat count as one second');
  for (let s = 0; s < 29; s++) {
    host.clock.pass(1_000);
    host.sequencer.heartbeat();
  }
  assert.equal(host.fatal.length, 0);
  host.clock.pass(1);
  host.sequencer.heartbeat();
  assert.match(host.fatal[0]?.message ?? '', /not answered for 30 s/);
});

test('the time of a commit begins when it is handed over', () => {
  const host = new TestHost(new TestClock());
  host.deposit();
  host.endTurn();
  for (let s = 0; s < 40; s++) {
    host.clock.pass(1_000);
    host.sequencer.heartbeat();
    if (s === 20) {
      host.deposit();
      host.journal.ack();
    }
  }
  assert.equal(host.fatal.length, 0);
});

test('beyond the backlog orders are refused; duplicates and operators are still answered', () => {
  const host = liveHost({ backlogCommandsMax: 3 });
  assert.equal(codeOf(host.order(0, 900)), 'accepted');
  host.deposit();
  assert.equal(codeOf(host.order()), 'accepted');
  assert.equal(host.sequencer.gate, 'journal_backlog');
  assert.equal(codeOf(host.order()), 'journal_backlog');
  assert.equal(codeOf(host.order(0, 900)), 'replayed');
  assert.ok(host.deposit() > 0);
  host.settle();
  assert.equal(host.sequencer.gate, null);
  assert.equal(codeOf(host.order()), 'accepted');
});

test('a command older than 1 s that is not durable refuses orders until the disk has caught up', () => {
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

test('an engine exception: earlier commands are committed and released, then the process ends', () => {
  const host = new TestHost(new TestClock());
  const released: number[] = [];
  const before = host.deposit();
  host.sequencer.whenDurable(before, () => released.push(before));
  host.endTurn();
  const waiting = host.deposit();
  host.sequencer.whenDurable(waiting, () => released.push(waiting));
  const outcome = host.sequencer.submit({ kind: 'settle', timeMs: NOON_MS - 1, betsMax: 1 });
  assert.equal(codeOf(outcome), 'shutting_down');
  assert.equal(host.deposit(), -1, 'no command is taken any more');
  host.sequencer.whenDurable(waiting, () => released.push(-1));
  assert.equal(host.fatal.length, 0, 'not before the earlier ones are durable');
  host.settle();
  assert.deepEqual(released, [before, waiting]);
  assert.ok(host.fatal[0] instanceof AssertionError);
  assert.equal(host.journal.recover().seq, waiting);
});

/** The real engine, but for a fault after the next command has taken effect. */
class LateFault extends Engine {
  isArmed = false;
  override apply(...args: Parameters<Engine['apply']>): Outcome {
    const outcome = super.apply(...args);
    if (this.isArmed) throw new Error('too late');
    return outcome;
  }
}

test('an exception so late that the command counts: the open batch is lost, and acknowledged to nobody', () => {
  const engine = new LateFault();
  const host = new TestHost(new TestClock(), {}, engine);
  const released: number[] = [];
  const committed = host.deposit();
  host.sequencer.whenDurable(committed, () => released.push(committed));
  host.endTurn();
  host.sequencer.whenDurable(host.deposit(), () => released.push(-1));
  engine.isArmed = true;
  host.deposit();
  host.settle();
  assert.deepEqual(released, [committed]);
  assert.equal(host.fatal[0]?.message, 'too late');
  assert.equal(host.journal.recover().seq, committed);
});

test('an engine exception with nothing open ends the process at once', () => {
  const host = new TestHost(new TestClock());
  host.sequencer.submit({ kind: 'settle', timeMs: NOON_MS - 1, betsMax: 1 });
  assert.ok(host.fatal[0] instanceof AssertionError);
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
  assert.equal(host.sequencer.clockCondition, 'behind');
  const drained = host.sequencer.drain();
  assert.equal(host.sequencer.gate, 'shutting_down');
  host.settle();
  await drained;
});

test('time never goes backwards, and stands still while the clock is not sound', () => {
  const host = liveHost();
  const start = host.sequencer.stampMs();
  host.clock.wallMs -= 900;
  assert.equal(host.sequencer.stampMs(), start, 'a small step back');
  assert.equal(codeOf(host.order()), 'accepted');
  host.clock.wallMs += 3_600_000;
  assert.equal(host.sequencer.stampMs(), start, 'an hour ahead at once');
  assert.equal(codeOf(host.order()), 'clock_unsynchronised');
  host.run(9_900);
  assert.equal(
    host.engine.currentRound(0)?.roundNumber,
    Math.floor(NOON_MS / 60_000),
    'no round ended early',
  );
  host.clock.wallMs -= 3_600_000 - 900;
  host.run(10_200);
  assert.equal(host.sequencer.clockCondition, 'sound');
  assert.equal(host.sequencer.stampMs(), host.clock.wallMs);
});

test('an hour ahead that stays is taken after ten seconds', () => {
  const host = liveHost();
  host.clock.wallMs += 3_600_000;
  host.run(10_200);
  assert.equal(host.sequencer.gate, null);
  assert.equal(host.sequencer.stampMs(), host.clock.wallMs);
});

test('drain commits what is open, then takes nothing more', async () => {
  const host = liveHost();
  const seq = host.deposit();
  let isDrained = false;
  const drained = host.sequencer.drain().then(() => {
    isDrained = true;
  });
  assert.equal(codeOf(host.order()), 'shutting_down');
  assert.ok(host.deposit() > 0, 'an operator who is being answered still is');
  await Promise.resolve();
  assert.equal(isDrained, false);
  host.settle();
  await drained;
  assert.equal(host.sequencer.durableSeq, seq + 1);
  assert.equal(host.deposit(), -1);
  assert.equal(host.journal.recover().seq, seq + 1);
  assert.equal(host.fatal.length, 0);
});

test('a drain with nothing open ends at once; one whose journal fails is an error', async () => {
  await liveHost().sequencer.drain();
  const host = new TestHost(new TestClock());
  host.deposit();
  const drained = host.sequencer.drain();
  host.endTurn();
  host.journal.fail(new Error('ENOSPC'));
  await assert.rejects(drained, /ENOSPC/);
});

test('a recovered engine goes on where it was, and time with it', () => {
  const host = liveHost();
  host.deposit();
  host.settle();
  const engine = host.journal.recover();
  const clock = new TestClock();
  clock.wallMs = engine.timeMs - 30_000;
  const again = new TestHost(clock, {}, engine);
  assert.equal(again.sequencer.durableSeq, engine.seq);
  assert.equal(again.sequencer.backlogCommands, 0);
  assert.equal(again.sequencer.stampMs(), engine.timeMs);
  assert.equal(codeOf(again.order(0, 4241)), 'clock_unsynchronised');
  clock.pass(30_000);
  assert.equal(again.sequencer.stampMs(), engine.timeMs);
  assert.equal(codeOf(again.order(0, 4242)), 'accepted');
  again.settle();
  assert.equal(again.journal.durable[0]?.firstSeq, host.engine.seq + 1);
});
