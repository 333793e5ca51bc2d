/** A host on parts controlled by the test: clocks, the end of an event-loop turn, and the disk. */
import { assert } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import { ClockGuard } from '../../../engine/host/clock-guard.js';
import type { Calendar } from '../../../engine/host/lifecycle.js';
import { Lifecycle } from '../../../engine/host/lifecycle.js';
import { PriceTracker } from '../../../engine/host/price-tracker.js';
import { Quoter } from '../../../engine/host/quoter.js';
import { Sequencer } from '../../../engine/host/sequencer.js';
import { SEQUENCER_DEFAULTS, type SequencerOptions } from '../../../engine/host/sequencer-options.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
import type { Outcome } from '../../../engine/model/events.js';
import type { Clock, PriceFeed, PriceTick } from '../../../engine/model/ports.js';
import { defaultRules, RULES_VERSION, type Rules } from '../../../engine/model/rules.js';
import { PushFeed } from '../../../feeds/push-feed.js';
import { fixedHouse, withHouse } from '../engine/house-rules.js';
import { plainOrder } from '../engine/plain-order.js';
import { MemoryJournal } from './memory-journal.js';

/** A Wednesday: every asset class trades, and every time frame but the longest has a boundary. */
export const NOON_MS = Date.UTC(2026, 5, 10, 12);

/** A tick of BTC. */
export const tickAt = (timeMs: number, price: number): PriceTick => ({
  asset: 0,
  price,
  timeMs,
  source: 'test',
  origin: '',
});

export class TestClock implements Clock {
  wallMs = NOON_MS;
  monoMs = 5_000;
  nowMs(): number {
    return this.wallMs;
  }
  monotonicMs(): number {
    return this.monoMs;
  }
  pass(ms: number): void {
    this.wallMs += ms;
    this.monoMs += ms;
  }
}

export interface HostOptions extends Partial<SequencerOptions> {
  readonly feed?: PriceFeed;
  readonly calendar?: Calendar;
  readonly settleBetsMax?: number;
  readonly stallMs?: number;
  readonly rules?: Rules;
}

/** Everything between a clock and a disk, with one Silver account and a key. */
export class TestHost {
  readonly journal = new MemoryJournal();
  readonly guard = new ClockGuard();
  readonly fatal: Error[] = [];
  readonly sequencer: Sequencer;
  readonly tracker: PriceTracker;
  readonly quoter: Quoter;
  readonly lifecycle: Lifecycle;
  account = 1;
  readonly #turns: (() => void)[] = [];
  #orders = 0;

  constructor(
    readonly clock: TestClock,
    readonly options: HostOptions = {},
    readonly engine: Engine = new Engine(),
  ) {
    const { schedule } = this;
    const { feed = new PushFeed(), calendar = () => null, settleBetsMax = 500, rules, ...others } = options;
    // Tests let minutes pass at once, as a manual clock does.
    const { stallMs = Number.POSITIVE_INFINITY, ...sequencerOptions } = others;
    this.sequencer = new Sequencer(engine, clock, this.journal, {
      ...SEQUENCER_DEFAULTS,
      afterWork: schedule,
      schedule,
      onFatal: (error) => this.fatal.push(error),
      onDiskFull: () => assert(false, 'the disk is not full in this test'),
      clockGuard: this.guard,
      ...sequencerOptions,
    });
    this.tracker = new PriceTracker(engine);
    this.quoter = new Quoter(engine, this.tracker);
    this.lifecycle = new Lifecycle(this.sequencer, this.tracker, {
      feed,
      calendar,
      fairShare: this.quoter.fairShareE6.bind(this.quoter),
      schedule,
      settleBetsMax,
      clock: this.clock,
      stallMs,
    });
    if (engine.seq === 0) this.#setUp(rules ?? withHouse(defaultRules('f'.repeat(64)), fixedHouse()));
  }

  #setUp(rules: Rules): void {
    const timeMs = this.sequencer.stampMs();
    const { sequencer } = this;
    sequencer.submit({ kind: 'configure', timeMs, rulesVersion: RULES_VERSION, rules });
    sequencer.submit({ kind: 'depositHouse', timeMs, amountCents: 1_000_000_00, reference: 'capital' });
    sequencer.submit({ kind: 'createAccount', timeMs, name: null, tier: 1, balanceCents: 10_000_00 });
    const digest = 'a'.repeat(64);
    sequencer.submit({ kind: 'createKey', timeMs, account: 1, digest, scopesMask: 15, expiresAtMs: null });
    this.settle();
  }

  readonly schedule = (run: () => void): void => {
    this.#turns.push(run);
  };

  /** Runs everything that was scheduled for the turn's end, and nothing that is scheduled meanwhile. */
  endTurn(): void {
    for (const run of this.#turns.splice(0)) run();
  }
  get turnsPending(): number {
    return this.#turns.length;
  }

  settle(): void {
    while (this.#turns.length > 0 || this.journal.inFlight !== null) {
      this.endTurn();
      this.journal.ack();
    }
  }

  run(ms: number, stepMs = 50): void {
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      this.clock.pass(Math.min(stepMs, ms - passedMs));
      this.sequencer.heartbeat();
      this.lifecycle.pump();
      this.settle();
    }
  }

  /** By default a dollar on UP of BTC, one minute. */
  order(market = 0, idempotency = ++this.#orders, clientSeed: string | null = null): Outcome {
    return this.sequencer.submit(
      plainOrder({
        timeMs: this.sequencer.stampMs(),
        account: this.account,
        market,
        idempotency: { keyHigh: 0, keyLow: idempotency, body: 1 },
        clientSeed,
      }),
    );
  }

  deposit(): number {
    const timeMs = this.sequencer.stampMs();
    const outcome = this.sequencer.submit({
      kind: 'deposit',
      timeMs,
      account: 1,
      amountCents: 1,
      reference: `d${++this.#orders}`,
    });
    return outcome.status === 'accepted' ? outcome.seq : -1;
  }
}

export function codeOf(outcome: Outcome): ErrorCode | Outcome['status'] {
  return outcome.status === 'rejected' ? outcome.code : outcome.status;
}

/** It takes orders. */
export function liveHost(options: HostOptions = {}): TestHost {
  const host = new TestHost(new TestClock(), options);
  host.lifecycle.start();
  assert(host.tracker.offer(tickAt(NOON_MS, 95_000), NOON_MS).taken, 'the price is taken');
  host.lifecycle.pump();
  host.settle();
  assert(codeOf(host.order()) === 'accepted', 'it takes orders');
  host.settle();
  return host;
}
