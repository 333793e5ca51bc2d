/** Several feeds in order of preference: the source of an asset's prices, and its changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ASSETS } from '../../engine/model/domain.js';
import type { PriceTick, TickVerdict } from '../../engine/model/ports.js';
import { FailoverFeed, type FeedSwitch, STALE_MS } from '../../feeds/failover-feed.js';
import { type LiveFeed, ON_STANDBY } from '../../feeds/live/live-feed.js';
import { forMany } from '../support/for-all.js';

const START_MS = Date.UTC(2026, 5, 10, 12);
const BTC = 0;
const [GOLD, SILVER] = [ASSETS.indexOf('GOLD'), ASSETS.indexOf('SILVER')];

class HandFeed implements LiveFeed {
  readonly newestMs = 0;
  sink: (tick: PriceTick) => TickVerdict = () => assert.fail('not started');
  readonly told: unknown[] = [];

  constructor(
    readonly name: string,
    private readonly assets: readonly number[],
  ) {}

  start(sink: (tick: PriceTick) => TickVerdict): void {
    this.sink = sink;
  }
  poll(nowMs: number): void {
    this.told.push(nowMs);
  }
  recall(asset: number, boundaryMs: number): void {
    this.told.push([asset, boundaryMs]);
  }
  stop(): void {
    this.told.push('stop');
  }
  readonly latenessMs = () => null;
  covers(asset: number): boolean {
    return this.assets.includes(asset);
  }
  readonly view = (): never => assert.fail('nobody asks');
}

function feeds(before: string | null = null) {
  let nowMs = START_MS;
  const mostAssets = [...ASSETS.keys()].filter((asset) => asset !== SILVER);
  const [first, second] = [new HandFeed('first', mostAssets), new HandFeed('second', [BTC, 1, SILVER])];
  const third = new HandFeed('third', [BTC]);
  const switches: FeedSwitch[] = [];
  const used: PriceTick[] = [];
  const absurd = new Set<string>();
  const failover = new FailoverFeed({
    feeds: [first, second, third],
    feedBefore: () => before,
    nowMs: () => nowMs,
    onSwitch: (switched) => switches.push(switched),
  });
  failover.start((tick) => {
    if (absurd.has(tick.source)) return { taken: false, detail: 'absurd' };
    used.push(tick);
    return { taken: true };
  });
  const tick = (feed: HandFeed, ageMs = 0, asset = BTC, more: Partial<PriceTick> = {}): TickVerdict =>
    feed.sink({ asset, price: 100, timeMs: nowMs - ageMs, source: feed.name, origin: '', ...more });
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { failover, first, second, third, switches, used, absurd, tick, pass };
}

test('the preferred feed is used as long as it has prices, and others stand by', () => {
  const { first, second, third, used, switches, tick, pass, failover } = feeds();
  assert.equal(failover.name, 'first,second,third');
  for (let i = 0; i < 20; i++) {
    pass(4_000);
    assert.deepEqual([tick(second), tick(first).taken, tick(third)], [ON_STANDBY, true, ON_STANDBY]);
  }
  assert.ok(used.every(({ source }) => source === 'first'));
  assert.equal(tick(second, 0, SILVER).taken, true, 'which the first does not cover');
  assert.equal(tick(third, 0, BTC, { boundaryMs: START_MS }).taken, true, 'which it was asked for');
  assert.deepEqual(switches, []);
});

test('an asset whose feed is stale takes the next one; other assets do not', () => {
  const { first, second, used, switches, tick, pass } = feeds();
  tick(first);
  pass(STALE_MS);
  assert.equal(tick(second), ON_STANDBY, 'not yet');
  pass(1);
  tick(first, 0, GOLD);
  assert.equal(tick(second).taken, true);
  assert.equal(tick(second, 0, 1).taken, true, 'which never had any price of the first');
  assert.deepEqual(switches, [
    { asset: BTC, from: 'first', to: 'second', reason: 'first has had no price for 8 s' },
    { asset: 1, from: 'first', to: 'second', reason: 'first has had no price for 8 s' },
  ]);
  assert.equal(used.map(({ source }) => source).join(), 'first,first,second,second');
});

test('what is stale is told by the time of ticks, not by their arrival', () => {
  const { first, second, switches, tick, pass } = feeds();
  for (let i = 0; i < 9; i++) {
    tick(first, i * 1_000);
    pass(1_000);
  }
  assert.equal(tick(second, STALE_MS + 1), ON_STANDBY, 'stale itself');
  assert.deepEqual([tick(second, STALE_MS).taken, switches.length], [true, 1]);
});

test('a preferred feed comes back after half a minute without a break, and at once where the present one is stale', () => {
  const { failover, first, second, switches, tick, pass } = feeds();
  pass(STALE_MS + 1);
  tick(second);
  const isReturning = (): boolean => failover.isReturning(BTC);
  const bothFor = (ms: number): void => {
    assert.equal(isReturning(), false);
    for (let passedMs = 0; passedMs < ms; passedMs += 1_000) {
      tick(second);
      tick(first);
      pass(1_000);
      assert.ok(isReturning() && !failover.isReturning(SILVER));
    }
  };
  bothFor(25_000);
  pass(STALE_MS - 1_000);
  tick(second);
  pass(1_001);
  bothFor(30_000);
  assert.equal(switches.length, 1, 'the break began the half minute anew');
  assert.ok(tick(first).taken && !isReturning());
  const reason = 'first has been back for 30 s';
  assert.deepEqual(switches[1], { asset: BTC, from: 'second', to: 'first', reason });
  pass(STALE_MS + 1);
  tick(second);
  pass(STALE_MS + 1);
  assert.equal(tick(first).taken, true, 'at once');
  assert.deepEqual(switches.map(({ to }) => to).slice(2), ['second', 'first']);
});

test('a feed whose prices are absurd is as stale as a silent one, and takes over from none', () => {
  const { failover, first, second, third, absurd, switches, tick, pass } = feeds();
  tick(first);
  absurd.add('first').add('second');
  for (let i = 0; i < 9; i++) {
    pass(1_000);
    assert.equal(tick(first).taken, false);
  }
  assert.deepEqual([tick(second), switches], [{ taken: false, detail: 'absurd' }, []]);
  assert.deepEqual([tick(third).taken, switches.map(({ to }) => to).join()], [true, 'third']);
  for (let s = 0; s <= 30; s++) {
    pass(1_000);
    const taken = [tick(third).taken, tick(first).taken];
    assert.deepEqual([...taken, failover.isReturning(BTC)], [true, false, s < 30], 'until it is tried');
  }
  absurd.delete('first');
  assert.ok(tick(first).taken, 'at once');
});

test('a price that is far from the one in use is not passed on, and begins the half minute anew', () => {
  const { failover, first, second, absurd, used, tick, pass } = feeds('second');
  absurd.add('first');
  const offered = (price: number): readonly boolean[] => {
    pass(1_000);
    tick(second);
    const { detail } = { detail: 'taken', ...tick(first, 0, BTC, { price }) };
    return [detail.includes('far'), failover.isReturning(BTC)];
  };
  for (const price of [151, 66, 151]) assert.deepEqual(offered(price), [true, false]);
  for (let s = 0; s < 30; s++) assert.deepEqual(offered(s % 2 === 0 ? 150 : 67), [false, true]);
  assert.deepEqual([offered(151), offered(100)].flat(), [true, false, false, true]);
  assert.ok(used.every(({ source }) => source === 'second'));
  pass(STALE_MS + 1);
  assert.deepEqual(
    tick(first, 0, BTC, { price: 151 }),
    { taken: false, detail: 'absurd' },
    'where none is in use',
  );
});

test('with no price anywhere nothing is switched; all are polled, asked and stopped together', () => {
  const { failover, first, second, third, switches, tick, pass } = feeds();
  pass(3_600_000);
  failover.poll(START_MS);
  failover.recall(GOLD, START_MS);
  assert.deepEqual([tick(second, 60_000), switches], [ON_STANDBY, []]);
  failover.stop();
  for (const { told } of [first, second, third]) assert.deepEqual(told, [START_MS, [GOLD, START_MS], 'stop']);
  assert.equal(tick(first).taken, false);
});

test('property: an asset has one feed at a time, and it changes only where the rule allows', () => {
  const step = fc.record({
    feed: fc.nat(2),
    passMs: fc.oneof(fc.nat(2_000), fc.constantFrom(STALE_MS, STALE_MS + 1, 30_000)),
    ageMs: fc.oneof(fc.constant(0), fc.nat(20_000)),
  });
  const before = fc.constantFrom('first', 'second', 'third');
  forMany({ numRuns: 300 }, fc.array(step, { maxLength: 80 }), before, (steps, beforeStart) => {
    const { first, second, third, used, switches, tick, pass } = feeds(beforeStart);
    let active: string = beforeStart;
    for (const { feed, passMs, ageMs } of steps) {
      pass(passMs);
      const sender = [first, second, third][feed] ?? first;
      const before = { used: used.length, switches: switches.length };
      tick(sender, ageMs);
      const switched = switches.length > before.switches;
      if (switched) {
        assert.deepEqual([switches.at(-1)?.from, switches.at(-1)?.to], [active, sender.name]);
        assert.ok(ageMs <= STALE_MS);
        active = sender.name;
      }
      assert.equal(used.length > before.used, sender.name === active);
    }
  });
});
