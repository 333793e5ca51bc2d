/**
 * The lifecycle after a downtime: open rounds settle by their price, if the feed still has it, or are voided; rounds
 * within the downtime never exist.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marketOf, RESULT_VOID, SETTLED, SETTLING } from '../../../engine/model/domain.js';
import type { PriceTick, TickVerdict } from '../../../engine/model/ports.js';
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
  const closes = [settled?.closePrice, engine.round(marketOf('BTC_FIFTEEN_MINUTES'), quarter)?.closePrice];
  const prices = [2, 15].map((minutes) => simulatedPrices.at(0, NOON_MS + minutes * MINUTE_MS));
  assert.deepEqual([settled?.status, ...closes], [SETTLED, ...prices]);
  for (let missed = open + 1; missed < NOON_MS / MINUTE_MS + 20; missed++) {
    assert.equal(engine.round(BTC_MINUTE, missed), null);
  }
  assert.equal(ofKind(restarted, 'setCalendar').length, 0, 'the market hours are those in force');
  const late = engine.currentRound(BTC_MINUTE);
  assert.deepEqual([late?.roundNumber, late?.startTimeMs], [NOON_MS / MINUTE_MS + 20, again.wallMs - 2_000]);
  const { startTimeMs, openPrice } = engine.currentRound(marketOf('BTC_FIFTEEN_MINUTES')) ?? {};
  const now = [again.wallMs, simulatedPrices.at(0, again.wallMs)];
  assert.deepEqual([startTimeMs, openPrice], now, 'no bets on what has moved since the boundary');
});

const END_MS = NOON_MS + MINUTE_MS;
/** A feed that may be asked for the past. */
class Service extends PushFeed {
  readonly asked: number[] = [];
  #sink: (tick: PriceTick) => TickVerdict = () => assert.fail('not started');
  override start(sink: (tick: PriceTick) => TickVerdict): void {
    super.start(sink);
    this.#sink = sink;
  }
  readonly recall = (_: number, boundaryMs: number) => void this.asked.push(boundaryMs);
  answer(timeMs: number, price: number, boundaryMs = END_MS): boolean {
    return this.#sink({ asset: 0, price, timeMs, source: 'service', origin: 'signed', boundaryMs }).taken;
  }
}

/** The minute round was open at the end; the start is five minutes later if not said, with a new feed. */
function restartedAfterDowntime(startMs = NOON_MS + 5 * MINUTE_MS, rules = rulesOf('BTC_ONE_MINUTE')) {
  const { host } = openedHost({ rules });
  const engine = host.journal.recover();
  const open = engine.currentRound(BTC_MINUTE);
  const clock = new TestClock();
  clock.wallMs = startMs;
  const again = new Service();
  const restarted = new TestHost(clock, { feed: again }, engine);
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
  const { open, again, restarted } = restartedAfterDowntime();
  assert.deepEqual(again.asked, [END_MS]);
  assert.equal(again.answer(END_MS + 1, 101), false, 'after the boundary');
  assert.equal(again.answer(END_MS, 102, END_MS + MINUTE_MS), false, 'no round waits for it');
  assert.equal(again.answer(END_MS, 151), false, 'absurd');
  assert.equal(again.answer(END_MS, 103), true, 'on the boundary');
  assert.equal(again.answer(END_MS - 1, 104), false, 'a final price is not revised');
  restarted.run(50);
  assert.deepEqual([open?.status, open?.closePrice, again.asked.length], [SETTLED, 103, 1]);
  const [command] = ofKind(restarted, 'boundaryPrice');
  assert.deepEqual([command?.source, command?.evidence], ['service', 'signed']);
});

test('a service is asked for a boundary between the start and its first price', () => {
  const { open, again, clock, restarted } = restartedAfterDowntime(END_MS - 500);
  restarted.run(600);
  again.offer(0, 102, clock.wallMs);
  restarted.run(50);
  again.answer(END_MS, 103);
  restarted.run(50);
  assert.deepEqual([open?.status, open?.closePrice, again.asked], [SETTLED, 103, [END_MS]]);
});

test('boundary prices of an asset never overtake each other', () => {
  const rules = rulesOf('BTC_ONE_MINUTE', 'BTC_FIVE_MINUTES');
  const { again, clock, restarted } = restartedAfterDowntime(NOON_MS + 5 * MINUTE_MS - 500, rules);
  again.offer(0, 101, clock.wallMs);
  restarted.run(600);
  again.offer(0, 102, clock.wallMs);
  restarted.run(1_350);
  assert.equal(ofKind(restarted, 'boundaryPrice').length, 0, 'five past is final, one past is not');
  restarted.run(50);
  const priced = ofKind(restarted, 'boundaryPrice').flatMap(({ boundaryMs, price }) => [boundaryMs, price]);
  assert.deepEqual(priced, [END_MS, null, NOON_MS + 5 * MINUTE_MS, 101]);
});
