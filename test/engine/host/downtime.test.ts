/**
 * The lifecycle after a downtime: open rounds settle by their price, if the feed still has it, or are voided; rounds
 * within the downtime never exist.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marketOf, RESULT_VOID, SETTLED, SETTLING } from '../../../engine/model/domain.js';
import type { PriceFeed, PriceTick, TickVerdict } from '../../../engine/model/ports.js';
import { PushFeed } from '../../../feeds/push-feed.js';
import {
  BTC_MINUTE,
  MINUTE_MS,
  ofKind,
  openedHost,
  rulesOf,
  simulatedHost,
  simulatedPrices,
} from '../../support/host/feed-hosts.js';
import { NOON_MS, TestClock, TestHost } from '../../support/host/host.js';

test('after a downtime open rounds settle by their price, and missed ones never exist', () => {
  const host = simulatedHost(new TestClock());
  host.run(90_000);
  const open = host.engine.currentRound(BTC_MINUTE)?.roundNumber ?? 0;
  const quarter = host.engine.currentRound(marketOf('BTC_FIFTEEN_MINUTES'))?.roundNumber ?? 0;
  const again = new TestClock();
  again.wallMs = NOON_MS + 20 * MINUTE_MS + 3_000;
  const engine = host.journal.recover();
  const restarted = simulatedHost(again, {}, engine);
  assert.equal(engine.round(BTC_MINUTE, open)?.status, SETTLING, 'the grace for past boundaries has begun');
  restarted.run(2_000);
  const settled = engine.round(BTC_MINUTE, open);
  assert.equal(settled?.status, SETTLED);
  assert.equal(settled?.closePrice, simulatedPrices.at(0, NOON_MS + 2 * MINUTE_MS));
  const closePrice = engine.round(marketOf('BTC_FIFTEEN_MINUTES'), quarter)?.closePrice;
  assert.equal(closePrice, simulatedPrices.at(0, NOON_MS + 15 * MINUTE_MS));
  for (let missed = open + 1; missed < NOON_MS / MINUTE_MS + 20; missed++) {
    assert.equal(engine.round(BTC_MINUTE, missed), null);
  }
  assert.equal(ofKind(restarted, 'setCalendar').length, 0, 'the market hours are those in force');
  const late = engine.currentRound(BTC_MINUTE);
  assert.deepEqual([late?.roundNumber, late?.startTimeMs], [NOON_MS / MINUTE_MS + 20, again.wallMs - 2_000]);
  const lateQuarter = engine.currentRound(marketOf('BTC_FIFTEEN_MINUTES'));
  assert.equal(lateQuarter?.startTimeMs, again.wallMs, 'no bets on what has moved since the boundary');
  assert.equal(lateQuarter?.openPrice, simulatedPrices.at(0, again.wallMs));
});

/** The minute round was open at the end; the start is five minutes later, with a new feed. */
function restartedAfterDowntime(next: PriceFeed | null = null) {
  const { host } = openedHost();
  const engine = host.journal.recover();
  const open = engine.currentRound(BTC_MINUTE);
  const clock = new TestClock();
  clock.wallMs = NOON_MS + 5 * MINUTE_MS;
  const again = new PushFeed();
  const restarted = new TestHost(clock, { feed: next ?? again }, engine);
  restarted.lifecycle.start();
  return { open, clock, again, restarted };
}

test('after a downtime with a feed without history the open round is voided', () => {
  const { open, clock, again, restarted } = restartedAfterDowntime();
  again.offer(0, 101, clock.wallMs);
  restarted.run(1_950);
  assert.equal(open?.status, SETTLING);
  restarted.run(50);
  assert.deepEqual([open?.status, open?.result], [SETTLED, RESULT_VOID]);
});

test('a feed that delivers history in time settles the open round', () => {
  const { open, clock, again, restarted } = restartedAfterDowntime();
  again.offer(0, 105, clock.wallMs);
  again.offer(0, 103, NOON_MS + MINUTE_MS - 700);
  restarted.run(2_000);
  assert.deepEqual([open?.status, open?.closePrice], [SETTLED, 103]);
});

test('a service that is asked for the past settles the open round at once, and is not asked again', () => {
  const asked: (readonly [number, number])[] = [];
  let sink: (tick: PriceTick) => TickVerdict = () => assert.fail('not started');
  const service: PriceFeed = {
    name: 'service',
    start: (given) => {
      sink = given;
    },
    poll: () => undefined,
    nextDueMs: () => Number.POSITIVE_INFINITY,
    recall: (asset, boundaryMs) => void asked.push([asset, boundaryMs - NOON_MS]),
    stop: () => undefined,
  };
  const { open, restarted } = restartedAfterDowntime(service);
  assert.deepEqual(asked, [[0, MINUTE_MS]]);
  const answer = (boundaryMs: number, timeMs: number, price: number) =>
    sink({ asset: 0, price, timeMs, source: 'service', origin: 'signed', boundaryMs }).taken;
  const [end] = [NOON_MS + MINUTE_MS];
  assert.equal(answer(end, end + 1, 101), false, 'after the boundary');
  assert.equal(answer(end + MINUTE_MS, end, 102), false, 'no round waits for it');
  assert.equal(answer(end, end, 151), false, 'absurd');
  assert.equal(answer(end, end, 103), true, 'on the boundary');
  assert.equal(answer(end, end - 1, 104), false, 'a final price is not revised');
  restarted.run(50);
  assert.deepEqual([open?.status, open?.closePrice, asked.length], [SETTLED, 103, 1]);
  const [command] = ofKind(restarted, 'boundaryPrice');
  assert.deepEqual([command?.source, command?.evidence], ['service', 'signed']);
});

test('boundary prices of an asset never overtake each other', () => {
  const { host } = openedHost({ rules: rulesOf('BTC_ONE_MINUTE', 'BTC_FIVE_MINUTES') });
  const clock = new TestClock();
  clock.wallMs = NOON_MS + 5 * MINUTE_MS - 500;
  const again = new PushFeed();
  const restarted = new TestHost(clock, { feed: again }, host.journal.recover());
  restarted.lifecycle.start();
  again.offer(0, 101, clock.wallMs);
  restarted.run(600);
  again.offer(0, 102, clock.wallMs);
  restarted.run(1_350);
  assert.equal(ofKind(restarted, 'boundaryPrice').length, 0, 'five past is final, one past is not');
  restarted.run(50);
  assert.deepEqual(
    ofKind(restarted, 'boundaryPrice').map(({ boundaryMs, price }) => [boundaryMs - NOON_MS, price]),
    [
      [MINUTE_MS, null],
      [5 * MINUTE_MS, 101],
    ],
  );
});
