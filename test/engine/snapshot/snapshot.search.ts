/** A snapshot is the whole state: an engine that is loaded from it has the same digests, outcomes and reads. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import { ASSETS, MARKET_IDS } from '../../../engine/model/domain.js';
import type { Outcome } from '../../../engine/model/events.js';
import { byEffort } from '../../support/effort.js';
import { BusyEngine } from '../../support/engine/busy-engine.js';
import { plainOrder } from '../../support/engine/plain-order.js';
import { digestsOf, restored, tablesOf } from '../../support/engine/snapshots.js';
import { readAll, type Scope } from '../../support/reference/compare.js';
import { BTC_15M, Exchange, MINUTE_MS } from '../../support/reference/exchange.js';
import { Rng } from '../../support/reference/random/rng.js';
import { drawStream } from '../../support/reference/random/stream.js';

const STREAMS = byEffort({ test: 3, prove: 7, night: 150 });
const STEPS = 700;
const BUSY_ROUNDS = byEffort({ test: 2, prove: 6, night: 6 });
/** Chance that the second engine is replaced by one from the first one's tables, before each command. */
const RESTORES = 0.02;
/** All reads, and the whole state's digest, are compared about as often. */
const LOOKS = 0.05;

class Known implements Scope {
  readonly markets = MARKET_IDS.map((_, market) => market);
  readonly assets = ASSETS.map((_, asset) => asset);
  readonly rounds: (readonly [number, number])[] = [];
  readonly limits = [1, 3, 50];
  timesMs: number[] = [];

  learn(outcome: Outcome): void {
    if (outcome.status !== 'accepted') return;
    for (const event of outcome.events) {
      if (event.type === 'roundResolved') this.rounds.push([event.market, event.roundNumber]);
    }
  }
}

test('an engine loaded from tables continues like the one that wrote them', () => {
  const seen = new Map<string, number>();
  for (let stream = 1; stream <= STREAMS; stream += 1) {
    const rng = new Rng(stream);
    const steps = Array.from({ length: STEPS }, () => rng.integer(0, 0xffff_ffff));
    const known = new Known();
    const one = new Engine();
    let two = restored(one);
    for (const { command, gate } of drawStream(stream, steps).tried) {
      if (rng.chance(RESTORES)) {
        two = restored(one);
        for (const [name, rows] of tablesOf(one)) seen.set(name, (seen.get(name) ?? 0) + rows.length);
      }
      const outcome = one.apply(command, gate);
      known.learn(outcome);
      deepEqual(two.apply(command, gate), outcome, `stream ${stream}`);
      equal(two.rollingDigest(), one.rollingDigest());
      if (!rng.chance(LOOKS)) continue;
      known.timesMs = [command.timeMs, command.timeMs + 30_000];
      deepEqual(readAll(two, known), readAll(one, known), `stream ${stream}`);
      equal(digestsOf(two), digestsOf(one), `stream ${stream}`);
    }
    equal(digestsOf(two), digestsOf(one), `stream ${stream}`);
    deepEqual(tablesOf(two), tablesOf(one), `stream ${stream}`);
  }
  for (const { form } of new Engine().exportTables()) {
    ok((seen.get(form.name) ?? 0) > STREAMS / 2, `${form.name} held ${seen.get(form.name)} rows`);
  }
});

test('thousands of bets come and go, and tables, lists and settlements stay the same', () => {
  const busy = new BusyEngine(40);
  for (let round = 0; round < BUSY_ROUNDS; round += 1) {
    busy.round(4_000);
    const two = restored(busy.engine);
    equal(digestsOf(two), digestsOf(busy.engine));
    deepEqual(tablesOf(two), tablesOf(busy.engine));
    settleInSlices(two);
    const three = restored(busy.engine);
    settleInSlices(three);
    equal(digestsOf(three), digestsOf(two));
  }
});

function settleInSlices(engine: Engine): void {
  let slices = 0;
  for (; engine.settlementsWaiting; slices += 1) {
    equal(engine.apply({ kind: 'settle', timeMs: engine.timeMs, betsMax: 97 }).status, 'accepted');
  }
  ok(slices > 3, `${slices} slices`);
}

test('expired keys stay expired when the time to live grows, with or without a snapshot in between', () => {
  const exchange = new Exchange({ markets: [BTC_15M] });
  const one = exchange.pair.engine;
  exchange.openLate(BTC_15M, 100);
  const account = exchange.account('GOLD', 10_000_00);
  exchange.placed({ account, market: BTC_15M, key: 1 });
  exchange.atMs = 5 * MINUTE_MS;
  exchange.placed({ account, market: BTC_15M, key: 2 });
  exchange.atMs = 10 * MINUTE_MS;
  const two = restored(one);
  const rules = { ...must(one.rules, 'rules'), idempotencyTtlMs: 60 * MINUTE_MS };
  const timeMs = exchange.nowMs;
  const digestOf = (key: number) => ({ keyHigh: key, keyLow: key, body: 1 });
  for (const engine of [one, two]) {
    equal(engine.apply({ kind: 'configure', timeMs, rulesVersion: 1, rules }).status, 'accepted');
    const facts = { timeMs, account, market: BTC_15M, stakeCents: 10_00 };
    const orders = [2, 1].map((key) => plainOrder({ ...facts, idempotency: digestOf(key) }));
    const statuses = orders.map((order) => engine.apply(order).status);
    deepEqual(statuses, ['replayed', 'accepted'], 'an expired key may be used again');
  }
  equal(digestsOf(two), digestsOf(one));
  for (const engine of [one, two, restored(one)])
    equal(engine.seenKey(account, digestOf(3), timeMs + 1).rememberedFromMs, timeMs - 10 * MINUTE_MS + 1);
});
