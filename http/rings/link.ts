/**
 * A gateway's end of its two rings: requests are sent, each with the continuation of its call, and replies arrive in
 * any order. A continuation is kept until its reply arrives, even if the client disconnects, so that a ticket is
 * never reused while the engine's thread may still answer it.
 */
import { type Client, presentClient, workFor } from '../kit/client-work.js';
import type { Link } from '../link/link.js';
import type { Asker, OrderFields, OrderReply, RefusalFacts } from '../link/orders.js';
import type { Question, QuestionKind, QuestionOf, Told } from '../link/questions.js';
import { readOrderReply } from './bet-reply.js';
import { readTold, sendQuestion } from './questions.js';
import { sendOrder } from './requests.js';
import { RingConsumer, RingFault, RingProducer } from './ring.js';

export interface RingPair {
  readonly requests: SharedArrayBuffer;
  readonly replies: SharedArrayBuffer;
}

/** Reads the whole rest of the reply before doing anything else: the ring frees it afterwards. */
export type OnReply = (kind: number, ring: RingConsumer) => void;

interface LinkOptions {
  /** At the end of this turn of the event loop. */
  readonly schedule: (run: () => void) => void;
  readonly wake: () => void;
}

/** Bounded, so that new requests are read in between. */
const REPLIES_AT_ONCE = 256;

export class RingLink implements Link {
  readonly #requests: RingProducer;
  readonly #replies: RingConsumer;
  readonly #waiting: (OnReply | null)[] = [];
  readonly #clients: (Client | null)[] = [];
  readonly #freeTickets: number[] = [];
  #isFlushScheduled = false;
  #isDrainScheduled = false;
  readonly #flush: () => void;
  readonly #drain: () => void;

  constructor(
    { requests, replies }: RingPair,
    private readonly options: LinkOptions,
  ) {
    this.#requests = new RingProducer(requests);
    this.#replies = new RingConsumer(replies);
    this.#flush = () => {
      this.#isFlushScheduled = false;
      if (this.#requests.takeSleep()) options.wake();
    };
    this.#drain = () => {
      this.#isDrainScheduled = false;
      this.drain();
    };
    this.#replies.sleep();
  }

  /** Requests without a reply. */
  get pending(): number {
    return this.#waiting.length - this.#freeTickets.length;
  }

  place(order: OrderFields, reply: OrderReply): boolean {
    return this.send(
      (ring, ticket) => sendOrder(ring, ticket, order),
      (kind, ring) => readOrderReply(kind, ring, reply),
    );
  }

  ask<K extends QuestionKind>(
    asker: Asker,
    question: QuestionOf<K>,
    onTold: (told: Told[K] | RefusalFacts) => void,
  ): boolean {
    return this.send(
      (ring, ticket) => sendQuestion(ring, ticket, asker, question as Question),
      (kind, ring) => onTold(readTold(kind, ring) as Told[K] | RefusalFacts),
    );
  }

  /**
   * `write` writes the request with the given ticket and returns whether there was room. Returns false if there was
   * none: the engine's thread is behind, and the caller must refuse.
   */
  send(write: (ring: RingProducer, ticket: number) => boolean, onReply: OnReply): boolean {
    const ticket = this.#freeTickets.pop() ?? this.#waiting.push(null) - 1;
    let isWritten = false;
    try {
      isWritten = this.#requests.write(write, ticket);
    } finally {
      if (!isWritten) this.#freeTickets.push(ticket);
    }
    if (!isWritten) return false;
    this.#waiting[ticket] = onReply;
    this.#clients[ticket] = presentClient();
    // Once a turn, not once a request: waking costs more than writing.
    if (!this.#isFlushScheduled) {
      this.#isFlushScheduled = true;
      this.options.schedule(this.#flush);
    }
    return true;
  }

  /** To be called when the engine's thread has woken this one. */
  drain(): void {
    this.#replies.awake();
    for (let taken = 0; taken < REPLIES_AT_ONCE; taken++) {
      if (this.#take()) continue;
      if (this.#replies.sleep()) return;
    }
    if (this.#isDrainScheduled) return;
    this.#isDrainScheduled = true;
    this.options.schedule(this.#drain);
  }

  #take(): boolean {
    const ring = this.#replies;
    if (!ring.next()) return false;
    const kind = ring.number();
    const ticket = ring.number();
    const onReply = this.#waiting[ticket] ?? null;
    if (onReply === null)
      throw new RingFault(`a reply bears the ticket of a request that waits, not ${ticket}`);
    const client = this.#clients[ticket] ?? null;
    this.#waiting[ticket] = null;
    this.#clients[ticket] = null;
    this.#freeTickets.push(ticket);
    workFor(client, () => onReply(kind, ring));
    ring.done();
    return true;
  }
}
