/**
 * Orders and cancellations over the stream: as those over HTTP, each order with its Idempotency-Key, and sent again on
 * the next connection after a lost one.
 */
import { type Failure, NO_MARKS, type OrderMarks, type ToteError } from '../base/errors.js';
import { onAbort, type Surroundings, timeout } from '../base/timing.js';
import type { CancelledOrders, ClientMessage, Deadman, OrderResult, Position } from '../base/types.js';
import type { CallDefaults } from '../rest/caller.js';
import { Pace } from '../rest/pace.js';
import {
  type CallOptions,
  markOrder,
  type OrderOptions,
  type OrderToPlace,
  type PlacedOrder,
  persist,
} from '../rest/persist.js';
import { isFailure, type Sent, type Success, timedOut } from '../rest/send-request.js';

type Outcome = Success | Failure;
/** Each attempt has an id of its own. */
type Message = WithoutId<Extract<ClientMessage, { op: 'order' | 'cancel' | 'cancelAll' | 'deadman' }>>;
type WithoutId<M> = M extends unknown ? Omit<M, 'id'> : never;

/**
 * The server takes 50 messages in a second, and ends a stream that sends far more. Orders, cancellations and countdowns
 * are bounded apart, so that none of them waits behind the others: together they may be too many, and the server then
 * refuses some, which are sent again. Some time is left for messages that the network has held up.
 */
const BURST = { max: 45, windowMs: 1_100 };

/** All orders if it is empty. */
export type CancelFilter = Omit<Extract<ClientMessage, { op: 'cancelAll' }>, 'op' | 'id'>;

export class StreamOrders {
  /** Each takes itself out. */
  readonly #answers = new Map<number, (outcome: Outcome) => void>();
  /** By op. A countdown does not wait behind cancellations, or it would run out. */
  readonly #paces: Readonly<Record<Message['op'], Pace>>;
  #send: ((message: ClientMessage) => void) | null = null;
  #end: Failure | null = null;
  /** In force; 0 if none is. */
  #deadmanSeconds = 0;
  #deadmanCalls = 0;
  /** Aborted by the bot's own request. */
  #rearming = new AbortController();
  /** The connection that has granted it. */
  #armed: ((message: ClientMessage) => void) | null = null;

  constructor(
    private readonly nextId: () => number,
    private readonly defaults: CallDefaults,
    private readonly around: Surroundings,
    /** The connection has the countdown that is in force, if one is. */
    private readonly onArmed: () => void,
    /** A later connection was refused the countdown that is in force. */
    private readonly onUnarmed: (error: ToteError) => void,
    private readonly onTimedOut: () => void,
  ) {
    const cancel = new Pace(around, BURST);
    const [order, deadman] = [new Pace(around, BURST), new Pace(around, BURST)];
    this.#paces = { order, cancel, cancelAll: cancel, deadman };
  }

  async place(toPlace: OrderToPlace, options: OrderOptions = {}): Promise<PlacedOrder> {
    const { order, marks } = markOrder(toPlace, options);
    const message = { op: 'order', idempotencyKey: marks.idempotencyKey, order } as const;
    const { data } = await this.#persist(message, marks, options);
    return { ...(data as OrderResult), ...marks };
  }

  async cancel(orderId: string, options: CallOptions = {}): Promise<Position> {
    return (await this.#persist({ op: 'cancel', orderId }, NO_MARKS, options)).data as Position;
  }

  async cancelAll(filter: CancelFilter = {}, options: CallOptions = {}): Promise<CancelledOrders> {
    return (await this.#persist({ op: 'cancelAll', ...filter }, NO_MARKS, options)).data as CancelledOrders;
  }

  /** Each connection asks anew: the server cancels when the last stream that has asked ends. */
  async deadman(seconds: number, options: CallOptions = {}): Promise<Deadman> {
    this.#rearming.abort();
    try {
      return await this.#askForDeadman(seconds, options);
    } catch (error) {
      // The connection may be a later one than that which has granted the countdown in force.
      void this.#rearm();
      throw error;
    }
  }

  async #askForDeadman(seconds: number, options: CallOptions): Promise<Deadman> {
    this.#deadmanCalls += 1;
    try {
      await this.#persist({ op: 'deadman', seconds }, NO_MARKS, options);
      this.#deadmanSeconds = seconds;
      this.#armed = this.#send;
      this.onArmed();
      return { seconds };
    } finally {
      this.#deadmanCalls -= 1;
    }
  }

  async #rearm(): Promise<void> {
    // A call that has no answer yet asks again itself.
    if (this.#send === null || this.#deadmanCalls > 0) return;
    if (this.#deadmanSeconds === 0 || this.#armed === this.#send) {
      this.onArmed();
      return;
    }
    this.#rearming = new AbortController();
    const { signal } = this.#rearming;
    const send = this.#send;
    await this.#askForDeadman(this.#deadmanSeconds, { signal }).catch((error: ToteError) => {
      if (signal.aborted) return;
      // The stream may have moved on meanwhile, or have no connection until the next one.
      if (this.#send === send) this.onUnarmed(error);
      else void this.#rearm();
    });
  }

  onConnected(send: (message: ClientMessage) => void): void {
    this.#send = send;
    void this.#rearm();
  }

  /** Orders sent over a connection that has only fallen silent may still arrive. */
  onDisconnected(isSilent: boolean): void {
    this.#send = null;
    for (const answer of this.#answers.values()) answer(isSilent ? GONE_SILENT : CONNECTION_LOST);
  }

  end({ code }: ToteError): void {
    this.#end = { code, detail: 'the stream has ended', isUnsent: true, isFinal: true };
  }

  onAnswer(id: number, outcome: Outcome): void {
    this.#answers.get(id)?.(outcome);
  }

  #persist(message: Message, marks: OrderMarks, options: CallOptions): Promise<Success> {
    const { timeoutMs = this.defaults.timeoutMs, retryForMs = this.defaults.retryForMs, signal } = options;
    const pace = this.#paces[message.op];
    const attempt = async (): Promise<Sent> => {
      return { outcome: await this.#attempt(message, timeoutMs, signal), headers: null };
    };
    const namesRound = message.op === 'order' && message.order.roundId !== undefined;
    return persist(attempt, { pace, retryForMs, marks, isWrite: true, namesRound, signal }, this.around);
  }

  #attempt(message: Message, timeoutMs: number, signal: AbortSignal | undefined): Promise<Outcome> {
    if (this.#end !== null) return Promise.resolve(this.#end);
    const send = this.#send;
    if (send === null) return Promise.resolve(NOT_CONNECTED);
    const id = this.nextId();
    const isInForce =
      message.op === 'deadman' && message.seconds === this.#deadmanSeconds && this.#armed === send;
    return new Promise((resolve, reject) => {
      const done = (): void => {
        this.#answers.delete(id);
        clearTimeout(timer);
        forget();
      };
      const answer = (outcome: Outcome): void => {
        done();
        // Any message renews a countdown, also one that is refused.
        const isRenewed = isInForce && isFailure(outcome) && outcome.code === 'rate_limited';
        resolve(isRenewed ? RENEWED : outcome);
      };
      const timer = timeout(timeoutMs, () => {
        this.onTimedOut();
        answer(timedOut(timeoutMs));
      });
      const forget = onAbort(signal, () => {
        done();
        reject(signal?.reason);
      });
      this.#answers.set(id, answer);
      send({ ...message, id });
    });
  }
}

const RENEWED: Success = { data: null, nextCursor: null };
const NOT_CONNECTED: Failure = {
  code: 'connection_failed',
  detail: 'the stream is not connected',
  isUnsent: true,
};
const CONNECTION_LOST: Failure = {
  code: 'connection_failed',
  detail: 'the stream was disconnected before the answer',
};
const GONE_SILENT: Failure = { code: 'timed_out', detail: 'the stream had no heartbeat before the answer' };
