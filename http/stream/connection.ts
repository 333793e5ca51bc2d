/** One stream: the messages that a client may send, and those that it gets. */
import { ERROR_STATUS, type ErrorCode } from '../../engine/model/errors.js';
import type { StreamOwner, StreamSocket } from '../../engine/model/ports.js';
import type { SignedHead } from '../../engine/proofs/statements.js';
import type { Client } from '../kit/client-work.js';
import { internalError, Refused } from '../kit/refused.js';
import { WindowCount } from '../kit/window-count.js';
import type { LimitsOwner } from '../limits/rate-limits.js';
import { type ErrorFields, errorMessageText, type Moment } from '../wire/stream-text.js';
import * as L from './limits.js';
import { type BadRequest, type Request, readRequest } from './requests.js';
import { readUsualOrder, type UsualOrder } from './usual-order.js';

export interface ConnectionHost {
  /** `seq` is the last durable command. */
  moment(): Moment;
  onOpen(connection: Connection): void;
  monotonicMs(): number;
  onHeard(connection: Connection): void;
  /** `heardMs` is monotonic. */
  onRequest(connection: Connection, request: Request | UsualOrder, heardMs: number): void;
  /** Nothing may overtake answers that wait. */
  sendAnswers(): void;
  onRoom(connection: Connection): void;
  onClosed(connection: Connection): void;
}

const TOO_FAST = new Refused('rate_limited', `more than ${L.MESSAGES_PER_SECOND} messages in a second`);
const TOO_MANY_SUBSCRIPTIONS = new Refused(
  'rate_limited',
  `more than ${L.SUBSCRIPTIONS_PER_SECOND} subscriptions in a second`,
);
/** Close codes from here on are free for applications: an error's is this and its status. */
const CLOSE_CODES = 4_000;

export class Connection implements StreamOwner, Client {
  #isOpen = true;
  readonly #rate = new WindowCount(1_000);
  readonly #subscriptions = new WindowCount(1_000);
  /** Pings and pongs of the WebSocket. */
  readonly #signs = new WindowCount(1_000);
  #misunderstood = 0;
  /** Since the last sign of life. */
  #unanswered = 0;
  /** null unless the server has ended it. */
  endedBy: ErrorCode | null = null;
  /** While old events are being sent, newer ones have to wait. */
  catchUps = 0;
  toldHead: SignedHead | null = null;
  hasDeadman = false;
  pendingOrders = 0;

  constructor(
    private readonly socket: StreamSocket,
    readonly subscriber: LimitsOwner,
    private readonly host: ConnectionHost,
  ) {}

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** If false, `onRoom` follows later. */
  get hasRoom(): boolean {
    return this.#isOpen && this.socket.waitingBytes < L.CATCH_UP_BYTES_MAX;
  }

  send(text: string | Uint8Array): void {
    this.host.sendAnswers();
    if (this.#isOpen && !this.socket.send(text)) this.#endIfSlow();
  }

  sendAll(texts: readonly string[]): void {
    if (!this.#isOpen) return;
    const [first = ''] = texts;
    if (!(texts.length === 1 ? this.socket.send(first) : this.socket.sendAll(texts))) this.#endIfSlow();
  }

  #endIfSlow(): void {
    if (this.socket.waitingBytes > L.WAITING_BYTES_MAX) {
      this.end('slow_consumer', `more than ${L.WAITING_BYTES_MAX} bytes wait to be read`);
    }
  }

  refuse(id: number | null, refused: ErrorFields, retryAfterSeconds = 0): void {
    this.send(errorMessageText(this.host.moment(), id, refused, retryAfterSeconds));
  }

  ping(): void {
    if (!this.#isOpen) return;
    if (this.#unanswered >= L.UNANSWERED_PINGS_MAX) {
      this.end('slow_consumer', `no answer to ${L.UNANSWERED_PINGS_MAX} pings`);
      return;
    }
    this.#unanswered += 1;
    this.socket.ping();
  }

  /** The library answers it without a bound, and nothing else may be on its way to a client that does not read. */
  onPing(): void {
    this.onPong();
    this.#endIfSlow();
  }

  onPong(): void {
    if (!this.#isOpen) return;
    this.#unanswered = 0;
    if (this.#signs.count(this.host.monotonicMs()) > L.FLOOD_PER_SECOND) this.#endFlood();
  }

  end(code: ErrorCode, detail: string): void {
    this.host.sendAnswers();
    if (!this.#isOpen) return;
    this.endedBy = code;
    this.socket.send(errorMessageText(this.host.moment(), null, { code, detail }));
    this.close(CLOSE_CODES + ERROR_STATUS[code], code);
  }

  close(closeCode: number, reason: string): void {
    this.host.sendAnswers();
    if (this.#isOpen) this.socket.close(closeCode, reason);
  }

  fail(error: unknown): void {
    this.socket.fail(error);
  }

  onOpen(): void {
    this.host.onOpen(this);
  }

  onMessage(bytes: Uint8Array, isBinary: boolean): void {
    if (!this.#isOpen) return;
    this.#unanswered = 0;
    this.host.onHeard(this);
    const heardMs = this.host.monotonicMs();
    const messages = this.#rate.count(heardMs);
    if (messages > L.FLOOD_PER_SECOND) {
      this.#endFlood();
      return;
    }
    const usual = isBinary || bytes.length > L.MESSAGE_BYTES_MAX ? null : readUsualOrder(bytes);
    const request = usual ?? readRequest(bytes, isBinary);
    if ('refused' in request) this.#onBadRequest(request);
    else if (messages > L.MESSAGES_PER_SECOND) {
      this.refuse(request.id, TOO_FAST, 1);
    } else if (this.#subscribesTooOften(request, heardMs)) {
      this.refuse(request.id, TOO_MANY_SUBSCRIPTIONS, 1);
    } else {
      this.#misunderstood = 0;
      this.host.onRequest(this, request, heardMs);
    }
  }

  #subscribesTooOften({ op }: Request | UsualOrder, heardMs: number): boolean {
    return op === 'subscribe' && this.#subscriptions.count(heardMs) > L.SUBSCRIPTIONS_PER_SECOND;
  }

  #endFlood(): void {
    this.end('rate_limited', `more than ${L.FLOOD_PER_SECOND} messages in a second`);
  }

  onRoom(): void {
    this.#unanswered = 0;
    if (this.#isOpen) this.host.onRoom(this);
  }

  onFault(requestId: string): void {
    const { code, detail } = internalError(requestId);
    this.end(code, detail);
  }

  onClosed(): void {
    this.#isOpen = false;
    this.host.onClosed(this);
  }

  #onBadRequest({ id, refused }: BadRequest): void {
    this.#misunderstood += 1;
    this.refuse(id, refused);
    if (this.#misunderstood >= L.MISUNDERSTOOD_MAX)
      this.end('invalid_request', 'too much was not understood');
  }
}
