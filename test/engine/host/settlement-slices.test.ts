/** The number of bets that a settlement command credits: more while it is fast, fewer after a slow one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openedHost, pushHost } from '../../support/host/feed-hosts.js';
import { codeOf, TestClock, type TestHost } from '../../support/host/host.js';

const BETS = 1_200;

/** Each reading advances it by the duration of a slice. */
class CostlyClock extends TestClock {
  lookMs = 0;
  override monotonicMs(): number {
    this.monoMs += this.lookMs;
    return this.monoMs;
  }
}

/** The round of a minute has ended with `BETS` bets, and the first slice of its settlement is done. */
function settlingHost(lookMs: number): TestHost {
  const clock = new CostlyClock();
  const { host, feed } = openedHost({}, clock);
  for (let i = 0; i < BETS; i++) assert.equal(codeOf(host.order()), 'accepted');
  host.run(59_850);
  feed.offer(0, 101, clock.wallMs);
  host.run(50);
  clock.pass(51);
  feed.offer(0, 102, clock.wallMs);
  clock.lookMs = lookMs;
  host.lifecycle.pump();
  return host;
}

function slicesOf(host: TestHost): number[] {
  while (host.engine.settlementsWaiting) host.endTurn();
  host.settle();
  return host.journal.commands().flatMap((command) => (command.kind === 'settle' ? [command.betsMax] : []));
}

test('fast slices grow to the maximum', () => {
  assert.deepEqual(slicesOf(settlingHost(0)), [50, 100, 200, 400, 500]);
});

test('slow slices stay at the minimum', () => {
  const slices = slicesOf(settlingHost(5));
  assert.deepEqual(new Set(slices), new Set([50]));
  assert.equal(slices.length, BETS / 50);
});

test('a slow slice is followed by smaller ones', () => {
  const host = settlingHost(0);
  host.endTurn();
  host.endTurn();
  (host.clock as CostlyClock).lookMs = 5;
  assert.deepEqual(slicesOf(host).slice(0, 6), [50, 100, 200, 400, 200, 100]);
});

test('slices that are not full never grow, however fast they are', () => {
  const { host, feed, clock } = pushHost();
  for (let minute = 0; minute < 4; minute++) {
    feed.offer(0, 100 + minute, clock.wallMs);
    host.run(3_000);
    assert.equal(codeOf(host.order()), 'accepted');
    host.run(57_000);
  }
  feed.offer(0, 200, clock.wallMs);
  host.run(3_000);
  assert.deepEqual(slicesOf(host), [50, 50, 50, 50]);
});
