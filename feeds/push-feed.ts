/** The feed whose ticks are pushed through the operator API. */
import type { PriceFeed, PriceTick, TickVerdict } from '../engine/model/ports.js';

export class PushFeed implements PriceFeed {
  readonly name = 'push';
  #sink: ((tick: PriceTick) => TickVerdict) | null = null;

  start(sink: (tick: PriceTick) => TickVerdict): void {
    this.#sink = sink;
  }

  /** `asset` is an index into `ASSETS`. */
  offer(asset: number, price: number, timeMs: number): TickVerdict {
    if (this.#sink === null) return { taken: false, detail: 'no prices are taken at the moment' };
    return this.#sink({ asset, price, timeMs, source: this.name, origin: '' });
  }

  poll(): void {}

  stop(): void {
    this.#sink = null;
  }
}
