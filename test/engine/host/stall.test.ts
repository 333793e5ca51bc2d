/**
 * After a stall (SIGSTOP, a paused machine) a process reads the ticks that its feed has sent before it closes
 * boundaries by their grace, whether its timer or its sockets come first.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STALL_MS } from '../../../engine/host/lifecycle.js';
import { RESULT_UP, SETTLED, SETTLING } from '../../../engine/model/domain.js';
import { BTC_MINUTE, MINUTE_MS, pushHost } from '../../support/host/feed-hosts.js';
import { NOON_MS } from '../../support/host/host.js';

const ROUND = NOON_MS / MINUTE_MS;
const END_MS = NOON_MS + MINUTE_MS;

/** The first minute's round is open, with a tick each second until 2 s before its end; then the process stalls. */
function stoodStill(forMs: number) {
  const made = pushHost({ stallMs: STALL_MS });
  const { host, feed, clock } = made;
  feed.offer(0, 100, NOON_MS);
  for (let second = 1; second <= 58; second++) {
    host.run(1_000);
    feed.offer(0, 100, clock.wallMs);
  }
  clock.pass(forMs);
  return { ...made, round: () => host.engine.round(BTC_MINUTE, ROUND) };
}

for (const first of ['timer', 'socket'] as const) {
  test(`a tick that waited in a socket closes the round, with the ${first} first`, () => {
    const { host, feed, clock, round } = stoodStill(10_000);
    if (first === 'timer') host.lifecycle.pump();
    assert.equal(feed.offer(0, 123, END_MS - 500).taken, true);
    host.lifecycle.pump();
    assert.equal(round()?.status, SETTLING, 'more may come');
    assert.equal(feed.offer(0, 125, clock.wallMs).taken, true);
    host.run(50);
    const { status, closePrice, result } = round() ?? {};
    assert.deepEqual([status, closePrice, result], [SETTLED, 123, RESULT_UP]);
  });
}

test('without a tick the grace ends 2 s after the stall', () => {
  const { host, round } = stoodStill(8_000);
  host.lifecycle.pump();
  host.run(1_950);
  assert.equal(round()?.status, SETTLING);
  host.run(50);
  assert.deepEqual([round()?.status, round()?.closePrice], [SETTLED, 100], 'the last tick was 2 s old');
});

test('a server that stalls all the time still ends its rounds', () => {
  const { host, round, clock } = stoodStill(20_000);
  const standsMs = STALL_MS + 500;
  for (let passedMs = 0; passedMs < 10_000; passedMs += standsMs) {
    host.lifecycle.pump();
    host.settle();
    clock.pass(standsMs);
  }
  assert.deepEqual([round()?.status, round()?.closePrice], [SETTLED, 100]);
});

test('a server without stalls closes boundaries after 2 s, as always', () => {
  const { host, round } = stoodStill(0);
  host.run(3_950);
  assert.equal(round()?.status, SETTLING);
  host.run(50);
  assert.equal(round()?.status, SETTLED);
});
