/**
 * Orders and cancellations over the stream. Each is the call that POST or DELETE of /orders would be, with the same
 * key, address and body, and goes the same way through the API; only its answer becomes a message.
 */
import { assert, fail } from '../../engine/base/assert.js';
import { betId, parseBetId } from '../../engine/model/domain.js';
import type { HttpRequest } from '../../engine/model/ports.js';
import { Call, CREATED } from '../api/call.js';
import { STREAM_ORDER_ROUTE } from '../api/endpoint.js';
import { orderOf, type ParsedOrder } from '../api/order-request.js';
import type { Refused } from '../kit/refused.js';
import type { GatewayMeter } from '../metrics/gateway-meter.js';
import { HeadTexts } from '../wire/head-texts.js';
import type { StreamCancelAll } from '../wire/stream-requests.js';
import { doneMessageText, type Moment, orderMessageText } from '../wire/stream-text.js';
import { dataOf } from '../wire/wire.js';
import type { Connection } from './connection.js';
import type { ApiRequest } from './requests.js';
import type { UsualOrder } from './usual-order.js';

const ANSWERS = { cancel: 'cancelled', cancelAll: 'cancelledAll', deadman: 'deadman' } as const;
const NO_HEADS = new HeadTexts('', []);
const NO_RESPONDER = { send: () => fail('an order of a stream is answered by a message') };

export interface OrderHost {
  readonly meter: GatewayMeter;
  moment(): Moment;
  /** Sends the answer to an order, with others of the same stream that come right behind it. */
  sendAnswer(connection: Connection, text: string): void;
  onAnswered(connection: Connection): void;
}

type Message = UsualOrder | ApiRequest;

export class StreamCall extends Call {
  constructor(
    private readonly connection: Connection,
    private readonly message: Message,
    private readonly host: OrderHost,
    nowMs: number,
    limitsNowMs: number,
    startedMs: number,
  ) {
    const { meter } = host;
    super(requestOf(connection, message), NO_RESPONDER, NO_HEADS, meter, 0, nowMs, limitsNowMs, startedMs);
    this.key = connection.subscriber.key;
  }

  override order(): ParsedOrder {
    const { message } = this;
    assert(message.op === 'order', 'an order is read of an order');
    return 'content' in message ? message.content : orderOf(message.order, 'order');
  }

  override sendOrder(dataText: string, isReplay: boolean): void {
    const text = orderMessageText(this.host.moment(), this.message.id, isReplay, dataText);
    this.host.sendAnswer(this.connection, text);
    this.#answered(CREATED);
  }

  override send(status: number, body: string | Uint8Array): void {
    const text = typeof body === 'string' ? body : Buffer.from(body).toString();
    const { op, id } = this.message;
    assert(op !== 'order', 'an order is answered by `sendOrder`');
    this.connection.send(doneMessageText(ANSWERS[op], this.host.moment(), id, dataOf(text)));
    this.#answered(status);
  }

  override refuse(refused: Refused, extra = refused.headers): void {
    this.meter.refused(refused.code);
    const retryAt = extra.indexOf('Retry-After');
    this.connection.refuse(this.message.id, refused, retryAt < 0 ? 0 : Number(extra[retryAt + 1]));
    this.#answered(refused.status);
  }

  #answered(status: number): void {
    this.meter.answered(STREAM_ORDER_ROUTE, status);
    this.host.onAnswered(this.connection);
  }
}

function filterOf({ marketId, prediction }: StreamCancelAll): string {
  const given = {
    ...(marketId !== undefined && { marketId }),
    ...(prediction !== undefined && { prediction }),
  };
  return new URLSearchParams(given).toString();
}

const NO_BODY = new Uint8Array(0);

function requestOf({ subscriber }: Connection, message: Message): HttpRequest {
  const isOrder = message.op === 'order';
  return {
    method: isOrder ? 'POST' : 'DELETE',
    // A text that is no id of an order may be another path.
    path: message.op === 'cancel' ? `/v1/orders/${betId(parseBetId(message.orderId))}` : '/v1/orders',
    query: message.op === 'cancelAll' ? filterOf(message) : '',
    address: subscriber.address,
    apiKey: '',
    idempotencyKey: isOrder ? (message.idempotencyKey ?? null) : null,
    contentType: isOrder ? 'application/json' : '',
    contentEncoding: '',
    acceptEncoding: '',
    authorization: '',
    ifNoneMatch: '',
    body: NO_BODY,
    fault: null,
  };
}
