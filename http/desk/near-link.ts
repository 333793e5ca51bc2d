/** The link of a gateway that runs on the engine's thread. */
import type { CommitTimes } from '../../engine/host/open-batch.js';
import type { OrderTerms } from '../../engine/model/events.js';
import { type Client, presentClient, workFor } from '../kit/client-work.js';
import type { Link, QuestionReply } from '../link/link.js';
import type { Asker, OrderFields, OrderReply, RefusalFacts } from '../link/orders.js';
import type { Question, QuestionKind, QuestionOf, Told } from '../link/questions.js';
import type { Desk } from './desk.js';

interface NearLinkOptions {
  readonly desk: () => Desk;
  /** At the end of this turn of the event loop. */
  readonly schedule: (run: () => void) => void;
  /** Called before each reply, so that its effects are visible by then. */
  readonly beforeReply: () => void;
  readonly monotonicMs: () => number;
}

interface Request {
  serve(desk: Desk, takenMs: number): void;
}

/** Far more than the connections can send in one turn, unless the thread has come to a halt. */
const REQUESTS_MAX = 4_096;

/**
 * Requests are executed at the end of the turn, when no client is being served: a programming error in the engine is
 * nobody's fault. Replies come within the engine's turn, and each continues its client's work.
 */
export class NearLink implements Link {
  #requests: Request[] = [];
  #pending = 0;
  readonly #flush: () => void;

  constructor(private readonly options: NearLinkOptions) {
    this.#flush = () => {
      const requests = this.#requests;
      this.#requests = [];
      const desk = options.desk();
      const takenMs = options.monotonicMs();
      for (const request of requests) request.serve(desk, takenMs);
    };
  }

  get pending(): number {
    return this.#pending;
  }

  place(order: OrderFields, reply: OrderReply): boolean {
    return this.#send(new NearOrder(this, presentClient(), order, reply));
  }

  ask<K extends QuestionKind>(
    asker: Asker,
    question: QuestionOf<K>,
    onTold: (told: Told[K] | RefusalFacts) => void,
  ): boolean {
    const client = presentClient();
    const tell = (told: unknown): void => this.answer(client, onTold, told as Told[K] | RefusalFacts);
    const reply: QuestionReply = {
      bets: (bets, next) => tell({ bets, next }),
      facts: (text) => tell(JSON.parse(text)),
      refused: tell,
    };
    return this.#send({ serve: (desk) => desk.answer(asker, question as Question, reply) });
  }

  #send(request: Request): boolean {
    if (this.#requests.length >= REQUESTS_MAX) return false;
    this.#pending += 1;
    if (this.#requests.push(request) === 1) this.options.schedule(this.#flush);
    return true;
  }

  /** Calls `reply` with `given`, for the client for whom the request was sent. */
  answer<A extends unknown[]>(client: Client | null, reply: (...given: A) => void, ...given: A): void {
    this.#pending -= 1;
    this.options.beforeReply();
    workFor(client, reply, ...given);
  }
}

/** Each order has one, so it makes no function for itself. */
class NearOrder implements Request, OrderReply {
  constructor(
    private readonly link: NearLink,
    private readonly client: Client | null,
    private readonly order: OrderFields,
    private readonly reply: OrderReply,
  ) {}

  serve(desk: Desk, takenMs: number): void {
    desk.place(this.order, takenMs, this);
  }

  placed(seq: number, bet: OrderTerms, takenMs: number, times: CommitTimes): void {
    this.link.answer(this.client, tellPlaced, this.reply, seq, bet, takenMs, times);
  }

  replayed(seq: number, bet: OrderTerms): void {
    this.link.answer(this.client, tellReplayed, this.reply, seq, bet);
  }

  refused(facts: RefusalFacts): void {
    this.link.answer(this.client, tellRefused, this.reply, facts);
  }
}

const tellPlaced = (to: OrderReply, ...told: Parameters<OrderReply['placed']>): void => to.placed(...told);
const tellReplayed = (to: OrderReply, ...told: Parameters<OrderReply['replayed']>): void =>
  to.replayed(...told);
const tellRefused = (to: OrderReply, facts: RefusalFacts): void => to.refused(facts);
