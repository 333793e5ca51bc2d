/** All subscriptions of a stream, and the requests for them on its connection. */
import { type Failure, failed, type ToteError } from '../base/errors.js';
import type { Channel, ClientMessage } from '../base/types.js';
import type { ChannelMessage, Subscription } from './subscription.js';

type Send = (message: ClientMessage) => void;

interface Waiting {
  readonly resolve: (subscription: Subscription) => void;
  readonly reject: (error: ToteError) => void;
}

export class Subscriptions {
  readonly #byChannel = new Map<Channel, Subscription>();
  readonly #waiting = new Map<Subscription, Waiting>();
  readonly #requests = new Map<number, Subscription>();
  #send: Send | null = null;

  constructor(
    private readonly nextId: () => number,
    private readonly pause: (delayMs: number) => Promise<void>,
  ) {}

  /** Resolves when the server has confirmed it, on this connection or a later one, or when it is over before. */
  add(subscription: Subscription): Promise<Subscription> {
    this.#forget(subscription.channel);
    this.#byChannel.set(subscription.channel, subscription);
    return new Promise((resolve, reject) => {
      this.#waiting.set(subscription, { resolve, reject });
      this.#request(subscription);
    });
  }

  remove(channel: Channel): void {
    this.#forget(channel);
    if (this.#byChannel.delete(channel)) this.#send?.({ op: 'unsubscribe', id: this.nextId(), channel });
  }

  onConnected(send: Send): void {
    this.#send = send;
    for (const subscription of this.#byChannel.values()) this.#request(subscription);
  }

  onDisconnected(): void {
    this.#send = null;
    this.#requests.clear();
    for (const subscription of this.#byChannel.values()) subscription.onDisconnected();
  }

  end(reason: ToteError): void {
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  onHeartbeat(seq: number): void {
    for (const subscription of this.#byChannel.values()) subscription.onHeartbeat(seq);
  }

  onChannelMessage(message: ChannelMessage): void {
    this.#byChannel.get(message.type)?.onChannelMessage(message);
  }

  /** The server may still refuse it: events may be overwritten before it has sent them. */
  onSubscribed(id: number, since: number | null, run: string | null): void {
    const subscription = this.#requests.get(id);
    if (subscription === undefined) return;
    subscription.onConfirmed(since, run);
    this.#waiting.get(subscription)?.resolve(subscription);
    this.#waiting.delete(subscription);
  }

  onError(id: number, failure: Failure): void {
    const subscription = this.#requests.get(id);
    if (subscription === undefined) return;
    this.#requests.delete(id);
    if (failure.code === 'resync_required') {
      subscription.onResyncRequired();
      this.#request(subscription);
      return;
    }
    if (typeof failure.retryAfterMs === 'number') {
      void this.#requestAfter(failure.retryAfterMs, subscription);
      return;
    }
    this.#byChannel.delete(subscription.channel);
    const waiting = this.#waiting.get(subscription);
    this.#waiting.delete(subscription);
    if (waiting === undefined) subscription.onRefused(failed(failure));
    else waiting.reject(failed(failure));
  }

  /**
   * The channel's subscription is ended or replaced: the server's word on it comes too late. Asked for again, it would
   * take the place of its successor.
   */
  #forget(channel: Channel): void {
    const subscription = this.#byChannel.get(channel);
    if (subscription === undefined) return;
    for (const [id, of] of this.#requests) if (of === subscription) this.#requests.delete(id);
    this.#waiting.get(subscription)?.resolve(subscription);
    this.#waiting.delete(subscription);
  }

  /** Orders that waited for the connection may have used up its messages of this second. */
  async #requestAfter(delayMs: number, subscription: Subscription): Promise<void> {
    const send = this.#send;
    await this.pause(delayMs);
    // A later connection has asked by itself.
    const isWanted = this.#byChannel.get(subscription.channel) === subscription;
    if (isWanted && this.#send === send) this.#request(subscription);
  }

  #request(subscription: Subscription): void {
    if (this.#send === null) return;
    const id = this.nextId();
    this.#requests.set(id, subscription);
    this.#send(subscription.request(id));
  }
}
