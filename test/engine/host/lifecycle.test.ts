/**
 * The lifecycle on the real engine with the real feeds: rounds over boundaries, gaps in prices, a house without
 * money, settlement in slices, and interference by an operator.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIVE, LOCKED, RESULT_VOID, SETTLED, SETTLING, UPCOMING } from '../../../engine/model/domain.js';
import {
  BTC_MINUTE,
  MINUTE_MS,
  ofKind,
  openedHost,
  pushHost,
  statusOf,
} from '../../support/host/feed-hosts.js';
import { codeOf, NOON_MS } from '../../support/host/host.js';

test('a round opens late with the first price, locks, ends, and its price opens the next', () => {
  const { host, feed, clock } = pushHost();
  assert.deepEqual([statusOf(host), feed.offer(0, 100, NOON_MS).taken], [undefined, true]);
  host.run(50);
  const first = host.engine.currentRound(BTC_MINUTE);
  assert.deepEqual([first?.status, first?.openPrice, first?.startTimeMs], [LIVE, 100, NOON_MS + 50]);
  assert.equal(codeOf(host.order()), 'accepted');
  host.run(54_950);
  assert.equal(statusOf(host), LOCKED);
  feed.offer(0, 101, clock.wallMs);
  host.run(5_000);
  assert.deepEqual([first?.status, statusOf(host)], [SETTLING, UPCOMING]);
  feed.offer(0, 102, NOON_MS + MINUTE_MS);
  feed.offer(0, 103, NOON_MS + MINUTE_MS + 1);
  host.run(50);
  assert.deepEqual([first?.closePrice, first?.status], [102, SETTLED]);
  const second = host.engine.currentRound(BTC_MINUTE);
  const shown = [second?.status, second?.openPrice, second?.startTimeMs];
  assert.deepEqual(shown, [LIVE, 102, NOON_MS + MINUTE_MS]);
  assert.equal(ofKind(host, 'boundaryPrice')[0]?.source, 'push');
});

test('without a tick after the boundary the grace decides; a price that is too old voids the round and opens none', () => {
  const { host, feed, clock } = openedHost();
  const first = host.engine.currentRound(BTC_MINUTE);
  host.run(50_000);
  feed.offer(0, 101, NOON_MS + 50_000);
  host.run(MINUTE_MS + 1_950 - 50_050);
  assert.equal(first?.status, SETTLING);
  host.run(50);
  assert.equal(first?.closePrice, 101, 'exactly ten seconds old is fresh');
  const second = host.engine.currentRound(BTC_MINUTE);
  assert.equal(second?.openPrice, 101);
  host.run(2 * MINUTE_MS + 2_000 - (clock.wallMs - NOON_MS));
  assert.equal(second?.result, RESULT_VOID);
  assert.equal(host.engine.currentRound(BTC_MINUTE), null, 'no round until prices are back');
  feed.offer(0, 102, clock.wallMs);
  host.run(50);
  assert.equal(host.engine.currentRound(BTC_MINUTE)?.openPrice, 102);
});

test('settlement takes one slice a turn, and other work continues in between', () => {
  const { host, feed, clock } = openedHost({ settleBetsMax: 2 });
  for (let i = 0; i < 7; i++) assert.equal(codeOf(host.order()), 'accepted');
  host.run(59_850);
  feed.offer(0, 101, clock.wallMs);
  host.run(50);
  clock.pass(51);
  feed.offer(0, 102, clock.wallMs);
  let isQuiet = false;
  host.lifecycle.whenQuiet(
    () => {
      isQuiet = true;
    },
    () => undefined,
  );
  for (let slice = 1; slice <= 4; slice++) {
    assert.equal(host.engine.settlementsWaiting, slice < 4, `after slice ${slice}`);
    assert.ok(host.deposit() > 0);
    assert.equal(isQuiet, false);
    host.endTurn();
  }
  assert.equal(host.engine.settlementsWaiting, false);
  assert.equal(isQuiet, false, 'not before it is durable');
  host.settle();
  assert.deepEqual([isQuiet, ofKind(host, 'settle').length], [true, 4]);
});

test('settlement waits for a slow disk instead of growing the backlog', () => {
  const { host, feed, clock } = openedHost({ settleBetsMax: 1 });
  for (let i = 0; i < 5; i++) host.order();
  host.run(59_900);
  feed.offer(0, 101, clock.wallMs);
  for (let i = 0; i < 2_500; i++) host.deposit();
  clock.pass(51);
  feed.offer(0, 102, clock.wallMs);
  const { backlogCommands } = host.sequencer;
  for (let i = 0; i < 50; i++) {
    host.lifecycle.pump();
    host.endTurn();
  }
  assert.ok(host.sequencer.backlogCommands < backlogCommands + 10);
  assert.equal(host.engine.settlementsWaiting, true);
  host.settle();
  assert.equal(host.engine.settlementsWaiting, false);
});

test('after an operator voids a round the next boundary waits only for rounds that need its price', () => {
  const { host, feed, clock } = openedHost();
  const roundNumber = host.engine.currentRound(BTC_MINUTE)?.roundNumber ?? 0;
  host.order();
  const timeMs = host.sequencer.stampMs();
  host.sequencer.submit({ kind: 'voidRound', timeMs, market: BTC_MINUTE, roundNumber, reason: 'test' });
  host.run(59_000);
  assert.equal(host.engine.round(BTC_MINUTE, roundNumber)?.status, SETTLED);
  assert.equal(host.engine.currentRound(BTC_MINUTE), null, 'the voided window stays empty');
  feed.offer(0, 101, clock.wallMs);
  host.run(1_000);
  assert.equal(host.engine.currentRound(BTC_MINUTE)?.roundNumber, roundNumber + 1);
});
