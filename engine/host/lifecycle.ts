/**
 * Drives everything that no client requests: locks and ends of rounds, boundary prices, late openings, settlement
 * slices, resting orders and market hours. `pump` polls feed and clocks several times a second; no outside event
 * triggers any of this.
 */
import { assert } from '../base/assert.js';
import type { EngineReads } from '../engine.js';
import { ASSET_CLASSES, type AssetClass } from '../model/domain.js';
import type { Clock, PriceFeed } from '../model/ports.js';
import type { Sessions } from '../state/state.js';
import type { PriceTracker } from './price-tracker.js';
import { type FairShareNow, RestingOrders, submitDue } from './resting-orders.js';
import type { Sequencer } from './sequencer.js';
import { BOUNDARY_STEP_MS, boundaryAtOrBefore } from './ticks/boundary-window.js';

/**
 * Market hours of an asset class around `nowMs`; null if it is always open. The same array while nothing changes saves
 * a comparison.
 */
export type Calendar = (assetClass: AssetClass, nowMs: number) => Sessions | null;

interface LifecycleOptions {
  readonly feed: PriceFeed;
  readonly calendar: Calendar;
  readonly fairShare: FairShareNow;
  readonly schedule: (run: () => void) => void;
  /** Bets of a settlement command. A turn of the event loop runs one such command. */
  readonly settleBetsMax: number;
  readonly clock: Clock;
  /**
   * The process has stalled if this much engine time has passed since the last pump or tick. Infinity for a manual
   * clock, which advances in steps of any size.
   */
  readonly stallMs: number;
}

/** Shorter than the grace for late ticks, and far longer than the usual interval between pumps. */
export const STALL_MS = 1_000;
/**
 * A stall makes boundaries wait for ticks again, but no more often than this: a server that keeps stalling must go on.
 */
const STALLS_APART_MS = 10_000;

/** Well below a millisecond of work once the code is compiled. */
export const SETTLE_BETS_MAX = 500;
/** The first slice, and the smallest: before the code is compiled a bet takes many times as long. */
const SETTLE_BETS_MIN = 50;
/** A slice that takes longer halves the next one, so that a large settlement delays no order for long. */
const SLICE_MS_MAX = 1;
/** After a stall a boundary price can make more rounds end at once. Each pass ends at least one. */
const PRICE_PASSES_MAX = 8;
/** Settlement pauses while this many commands are not durable, which bounds the backlog. */
const BACKLOG_COMMANDS_MAX = 2_000;

export class Lifecycle {
  readonly #engine: EngineReads;
  readonly #knownSessions: (Sessions | null)[] = ASSET_CLASSES.map(() => null);
  readonly #idleWaiters: (() => void)[] = [];
  #started = false;
  #begun = false;
  #onBegun: () => void = () => undefined;
  #turnPending = false;
  #settleBets: number;
  #lastSeenMs = 0;
  #resumedMs = 0;
  readonly #turn: () => void;
  readonly #resting: RestingOrders;

  constructor(
    private readonly sequencer: Sequencer,
    private readonly tracker: PriceTracker,
    private readonly options: LifecycleOptions,
  ) {
    this.#engine = sequencer.engine;
    this.#resting = new RestingOrders(sequencer, options.fairShare);
    this.#settleBets = Math.min(SETTLE_BETS_MIN, options.settleBetsMax);
    this.#turn = () => {
      this.#turnPending = false;
      this.pump();
    };
  }

  /** Catches up with the time since the last journaled command, then calls `onBegun`. The rules must be configured. */
  start(onBegun: () => void = () => undefined): void {
    assert(!this.#started, 'the lifecycle is started once');
    assert(this.#engine.rules !== null, 'the rules are configured before rounds begin');
    this.#started = true;
    this.#onBegun = onBegun;
    const { feed } = this.options;
    this.tracker.onPast((asset, boundaryMs) => feed.recall?.(asset, boundaryMs));
    feed.start((tick) => {
      const arrivedMs = this.sequencer.stampMs();
      this.#detectStall(arrivedMs);
      const verdict = this.tracker.offer(tick, arrivedMs);
      if (verdict.taken && this.#resting.areAny) this.#scheduleTurn();
      return verdict;
    });
    this.pump();
  }

  stop(): void {
    this.options.feed.stop();
  }

  /** Executes everything due now, and one slice of settlement. Call several times a second. */
  pump(): void {
    if (!this.#started || this.sequencer.stopped) {
      this.#notifyIdle();
      return;
    }
    const nowMs = this.sequencer.stampMs();
    if (!this.#hasBegun(nowMs)) {
      this.#notifyIdle();
      return;
    }
    this.#detectStall(nowMs);
    this.#setCalendars(nowMs);
    this.sequencer.advance(nowMs);
    this.tracker.refresh(nowMs);
    this.options.feed.poll(nowMs);
    const isDone = this.#submitBoundaryPrices(nowMs);
    // Rejected if the house cannot pay the seeds. Retried until it can or the price is too old.
    for (const command of this.tracker.lateOpens(nowMs)) this.sequencer.submit(command);
    this.tracker.refresh(nowMs);
    this.#settleSlice(nowMs);
    const isRestDone = !this.#resting.areAny || (!this.#isBacklogged() && this.#resting.work(nowMs));
    if (!isDone || !isRestDone || this.#engine.settlementsWaiting) this.#scheduleTurn();
    else this.#notifyIdle();
  }

  /** Nothing moves until the clock that a start finds is confirmed. The feed shows the time elsewhere. */
  #hasBegun(nowMs: number): boolean {
    if (this.#begun) return true;
    if (this.sequencer.wallClock.condition === 'unconfirmed') {
      this.options.feed.poll(nowMs);
      return false;
    }
    this.#begun = true;
    this.#setCalendars(nowMs);
    this.sequencer.advance(nowMs);
    this.tracker.start(nowMs);
    this.#lastSeenMs = nowMs;
    this.#resumedMs = nowMs;
    this.#onBegun();
    return true;
  }

  /**
   * When `pump` next has work after `nowMs`, as far as time decides: a round's lock or end, the close of betting where
   * orders rest, a boundary (late openings), the end of a grace, and feed polls while a boundary is waiting for a
   * price.
   */
  nextDueMs(nowMs: number): number {
    let dueMs = Math.min(this.#engine.nextDueMs, this.tracker.nextDueMs(), this.#resting.nextDueMs);
    dueMs = Math.min(dueMs, boundaryAtOrBefore(nowMs) + BOUNDARY_STEP_MS);
    const isWaiting = this.tracker.waitingCount > 0;
    return isWaiting ? Math.min(dueMs, this.options.feed.nextDueMs?.() ?? dueMs) : dueMs;
  }

  /** Pumps, and calls `release` once all work due now, settlements included, has been executed. */
  whenIdle(release: () => void): void {
    this.#idleWaiters.push(release);
    this.pump();
  }

  /** Like `whenIdle`, but waits until the work is durable, or cannot be (`whenDurable`). */
  whenQuiet(release: () => void, refuse: () => void): void {
    this.whenIdle(() => this.sequencer.whenDurable(this.#engine.seq, release, refuse));
  }

  #notifyIdle(): void {
    for (const release of this.#idleWaiters.splice(0)) release();
  }

  #scheduleTurn(): void {
    if (this.#turnPending) return;
    this.#turnPending = true;
    if (this.#isBacklogged())
      this.sequencer.whenDurable(this.#engine.seq, () => this.options.schedule(this.#turn));
    else this.options.schedule(this.#turn);
  }

  #isBacklogged(): boolean {
    return this.sequencer.backlogCommands > BACKLOG_COMMANDS_MAX;
  }

  /** After a stall `pump` may run before the ticks that arrived are read, so passed boundaries must wait for them. */
  #detectStall(nowMs: number): void {
    const isStall = nowMs - this.#lastSeenMs > this.options.stallMs;
    this.#lastSeenMs = nowMs;
    if (!isStall || nowMs - this.#resumedMs < STALLS_APART_MS) return;
    this.#resumedMs = nowMs;
    this.tracker.resume(nowMs);
  }

  #setCalendars(nowMs: number): void {
    ASSET_CLASSES.forEach((assetClass, index) => {
      const sessions = this.options.calendar(assetClass, nowMs);
      if (sessions === null || sessions === this.#knownSessions[index]) return;
      this.#knownSessions[index] = sessions;
      if (JSON.stringify(sessions) === JSON.stringify(this.#engine.sessions(index))) return;
      submitDue(this.sequencer, { kind: 'setCalendar', timeMs: nowMs, assetClass, sessions });
    });
  }

  /** Returns false if final prices were left for the next pump. */
  #submitBoundaryPrices(nowMs: number): boolean {
    for (let pass = 0; pass < PRICE_PASSES_MAX; pass++) {
      const commands = this.tracker.boundaryPrices(nowMs);
      if (commands.length === 0) return true;
      for (const command of commands) submitDue(this.sequencer, command);
      this.sequencer.advance(nowMs);
      this.tracker.refresh(nowMs);
    }
    return false;
  }

  #settleSlice(nowMs: number): void {
    if (!this.#engine.settlementsWaiting || this.#isBacklogged()) return;
    const { clock, settleBetsMax } = this.options;
    const startedMs = clock.monotonicMs();
    submitDue(this.sequencer, { kind: 'settle', timeMs: nowMs, betsMax: this.#settleBets });
    const tookMs = clock.monotonicMs() - startedMs;
    // The last slice of a settlement may be far from full, so a short time says nothing about a full one.
    if (tookMs > SLICE_MS_MAX) this.#settleBets = Math.max(SETTLE_BETS_MIN, Math.ceil(this.#settleBets / 2));
    else if (tookMs < SLICE_MS_MAX / 4 && this.#engine.settlementsWaiting) this.#settleBets *= 2;
    this.#settleBets = Math.min(this.#settleBets, settleBetsMax);
  }
}
