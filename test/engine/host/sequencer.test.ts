/**
 * The sequencer: group commit, the order of acknowledgements, a drain, and continuing after a recovery. The test
 * controls the disk; the engine is real.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssertionError } from '../../../engine/base/assert.js';
import type { EngineEvent } from '../../../engine/model/events.js';
import { codeOf, liveHost, TestClock, TestHost } from '../../support/host/host.js';

/** First and last number; null if no batch is being written. */
const writing = ({ journal: { inFlight } }: TestHost): [number, number] | null =>
  inFlight === null ? null : [inFlight.firstSeq, inFlight.lastSeq];

test('commands of one turn are one batch; those that arrive during its commit are the next', () => {
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

test('after a commit the next batch is sent first, then listeners are called, then waiting answers are released, in order', () => {
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

test('slow answers are released over several turns, in order, and all before a drain ends', async () => {
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
  const told: string[] = [];
  const drained = host.sequencer.drain().then(() => told.push('drained'));
  host.endTurn();
  assert.equal(released.length, 16);
  host.journal.ack();
  assert.equal(host.sequencer.durableSeq, later);
  assert.equal(released.length, 24, 'those who came first are released first');
  await Promise.resolve();
  assert.deepEqual(told, []);
  host.settle();
  assert.deepEqual(released, [...Array(41).keys()]);
  await drained;
});

test('waiting for a command that does not exist is a programming error', () => {
  const host = new TestHost(new TestClock());
  assert.throws(() => host.sequencer.whenDurable(host.engine.seq + 1, () => undefined), AssertionError);
});

test('rejections and replays write nothing', () => {
  const host = liveHost();
  const { seq } = host.engine;
  assert.deepEqual([codeOf(host.order(0, 77)), codeOf(host.order(0, 77))], ['accepted', 'replayed']);
  assert.deepEqual([codeOf(host.order(-1)), host.engine.seq], ['market_not_found', seq + 1]);
  host.settle();
  assert.equal(host.sequencer.durableSeq, seq + 1);
  assert.equal(host.journal.commands().filter(({ kind }) => kind === 'placeOrder').length, 2);
});

test('listeners get every durable command once and in order, whatever the batches', () => {
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
  const expected = Array.from({ length: 20 }, (_, i) => from + 1 + i);
  assert.deepEqual(seen, expected);
  assert.ok(readers.every(({ type }) => type === 'balanceMoved'));
});

test('due steps are taken before a command', () => {
  const host = liveHost();
  host.clock.pass(55_000);
  assert.equal(codeOf(host.order()), 'round_not_live');
  host.settle();
  assert.equal(host.journal.commands().at(-1)?.kind, 'advance');
});

test('drain commits the open batch, then accepts nothing', async () => {
  const host = liveHost();
  const seq = host.deposit();
  const told: string[] = [];
  const drained = host.sequencer.drain().then(() => told.push('drained'));
  assert.equal(codeOf(host.order()), 'shutting_down');
  assert.ok(host.deposit() > 0, 'an operator who is being answered still is');
  await Promise.resolve();
  assert.deepEqual(told, []);
  host.settle();
  await drained;
  assert.deepEqual([host.sequencer.durableSeq, host.deposit()], [seq + 1, -1]);
  assert.deepEqual([host.journal.recover().seq, host.fatal.length], [seq + 1, 0]);
  await new TestHost(new TestClock()).sequencer.drain();
});

test('a recovered engine continues where it was, and so does its time', () => {
  const host = liveHost();
  host.deposit();
  host.settle();
  const engine = host.journal.recover();
  const clock = new TestClock();
  clock.wallMs = engine.timeMs - 30_000;
  const again = new TestHost(clock, {}, engine);
  assert.deepEqual([again.sequencer.durableSeq, again.sequencer.backlogCommands], [engine.seq, 0]);
  assert.equal(again.sequencer.stampMs(), engine.timeMs);
  assert.equal(codeOf(again.order(0, 4241)), 'clock_unsynchronised');
  clock.pass(30_000);
  assert.deepEqual([again.sequencer.stampMs(), codeOf(again.order(0, 4242))], [engine.timeMs, 'accepted']);
  again.settle();
  assert.equal(again.journal.durable[0]?.firstSeq, host.engine.seq + 1);
});
