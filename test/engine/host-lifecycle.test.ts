/**
 * The lifecycle on the real engine with the real feeds: rounds over boundaries, gaps in prices, downtime, market
 * hours, settlement in slices, and a manual clock that passes through everything on the way.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../../engine/commands.js';
import {
  ASSETS,
  LIVE,
  LOCKED,
  marketOf,
  RESULT_VOID,
  SETTLED,
  SETTLING,
  UPCOMING,
} from '../../engine/domain.js';
import { ManualRun } from '../../engine/host/manual-run.js';
import type { PriceFeed } from '../../engine/ports.js';
import { defaultRules, type Rules } from '../../engine/rules.js';
import { MarketHours } from '../../http/prices/market-hours.js';
import { PushFeed } from '../../http/prices/push-feed.js';
import { SimulatedFeed, simulatedPrice } from '../../http/prices/simulated-feed.js';
import { codeOf, type HostOptions, NOON_MS, TestClock, TestHost } from '../support/host.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const BTC_MINUTE = marketOf('BTC_ONE_MINUTE');

/** Rules with only these markets active. */
function rulesOf(...ids: string[]): Rules {
  const rules = defaultRules('f'.repeat(64));
  return { ...rules, markets: rules.markets.filter(({ marketId }) => ids.includes(marketId)) };
}

/** A started host with a push feed. */
function pushHost(options: HostOptions = {}): { host: TestHost; feed: PushFeed; clock: TestClock } {
  const feed = new PushFeed();
  const clock = new TestClock();
  const host = new TestHost(clock, { rules: rulesOf('BTC_ONE_MINUTE'), feeds: [feed], ...options });
  host.lifecycle.start();
  host.settle();
  return { host, feed, clock };
}

/** A started host with the simulated feed and real market hours. */
function simulatedHost(clock: TestClock, options: HostOptions = {}, engine?: TestHost['engine']): TestHost {
  const hours = new MarketHours();
  const feed: PriceFeed = new SimulatedFeed({
    seed: 11,
    fromMs: engine === undefined ? clock.wallMs : engine.timeMs,
    isOpen: (assetClass, timeMs) => hours.isOpen(assetClass, timeMs),
  });
  const all: HostOptions = {
    feeds: [feed],
    calendar: (assetClass, nowMs) => hours.sessions(assetClass, nowMs),
    ...options,
  };
  const host = engine === undefined ? new TestHost(clock, all) : new TestHost(clock, all, engine);
  host.lifecycle.start();
  host.settle();
  return host;
}

/** Runs the promise's host until it resolves. */
async function untilDone<T>(host: TestHost, promise: Promise<T>): Promise<T> {
  let isDone = false;
  const done = promise.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    host.endTurn();
    host.journal.ack();
    await Promise.resolve();
  }
  return done;
}

const statusOf = (host: TestHost, market = BTC_MINUTE): number | undefined =>
  host.engine.currentRound(market)?.status;

const ofKind = <K extends Command['kind']>(host: TestHost, kind: K): Extract<Command, { kind: K }>[] =>
  host.journal
    .commands()
    .filter((command): command is Extract<Command, { kind: K }> => command.kind === kind);

test('a round opens late with the first price, locks, ends, and its price opens the next', () => {
  const { host, feed, clock } = pushHost();
  assert.equal(statusOf(host), undefined);
  assert.equal(feed.offer(0, 100, NOON_MS).taken, true);
  host.run(50);
  const first = host.engine.currentRound(BTC_MINUTE);
  assert.deepEqual([first?.status, first?.openPrice, first?.startTimeMs], [LIVE, 100, NOON_MS + 50]);
  assert.equal(codeOf(host.order()), 'accepted');
  host.run(54_950);
  assert.equal(statusOf(host), LOCKED);
  feed.offer(0, 101, clock.wallMs);
  host.run(5_000);
  assert.equal(first?.status, SETTLING);
  assert.equal(statusOf(host), UPCOMING);
  feed.offer(0, 102, NOON_MS + MINUTE_MS);
  feed.offer(0, 103, NOON_MS + MINUTE_MS + 1);
  host.run(50);
  assert.deepEqual([first?.closePrice, first?.status], [102, SETTLED]);
  const second = host.engine.currentRound(BTC_MINUTE);
  assert.deepEqual(
    [second?.status, second?.openPrice, second?.startTimeMs],
    [LIVE, 102, NOON_MS + MINUTE_MS],
  );
  assert.equal(ofKind(host, 'boundaryPrice')[0]?.evidence, 'push');
});

test('without a tick after the boundary the grace decides; a price that is too old voids and opens nothing', () => {
  const { host, feed, clock } = pushHost();
  feed.offer(0, 100, NOON_MS);
  host.run(50);
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

test('a feed that speaks too late in the window opens nothing until the next', () => {
  const { host, feed, clock } = pushHost();
  clock.pass(25_001);
  feed.offer(0, 100, clock.wallMs);
  host.run(0);
  host.lifecycle.pump();
  assert.equal(host.engine.currentRound(BTC_MINUTE), null, 'less than 10 s of betting are left');
  host.run(30_000);
  feed.offer(0, 101, clock.wallMs);
  host.run(NOON_MS + MINUTE_MS - clock.wallMs);
  assert.equal(host.engine.currentRound(BTC_MINUTE)?.startTimeMs, NOON_MS + MINUTE_MS);
});

test('a house without money opens nothing and writes nothing, until it has some', () => {
  const rules = rulesOf('BTC_ONE_MINUTE');
  const { host, feed } = pushHost({
    rules: { ...rules, markets: rules.markets.map((market) => ({ ...market, seedCents: 2_000_000_00 })) },
  });
  feed.offer(0, 100, NOON_MS);
  const { seq } = host.engine;
  host.run(5_000);
  assert.equal(host.engine.seq, seq);
  host.sequencer.submit({
    kind: 'depositHouse',
    timeMs: host.sequencer.stampMs(),
    amountCents: 4_000_000_00,
    reference: 'more',
  });
  host.run(50);
  assert.equal(statusOf(host), LIVE);
});

test('settlement goes in slices, one a turn, and other work goes on between them', () => {
  const { host, feed, clock } = pushHost({ settleBetsMax: 2 });
  feed.offer(0, 100, NOON_MS);
  host.run(50);
  for (let i = 0; i < 7; i++) assert.equal(codeOf(host.order()), 'accepted');
  host.run(59_850);
  feed.offer(0, 101, clock.wallMs);
  host.run(50);
  clock.pass(51);
  feed.offer(0, 102, clock.wallMs);
  let isQuiet = false;
  host.lifecycle.whenQuiet(() => {
    isQuiet = true;
  });
  for (let slice = 1; slice <= 4; slice++) {
    assert.equal(host.engine.settlementsWaiting, slice < 4, `after slice ${slice}`);
    assert.ok(host.deposit() > 0);
    assert.equal(isQuiet, false);
    host.endTurn();
  }
  assert.equal(host.engine.settlementsWaiting, false);
  assert.equal(isQuiet, false, 'not before it is durable');
  host.settle();
  assert.equal(isQuiet, true);
  assert.equal(ofKind(host, 'settle').length, 4);
});

test('settlement waits for a slow disk instead of growing the backlog', () => {
  const { host, feed, clock } = pushHost({ settleBetsMax: 1 });
  feed.offer(0, 100, NOON_MS);
  host.run(50);
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

test('simulated prices: every market lives through its rounds, and the journal replays to the same digest', () => {
  const clock = new TestClock();
  const host = simulatedHost(clock);
  host.run(6 * MINUTE_MS + 300, 100);
  const minute = host.engine.currentRound(BTC_MINUTE);
  assert.deepEqual([minute?.status, minute?.startTimeMs], [LIVE, NOON_MS + 6 * MINUTE_MS]);
  for (const [asset, name] of ASSETS.entries()) {
    const closed = host.engine.round(asset * 5, NOON_MS / MINUTE_MS + 2);
    assert.equal(closed?.status, SETTLED, name);
    assert.equal(closed?.closePrice, simulatedPrice(11, asset, NOON_MS + 3 * MINUTE_MS), name);
    assert.equal(closed?.openPrice, simulatedPrice(11, asset, NOON_MS + 2 * MINUTE_MS), name);
  }
  assert.equal(ofKind(host, 'setCalendar').length, 2);
  assert.equal(host.engine.currentRound(marketOf('GOLD_ONE_DAY')), null, 'no session holds a day of gold');
  assert.equal(statusOf(host, marketOf('EURUSD_FOUR_HOURS')), LIVE);
  assert.equal(host.journal.recover().rollingDigest(), host.engine.rollingDigest());
});

test('a downtime over several boundaries: open rounds settle by their price, missed ones never exist', () => {
  const clock = new TestClock();
  const host = simulatedHost(clock);
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
  assert.equal(settled?.closePrice, simulatedPrice(11, 0, NOON_MS + 2 * MINUTE_MS));
  assert.equal(
    engine.round(marketOf('BTC_FIFTEEN_MINUTES'), quarter)?.closePrice,
    simulatedPrice(11, 0, NOON_MS + 15 * MINUTE_MS),
  );
  for (let missed = open + 1; missed < NOON_MS / MINUTE_MS + 20; missed++) {
    assert.equal(engine.round(BTC_MINUTE, missed), null);
  }
  assert.equal(ofKind(restarted, 'setCalendar').length, 0, 'the market hours are those in force');
  const late = engine.currentRound(BTC_MINUTE);
  assert.deepEqual([late?.roundNumber, late?.startTimeMs], [NOON_MS / MINUTE_MS + 20, again.wallMs - 2_000]);
  const lateQuarter = engine.currentRound(marketOf('BTC_FIFTEEN_MINUTES'));
  assert.equal(lateQuarter?.startTimeMs, again.wallMs, 'no bets on what has moved since the boundary');
  assert.equal(lateQuarter?.openPrice, simulatedPrice(11, 0, again.wallMs));
});

/** A host whose minute round was open when it went down, five minutes later, with a feed that is new. */
function restartedAfterDowntime() {
  const { host, feed } = pushHost();
  feed.offer(0, 100, NOON_MS);
  host.run(50);
  const engine = host.journal.recover();
  const open = engine.currentRound(BTC_MINUTE);
  const clock = new TestClock();
  clock.wallMs = NOON_MS + 5 * MINUTE_MS;
  const again = new PushFeed();
  const restarted = new TestHost(clock, { feeds: [again] }, engine);
  restarted.lifecycle.start();
  return { open, clock, again, restarted };
}

test('a downtime with a feed that knows no history: the open round is voided', () => {
  const { open, clock, again, restarted } = restartedAfterDowntime();
  again.offer(0, 101, clock.wallMs);
  restarted.run(1_950);
  assert.equal(open?.status, SETTLING);
  restarted.run(50);
  assert.deepEqual([open?.status, open?.result], [SETTLED, RESULT_VOID]);
});

test('a feed that knows history in time settles the round that was open', () => {
  const { open, clock, again, restarted } = restartedAfterDowntime();
  again.offer(0, 105, clock.wallMs);
  again.offer(0, 103, NOON_MS + MINUTE_MS - 700);
  restarted.run(2_000);
  assert.deepEqual([open?.status, open?.closePrice], [SETTLED, 103]);
});

test('boundary prices of an asset never overtake each other', () => {
  const { host, feed } = pushHost({ rules: rulesOf('BTC_ONE_MINUTE', 'BTC_FIVE_MINUTES') });
  feed.offer(0, 100, NOON_MS);
  host.run(50);
  const clock = new TestClock();
  clock.wallMs = NOON_MS + 5 * MINUTE_MS - 500;
  const again = new PushFeed();
  const restarted = new TestHost(clock, { feeds: [again] }, host.journal.recover());
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

test('a round that an operator voids leaves the next boundary waiting for nobody or for all', () => {
  const { host, feed, clock } = pushHost();
  feed.offer(0, 100, NOON_MS);
  host.run(50);
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

test('a clock that jumps ahead and back moves no round', () => {
  const clock = new TestClock();
  const host = simulatedHost(clock);
  host.run(10_000);
  const before = host.engine.currentRound(BTC_MINUTE)?.roundNumber;
  clock.wallMs += DAY_MS;
  host.run(5_000);
  assert.equal(codeOf(host.order()), 'clock_unsynchronised');
  clock.wallMs -= DAY_MS;
  host.run(12_000);
  assert.equal(host.engine.currentRound(BTC_MINUTE)?.roundNumber, before);
  assert.equal(codeOf(host.order()), 'accepted');
});

/** A simulated host on a manual clock that nothing else moves. */
function manualHost(
  startMs: number,
  options: HostOptions = {},
): { host: TestHost; run: ManualRun; clock: TestClock } {
  const clock = new TestClock();
  clock.wallMs = startMs;
  const host = simulatedHost(clock, { clockGuard: null, ...options });
  const run = new ManualRun(host.sequencer, host.lifecycle, host.schedule, (nowMs) => {
    assert.ok(nowMs > clock.wallMs, 'the clock moves forward');
    clock.wallMs = nowMs;
  });
  return { host, run, clock };
}

test('a manual clock passes through every boundary in order, whatever the size of its steps', async () => {
  const journals: string[] = [];
  for (const stepMs of [10_000, 500_000, 1_000_000]) {
    const { host, run } = manualHost(NOON_MS, { rules: rulesOf('BTC_ONE_MINUTE', 'BTC_FIVE_MINUTES') });
    for (let passedMs = 0; passedMs < 1_000_000; passedMs += stepMs) {
      const reached = await untilDone(host, run.advance(stepMs));
      assert.equal(reached, NOON_MS + passedMs + stepMs);
      assert.equal(host.sequencer.backlogCommands, 0, 'all of it is durable');
    }
    journals.push(JSON.stringify(host.journal.commands()));
    assert.ok(ofKind(host, 'boundaryPrice').length >= 16);
  }
  assert.equal(journals[0], journals[1]);
  assert.equal(journals[1], journals[2]);
});

test('a manual run settles everything on its way before it resolves', async () => {
  const { host, run } = manualHost(NOON_MS, { settleBetsMax: 2 });
  for (let i = 0; i < 9; i++) assert.equal(codeOf(host.order()), 'accepted');
  await untilDone(host, run.advance(MINUTE_MS + 10_000));
  const settles = ofKind(host, 'settle');
  assert.equal(settles.length, 5);
  assert.ok(
    settles.every(({ timeMs }) => timeMs === NOON_MS + MINUTE_MS + 250),
    'with the first tick after the boundary',
  );
  assert.equal(host.engine.account(1)?.openBets, 0);
});

test('manual runs asked for together follow each other', async () => {
  const { host, run, clock } = manualHost(NOON_MS);
  const reached = await untilDone(
    host,
    Promise.all([run.advance(1_000), run.advance(70_000), run.advance(0)]),
  );
  assert.deepEqual(reached, [NOON_MS + 1_000, NOON_MS + 71_000, NOON_MS + 71_000]);
  assert.equal(clock.wallMs, NOON_MS + 71_000);
});

test('a server that stops ends a run where it is', async () => {
  const { host, run, clock } = manualHost(NOON_MS);
  const reached = run.advance(DAY_MS);
  for (let i = 0; i < 20; i++) {
    host.endTurn();
    host.journal.ack();
    await Promise.resolve();
  }
  const drained = host.sequencer.drain();
  assert.equal(await untilDone(host, reached), clock.wallMs);
  await untilDone(host, drained);
  assert.ok(clock.wallMs > NOON_MS && clock.wallMs < NOON_MS + DAY_MS);
  assert.equal(host.journal.recover().rollingDigest(), host.engine.rollingDigest());
});

// Friday to Monday over the changes of daylight saving; the markets' hours in UTC move by one hour.
for (const [name, fridayMs, closeMs, openMs] of [
  ['March 2026', Date.UTC(2026, 2, 6, 21, 58), Date.UTC(2026, 2, 6, 22), Date.UTC(2026, 2, 8, 21)],
  ['November 2026', Date.UTC(2026, 9, 30, 20, 58), Date.UTC(2026, 9, 30, 21), Date.UTC(2026, 10, 1, 22)],
] as const) {
  test(`FX closes and opens over the change of daylight saving in ${name}`, async () => {
    const { host, run, clock } = manualHost(fridayMs, {
      rules: rulesOf('EURUSD_ONE_MINUTE', 'EURUSD_FIVE_MINUTES'),
    });
    const market = marketOf('EURUSD_ONE_MINUTE');
    await untilDone(host, run.advance(closeMs - fridayMs + 3_000));
    assert.equal(host.engine.currentRound(market), null, 'closed');
    const last = host.engine.round(market, closeMs / MINUTE_MS - 1);
    assert.equal(last?.closePrice, simulatedPrice(11, ASSETS.indexOf('EURUSD'), closeMs));
    await untilDone(host, run.advance(openMs - clock.wallMs - 1));
    assert.equal(host.engine.currentRound(market), null, 'still closed');
    await untilDone(host, run.advance(1));
    assert.equal(host.engine.currentRound(market)?.startTimeMs, openMs);
    assert.equal(host.engine.currentRound(marketOf('EURUSD_FIVE_MINUTES'))?.startTimeMs, openMs);
  });
}

test('gold pauses for an hour each day', async () => {
  const pauseMs = Date.UTC(2026, 5, 10, 21);
  const { host, run } = manualHost(pauseMs - 3 * MINUTE_MS, { rules: rulesOf('GOLD_ONE_MINUTE') });
  const market = marketOf('GOLD_ONE_MINUTE');
  await untilDone(host, run.advance(4 * MINUTE_MS));
  assert.equal(host.engine.currentRound(market), null);
  assert.equal(host.engine.round(market, pauseMs / MINUTE_MS - 1)?.status, SETTLED);
  await untilDone(host, run.advance(59 * MINUTE_MS + 1_000));
  assert.equal(host.engine.currentRound(market)?.startTimeMs, pauseMs + 60 * MINUTE_MS);
});
