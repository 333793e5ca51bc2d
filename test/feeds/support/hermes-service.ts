/**
 * A service that speaks Hermes' wire format over a real port: the list of price feeds, and the stream of updates. The
 * format is that of recorded answers (symbols, ids and the members of an update are the service's own).
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ASSETS, type Asset } from '../../../engine/model/domain.js';
import { HERMES_SYMBOLS } from '../../../feeds/hermes/symbols.js';
import { Seen } from './seen.js';

const idsOf = ASSETS.map((asset) => [asset, HERMES_SYMBOLS[asset][1]] as const);
export const HERMES_IDS = Object.fromEntries(idsOf) as Readonly<Record<Asset, string>>;

export interface SentPrice {
  readonly asset: Asset;
  readonly price: string;
  readonly conf?: string;
  readonly expo?: number;
  /** Seconds since 1970. */
  readonly publishTime: number;
  readonly slot?: number | null;
  readonly id?: string;
}

/** As recorded; `ema_price` and the signed data are sent and not used. */
export function updateJson(prices: readonly SentPrice[]): string {
  const parsed = prices.map(
    ({ asset, price, conf = '2302419392', expo = -8, publishTime, slot = publishTime * 2, id }) => ({
      id: id ?? HERMES_IDS[asset],
      price: { price, conf, expo, publish_time: publishTime },
      ema_price: { price, conf, expo, publish_time: publishTime },
      metadata: { slot, proof_available_time: publishTime + 2, prev_publish_time: publishTime - 1 },
    }),
  );
  return JSON.stringify({ binary: { encoding: 'base64', data: ['UE5BVQEAAAADuAEAAAAE'] }, parsed });
}

export const eventOf = (prices: readonly SentPrice[]): string => `data:${updateJson(prices)}\n\n`;

export class HermesService {
  readonly streams = new Seen<{ readonly request: IncomingMessage; readonly response: ServerResponse }>();
  readonly listRequests: IncomingMessage[] = [];
  readonly listed = new Map<string, string>(Object.values(HERMES_SYMBOLS));
  /** The answers for seconds of the past; without one there is 404. */
  readonly past = new Map<number, readonly SentPrice[]>();
  /** Second and ids of each question for them. */
  readonly pastAsked = new Seen<readonly [second: number, ids: readonly string[]]>();
  /** Returns true where it has answered in its own way. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;

  private constructor(private readonly server: Server) {}

  static async open(): Promise<HermesService> {
    const server = createServer((request, response) => service.#answer(request, response));
    const service = new HermesService(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  /** With a path before `/v2`, as the service has one. */
  get url(): URL {
    return new URL(`http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hermes`);
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '', this.url);
    const isList = url.pathname === '/hermes/v2/price_feeds';
    if (isList) this.listRequests.push(request);
    if (this.intercept(request, response)) return;
    if (isList) {
      this.#sendList(url.searchParams.get('query') ?? '', response);
    } else if (url.pathname === '/hermes/v2/updates/price/stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
      response.flushHeaders();
      this.streams.add({ request, response });
    } else {
      const second = Number(/price\/(\d+)$/.exec(url.pathname)?.[1]);
      const ids = url.searchParams.getAll('ids[]');
      this.pastAsked.add([second, ids]);
      const prices = this.past.get(second)?.filter(({ asset }) => ids.includes(HERMES_IDS[asset]));
      response.writeHead(prices === undefined ? 404 : 200).end(prices && updateJson(prices));
    }
  }

  /** As the service does, all feeds whose symbol contains the words, in whatever case. */
  #sendList(query: string, response: ServerResponse): void {
    const found = [...this.listed].filter(([symbol]) => symbol.toLowerCase().includes(query.toLowerCase()));
    const related = { id: 'ab'.repeat(32), attributes: { asset_type: 'Crypto', symbol: `${query}.RR` } };
    const list = found.map(([symbol, id]) => ({
      id,
      attributes: { asset_type: 'Crypto', base: symbol, quote_currency: 'USD', symbol },
    }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify([related, ...list]));
  }
}
