/** An exchange that speaks the documented wire format of Coinbase Exchange's feed over a real port. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { Seen } from './seen.js';

const TICKER = {
  ...{ type: 'ticker', sequence: 134905860111, product_id: 'BTC-USD', price: '80691.53' },
  ...{ open_24h: '79933.5', volume_24h: '7302.11893104', low_24h: '79402.36', high_24h: '81150' },
  ...{ volume_30d: '220311.75', best_bid: '80691.52', best_bid_size: '0.29', best_ask: '80691.54' },
  ...{ best_ask_size: '0.45', side: 'sell', trade_id: 1081862675, last_size: '0.00000001' },
} as const;

interface SentBook {
  readonly product?: string;
  readonly id: number;
  /** The trade's, which lies anywhere between bid and ask. */
  readonly price?: string;
  readonly bid?: string;
  readonly ask?: string;
  readonly timeMs: number;
}

export function tickerJson({ product = 'BTC-USD', id, price, bid, ask, timeMs }: SentBook): string {
  const time = `${new Date(timeMs).toISOString().slice(0, -1)}335Z`;
  const book = {
    price: price ?? TICKER.price,
    best_bid: bid ?? TICKER.best_bid,
    best_ask: ask ?? TICKER.best_ask,
  };
  return JSON.stringify({ ...TICKER, ...book, trade_id: id, product_id: product, time });
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
  readonly sockets = new Seen<WebSocket>();
  readonly subscribed = new Seen<string>();
  readonly unknown = new Set<string>();

  private constructor(private readonly server: WebSocketServer) {
    server.on('connection', (socket) => this.#onConnection(socket));
  }

  static async open(): Promise<ExchangeService> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    return new ExchangeService(server);
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
      const { product_ids: products, channels } = JSON.parse(String(data)) as Record<string, string[]>;
      if (channels?.join() !== 'ticker,heartbeat') return;
      for (const product of products ?? []) this.#subscribe(socket, product);
    });
    this.sockets.add(socket);
  }

  #subscribe(socket: WebSocket, product: string): void {
    this.subscribed.add(product);
    const channel = (name: string) => ({ name, product_ids: [product] });
    const answer = this.unknown.has(product)
      ? { type: 'error', message: 'Failed to subscribe', reason: `${product} is not a valid product` }
      : { type: 'subscriptions', channels: [channel('ticker'), channel('heartbeat')] };
    socket.send(JSON.stringify(answer));
  }
}
