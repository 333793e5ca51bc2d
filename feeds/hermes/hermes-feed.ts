/**
 * Prices of all assets from Pyth's Hermes service, as one stream of server-sent events. A tick's time is the service's
 * own `publish_time`, a whole second. Where several updates have the same one, the last to arrive counts, as for any
 * feed. An update of whose price the service itself is too unsure is not passed on: the asset is as silent as if
 * nothing had come.
 */
import { must } from '../../engine/base/assert.js';
import { TICK_EVIDENCE_LENGTH_MAX } from '../../engine/host/price-tracker.js';
import { ASSETS, type Asset, type AssetClass, assetClassOf, textAt } from '../../engine/model/domain.js';
import { ConnectedFeed, type FeedOptions } from '../live/connected-feed.js';
import type { Dial, Ended, Listener } from '../live/kept-connection.js';
import { type HermesService, hermesDial } from './connection.js';
import { HermesRecall } from './recall.js';
import { assetsById } from './symbols.js';
import { type Heard, type HermesUpdate, isNews, readUpdates } from './updates.js';

/** The rest of the evidence has some 150 characters; a longer signed update than this would make it too long. */
const SIGNED_LENGTH_MAX = TICK_EVIDENCE_LENGTH_MAX - 200;

/**
 * Half the widest interval about a price that is passed on, as a part of the price: several times the usual one while
 * an asset trades.
 */
const UNSURE_MAX: Readonly<Record<AssetClass, number>> = { CRYPTO: 0.005, METAL: 0.002, FX: 0.001 };

interface HermesOptions extends HermesService, FeedOptions {}

export class HermesFeed extends ConnectedFeed {
  readonly #dial: Dial;
  readonly #heard: (Heard | undefined)[] = [];
  protected excluded: ReadonlyMap<Asset, string> = new Map();
  /** By id; none before the ids have been checked. */
  #assets: ReadonlyMap<string, number> = new Map();
  readonly #recall: HermesRecall;

  constructor(private readonly options: HermesOptions) {
    super('hermes', [...ASSETS.keys()], options);
    const monotonicMs = (): number => options.clock.monotonicMs();
    this.#dial = hermesDial(options, monotonicMs, {
      onChecked: (faults) => this.#onChecked(faults),
      onPrices: (text) => this.#onPrices(text),
      onServiceError: (detail) => this.#tellTrouble('service', detail),
    });
    this.#recall = new HermesRecall(options, monotonicMs, {
      onUpdate: (update, boundaryMs, signed) => this.#onRecalled(update, boundaryMs, signed),
      onTrouble: (detail) => this.#tellTrouble('recall', detail),
    });
  }

  recall(asset: number, boundaryMs: number): void {
    if (this.covers(asset)) this.#recall.want(asset, boundaryMs);
  }

  override poll(): void {
    super.poll();
    this.#recall.poll();
  }

  override stop(): void {
    super.stop();
    this.#recall.stop();
  }

  protected connect(listener: Listener, signal: AbortSignal): Promise<Ended> {
    const opened = (): void => {
      listener.opened();
      // Not before: the service allows few requests, and the stream is needed more than the past.
      this.#recall.go();
    };
    return this.#dial({ ...listener, opened }, signal);
  }

  #onChecked(faults: ReadonlyMap<Asset, string>): void {
    this.excluded = faults;
    this.#assets = assetsById(faults);
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

  #onRecalled(update: HermesUpdate, boundaryMs: number, signed: string): void {
    const asset = this.#assets.get(update.id);
    if (asset === undefined || this.#isUnsure(asset, update)) return;
    const { price, publishTimeMs: timeMs, origin } = update;
    const evidence = origin + (signed.length > SIGNED_LENGTH_MAX ? '' : ` signed ${signed}`);
    const verdict = this.offer({ asset, price, timeMs, source: this.name, origin: evidence, boundaryMs });
    if (verdict.taken) return;
    const [name, at] = [textAt(ASSETS, asset), new Date(boundaryMs).toISOString()];
    this.#tellTrouble(`recall of ${name}`, `${price} of ${name} at ${at} is not used: ${verdict.detail}`);
  }

  #tellTrouble(about: string, detail: string): void {
    this.log.write('feed_service_error', about, { detail });
  }

  /** Returns whether the update was new, believed or not. */
  #take(asset: number, update: HermesUpdate): boolean {
    const counts = this.countsOf(asset);
    const { price, publishTimeMs, slot, origin } = update;
    if (!isNews(update, this.#heard[asset])) {
      counts.repeated++;
      return false;
    }
    if (!this.hears(asset, publishTimeMs)) return true;
    this.#heard[asset] = { publishTimeMs, slot, price };
    if (!this.#isUnsure(asset, update))
      this.offer({ asset, price, timeMs: publishTimeMs, source: this.name, origin });
    return true;
  }

  #isUnsure(asset: number, { price, unsureBy, publishTimeMs }: HermesUpdate): boolean {
    const name = must(ASSETS[asset], 'a known asset');
    if (unsureBy <= UNSURE_MAX[assetClassOf(name)]) return false;
    this.countsOf(asset).unsure++;
    const at = new Date(publishTimeMs).toISOString();
    this.log.write('price_uncertain', name, { crypto: name, price, unsureBy, at });
    return true;
  }
}
