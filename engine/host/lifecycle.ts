/**
 * Drives what nobody orders: locks and ends of rounds, boundary prices, late openings, settlement slices and
 * market hours. It runs at its own pace: feeds and clocks are looked at in `pump`, several times a second, and
 * never acted on from the outside.
 */
import { assert } from '../base/assert.js';
import type { Command } from '../model/commands.js';
import { ASSET_CLASSES, type AssetClass } from '../model/domain.js';
import type { Clock, PriceFeed } from '../model/ports.js';
import type { EngineReads } from '../model/views.js';
import type { Sessions } from '../state/state.js';
import { BOUNDARY_STEP_MS, boundaryAtOrBefore } from './boundary-window.js';
import type { PriceTracker } from './price-tracker.js';
import type { Sequencer } from './sequencer.js';

/**
 * Market hours of a class around `nowMs`, worked out from time-zone data; null for a class that is always open. It
 * should give the same array as long as nothing changes: then it is not compared again.
 */
export type Calendar = (assetClass: AssetClass, nowMs: number) => Sessions | null;

export interface LifecycleOptions {
  readonly feeds: readonly PriceFeed[];
  readonly calendar: Calendar;
  /** Runs the function in a later turn of the event loop, soon. */
  readonly schedule: (run: () => void) => void;
  /** How many bets one settlement command credits at most; a turn of the event loop carries out one such command. */
  readonly settleBetsMax: number;
  /** Tells how long a settlement command took. */
  readonly clock: Clock;
}

/** Well below a millisecond's work once the code is compiled. */
export const SETTLE_BETS_MAX = 500;
/** The first slice and the smallest: before the code is compiled a bet takes as much as 20 us. */
const SETTLE_BETS_MIN = 50;
/** A slice that took longer is followed by one of half its size, so that a large settlement delays no order for long. */
const SLICE_MS_MAX = 1;
/** Boundary prices can let rounds end at once after a standstill; each pass ends at least one more. */
const PRICE_PASSES_MAX = 8;
/** Settlement waits while this many commands are not durable, so that the backlog stays bounded. */
const BACKLOG_COMMANDS_MAX = 2_000;

export class Lifecycle {
  readonly #engine: EngineReads;
  readonly #knownSessions: (Sessions | null)[] = ASSET_CLASSES.map(() => null);
  readonly #idleWaiters: (() => void)[] = [];
  #started = false;
  #turnPending = false;
  #settleBets: number;
  readonly #turn: () => void;

  constructor(
    private readonly sequencer: Sequencer,
    private readonly tracker: PriceTracker,
    private readonly options: LifecycleOptions,
  ) {
    this.#engine = sequencer.engine;
    this.#settleBets = Math.min(SETTLE_BETS_MIN, options.settleBetsMax);
    this.#turn = () => {
      this.#turnPending = false;
      this.pump();
    };
  }

  /**
   * Catches up with the time that has passed since the last journaled command, then starts the feeds. The rules
   * must be configured.
   */
  start(): void {
    assert(!this.#started, 'the lifecycle is started once');
    assert(this.#engine.rules !== null, 'the rules are configured before rounds begin');
    this.#started = true;
    const nowMs = this.sequencer.stampMs();
    this.#setCalendars(nowMs);
    this.#advance(nowMs);
    this.tracker.start(nowMs);
    for (const feed of this.options.feeds) {
      feed.start((tick) => this.tracker.offer(tick, this.sequencer.stampMs()));
    }
    this.pump();
  }

  stop(): void {
    for (const feed of this.options.feeds) feed.stop();
  }

  /** Carries out everything that is due now, and one slice of settlement. To be called several times a second. */
  pump(): void {
    this.sequencer.heartbeat();
    if (!this.#started || this.sequencer.stopped) {
      this.#tellIdle();
      return;
    }
    const nowMs = this.sequencer.stampMs();
    this.#setCalendars(nowMs);
    this.#advance(nowMs);
    this.tracker.refresh(nowMs);
    for (const feed of this.options.feeds) feed.poll(nowMs);
    const isDone = this.#submitBoundaryPrices(nowMs);
    // Refused where the house cannot pay the seeds: tried again until it can or the price is too old.
    for (const command of this.tracker.lateOpens(nowMs)) this.sequencer.submit(command);
    this.tracker.refresh(nowMs);
    this.#settleSlice(nowMs);
    if (!isDone || this.#engine.settlementsWaiting) this.#wantTurn();
    else this.#tellIdle();
  }

  /**
   * When `pump` next has something to do, after `nowMs`, as far as time alone decides it: a round's lock or end, a
   * boundary (late openings), the end of a grace, and ticks while a boundary waits for one.
   */
  nextDueMs(nowMs: number): number {
    let dueMs = Math.min(this.#engine.nextDueMs, this.tracker.nextDueMs(), nextBoundaryMs(nowMs));
    if (this.tracker.waitingCount > 0) {
      for (const feed of this.options.feeds) dueMs = Math.min(dueMs, feed.nextDueMs());
    }
    return dueMs;
  }

  /** Pumps, and calls `release` once all work that is due at this time, settlements included, is carried out. */
  whenIdle(release: () => void): void {
    this.#idleWaiters.push(release);
    this.pump();
  }

  /** The same, and once it is durable: what the operator API waits for. */
  whenQuiet(release: () => void): void {
    this.whenIdle(() => this.sequencer.whenDurable(this.#engine.seq, release));
  }

  #tellIdle(): void {
    for (const release of this.#idleWaiters.splice(0)) release();
  }

  /** While many commands are not durable the turn waits for them, else it is the next one. */
  #wantTurn(): void {
    if (this.#turnPending) return;
    this.#turnPending = true;
    if (this.#isBacklogged())
      this.sequencer.whenDurable(this.#engine.seq, () => this.options.schedule(this.#turn));
    else this.options.schedule(this.#turn);
  }

  #isBacklogged(): boolean {
    return this.sequencer.backlogCommands > BACKLOG_COMMANDS_MAX;
  }

  #setCalendars(nowMs: number): void {
    ASSET_CLASSES.forEach((assetClass, index) => {
      const sessions = this.options.calendar(assetClass, nowMs);
      if (sessions === null || sessions === this.#knownSessions[index]) return;
      this.#knownSessions[index] = sessions;
      if (sameSessions(sessions, this.#engine.sessions(index))) return;
      this.#submit({ kind: 'setCalendar', timeMs: nowMs, assetClass, sessions });
    });
  }

  #advance(nowMs: number): void {
    if (this.#engine.nextDueMs <= nowMs) this.#submit({ kind: 'advance', timeMs: nowMs });
  }

  /** Whether no price that is final by now was left. */
  #submitBoundaryPrices(nowMs: number): boolean {
    for (let pass = 0; pass < PRICE_PASSES_MAX; pass++) {
      const commands = this.tracker.boundaryPrices(nowMs);
      if (commands.length === 0) return true;
      for (const command of commands) this.#submit(command);
      this.#advance(nowMs);
      this.tracker.refresh(nowMs);
    }
    return false;
  }

  #settleSlice(nowMs: number): void {
    if (!this.#engine.settlementsWaiting || this.#isBacklogged()) return;
    const { clock, settleBetsMax } = this.options;
    const startedMs = clock.monotonicMs();
    this.#submit({ kind: 'settle', timeMs: nowMs, betsMax: this.#settleBets });
    const tookMs = clock.monotonicMs() - startedMs;
    // Nothing left waiting: the slice may have been far from full, and tells nothing of how long a full one takes.
    if (tookMs > SLICE_MS_MAX) this.#settleBets = Math.max(SETTLE_BETS_MIN, Math.ceil(this.#settleBets / 2));
    else if (tookMs < SLICE_MS_MAX / 4 && this.#engine.settlementsWaiting) this.#settleBets *= 2;
    this.#settleBets = Math.min(this.#settleBets, settleBetsMax);
  }

  /** What the engine itself named as due cannot be refused, unless the server is stopping. */
  #submit(command: Command): void {
    const outcome = this.sequencer.submit(command);
    assert(
      outcome.status === 'accepted' || this.sequencer.stopped,
      `${command.kind} was due and is ${outcome.status}`,
    );
  }
}

function nextBoundaryMs(nowMs: number): number {
  return boundaryAtOrBefore(nowMs) + BOUNDARY_STEP_MS;
}

function sameSessions(a: Sessions, b: Sessions | null): boolean {
  if (b === null || a.length !== b.length) return false;
  return a.every(([openMs, closeMs], i) => b[i]?.[0] === openMs && b[i]?.[1] === closeMs);
}
