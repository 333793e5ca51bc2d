/** A start whose clock is far ahead of the journal, with open stakes: nothing moves until the clock is believed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClockGuard, GAP_MS_MAX } from '../../../engine/host/clock-guard.js';
import { LIVE, RESULT_UP, RESULT_VOID } from '../../../engine/model/domain.js';
import type { PriceTick } from '../../../engine/model/ports.js';
import { PushFeed } from '../../../feeds/push-feed.js';
import { unconfirmedMs } from '../../../http/operator/queries/commands.js';
import { BTC_MINUTE, MINUTE_MS, openedHost, simulatedHost } from '../../support/host/feed-hosts.js';
import { codeOf, NOON_MS, TestClock, TestHost } from '../../support/host/host.js';

const guarded = (): ClockGuard => new ClockGuard(() => true);
const commandsOf = (host: TestHost): number => host.journal.commands().length;

/** A bet on UP in a round of a minute, journaled last at noon; then a start `gapMs` later. */
function restarted(gapMs: number) {
  const before = openedHost();
  assert.equal(codeOf(before.host.order()), 'accepted');
  before.host.settle();
  const engine = before.host.journal.recover();
  const clock = new TestClock();
  clock.wallMs = engine.timeMs + gapMs;
  const feed = new PushFeed();
  const host = new TestHost(clock, { feed, clockGuard: guarded() }, engine);
  let begun = 0;
  host.lifecycle.start(() => begun++);
  host.settle();
  const round = engine.round(BTC_MINUTE, Math.floor(NOON_MS / MINUTE_MS));
  return { host, clock, feed, round, begun: () => begun };
}

test('a gap of exactly 15 minutes is a downtime, and a longer one waits', () => {
  const usual = restarted(GAP_MS_MAX);
  assert.deepEqual([usual.host.sequencer.wallClock.condition, usual.begun()], ['sound', 1]);
  usual.host.run(2_100);
  assert.equal(usual.round?.result, RESULT_VOID);
  const long = restarted(GAP_MS_MAX + 1);
  assert.deepEqual([long.host.sequencer.wallClock.condition, long.begun()], ['unconfirmed', 0]);
});

test('while it waits time stands still: no command, no price is taken, no order', () => {
  const { host, clock, feed, round, begun } = restarted(86_400_000);
  host.run(60_000);
  assert.equal(feed.offer(0, 101, clock.wallMs).taken, false);
  assert.equal(codeOf(host.order(0, 4241)), 'clock_unsynchronised');
  assert.deepEqual([commandsOf(host), round?.status, begun()], [0, LIVE, 0]);
  assert.equal(host.sequencer.wallClock.offsetMs, 86_400_000 + 60_000);
});

test('once it is believed the start goes on as after any downtime, with prices of then', () => {
  const { host, clock, feed, round, begun } = restarted(3_600_000);
  host.run(60_000);
  host.sequencer.wallClock.believe();
  const timeMs = host.sequencer.stampMs();
  assert.equal(timeMs, clock.wallMs);
  assert.equal(host.sequencer.submit({ kind: 'moveClock', timeMs }).status, 'accepted');
  host.lifecycle.pump();
  host.settle();
  const [first, second] = host.journal.commands();
  assert.deepEqual([first?.kind, second?.kind], ['moveClock', 'advance'], 'the time is on record first');
  assert.deepEqual([begun(), feed.offer(0, 100.5, NOON_MS + MINUTE_MS - 1_000).taken], [1, true]);
  host.run(2_100);
  assert.deepEqual([round?.closePrice, round?.result], [100.5, RESULT_UP]);
  assert.equal(host.sequencer.gate, null);
});

test('a clock that is set right again needs nobody', () => {
  const { host, clock, begun } = restarted(86_400_000);
  host.run(5_000);
  clock.wallMs -= 86_400_000;
  host.run(200);
  assert.deepEqual([host.sequencer.wallClock.condition, begun()], ['sound', 1]);
});

test('a running server whose clock is set by a day waits, too; one whose process stood still does not', () => {
  const clock = new TestClock();
  let isAtStake = false;
  const host = simulatedHost(clock, { clockGuard: new ClockGuard(() => isAtStake) });
  host.run(100);
  isAtStake = true;
  clock.pass(GAP_MS_MAX + 60_000);
  host.run(100);
  assert.equal(host.sequencer.wallClock.condition, 'sound');
  const seq = host.engine.seq;
  clock.wallMs += 86_400_000;
  host.run(20_000);
  assert.deepEqual([unconfirmedMs(host.sequencer), host.engine.seq], [clock.wallMs, seq]);
  host.sequencer.wallClock.believe();
  host.run(100);
  assert.deepEqual([host.sequencer.wallClock.condition, host.sequencer.stampMs()], ['sound', clock.wallMs]);
});

test('feeds are polled while the clock waits, so that they show what time it is', () => {
  const { host } = restarted(0);
  let polls = 0;
  const feed = {
    name: 'counted',
    start: (_: (tick: PriceTick) => unknown) => undefined,
    poll: () => void polls++,
    nextDueMs: () => Number.POSITIVE_INFINITY,
    stop: () => undefined,
  };
  const clock = new TestClock();
  clock.wallMs += 86_400_000;
  const waiting = new TestHost(clock, { feed, clockGuard: guarded() }, host.engine);
  waiting.lifecycle.start();
  waiting.run(200);
  assert.ok(polls >= 4);
});
