/**
 * Prices of all assets from Pyth's Hermes service, as one stream of server-sent events. A tick's time is the service's
 * own `publish_time`, a whole second. Where several updates have the same one, the last to arrive counts, as for any
 * feed. An update of whose price the service itself is too unsure is not passed on: the asset is as silent as if
 * nothing had come.
 */
import { must } from '../../engine/base/assert.js';
import { ASSETS, type Asset } from '../../engine/model/domain.js';
import { ConnectedFeed, type FeedOptions } from '../live/connected-feed.js';
import type { Dial, Listener } from '../live/kept-connection.js';
import { type HermesService, hermesDial } from './connection.js';
import { assetsById } from './symbols.js';
import { type Heard, type HermesUpdate, isNews, readUpdates } from './updates.js';

export interface HermesOptions extends HermesService, FeedOptions {
  /** Half the widest interval about a price that is passed on, as a part of the price. */
  readonly unsureMax: Readonly<Record<Asset, number>>;
}

export class HermesFeed extends ConnectedFeed {
  readonly #dial: Dial;
  readonly #heard: (Heard | undefined)[] = [];
  protected excluded: ReadonlyMap<Asset, string> = new Map();
  /** By id; none before the ids have been checked. */
  #assets: ReadonlyMap<string, number> = new Map();

  constructor(private readonly options: HermesOptions) {
    super('hermes', [...ASSETS.keys()], options);
    this.#dial = hermesDial(options, () => options.clock.monotonicMs(), {
      onChecked: (faults) => this.#onChecked(faults),
      onPrices: (text) => this.#onPrices(text),
      onServiceError: (detail) => this.log.write('feed_service_error', 'service', { detail }),
    });
  }

  protected connect(listener: Listener): () => void {
    return this.#dial(listener);
  }

  #onChecked(faults: ReadonlyMap<Asset, string>): void {
    this.excluded = faults;
    this.#assets = assetsById(this.options.ids, faults);
    if (faults.size === 0) return;
    this.options.log.write('feed_ids_refused', { feed: this.name, assets: Object.fromEntries(faults) });
  }

  #onPrices(text: string): boolean {
    const { updates, malformed } = readUpdates(text);
    this.countMalformed(malformed);
    let isAnyNew = false;
    for (const update of updates) {
      const asset = this.#assets.get(update.id);
      if (asset !== undefined && this.#take(asset, update)) isAnyNew = true;
    }
    return isAnyNew;
  }

  /** Returns whether the update was new, believed or not. */
  #take(asset: number, update: HermesUpdate): boolean {
    const counts = this.countsOf(asset);
    const { price, unsureBy, publishTimeMs, slot, origin } = update;
    if (!isNews(update, this.#heard[asset])) {
      counts.repeated++;
      return false;
    }
    this.#heard[asset] = { publishTimeMs, slot, price };
    this.hears(asset, publishTimeMs);
    const name = must(ASSETS[asset], 'a known asset');
    if (!(unsureBy <= this.options.unsureMax[name])) {
      counts.unsure++;
      this.log.write('price_uncertain', name, { crypto: name, price, unsureBy, at: isoOf(publishTimeMs) });
      return true;
    }
    this.offer({ asset, price, timeMs: publishTimeMs, source: this.name, origin });
    return true;
  }
}

const isoOf = (timeMs: number): string => new Date(timeMs).toISOString();
