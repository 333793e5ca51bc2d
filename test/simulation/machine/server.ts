/**
 * One life of the server: the real sequencer, lifecycle, price tracker and both APIs over a recovered engine, put
 * together as `start/server.ts` does it, with the simulator's clock, journal, feed and network.
 */
import { keyDigest } from '../../../crypto/api-keys.js';
import type { Engine } from '../../../engine/engine.js';
import { applyRules, fundHouse } from '../../../engine/host/bootstrap.js';
import { ClockGuard } from '../../../engine/host/clock-guard.js';
import { type Calendar, Lifecycle } from '../../../engine/host/lifecycle.js';
import { PriceTracker } from '../../../engine/host/price-tracker.js';
import { Quoter } from '../../../engine/host/quoter.js';
import { RootPublisher } from '../../../engine/host/root-publisher.js';
import { Sequencer } from '../../../engine/host/sequencer.js';
import { SEQUENCER_DEFAULTS } from '../../../engine/host/sequencer-options.js';
import type { Command, OrderGuards } from '../../../engine/model/commands.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
import type { Outcome } from '../../../engine/model/events.js';
import { firstToken } from '../../../engine/model/operators.js';
import type { TickVerdict } from '../../../engine/model/ports.js';
import type { Rules } from '../../../engine/model/rules.js';
import { PushFeed } from '../../../feeds/push-feed.js';
import type { LatestTick } from '../../../http/board/market-publisher.js';
import type { SharedLimits } from '../../../http/limits/shared-limits.js';
import { Denials } from '../../../http/operator/access/callers.js';
import { TokenGuard } from '../../../http/operator/access/token-guard.js';
import { createOperatorApi } from '../../../http/operator/api.js';
import { healthRoutes, type NotReady } from '../../../http/operator/health.js';
import { EngineQueries } from '../../../http/operator/queries/query.js';
import { NO_ARCHIVE } from '../../support/engine/archive-of-journal.js';
import { operatorDesk, operatorRoutes } from '../../support/host/operator-api.js';
import type { Rng } from '../../support/reference/random/rng.js';
import { BoardAudit } from '../audit/board.js';
import type { WorldConfig } from '../config.js';
import type { Coverage } from '../coverage.js';
import { SimGateways } from '../threads/gateways.js';
import type { ThreadHost } from '../threads/thread.js';
import type { SimJournalWriter } from './journal-writer.js';
import type { Handlers } from './network.js';
import type { SimClock } from './scheduler.js';

const STOPPING: NotReady = { check: 'process', code: 'shutting_down', reason: 'the server is stopping' };

export const OPERATOR_TOKEN = 'operator-token-of-the-simulation';

export interface ServerParts {
  readonly config: WorldConfig;
  readonly clock: SimClock;
  readonly engine: Engine;
  readonly writer: SimJournalWriter;
  readonly masterSecret: Uint8Array;
  readonly calendar: Calendar;
  readonly watcher: ServerWatcher;
  readonly incarnation: number;
  readonly host: ThreadHost;
  readonly rng: Rng;
  readonly coverage: Coverage;
  /** A gateway counts in the limits of all, but for a planted bug. */
  readonly limitsOf: (shared: SharedLimits) => SharedLimits;
}

export interface ServerWatcher {
  onCommand(command: Command, outcome: Outcome, gate: ErrorCode | null, guards: OrderGuards | null): void;
  /** The command rests on prices: the lifecycle hands it to the engine. */
  beforeCommand(command: Command): void;
  onStart(engineMs: number): void;
  onTick(asset: number, price: number, timeMs: number, arrivedMs: number, verdict: TickVerdict): void;
  /** The process must end with an error. */
  onFatal(error: Error): void;
  /** The disk's hard mark: the process drains, closes and ends. */
  onDiskFull(): void;
}

class WatchedFeed extends PushFeed {
  constructor(
    private readonly lastStampMs: () => number,
    private readonly watcher: ServerWatcher,
  ) {
    super();
  }
  override offer(asset: number, price: number, timeMs: number): TickVerdict {
    const verdict = super.offer(asset, price, timeMs);
    // The tracker was given this stamp: the clock's guard may judge otherwise with the next one.
    this.watcher.onTick(asset, price, timeMs, this.lastStampMs(), verdict);
    return verdict;
  }
}

export class Server {
  isAlive = true;
  isStopping = false;
  readonly engine: Engine;
  readonly sequencer: Sequencer;
  readonly lifecycle: Lifecycle;
  readonly feed: PushFeed;
  readonly handlers: Handlers;
  readonly gateways: SimGateways;
  readonly board: BoardAudit;
  readonly roots: RootPublisher;
  readonly lastStampMs: () => number;
  readonly fairShare: (market: number, nowMs: number) => number;

  constructor(private readonly parts: ServerParts) {
    const { config, clock, engine, writer, watcher } = parts;
    this.engine = engine;
    this.#watchEngine();
    const schedule = (run: () => void): void => this.gateways.schedule(run);
    this.sequencer = new Sequencer(engine, clock, writer, {
      ...SEQUENCER_DEFAULTS,
      backlogCommandsMax: config.backlogCommandsMax,
      afterWork: schedule,
      schedule,
      onFatal: (error) => watcher.onFatal(error),
      onDiskFull: () => watcher.onDiskFull(),
      clockGuard: new ClockGuard(),
    });
    this.lastStampMs = this.#watchStamps();
    this.feed = new WatchedFeed(this.lastStampMs, this.#tickWatcher());
    const tracker = new PriceTracker(engine);
    const latestTick: LatestTick = (asset) => tracker.latest(asset);
    this.board = new BoardAudit({ engine, latestTick, clock, nowMs: () => parts.host.nowMs });
    const startTracker = tracker.start.bind(tracker);
    tracker.start = (nowMs) => {
      watcher.onStart(nowMs);
      startTracker(nowMs);
    };
    const quoter = new Quoter(engine, tracker);
    const fairShare = quoter.fairShareE6.bind(quoter);
    this.fairShare = fairShare;
    this.lifecycle = new Lifecycle(this.sequencer, tracker, {
      feed: this.feed,
      calendar: parts.calendar,
      fairShare,
      schedule,
      settleBetsMax: config.settleBetsMax,
      clock,
      // The simulated process never stands still; its clock is what jumps.
      stallMs: Number.POSITIVE_INFINITY,
    });
    this.roots = new RootPublisher(this.sequencer, {
      tell: () => undefined,
      onRefused: (_round, code) => parts.coverage.hit('fault', `root refused ${code}`),
    });
    const requestIdPrefix = `life${parts.incarnation}`;
    const { sequencer } = this;
    this.gateways = new SimGateways({ ...parts, sequencer, latestTick, fairShare, requestIdPrefix });
    this.handlers = { public: this.gateways.handler, operator: this.#operatorApi(schedule, tracker) };
  }

  #watchStamps(): () => number {
    const { sequencer } = this;
    const stampMs = sequencer.stampMs.bind(sequencer);
    let lastMs = 0;
    sequencer.stampMs = () => {
      lastMs = stampMs();
      return lastMs;
    };
    return () => lastMs;
  }

  #tickWatcher(): ServerWatcher {
    const { watcher } = this.parts;
    return {
      ...watcher,
      onTick: (asset, ...rest) => {
        this.board.onTick(asset);
        this.gateways.touch();
        watcher.onTick(asset, ...rest);
      },
    };
  }

  #onCommand(
    command: Command,
    outcome: Outcome,
    gate: ErrorCode | null = null,
    guards: OrderGuards | null = null,
  ): void {
    this.parts.watcher.onCommand(command, outcome, gate, guards);
    this.board.onCommand(command, outcome);
    this.gateways.touch();
  }

  #watchEngine(): void {
    const { engine } = this;
    const { watcher } = this.parts;
    const apply = engine.apply.bind(engine);
    const placeOrder = engine.placeOrder.bind(engine);
    engine.placeOrder = (order, gate, guards) => {
      const outcome = placeOrder(order, gate, guards);
      this.#onCommand(order, outcome, gate, guards);
      return outcome;
    };
    engine.apply = (command, gate, guards) => {
      if (command.kind === 'placeOrder') return engine.placeOrder(command, gate ?? null, guards);
      watcher.beforeCommand(command);
      const outcome = apply(command, gate, guards);
      this.#onCommand(command, outcome, gate, guards);
      return outcome;
    };
  }

  #operatorApi(schedule: (run: () => void) => void, tracker: PriceTracker): Handlers['operator'] {
    const { sequencer, lifecycle, feed } = this;
    const onFatal = (error: unknown): void =>
      this.parts.watcher.onFatal(error instanceof Error ? error : new Error(String(error)));
    const desk = operatorDesk({ sequencer, lifecycle, tracker, schedule }, undefined, onFatal, feed);
    return createOperatorApi({
      routes: [
        ...operatorRoutes(new EngineQueries(desk.answer), NO_ARCHIVE),
        ...healthRoutes({ turnAgeMs: () => 0, notReady: () => (this.isStopping ? [STOPPING] : []) }),
      ],
      denials: new Denials(this.parts.clock),
      callers: new TokenGuard([firstToken(keyDigest(OPERATOR_TOKEN))], this.parts.clock),
    });
  }

  start(rules: Rules): void {
    const isNew = this.engine.seq === 0;
    applyRules(this.sequencer, rules);
    if (isNew) fundHouse(this.sequencer, this.parts.config.houseCapitalCents);
    this.lifecycle.start();
  }

  /** The end of an instant: the turns of all threads, and the work that they put off to the next ones. */
  endTurns(): void {
    this.gateways.endTurns(() => !this.isAlive);
  }

  pump(): void {
    this.sequencer.heartbeat();
    this.lifecycle.pump();
  }

  die(): void {
    this.isAlive = false;
  }
}
