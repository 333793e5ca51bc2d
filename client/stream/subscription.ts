/**
 * A subscription beyond the connections that carry it. For an event channel it knows up to which command every event
 * has arrived, so that the next connection resumes there: none is missing and none comes twice.
 */
import type { ToteError } from '../base/errors.js';
import { callBot } from '../base/timing.js';
import type { Channel, ClientMessage, ServerMessage } from '../base/types.js';

export type ChannelMessage<C extends Channel = Channel> = Extract<ServerMessage, { readonly type: C }>;

/** These channels miss no event; the others bring the newest state. */
const EVENT_CHANNELS: readonly Channel[] = ['rounds', 'fills'];

/** Every event up to the command with the number `since` has arrived. */
export interface StreamPosition {
  readonly since: number;
  /** The start of the server that told this number. */
  readonly run: string;
}

export interface SubscribeOptions {
  /** For `markets` and `rounds`: ids of markets; all of them if not given. */
  readonly markets?: readonly string[];
  /** For `rounds` and `fills`: every event after `position` of an earlier subscription; if not given, from now on. */
  readonly from?: StreamPosition;
  /**
   * For `rounds` and `fills`: events are lost, because the server was restarted, maybe from a backup, or no longer has
   * them in memory. Read what you missed (`listOrders`, `listMarkets`): the events from now on are arriving already.
   */
  readonly onResync?: () => void;
  /** The server refuses, after a lost connection, a subscription that it had confirmed before: nothing more arrives. */
  readonly onRefused?: (error: ToteError) => void;
}

export class Subscription {
  /** On this connection. */
  #isActive = false;
  /** Every event up to this command has arrived; null before the first confirmation. */
  #seq: number | null;
  #run: string | null;
  #isResync = false;
  readonly #isOfEvents: boolean;

  constructor(
    readonly channel: Channel,
    private readonly options: SubscribeOptions,
    private readonly onMessage: (message: ChannelMessage) => void,
  ) {
    this.#isOfEvents = EVENT_CHANNELS.includes(channel);
    this.#seq = options.from?.since ?? null;
    this.#run = options.from?.run ?? null;
  }

  /** Where to resume in another process: give it as `from`. null before the first confirmation, and for state. */
  get position(): StreamPosition | null {
    return this.#seq === null || this.#run === null ? null : { since: this.#seq, run: this.#run };
  }

  request(id: number): ClientMessage {
    const { markets } = this.options;
    return {
      op: 'subscribe',
      id,
      channel: this.channel,
      ...(markets !== undefined && { markets }),
      ...this.position,
    };
  }

  onConfirmed(since: number | null, run: string | null): void {
    this.#isActive = true;
    this.#seq ??= since;
    this.#run = run;
    if (!this.#isResync) return;
    this.#isResync = false;
    callBot(() => this.options.onResync?.());
  }

  onRefused(error: ToteError): void {
    callBot(() => this.options.onRefused?.(error));
  }

  onResyncRequired(): void {
    this.#isActive = false;
    this.#seq = null;
    this.#isResync = true;
  }

  onDisconnected(): void {
    this.#isActive = false;
    // It has messages of the subscription that it replaces, but no position where the next connection could resume.
    if (this.#seq !== null && this.#run === null) this.onResyncRequired();
  }

  /** Every event up to `seq` has been sent before the heartbeat. */
  onHeartbeat(seq: number): void {
    if (this.#isActive && this.#isOfEvents) this.#seq = Math.max(this.#seq ?? 0, seq);
  }

  onChannelMessage(message: ChannelMessage): void {
    if (this.#isOfEvents) {
      // Those of the subscription that this one replaces: the server sends what comes after `since` again.
      if (!this.#isActive && this.options.from !== undefined) return;
      if (this.#seq !== null && message.seq <= this.#seq) return;
      this.#seq = message.seq;
    }
    callBot(() => this.onMessage(message));
  }
}
