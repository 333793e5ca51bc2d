/**
 * The end of all gateways' rings on the engine's thread. It takes a few requests from each ring in turn, so that no
 * gateway starves another, and a bounded number in one turn of the event loop, so that journal and rounds get their
 * time.
 */
import { must } from '../../engine/base/assert.js';
import type { RingPair } from './link.js';
import { RingConsumer, RingProducer } from './ring.js';

/** Returns false if the ring is full; then nothing was written. */
type WriteReply = (ring: RingProducer) => boolean;

export type Serve = (ring: RingConsumer, gateway: GatewayEnd) => void;

interface ServiceOptions {
  readonly monotonicMs: () => number;
  /** At the end of this turn of the event loop. */
  readonly schedule: (run: () => void) => void;
  readonly serve: Serve;
  /** Called before gateways are notified of replies, so that their effects are visible by then. */
  readonly beforeReplies: () => void;
}

const REQUESTS_AT_ONCE = 32;
const REQUESTS_PER_TURN = 512;

export class GatewayEnd {
  readonly requests: RingConsumer;
  /** Monotonic: one reading of the clock serves some consecutive requests of a gateway. */
  takenMs = 0;
  readonly #replies: RingProducer;
  /**
   * Replies for which there was no room. Each belongs to a pending request, so the gateway's connections bound their
   * number.
   */
  readonly #waiting: WriteReply[] = [];
  #isTold = true;

  constructor(
    pair: RingPair,
    private readonly wake: () => void,
    private readonly onReply: () => void,
  ) {
    this.requests = new RingConsumer(pair.requests);
    this.#replies = new RingProducer(pair.replies);
  }

  reply(write: WriteReply): void {
    if (this.#waiting.length > 0 || !this.#replies.write(write)) this.#waiting.push(write);
    this.#isTold = false;
    this.onReply();
  }

  /** Also wakes the gateway if it sleeps and has new replies. */
  flush(): void {
    while (this.#waiting[0] !== undefined && this.#replies.write(this.#waiting[0])) this.#waiting.shift();
    if (this.#isTold) return;
    this.#isTold = this.#waiting.length === 0;
    if (this.#replies.takeSleep()) this.wake();
  }
}

export class RingService {
  readonly #gateways: GatewayEnd[] = [];
  #first = 0;
  #isTurnScheduled = false;
  #isFlushScheduled = false;
  readonly #turn: () => void;
  readonly #flush: () => void;

  constructor(private readonly options: ServiceOptions) {
    this.#turn = () => {
      this.#isTurnScheduled = false;
      this.drain();
    };
    this.#flush = () => {
      this.#isFlushScheduled = false;
      options.beforeReplies();
      for (const gateway of this.#gateways) gateway.flush();
    };
  }

  add(pair: RingPair, wake: () => void): void {
    const gateway = new GatewayEnd(pair, wake, () => this.#scheduleFlush());
    this.#gateways.push(gateway);
    gateway.requests.sleep();
  }

  /** Executes a bounded number of requests. To be called when a gateway has woken this thread. */
  drain(): void {
    for (const { requests } of this.#gateways) requests.awake();
    const taken = this.#takeInTurn();
    const isIdle = taken < REQUESTS_PER_TURN && this.#sleepAll();
    if (isIdle || this.#isTurnScheduled) return;
    this.#isTurnScheduled = true;
    this.options.schedule(this.#turn);
  }

  /** Sends replies that found no room before. To be called periodically. */
  retry(): void {
    for (const gateway of this.#gateways) gateway.flush();
  }

  #takeInTurn(): number {
    let taken = 0;
    for (let idle = 0; idle < this.#gateways.length && taken < REQUESTS_PER_TURN; ) {
      const gateway = must(this.#gateways[this.#first], 'a gateway');
      this.#first = (this.#first + 1) % this.#gateways.length;
      const ofThis = this.#takeFrom(gateway);
      taken += ofThis;
      idle = ofThis === 0 ? idle + 1 : 0;
    }
    return taken;
  }

  #takeFrom(gateway: GatewayEnd): number {
    const { requests } = gateway;
    for (let taken = 0; taken < REQUESTS_AT_ONCE; taken++) {
      if (!requests.next()) return taken;
      if (taken === 0) gateway.takenMs = this.options.monotonicMs();
      this.options.serve(requests, gateway);
      requests.done();
    }
    return REQUESTS_AT_ONCE;
  }

  /** Returns false if a request has arrived meanwhile; then no ring is marked asleep. */
  #sleepAll(): boolean {
    if (this.#gateways.every(({ requests }) => requests.sleep())) return true;
    for (const { requests } of this.#gateways) requests.awake();
    return false;
  }

  #scheduleFlush(): void {
    if (this.#isFlushScheduled) return;
    this.#isFlushScheduled = true;
    this.options.schedule(this.#flush);
  }
}
