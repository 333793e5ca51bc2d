/**
 * Prices of all assets from Pyth's Hermes service, as one stream of server-sent events.
 *
 * A tick's time is the service's own `publish_time`, a whole second. Where several updates have the same one, the last
 * to arrive counts, as for any feed. An update whose price the service itself is too unsure of is not passed on: it can
 * neither decide a boundary nor move a quote, and the asset is as silent as if nothing had come.
 */
import { must } from '../../engine/base/assert.js';
import { ASSETS, type Asset } from '../../engine/model/domain.js';
import type { Clock, PriceTick, TickVerdict } from '../../engine/model/ports.js';
import type { Log } from '../../process/log/log.js';
import { KeptConnection } from '../live/kept-connection.js';
import { countVerdict, type FeedView, type LiveFeed, newCounts } from '../live/live-feed.js';
import { SeldomLog } from '../live/seldom-log.js';
import { type HermesService, hermesDial } from './connection.js';
import { assetsById } from './symbols.js';
import { type Heard, type HermesUpdate, isNews, readUpdates } from './updates.js';

/** The service sends updates several times a second: after so long without a new one the connection is given up. */
const SILENCE_MS = 10_000;

export interface HermesOptions extends HermesService {
  /** By asset: the widest interval about a price that is passed on, half of it, as a part of the price. */
  readonly unsureMax: Readonly<Record<Asset, number>>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** From 0 to below 1, for the waits between connections. */
  readonly random: () => number;
  readonly log: Pick<Log, 'write'>;
}

export class HermesFeed implements LiveFeed {
  readonly name = 'hermes';
  newestMs = 0;
  readonly #connection: KeptConnection;
  readonly #heard: (Heard | undefined)[] = [];
  readonly #counts = ASSETS.map(newCounts);
  readonly #log: SeldomLog;
  #faults: ReadonlyMap<Asset, string> = new Map();
  /** By id; none before the ids have been checked. */
  #assets: ReadonlyMap<string, number> = new Map();
  #malformed = 0;
  #sink: ((tick: PriceTick) => TickVerdict) | null = null;

  constructor(private readonly options: HermesOptions) {
    const { clock, random, log } = options;
    this.#log = new SeldomLog(log, clock, this.name);
    const reader = {
      onChecked: (faults: ReadonlyMap<Asset, string>) => this.#onChecked(faults),
      onPrices: (text: string) => this.#onPrices(text),
      onServiceError: (detail: string) => this.#log.write('feed_service_error', 'service', { detail }),
    };
    this.#connection = new KeptConnection({
      dial: hermesDial(options, () => clock.monotonicMs(), reader),
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

  covers(): boolean {
    return true;
  }

  view(): FeedView {
    return {
      name: this.name,
      connection: this.#connection.view,
      excluded: Object.fromEntries(this.#faults),
      updates: Object.fromEntries(ASSETS.map((asset, index) => [asset, this.#counts[index]])),
      malformed: this.#malformed,
    };
  }

  #onChecked(faults: ReadonlyMap<Asset, string>): void {
    this.#faults = faults;
    this.#assets = assetsById(this.options.ids, faults);
    if (faults.size === 0) return;
    this.options.log.write('feed_ids_refused', { feed: this.name, assets: Object.fromEntries(faults) });
  }

  #onPrices(text: string): boolean {
    const { updates, malformed } = readUpdates(text);
    if (malformed > 0) {
      this.#malformed += malformed;
      this.#log.write('feed_malformed', 'malformed', { malformed: this.#malformed });
    }
    let isAnyNew = false;
    for (const update of updates) {
      const asset = this.#assets.get(update.id);
      if (asset !== undefined && this.#take(asset, update)) isAnyNew = true;
    }
    return isAnyNew;
  }

  /** Returns whether the update was new, believed or not. */
  #take(asset: number, update: HermesUpdate): boolean {
    const counts = must(this.#counts[asset], 'counts of the asset');
    const { price, unsureBy, publishTimeMs, slot, origin } = update;
    if (!isNews(update, this.#heard[asset])) {
      counts.repeated++;
      return false;
    }
    this.#heard[asset] = { publishTimeMs, slot, price };
    this.newestMs = Math.max(this.newestMs, publishTimeMs);
    const name = must(ASSETS[asset], 'a known asset');
    if (!(unsureBy <= this.options.unsureMax[name])) {
      counts.unsure++;
      this.#log.write('price_unsure', name, { crypto: name, price, unsureBy, at: isoOf(publishTimeMs) });
      return true;
    }
    const tick: PriceTick = { asset, price, timeMs: publishTimeMs, source: this.name, origin };
    countVerdict(counts, this.#sink?.(tick));
    return true;
  }
}

const isoOf = (timeMs: number): string => new Date(timeMs).toISOString();
