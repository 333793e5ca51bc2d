/** Messages of clients over the stream (`GET /stream`): the types that messages are checked against. */
import type { tags } from 'typia';
import type { Side } from '../../engine/model/domain.js';
import type { OrderRequest } from './types.js';

/** Chosen by the client; the answer repeats it. */
export type MessageId = number & tags.Type<'uint64'> & tags.Maximum<4_294_967_295>;
/** The journal's sequence number of a command. */
export type Seq = number & tags.Type<'int64'> & tags.Minimum<0>;

/** Newest state: a snapshot, then what has changed, several changes as one. */
type StateChannel = 'prices' | 'markets' | 'account';
/** Every event, once and in order. */
export type EventChannel = 'rounds' | 'fills';
export type Channel = StateChannel | EventChannel;

/** Subscribes to a channel. A second one to the same channel replaces the first. */
export interface Subscribe {
  op: 'subscribe';
  id: MessageId;
  channel: Channel;
  /** Ids of markets, for `markets` and `rounds`; all of them if absent. */
  markets?: string[] & tags.MinItems<1> & tags.MaxItems<70> & tags.UniqueItems;
  /** For `rounds` and `fills`: resumes after the command with this number; if absent, begins now. */
  since?: Seq;
  /** The `run` that `since` is of. */
  run?: string;
}

/** Ends the subscription to a channel. */
export interface Unsubscribe {
  op: 'unsubscribe';
  id: MessageId;
  channel: Channel;
}

/** Asks for a `pong`. */
export interface Ping {
  op: 'ping';
  id: MessageId;
}

/** Places a bet: the same checks, limits and answers as POST /orders. */
export interface StreamOrder {
  op: 'order';
  id: MessageId;
  /** As the Idempotency-Key header of POST /orders; both share what they remember. */
  idempotencyKey?: string;
  order: OrderRequest;
}

/** Cancels a limit order that rests: the same checks, limits and answers as DELETE /orders/{id}. */
export interface StreamCancel {
  op: 'cancel';
  id: MessageId;
  /** The order: `id` of GET /orders. */
  orderId: string;
}

/** Cancels all orders that rest, or those of a market or a side: as DELETE /orders. */
export interface StreamCancelAll {
  op: 'cancelAll';
  id: MessageId;
  marketId?: string;
  prediction?: Side;
}

/**
 * Cancels the orders that this key has resting, once so many seconds pass without a message of its streams, or the last stream
 * that asked for it ends; 0 takes it back. A message is anything that a client sends. The last number given counts for the key.
 */
export interface StreamDeadman {
  op: 'deadman';
  id: MessageId;
  seconds: DeadmanSeconds;
}

export type DeadmanSeconds = number & tags.Type<'uint64'> & tags.Maximum<300>;

export type ClientMessage =
  | Subscribe
  | Unsubscribe
  | Ping
  | StreamOrder
  | StreamCancel
  | StreamCancelAll
  | StreamDeadman;
