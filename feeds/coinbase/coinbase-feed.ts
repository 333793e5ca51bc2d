/**
 * Prices of cryptocurrencies from Coinbase Exchange: with each trade, the middle of the best bid and ask after it, with
 * the trade's time. Trades themselves go to and fro between bid and ask, which anybody who sees the book foresees. An
 * asset's product follows from its name (`BTC-USD`), so there is nothing to configure that could be wrong. A product
 * that the exchange does not have is left out until the next start.
 */
import { ASSETS, type Asset, assetClassOf } from '../../engine/model/domain.js';
import { ConnectedFeed, type FeedOptions } from '../live/connected-feed.js';
import type { Ended, Listener } from '../live/kept-connection.js';
import { readSocket } from '../live/socket.js';
import { type Book, readMessage, subscription } from './messages.js';

interface CoinbaseOptions extends FeedOptions {
  readonly url: URL;
}

const PRODUCTS: ReadonlyMap<string, Asset> = new Map(
  ASSETS.filter((asset) => assetClassOf(asset) === 'CRYPTO').map((asset) => [`${asset}-USD`, asset]),
);

export class CoinbaseFeed extends ConnectedFeed {
  protected readonly excluded = new Map<Asset, string>();
  readonly #last: (Book | undefined)[] = [];

  constructor(private readonly options: CoinbaseOptions) {
    super(
      'coinbase',
      [...PRODUCTS.values()].map((asset) => ASSETS.indexOf(asset)),
      options,
    );
  }

  protected connect(listener: Listener, signal: AbortSignal): Promise<Ended> {
    const greetings = this.#products().map(subscription);
    return readSocket(
      { url: this.options.url, greetings, onText: (text) => this.#onText(text) },
      listener,
      signal,
    );
  }

  #products(): string[] {
    return [...PRODUCTS].flatMap(([product, asset]) => (this.excluded.has(asset) ? [] : [product]));
  }

  #onText(text: string): boolean {
    const message = readMessage(text);
    switch (message.kind) {
      case 'book':
        return this.#onBook(message);
      case 'heartbeat':
        return true;
      case 'error':
        this.#onError(message.detail);
        return false;
      case 'malformed':
        this.countMalformed(1);
        return false;
      default:
        return false;
    }
  }

  #onBook(book: Book): boolean {
    const { product, id, bid, ask, price, spread, timeMs } = book;
    const name = PRODUCTS.get(product);
    if (name === undefined) return false;
    const asset = ASSETS.indexOf(name);
    const last = this.#last[asset];
    // A later one with a lower id follows a wrong id, or the exchange counts anew.
    if (last !== undefined && id <= last.id && timeMs <= last.timeMs) {
      this.countsOf(asset).repeated++;
      return false;
    }
    if (!this.hears(asset, timeMs)) return true;
    this.#last[asset] = book;
    const origin = `${product} trade ${id} bid ${bid} ask ${ask}`;
    this.offer({ asset, price, spread, timeMs, source: this.name, origin });
    return true;
  }

  #onError(detail: string): void {
    for (const [product, asset] of PRODUCTS) {
      if (new RegExp(`\\b${product}\\b`).test(detail)) this.excluded.set(asset, detail);
    }
    this.log.write('feed_service_error', detail, { detail });
  }
}
