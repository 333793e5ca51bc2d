/**
 * An exchange that speaks the wire format of Coinbase Exchange's feed over a real port. The messages are those of a
 * session recorded on 2026-08-25; a subscription is answered as the service documents it.
 */
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { Seen } from './seen.js';

const MATCH =
  '{"type":"match","trade_id":1081862675,"maker_order_id":"f07e510f-4edf-469d-b844-4f670f1e93f1","taker_order_id":"e6f50944-3e2a-439e-ae49-308300ba8296","side":"sell","size":"0.00000001","price":"80691.53","product_id":"BTC-USD","sequence":134905860111,"time":"2026-08-25T03:35:57.198335Z"}';

export interface SentTrade {
  readonly product?: string;
  readonly id: number;
  readonly price?: string;
  readonly timeMs: number;
  readonly type?: 'match' | 'last_match';
}

export function tradeJson({
  product = 'BTC-USD',
  id,
  price = '80691.53',
  timeMs,
  type = 'match',
}: SentTrade): string {
  const time = `${new Date(timeMs).toISOString().slice(0, -1)}335Z`;
  const recorded = JSON.parse(MATCH) as object;
  return JSON.stringify({ ...recorded, type, trade_id: id, product_id: product, price, time });
}

export const heartbeatJson = (timeMs: number): string =>
  JSON.stringify({
    type: 'heartbeat',
    last_trade_id: 0,
    product_id: 'BTC-USD',
    sequence: 134905860112,
    time: new Date(timeMs).toISOString(),
  });

export class ExchangeService {
  /** Connections, one after the other. */
  readonly sockets = new Seen<WebSocket>();
  /** Products that were subscribed to, by everyone. */
  readonly subscribed = new Seen<string>();
  /** Products that the exchange does not have. */
  readonly unknown = new Set<string>();
  /** Refuses the next connections with this status, where it is set. */
  refuseWith: { readonly status: number; readonly headers: Record<string, string> } | null = null;

  private constructor(private readonly server: WebSocketServer) {
    server.on('connection', (socket) => this.#onConnection(socket));
  }

  static async open(): Promise<ExchangeService> {
    let service: ExchangeService | null = null;
    const server = new WebSocketServer({
      port: 0,
      host: '127.0.0.1',
      verifyClient: (_info: { req: IncomingMessage }, answer) => {
        const refusal = service?.refuseWith ?? null;
        if (refusal === null) answer(true);
        else answer(false, refusal.status, '', refusal.headers);
      },
    });
    await new Promise<void>((resolve) => server.once('listening', () => resolve()));
    service = new ExchangeService(server);
    return service;
  }

  get url(): URL {
    return new URL(`ws://127.0.0.1:${(this.server.address() as AddressInfo).port}/`);
  }

  close(): void {
    for (const socket of this.server.clients) socket.terminate();
    this.server.close();
  }

  #onConnection(socket: WebSocket): void {
    socket.on('message', (data) => {
      const { product_ids: products } = JSON.parse(String(data)) as { product_ids: string[] };
      for (const product of products) this.#subscribe(socket, product);
    });
    this.sockets.add(socket);
  }

  #subscribe(socket: WebSocket, product: string): void {
    this.subscribed.add(product);
    const channel = (name: string) => ({ name, product_ids: [product] });
    const answer = this.unknown.has(product)
      ? { type: 'error', message: 'Failed to subscribe', reason: `${product} is not a valid product` }
      : { type: 'subscriptions', channels: [channel('matches'), channel('heartbeat')] };
    socket.send(JSON.stringify(answer));
  }
}
