/** The used messages of Coinbase Exchange's public WebSocket feed. Others may come at any time, and are passed over. */
import typia, { type tags } from 'typia';
import { parsedJson } from '../../engine/base/attempt.js';
import { wordsOf } from '../live/http-text.js';

type Decimal = string & tags.Pattern<'^[0-9]{1,20}([.][0-9]{1,20})?$'>;

/** Comes with each trade; trades at the same moment may come as one. Their ids are consecutive for each product. */
interface Ticker {
  readonly type: 'ticker';
  readonly product_id: string;
  readonly trade_id: number & tags.Type<'uint64'>;
  readonly best_bid: Decimal;
  readonly best_ask: Decimal;
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
const isTicker = typia.createIs<Ticker>();
const isHeartbeat = typia.createIs<Heartbeat>();
const isServiceError = typia.createIs<ServiceError>();
const isTyped = typia.createIs<Typed>();

/** The best bid and ask after a trade. */
export interface Book {
  readonly product: string;
  readonly id: number;
  readonly bid: number;
  readonly ask: number;
  readonly price: number;
  readonly spread: number;
  readonly timeMs: number;
}

type Message =
  | (Book & { readonly kind: 'book' })
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'error'; readonly detail: string }
  | { readonly kind: 'other' }
  | { readonly kind: 'malformed' };

const USED = ['ticker', 'heartbeat', 'error'];

export function readMessage(text: string): Message {
  const value = parsedJson(text);
  if (isTicker(value)) {
    const { product_id: product, trade_id: id, time } = value;
    const [bid, ask] = [Number(value.best_bid), Number(value.best_ask)];
    const price = (bid + ask) / 2;
    if (bid > 0 && bid <= ask)
      return { kind: 'book', product, id, bid, ask, price, spread: ask - bid, timeMs: Date.parse(time) };
  }
  if (isHeartbeat(value)) return { kind: 'heartbeat' };
  if (isServiceError(value)) {
    const { message, reason } = value;
    return { kind: 'error', detail: wordsOf(reason === undefined ? message : `${message}: ${reason}`) };
  }
  return { kind: isTyped(value) && !USED.includes(value.type) ? 'other' : 'malformed' };
}

/**
 * One for each product: a product that the service does not have is refused alone. Heartbeats come once a second, so that
 * a quiet market is not taken for a lost connection.
 */
export const subscription = (product: string): string =>
  JSON.stringify({ type: 'subscribe', product_ids: [product], channels: ['ticker', 'heartbeat'] });
