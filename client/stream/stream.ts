/**
 * The stream, for as long as the bot wants it: it connects again whenever the connection is lost, with growing pauses,
 * and resumes its subscriptions where they were. docs/bots/stream.md has the protocol.
 */
import { type ErrorCode, type Failure, failed, type ToteError } from '../base/errors.js';
import { backoffMs, callBot, type Surroundings } from '../base/timing.js';
import type { Channel, ClientMessage, Heartbeat, ServerMessage, StreamError } from '../base/types.js';
import type { CallDefaults } from '../rest/caller.js';
import type { Hosts } from '../rest/hosts.js';
import {
  Connection,
  type ConnectionEnd,
  MESSAGE_BYTES_MAX,
  NO_HEARTBEAT,
  type WebSocketConstructor,
  type WebSocketLike,
} from './connection.js';
import { StreamOrders } from './orders.js';
import { type ChannelMessage, type SubscribeOptions, Subscription } from './subscription.js';
import { Subscriptions } from './subscriptions.js';

export type StreamState =
  | { readonly state: 'connected' }
  /** `failures` in a row; the next attempt follows after a pause. `end.reason` has the code of a refusal. */
  | { readonly state: 'waiting'; readonly failures: number; readonly end: ConnectionEnd };

export interface StreamOptions {
  /** The platform's if not given. Node 20 has none: give that of the package `ws`. */
  readonly webSocket?: WebSocketConstructor;
  /** A connection that is silent for so long is given up: 3 seconds if not given; heartbeats come each second. */
  readonly silenceMsMax?: number;
  readonly onState?: (state: StreamState) => void;
  /** Each second: the ages of the newest prices tell a frozen feed from a quiet market. */
  readonly onHeartbeat?: (heartbeat: Heartbeat) => void;
}

export interface StreamParts {
  readonly hosts: Hosts;
  readonly key: string;
  readonly webSocket: WebSocketConstructor;
  readonly around: Surroundings;
  readonly orders: CallDefaults;
  /** Finds out why no connection comes about; null if nothing speaks against another attempt. */
  readonly diagnose: (signal: AbortSignal) => Promise<ToteError | null>;
}

const SILENCE_MS_MAX = 3_000;
/** After each so many heartbeats in a row without a new command, the next address is asked whether it has one. */
const STILL_BEATS_MAX = 10;
/** Reasons of a close. */
const FINAL_CODES: readonly ErrorCode[] = ['invalid_request', 'key_disabled', 'key_expired'];

export class ToteStream {
  /** See `ToteClient.placeOrder`. */
  readonly placeOrder: StreamOrders['place'];
  /** See `ToteClient.cancelOrder`. */
  readonly cancelOrder: StreamOrders['cancel'];
  /** See `ToteClient.cancelOrders`. */
  readonly cancelOrders: StreamOrders['cancelAll'];
  /**
   * Lets the server cancel the resting orders of this key once its streams have sent nothing for so many seconds, or
   * have ended; 0 takes it back. Call it again, or send anything else, to show that the bot lives. Each new
   * connection asks again; if the server refuses it then, the stream ends with the reason.
   */
  readonly setDeadman: StreamOrders['deadman'];
  /** Resolves after `close`; rejects with the reason if the server has ended the stream for good. */
  readonly closed: Promise<void>;
  readonly #subscriptions: Subscriptions;
  readonly #orders: StreamOrders;
  readonly #closing = new AbortController();
  #connection: Connection | null = null;
  /** The address of `#connection`. */
  #base = '';
  /** To another address; it has brought nothing yet. */
  #candidate: Connection | null = null;
  /** The last heartbeat's; `#stillBeats` before it had the same. */
  #seq = 0;
  #stillBeats = 0;
  /** The address that was asked last for something newer. */
  #sought = '';
  /** Its successor does not have the countdown yet: ended before, it would be over. */
  #left: Connection | null = null;
  #isConnected = false;
  #onLost: (end: ConnectionEnd) => void = () => undefined;
  #failures = 0;
  #refusal: ToteError | null = null;
  #endReason: ToteError | null = null;
  #ids = 0;

  constructor(
    private readonly parts: StreamParts,
    private readonly options: StreamOptions,
  ) {
    this.#subscriptions = new Subscriptions(
      () => this.#nextId(),
      (delayMs) => parts.around.sleep(delayMs, this.#closing.signal).catch(() => undefined),
    );
    this.#orders = new StreamOrders(
      () => this.#nextId(),
      parts.orders,
      parts.around,
      () => this.#left?.close('left'),
      this.#onUnarmed,
      () => this.#onFailed('timed_out'),
    );
    this.placeOrder = this.#orders.place.bind(this.#orders);
    this.cancelOrder = this.#orders.cancel.bind(this.#orders);
    this.cancelOrders = this.#orders.cancelAll.bind(this.#orders);
    this.setDeadman = this.#orders.deadman.bind(this.#orders);
    this.closed = this.#run();
    // A caller that does not look at it learns the reason from the next order or subscription.
    this.closed.catch(() => undefined);
  }

  /**
   * Brings the channel's messages until `unsubscribe`, over all connections. Resolves with the subscription once the
   * server has confirmed it; rejects if it refuses. A second one to a channel replaces the first.
   */
  subscribe<C extends Channel>(
    channel: C,
    onMessage: (message: ChannelMessage<C>) => void,
    options: SubscribeOptions = {},
  ): Promise<Subscription> {
    const receive = onMessage as (message: ChannelMessage) => void;
    if (this.#endReason !== null) return Promise.reject(this.#endReason);
    return this.#subscriptions.add(new Subscription(channel, options, receive));
  }

  unsubscribe(channel: Channel): void {
    this.#subscriptions.remove(channel);
  }

  /** Ends the stream. Orders that have no answer yet fail with `connection_failed`. */
  close(): void {
    this.#closing.abort();
    this.#connection?.close('closed');
  }

  #endOthers(): void {
    const others = [this.#candidate, this.#left];
    [this.#candidate, this.#left] = [null, null];
    for (const connection of others) connection?.close('left');
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    const { around } = this.parts;
    while (!signal.aborted) {
      const end = await this.#live();
      const refusal = end.wasOpen || end === UNOPENED ? null : await this.#whyUnopened(end);
      const reason = this.#refusal ?? finalReason(end, refusal);
      if (signal.aborted) break;
      if (reason !== null) {
        this.#giveUp(reason);
        throw reason;
      }
      this.#failures += 1;
      const told = refusal === null ? end : { ...end, reason: refusal.code };
      const state = { state: 'waiting', failures: this.#failures, end: told } as const;
      callBot(() => this.options.onState?.(state));
      await around.sleep(backoffMs(this.#failures, around.random), signal).catch(() => undefined);
    }
    this.#giveUp(failed({ code: 'connection_failed', detail: 'the stream was closed' }));
  }

  async #whyUnopened({ reason }: ConnectionEnd): Promise<ToteError | null> {
    const { hosts, diagnose } = this.parts;
    if (reason !== NO_HEARTBEAT) return diagnose(this.#closing.signal);
    // A machine that is silent here would let a request wait, too.
    hosts.failed(this.#base, 'timed_out');
    return null;
  }

  #live(): Promise<ConnectionEnd> {
    this.#endOthers();
    this.#base = this.parts.hosts.base;
    return new Promise((resolve) => {
      this.#onLost = resolve;
      this.#connection = this.#open(this.#base);
      if (this.#connection === null) resolve(UNOPENED);
    });
  }

  #open(base: string): Connection | null {
    const { key, webSocket, hosts } = this.parts;
    const { silenceMsMax = SILENCE_MS_MAX } = this.options;
    let socket: WebSocketLike;
    try {
      // Browsers can set no header, so the key is offered as a subprotocol everywhere.
      socket = new webSocket(`${base.replace(/^http/, 'ws')}/stream`, ['tote.v1', `tote.key.${key}`]);
    } catch {
      // The platform's own words may have the key in them, which no error shows.
      return null;
    }
    const connection = new Connection(socket, silenceMsMax, {
      onMessage: (message) => {
        if (connection === this.#candidate) {
          if (base === hosts.base || message.seq > this.#seq) this.#moveTo(connection, base);
          else connection.close('nothing newer');
        }
        if (connection === this.#connection) this.#onMessage(message);
      },
      onEnd: (end) => {
        if (connection === this.#connection) {
          this.#onDisconnected(end);
          this.#onLost(end);
        } else if (connection === this.#candidate) {
          this.#candidate = null;
          hosts.failed(base, 'connection_failed');
        }
      },
    });
    return connection;
  }

  #onFailed(code: ErrorCode): void {
    this.parts.hosts.failed(this.#base, code);
    this.#lookElsewhere();
  }

  /**
   * A machine that was cut off while another one leads keeps its streams, and so does one with a slow disk. Neither
   * answers orders as it should: the connection stays until that to another address has brought something. To a bot that
   * sends nothing such a machine looks like an exchange on which nothing happens.
   */
  #lookElsewhere(): void {
    const { hosts } = this.parts;
    if (this.#connection === null) return;
    if (hosts.base !== this.#base) this.#candidate ??= this.#open(hosts.base);
    else if (this.#stillBeats < STILL_BEATS_MAX) this.#candidate?.close('not needed');
    else if (this.#stillBeats % STILL_BEATS_MAX === 0) {
      this.#sought = hosts.after(this.#sought);
      if (this.#sought === this.#base) this.#sought = hosts.after(this.#base);
      if (this.#sought !== this.#base) this.#candidate ??= this.#open(this.#sought);
    }
  }

  #moveTo(connection: Connection, base: string): void {
    // Requests over HTTP leave that machine, too.
    this.parts.hosts.failed(this.#base, 'journal_backlog');
    this.#left?.close('left');
    this.#left = this.#connection;
    this.#candidate = null;
    // The other machine may still carry out what it has.
    this.#onDisconnected({ closeCode: 0, reason: NO_HEARTBEAT, wasOpen: true });
    [this.#connection, this.#base] = [connection, base];
  }

  #onConnected(connection: Connection): void {
    this.#isConnected = true;
    this.#failures = 0;
    const send = (message: ClientMessage): void => {
      if (!connection.send(message)) this.#refused(message.id, TOO_LARGE);
    };
    this.#orders.onConnected(send);
    this.#subscriptions.onConnected(send);
    callBot(() => this.options.onState?.({ state: 'connected' }));
  }

  #onDisconnected({ reason }: ConnectionEnd): void {
    this.#connection = null;
    this.#isConnected = false;
    this.#orders.onDisconnected(reason === NO_HEARTBEAT);
    this.#subscriptions.onDisconnected();
  }

  #onMessage(message: ServerMessage): void {
    if (!this.#isConnected && this.#connection !== null) this.#onConnected(this.#connection);
    switch (message.type) {
      case 'heartbeat':
        this.#stillBeats = message.seq === this.#seq ? this.#stillBeats + 1 : 0;
        this.#seq = message.seq;
        this.#subscriptions.onHeartbeat(message.seq);
        callBot(() => this.options.onHeartbeat?.(message));
        this.#lookElsewhere();
        return;
      case 'subscribed':
        this.#subscriptions.onSubscribed(message.id, message.since, message.run);
        return;
      case 'error':
        this.#onError(message);
        return;
      case 'order':
      case 'cancelled':
      case 'cancelledAll':
      case 'deadman':
        this.#orders.onAnswer(message.id, { data: message.data, nextCursor: null });
        return;
      case 'unsubscribed':
      case 'pong':
        return;
      default:
        this.#subscriptions.onChannelMessage(message);
    }
  }

  #onError({ id, code, message: detail, current, retryAfterSeconds }: StreamError): void {
    // Without an id it is the reason of the close that follows, which has the code, too.
    if (id === null) return;
    const retryAfterMs = retryAfterSeconds === undefined ? null : retryAfterSeconds * 1_000;
    const failure: Failure = { code, detail, retryAfterMs, current: current ?? null };
    this.#onFailed(code);
    this.#refused(id, failure);
  }

  #refused(id: number, failure: Failure): void {
    // Each looks for a message of its own with this id.
    this.#subscriptions.onError(id, failure);
    this.#orders.onAnswer(id, failure);
  }

  readonly #onUnarmed = (refusal: ToteError): void => {
    this.#refusal = refusal;
    this.#connection?.close('unarmed');
  };

  #giveUp(reason: ToteError): void {
    this.#endOthers();
    this.#endReason = reason;
    this.#orders.end(reason);
    this.#subscriptions.end(reason);
  }

  #nextId(): number {
    this.#ids = (this.#ids + 1) % 2 ** 32;
    return this.#ids;
  }
}

/** The platform takes no such address, or no such key as a subprotocol. */
const UNOPENED: ConnectionEnd = { closeCode: 0, reason: 'unopened', wasOpen: false };
const TOO_LARGE: Failure = {
  code: 'body_too_large',
  detail: `a message has at most ${MESSAGE_BYTES_MAX} bytes`,
};
const MALFORMED: Failure = {
  code: 'connection_failed',
  detail: 'the address of the API, or the key, is of no form that a WebSocket takes',
};

/** null if another connection may end otherwise. */
function finalReason(end: ConnectionEnd, refusal: ToteError | null): ToteError | null {
  if (end === UNOPENED) return failed(MALFORMED);
  if (refusal !== null) return isFinal(refusal) ? refusal : null;
  const { reason, closeCode } = end;
  const code = FINAL_CODES.find((final) => final === reason);
  return code === undefined ? null : failed({ code, detail: `the server closed the stream (${closeCode})` });
}

/** The next attempt would be refused, too: the request is wrong, or what answers is no server of HTTP over TLS. */
function isFinal({ code, status }: ToteError): boolean {
  if (code === 'bad_answer') return status === 0;
  return status >= 400 && status < 500 && status !== 429;
}
