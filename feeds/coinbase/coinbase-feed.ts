/**
 * Prices of cryptocurrencies from Coinbase Exchange: each trade is a tick with the trade's own price and time.
 *
 * An asset's product follows from its name (`BTC-USD`), so there is nothing to configure that could be wrong. A product
 * that the exchange does not have is left out until the next start.
 */
import { must } from '../../engine/base/assert.js';
import { ASSETS, type Asset, assetClassOf } from '../../engine/model/domain.js';
import type { Clock, PriceTick, TickVerdict } from '../../engine/model/ports.js';
import type { Log } from '../../process/log/log.js';
import { KeptConnection } from '../live/kept-connection.js';
import { countVerdict, type FeedView, type LiveFeed, newCounts } from '../live/live-feed.js';
import { SeldomLog } from '../live/seldom-log.js';
import { socketDial } from '../live/socket.js';
import { readMessage, subscription } from './messages.js';

/** Heartbeats come every second. */
const SILENCE_MS = 10_000;

export interface CoinbaseOptions {
  readonly url: URL;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** From 0 to below 1, for the waits between connections. */
  readonly random: () => number;
  readonly log: Pick<Log, 'write'>;
}

/** By product, the index of its asset. */
const PRODUCTS: ReadonlyMap<string, number> = new Map(
  ASSETS.flatMap((name, asset) => (assetClassOf(name) === 'CRYPTO' ? [[`${name}-USD`, asset]] : [])),
);

export class CoinbaseFeed implements LiveFeed {
  readonly name = 'coinbase';
  newestMs = 0;
  readonly #connection: KeptConnection;
  readonly #log: SeldomLog;
  readonly #excluded = new Map<number, string>();
  /** Ids of the last trades, by asset. */
  readonly #lastIds: (number | undefined)[] = [];
  readonly #counts = ASSETS.map(newCounts);
  #malformed = 0;
  #sink: ((tick: PriceTick) => TickVerdict) | null = null;

  constructor({ url, clock, random, log }: CoinbaseOptions) {
    this.#log = new SeldomLog(log, clock, this.name);
    this.#connection = new KeptConnection({
      dial: socketDial({
        url,
        greetings: () => this.#products().map(subscription),
        onText: (text) => this.#onText(text),
      }),
      silenceMs: SILENCE_MS,
      clock,
      random,
      onOpened: () => log.write('feed_connected', { feed: this.name }),
      onEnded: (reason, waitMs) => log.write('feed_disconnected', { feed: this.name, reason, waitMs }),
    });
  }

  start(sink: (tick: PriceTick) => TickVerdict): void {
    this.#sink = sink;
    this.#connection.start();
  }

  poll(): void {
    this.#connection.poll();
  }

  nextDueMs(): number {
    return Number.POSITIVE_INFINITY;
  }

  stop(): void {
    this.#sink = null;
    this.#connection.stop();
  }

  covers(asset: number): boolean {
    return [...PRODUCTS.values()].includes(asset) && !this.#excluded.has(asset);
  }

  view(): FeedView {
    const covered = [...PRODUCTS.values()];
    const byName = <T>(values: readonly (readonly [number, T])[]): Partial<Record<Asset, T>> =>
      Object.fromEntries(values.map(([asset, value]) => [ASSETS[asset], value]));
    return {
      name: this.name,
      connection: this.#connection.view,
      excluded: byName([...this.#excluded]),
      updates: byName(covered.map((asset) => [asset, must(this.#counts[asset], 'counts of the asset')])),
      malformed: this.#malformed,
    };
  }

  #products(): string[] {
    return [...PRODUCTS].flatMap(([product, asset]) => (this.#excluded.has(asset) ? [] : [product]));
  }

  #onText(text: string): boolean {
    const message = readMessage(text);
    switch (message.kind) {
      case 'trade':
        return this.#onTrade(message.product, message.id, message.price, message.timeMs);
      case 'heartbeat':
        return true;
      case 'error':
        this.#onError(message.detail);
        return false;
      case 'malformed':
        this.#malformed++;
        this.#log.write('feed_malformed', 'malformed', { malformed: this.#malformed });
        return false;
      default:
        return false;
    }
  }

  #onTrade(product: string, id: number, price: number, timeMs: number): boolean {
    const asset = PRODUCTS.get(product);
    if (asset === undefined) return false;
    const counts = must(this.#counts[asset], 'counts of the asset');
    const lastId = this.#lastIds[asset];
    if (lastId !== undefined && id <= lastId) {
      counts.repeated++;
      return false;
    }
    this.#lastIds[asset] = id;
    this.newestMs = Math.max(this.newestMs, timeMs);
    const tick: PriceTick = { asset, price, timeMs, source: this.name, origin: `${product} trade ${id}` };
    countVerdict(counts, this.#sink?.(tick));
    return true;
  }

  /** An error that names a product takes the product out. */
  #onError(detail: string): void {
    for (const [product, asset] of PRODUCTS) {
      if (new RegExp(`\\b${product}\\b`).test(detail)) this.#excluded.set(asset, detail);
    }
    this.#log.write('feed_service_error', detail, { detail });
  }
}
