/** Orders whose bots have gone: the keys and times of cancellation, and the new begin at a start. */
import { deepEqual, equal } from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Engine } from '../../../engine/engine.js';
import { Deadman, withoutPauses } from '../../../engine/host/deadman.js';
import type { Command } from '../../../engine/model/commands.js';
import { scopesMask } from '../../../engine/model/domain.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
import type { Outcome } from '../../../engine/model/events.js';
import { plainOrder } from '../../support/engine/plain-order.js';
import { restored } from '../../support/engine/snapshots.js';
import { BTC_1M, Exchange } from '../../support/reference/exchange.js';

class Bench {
  readonly engine: Engine;
  readonly timeMs: number;
  readonly account: number;
  readonly heard = [0, 0, 0];
  gate: ErrorCode | null = null;
  nowMs = 0;
  deadman: Deadman;

  constructor() {
    const exchange = new Exchange();
    this.account = exchange.account('VIP', 100_000_00);
    exchange.openLate(BTC_1M, 100);
    this.engine = restored(exchange.pair.engine);
    this.timeMs = exchange.nowMs;
    const facts = { account: this.account, scopesMask: scopesMask(['orders:cancel']), expiresAtMs: null };
    for (const digit of ['a', 'b'])
      this.accepted({ kind: 'createKey', timeMs: this.timeMs, digest: digit.repeat(64), ...facts });
    this.deadman = this.started();
  }

  readonly started = (nowMs = () => this.nowMs): Deadman =>
    new Deadman({ sequencer: this, nowMs, heard: (key) => this.heard[key] ?? 0 });
  readonly stopped = false;
  readonly stampMs = (): number => this.timeMs;
  readonly submit = (command: Command): Outcome => this.engine.apply(command, this.gate);
  readonly accepted = (command: Command): void => equal(this.submit(command).status, 'accepted');

  rest(key: number, orders = 1): void {
    const { account, timeMs } = this;
    const order = plainOrder({ timeMs, account, key, market: BTC_1M, limitOddsE4: 90_000 });
    for (let n = 0; n < orders; n++) this.accepted(order);
  }

  ask(key: number, seconds: number): void {
    this.deadman.opened(key);
    equal(this.deadman.set(key, seconds).status, 'accepted');
  }

  after(ms: number): number {
    this.nowMs += ms;
    this.deadman.pump();
    return this.engine.restingOrders;
  }

  readonly seconds = (key: number): number => this.engine.key(key).deadmanSeconds;
}

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});

test('after so many seconds of silence the orders of the key are cancelled, and those of no other', () => {
  bench.ask(1, 5);
  bench.rest(1, 2);
  bench.rest(2);
  deepEqual([bench.after(4_999), bench.after(1), bench.after(60_000)], [3, 1, 1]);
  equal(bench.seconds(1), 5, 'its stream is open: the next silence counts, too');
  bench.rest(1);
  deepEqual([bench.after(4_999), bench.after(1)], [2, 1]);
});

test('any message of the key renews it, each key has its own countdown, and 0 takes it back', () => {
  bench.ask(1, 5);
  bench.ask(2, 7);
  for (const key of [1, 2]) bench.rest(key);
  bench.after(4_000);
  bench.heard[1] = 1;
  equal(bench.after(2_999), 2);
  equal(bench.after(1), 1, 'the other key has sent nothing');
  equal(bench.after(1_999), 1);
  bench.deadman.set(1, 0);
  equal(bench.after(60_000), 1);
  bench.deadman.ended(1);
  equal(bench.after(60_000), 1);
});

test('a stall of the server is no silence of its bots', () => {
  bench.deadman = bench.started(withoutPauses(() => bench.nowMs));
  bench.ask(1, 5);
  bench.rest(1);
  for (let pumps = 0; pumps < 239; pumps++) equal(bench.after(20), 1);
  equal(bench.after(60_000), 1, 'what they have sent meanwhile is not read yet');
  equal(bench.after(20), 0, 'a bot that has sent nothing is silent all the same');
});

test('the end of the last stream that has asked cancels at once, and ends the countdown', () => {
  bench.ask(1, 300);
  bench.deadman.opened(1);
  bench.rest(1);
  bench.deadman.ended(1);
  equal(bench.after(0), 1);
  bench.deadman.ended(1);
  deepEqual([bench.engine.restingOrders, bench.seconds(1)], [0, 0]);
  bench.ask(1, 300);
  bench.rest(1);
  equal(bench.after(299_999), 1, 'a stream that asks afterwards begins anew');
});

test('of many orders 1,000 are cancelled in a turn', () => {
  bench.ask(1, 1);
  bench.ask(2, 1);
  bench.rest(1, 1_500);
  bench.rest(2, 600);
  deepEqual([bench.after(1_000), bench.after(0), bench.after(0)], [1_100, 100, 0]);
  bench.rest(1, 2_500);
  bench.deadman.ended(1);
  bench.ask(1, 1);
  bench.rest(1);
  deepEqual([bench.after(999), bench.after(1)], [1, 0], 'a stream that asks next keeps its own');
});

test('what refuses orders refuses this, too: it is tried again, and its countdown ends with the last order', () => {
  bench.ask(1, 5);
  bench.rest(1);
  bench.gate = 'journal_backlog';
  bench.deadman.ended(1);
  deepEqual([bench.after(1), bench.seconds(1)], [1, 5]);
  bench.gate = null;
  deepEqual([bench.after(1), bench.seconds(1)], [0, 0]);
});

test('a start begins every countdown anew, and ends it where no stream has asked since', () => {
  bench.ask(2, 5);
  bench.rest(2);
  bench.after(4_000);
  bench.deadman = bench.started();
  deepEqual([bench.after(4_999), bench.after(1), bench.seconds(2)], [1, 0, 0]);
});
