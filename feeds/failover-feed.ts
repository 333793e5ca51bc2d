/**
 * Several feeds in order of preference. Each asset has one that its prices come from; the others stand by. Where an
 * asset's feed has had no believed price for a while, the first other one with a fresh price takes over, if that price
 * is believed. A preferred feed comes back once it has been fresh for some time without a break, or at once where the
 * present one is stale. So two feeds that fail in turn do not throw an asset to and fro, and a feed whose prices are
 * absurd does not take over from one that is silent. Nor does it come back: beside a feed that has prices, an absurd
 * price is no fresh one, and is not passed on to be held back, which would keep orders waiting.
 */
import { must } from '../engine/base/assert.js';
import { agree } from '../engine/host/ticks/jumps.js';
import { ASSETS } from '../engine/model/domain.js';
import type { PriceFeed, PriceTick, TickVerdict } from '../engine/model/ports.js';
import { type LiveFeed, ON_STANDBY } from './live/live-feed.js';

/** A feed is stale for an asset once the last price that was believed is older than this. */
export const STALE_MS = 8_000;
const BACK_AFTER_MS = 30_000;

export interface FeedSwitch {
  readonly asset: number;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

interface FailoverOptions {
  /** At least one, the preferred one first. */
  readonly feeds: readonly LiveFeed[];
  /** The feed that an asset's prices came from before the start. It goes on: the preferred one may be away. */
  readonly feedBefore: (asset: number) => string | null;
  /** Wall-clock time, which ticks are compared with. */
  readonly nowMs: () => number;
  readonly onSwitch: (switched: FeedSwitch) => void;
}

const FAR: TickVerdict = { taken: false, detail: 'the price is far from that of the feed in use' };

interface Freshness {
  sinceMs: number;
  lastMs: number;
  /** It was to take over, and its last price was not believed: the next one that is takes over at once. */
  isRefused: boolean;
}

export class FailoverFeed implements PriceFeed {
  readonly name: string;
  /** Places of feeds, by asset. */
  readonly #active: number[];
  /** The last believed tick, by asset. */
  readonly #believedMs: number[] = [];
  readonly #believedPrice: (number | undefined)[] = [];
  /** By feed, then by asset. */
  readonly #fresh: readonly (Freshness | undefined)[][];
  #sink: ((tick: PriceTick) => TickVerdict) | null = null;

  constructor(private readonly options: FailoverOptions) {
    const { feeds } = options;
    this.name = feeds.map(({ name }) => name).join(',');
    this.#fresh = feeds.map(() => []);
    this.#active = ASSETS.map((_, asset) => {
      const covering = feeds.filter((feed) => feed.covers(asset));
      const name = options.feedBefore(asset);
      const first = covering.find((feed) => feed.name === name) ?? covering[0];
      return first === undefined ? 0 : feeds.indexOf(first);
    });
  }

  start(sink: (tick: PriceTick) => TickVerdict): void {
    this.#sink = sink;
    const nowMs = this.options.nowMs();
    this.#believedMs.push(...ASSETS.map(() => nowMs));
    this.options.feeds.forEach((feed, place) => {
      feed.start((tick) => this.#offer(tick, place));
    });
  }

  poll(nowMs: number): void {
    for (const feed of this.options.feeds) feed.poll(nowMs);
  }

  recall(asset: number, boundaryMs: number): void {
    for (const feed of this.options.feeds) feed.recall?.(asset, boundaryMs);
  }

  /** A preferred feed has prices again, and takes over soon: whoever sees both knows how the asset's price will change. */
  isReturning(asset: number): boolean {
    const active = must(this.#active[asset], 'feed of the asset');
    for (let place = 0; place < active; place++) {
      const known = this.#fresh[place]?.[asset];
      if (known === undefined || known.isRefused) continue;
      if (this.options.nowMs() - known.lastMs <= STALE_MS) return true;
    }
    return false;
  }

  stop(): void {
    this.#sink = null;
    for (const feed of this.options.feeds) feed.stop();
  }

  #offer(tick: PriceTick, place: number): TickVerdict {
    const { asset } = tick;
    const nowMs = this.options.nowMs();
    const active = must(this.#active[asset], 'feed of the asset');
    if (place === active || tick.boundaryMs !== undefined) return this.#pass(tick);
    const staleForMs = nowMs - must(this.#believedMs[asset], 'time of a tick');
    const isStale = staleForMs > STALE_MS;
    const price = this.#believedPrice[asset] ?? tick.price;
    if (!isStale && !agree(tick.price, price)) {
      delete this.#fresh[place]?.[asset];
      return FAR;
    }
    const fresh = this.#freshness(tick, place, nowMs);
    if (fresh === null) return ON_STANDBY;
    const freshForMs = nowMs - fresh.sinceMs;
    const isBack = place < active && freshForMs >= BACK_AFTER_MS;
    if (!isStale && !isBack) return ON_STANDBY;
    const verdict = this.#pass(tick);
    fresh.isRefused = isBack && !verdict.taken;
    if (!verdict.taken) return verdict;
    this.#active[asset] = place;
    const from = this.#nameOf(active);
    const reason = isStale
      ? `${from} has had no price for ${Math.floor(staleForMs / 1_000)} s`
      : `${this.#nameOf(place)} has been back for ${Math.floor(freshForMs / 1_000)} s`;
    this.options.onSwitch({ asset, from, to: this.#nameOf(place), reason });
    return verdict;
  }

  #pass(tick: PriceTick): TickVerdict {
    const { asset, price, timeMs } = tick;
    const verdict = this.#sink?.(tick) ?? ON_STANDBY;
    if (verdict.taken && timeMs >= must(this.#believedMs[asset], 'time of a tick')) {
      this.#believedMs[asset] = timeMs;
      this.#believedPrice[asset] = price;
    }
    return verdict;
  }

  /** null if this tick is stale itself. */
  #freshness({ asset, timeMs }: PriceTick, place: number, nowMs: number): Freshness | null {
    const ofFeed = must(this.#fresh[place], 'ticks of the feed');
    if (nowMs - timeMs > STALE_MS) return null;
    const known = ofFeed[asset];
    const fresh =
      known !== undefined && nowMs - known.lastMs <= STALE_MS
        ? known
        : { sinceMs: nowMs, lastMs: nowMs, isRefused: false };
    fresh.lastMs = nowMs;
    ofFeed[asset] = fresh;
    return fresh;
  }

  #nameOf(place: number): string {
    return must(this.options.feeds[place], 'the feed').name;
  }
}
