/**
 * Messages of Coinbase Exchange's public WebSocket feed, as far as they are used: trades, heartbeats and errors. The
 * service may send others at any time; they are passed over.
 */

import typia, { type tags } from 'typia';
import { parseReceived } from '../live/received-json.js';

/** Its first trades are from 2014; ids of trades are consecutive numbers for each product. */
interface Match {
  /** `last_match` is the last trade from before the subscription. */
  readonly type: 'match' | 'last_match';
  readonly product_id: string;
  readonly trade_id: number & tags.Type<'uint64'>;
  readonly price: string & tags.Pattern<'^[0-9]{1,20}([.][0-9]{1,20})?$'>;
  readonly time: string & tags.Format<'date-time'>;
}
interface Heartbeat {
  readonly type: 'heartbeat';
  readonly product_id: string;
  readonly time: string & tags.Format<'date-time'>;
}
interface ServiceError {
  readonly type: 'error';
  readonly message: string;
  readonly reason?: string;
}
interface Typed {
  readonly type: string;
}
const isMatch = typia.createIs<Match>();
const isHeartbeat = typia.createIs<Heartbeat>();
const isServiceError = typia.createIs<ServiceError>();
const isTyped = typia.createIs<Typed>();

export type Message =
  | {
      readonly kind: 'trade';
      readonly product: string;
      readonly id: number;
      readonly price: number;
      readonly timeMs: number;
    }
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'error'; readonly detail: string }
  | { readonly kind: 'other' }
  | { readonly kind: 'malformed' };

const USED = ['match', 'last_match', 'heartbeat', 'error'];

export function readMessage(text: string): Message {
  const value = parseReceived(text);
  if (isMatch(value)) {
    const { product_id: product, trade_id: id, price, time } = value;
    return { kind: 'trade', product, id, price: Number(price), timeMs: Date.parse(time) };
  }
  if (isHeartbeat(value)) return { kind: 'heartbeat' };
  if (isServiceError(value)) {
    const { message, reason } = value;
    return { kind: 'error', detail: reason === undefined ? message : `${message}: ${reason}` };
  }
  return { kind: isTyped(value) && !USED.includes(value.type) ? 'other' : 'malformed' };
}

/**
 * One for each product: a product that the service does not have is refused alone. Heartbeats come once a second, so that
 * a quiet market is not taken for a lost connection.
 */
export const subscription = (product: string): string =>
  JSON.stringify({ type: 'subscribe', product_ids: [product], channels: ['matches', 'heartbeat'] });
