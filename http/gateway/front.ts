/**
 * The engine's side of the gateways: the threads, the memory that they share, and what keeps that memory up to date. A
 * start goes through it in three steps: the threads are started, `listen` takes the port, and `attach` connects the engine
 * before its first command.
 */
import { assert, must } from '../../engine/base/assert.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import type { HttpHandler } from '../../engine/model/ports.js';
import type { Rules } from '../../engine/model/rules.js';
import { type FairShare, type LatestTick, MarketPublisher } from '../board/market-publisher.js';
import { boardMemory, boardOf } from '../board/markets.js';
import { RightsWriter, rightsMemory } from '../board/rights.js';
import { Desk } from '../desk/desk.js';
import { RingService } from '../rings/service.js';
import { Gateways, type Listening } from './gateways.js';
import type { SharedSetup } from './messages.js';

export interface FrontSources {
  readonly sequencer: Sequencer;
  /** Wall-clock time in milliseconds, by which keys expire. */
  readonly nowMs: () => number;
  readonly latestTick: LatestTick;
  readonly fairShare: FairShare;
  /** A clock that stands still never makes market data old: they are published after every turn instead. */
  readonly isClockManual: boolean;
}

export class Front {
  readonly #gateways: Gateways;
  readonly #rights = rightsMemory();
  readonly #board = boardMemory();
  readonly #service: RingService;
  #desk: Desk | null = null;
  #publisher: MarketPublisher | null = null;
  #publishesEveryTurn = false;

  /** Starts `count` gateways. `onFatal` is for a programming error in one of them. */
  constructor(count: number, onFatal: (error: unknown) => void) {
    this.#gateways = new Gateways(count, onFatal);
    this.#service = new RingService({
      schedule: setImmediate,
      serve: (ring, gateway) => must(this.#desk, 'the desk of a server that serves').serve(ring, gateway),
      beforeReplies: () => {
        if (this.#publishesEveryTurn) this.#publisher?.publish();
      },
    });
  }

  /** Takes the public port; rejects if it is taken. */
  listen(
    setup: Omit<SharedSetup, 'halted' | 'rights' | 'board'>,
    host: string,
    port: number,
  ): Promise<Listening> {
    const memory = { rights: this.#rights, board: this.#board };
    return this.#gateways.listen({ ...setup, ...memory }, this.#service, host, port);
  }

  /** All of the engine's state must be durable. */
  attach({ sequencer, nowMs, latestTick, fairShare, isClockManual }: FrontSources): void {
    assert(this.#desk === null, 'the engine is attached once');
    const { engine } = sequencer;
    const rights = new RightsWriter(this.#rights, engine);
    const shareNow = (market: number): number => fairShare(market, nowMs());
    const publisher = new MarketPublisher(boardOf(this.#board), engine, latestTick, shareNow);
    sequencer.onEvents(
      (_seq, events) => {
        rights.onEvents(events);
        publisher.onEvents(events);
        if (events.some(({ type }) => type === 'configured'))
          this.#gateways.setRules(must(engine.rules, 'rules that were put in force'));
      },
      (bets) => publisher.onBets(bets),
    );
    this.#desk = new Desk(sequencer, { nowMs, latestTick, fairShare });
    this.#publisher = publisher;
    this.#publishesEveryTurn = isClockManual;
  }

  /**
   * On a manual clock, publishes market data before each answer of `handler`, so that a tester sees in his next request
   * what this one has done.
   */
  publishFirst(handler: HttpHandler): HttpHandler {
    if (!this.#publishesEveryTurn) return handler;
    return (request, responder) =>
      handler(request, {
        send: (status, headers, body) => {
          this.#publisher?.publish();
          responder.send(status, headers, body);
        },
      });
  }

  /** Requests are answered from now on. */
  serve(rules: Rules): void {
    this.#gateways.serve(rules);
  }

  /** Publishes market data, and sends replies that found no room. To be called every few milliseconds. */
  pump(): void {
    this.#publisher?.publish();
    this.#service.retry();
  }

  /** Takes no new connections; resolves once what waits is answered. */
  close(): Promise<void> {
    return this.#gateways.close();
  }
}
