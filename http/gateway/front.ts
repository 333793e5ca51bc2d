/**
 * The engine's side of the gateways: the threads, the memory that they share, and its upkeep. A start goes through it
 * in three steps: the threads are started, `listen` takes the port, and `attach` connects the engine before its first
 * command.
 */
import type { Worker } from 'node:worker_threads';
import { betHashesMemory } from '../../crypto/bet-hashes.js';
import { assert, must } from '../../engine/base/assert.js';
import type { EngineReads } from '../../engine/engine.js';
import { withoutPauses } from '../../engine/host/deadman.js';
import type { PriceTracker } from '../../engine/host/price-tracker.js';
import type { Quoter } from '../../engine/host/quoter.js';
import type { FairShareNow } from '../../engine/host/resting-orders.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import type { Clock } from '../../engine/model/ports.js';
import { systemClock } from '../../process/clock.js';
import { boardMemory } from '../board/markets.js';
import { RightsWriter, rightsMemory } from '../board/rights.js';
import { broadcastMemory } from '../broadcast/records.js';
import { type Connected, connectEngine } from '../desk/connect.js';
import type { Desk } from '../desk/desk.js';
import { NearLink } from '../desk/near-link.js';
import { serveRing } from '../desk/serve-ring.js';
import { type FiguresMemory, figuresMemory } from '../metrics/memory.js';
import { tracesMemory } from '../metrics/order-traces.js';
import { RingService } from '../rings/service.js';
import { StreamCounts, streamsMemory } from '../stream/limits.js';
import type { Faults } from './faults.js';
import { Gateways } from './gateways.js';
import type { OperatorSetup, SharedSetup } from './messages.js';

interface FrontSources {
  readonly sequencer: Sequencer;
  readonly clock: Clock;
  readonly tracker: PriceTracker;
  readonly quoter: Quoter;
  readonly orderShareE6: FairShareNow;
  /** A clock that stands still never makes market data old: they are published after every turn instead. */
  readonly isClockManual: boolean;
  readonly faults: Faults;
}

export class Front {
  readonly gateways: Gateways;
  readonly #memory = {
    rights: rightsMemory(),
    board: boardMemory(),
    broadcast: broadcastMemory(),
    streams: streamsMemory(),
    traces: tracesMemory(),
    betHashes: betHashesMemory(),
  };
  /** For `crypto/bet-hashes.ts`. */
  readonly betHashes = this.#memory.betHashes;
  readonly figures: FiguresMemory;
  readonly #service: RingService;
  #ahead: RightsWriter | null = null;
  #connected: Connected | null = null;
  #publishesEveryTurn = false;

  /**
   * Starts the threads of `count` gateways; the operators' is there. `onFatal` is for a programming error in one of them.
   */
  constructor(count: number, operators: Worker, onFatal: (error: unknown) => void) {
    this.figures = figuresMemory(count);
    const desk = (): Desk => must(this.#connected, 'the engine of a server that serves').desk;
    const shared = { schedule: setImmediate, monotonicMs: systemClock.monotonicMs };
    const nearLink = new NearLink({ ...shared, desk, beforeReply: () => this.publishFirst() });
    this.gateways = new Gateways(count, operators, nearLink, onFatal);
    this.#service = new RingService({
      ...shared,
      serve: (ring, gateway) => serveRing(desk(), ring, gateway),
      beforeReplies: () => this.publishFirst(),
    });
  }

  /** Rejects if the port is taken. */
  listen(
    setup: Omit<SharedSetup, 'ended' | 'rights' | 'board' | 'broadcast' | 'streams' | 'traces' | 'betHashes'>,
    host: string,
    port: number,
  ): Promise<number> {
    const { gateways } = this.figures;
    return this.gateways.listen({ ...setup, ...this.#memory }, gateways, this.#service, host, port);
  }

  /** Rejects if the port is taken. */
  listenForOperators(
    setup: Omit<OperatorSetup, 'role' | 'ended' | 'figures' | 'board' | 'traces'>,
  ): Promise<number> {
    const { board, traces } = this.#memory;
    return this.gateways.listenForOperators({ ...setup, figures: this.figures, board, traces });
  }

  /**
   * For a server that follows, to be called now and then. It writes the rights of many accounts while nobody waits for
   * that; `attach` then only has to look through them.
   */
  prepare(engine: EngineReads): void {
    if (this.#ahead === null) this.#ahead = new RightsWriter(this.#memory.rights, engine);
    else this.#ahead.addNew();
  }

  /** All of the engine's state must be durable. */
  attach({ sequencer, clock, tracker, quoter, orderShareE6, isClockManual, faults }: FrontSources): void {
    assert(this.#connected === null, 'the engine is attached once');
    const streams = new StreamCounts(this.#memory.streams);
    this.#connected = connectEngine(sequencer, this.#memory, {
      nowMs: () => clock.nowMs(),
      latestTick: (asset) => tracker.latest(asset),
      fairShare: (market, nowMs) => quoter.fairShareE6(market, nowMs),
      orderShareE6,
      deadmanNowMs: isClockManual ? () => clock.nowMs() : withoutPauses(systemClock.monotonicMs),
      heard: (key) => streams.heard(key),
      onFault: (error) => faults.report(error, { method: 'READ', path: '', address: '' }),
    });
    for (const tellNews of this.gateways.newsOf) this.#connected.broadcaster.addGateway(tellNews);
    sequencer.onEvents((_seq, events) => {
      if (events.some(({ type }) => type === 'configured'))
        this.gateways.setRules(must(sequencer.engine.rules, 'rules that were put in force'));
    });
    this.#publishesEveryTurn = isClockManual;
  }

  /** To be called before each answer: on a manual clock, a tester sees the effects of this request in the next one. */
  publishFirst(): void {
    if (this.#publishesEveryTurn) this.#connected?.publisher.publish();
  }

  /**
   * Publishes market data, cancels orders of bots that have gone, and sends replies that found no room. To be called
   * every few milliseconds.
   */
  pump(): void {
    if (this.#connected?.publisher.publish() === true) this.#connected.broadcaster.wake();
    this.#connected?.tellOutrun();
    this.#connected?.deadman.pump();
    this.#service.retry();
  }
}
