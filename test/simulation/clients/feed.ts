/**
 * A price feed with faults: gaps, jumps, duplicates, ticks out of order, from the future, and absurd ones. Prices
 * move whether or not a server listens.
 */
import { ASSETS } from '../../../engine/model/domain.js';
import type { Rng } from '../../support/reference/random/rng.js';
import { type ClientWorld, soonMs } from './client-world.js';
import { BASE_PRICE } from './operator.js';

const NO_PRICES = [0, -1, Number.NaN, Number.POSITIVE_INFINITY];

type OfferTick = (asset: number, price: number, timeMs: number) => void;

export class SimFeed {
  readonly #prices: number[];
  readonly #silentUntilMs: number[] = ASSETS.map(() => 0);

  constructor(
    private readonly world: ClientWorld,
    private readonly rng: Rng,
    private readonly offer: OfferTick,
  ) {
    this.#prices = ASSETS.map((_, asset) => BASE_PRICE * (asset + 1));
  }

  start(): void {
    for (const asset of this.world.config.assets) this.#next(asset);
  }

  price(asset: number): number {
    return this.#prices[asset] ?? 1;
  }

  #next(asset: number): void {
    this.world.scheduler.after(soonMs(this.rng, this.world.config.tickEveryMs), () => {
      this.#tick(asset);
      this.#next(asset);
    });
  }

  #tick(asset: number): void {
    const { rng, world } = this;
    const { nowMs } = world.scheduler;
    if (rng.chance(0.6)) this.#walk(asset, 0.999 + rng.next() * 0.002);
    const price = this.price(asset);
    if (world.isCalm) {
      this.offer(asset, price, nowMs);
      return;
    }
    if (nowMs < (this.#silentUntilMs[asset] ?? 0)) return;
    const offer = (factor: number, timeMs: number): void => this.offer(asset, price * factor, timeMs);
    const [habit, act] = rng.weighted<readonly [name: string, act: () => void]>([
      [300, ['usual', () => offer(1, nowMs - rng.integer(0, 50))]],
      [12, ['duplicate', () => this.#offerTwice(asset, price)]],
      [12, ['out of order', () => this.#offerLate(asset, price)]],
      [3, ['absurd', () => offer(rng.pick([1.6, 0.4, 1_000]), nowMs)]],
      [3, ['not a price', () => this.offer(asset, rng.pick(NO_PRICES), nowMs)]],
      [3, ['from the future', () => offer(1, nowMs + rng.pick([900, 1_000, 1_001, 5_000]))]],
      [2, ['jump', () => this.#jump(asset)]],
      [0.25, ['gap', () => this.#fallSilent(asset)]],
    ]);
    world.coverage.hit('fault', `price ${habit}`);
    act();
  }

  /** The step stays near enough to the base for every price to be believed after every other. */
  #walk(asset: number, factor: number): void {
    const base = BASE_PRICE * (asset + 1);
    const price = Math.min(base * 1.19, Math.max(base * 0.81, this.price(asset) * factor));
    const { priceStep } = this.world.config;
    this.#prices[asset] = Math.round(Math.round(price / priceStep) * priceStep * 100) / 100;
  }

  #offerTwice(asset: number, price: number): void {
    const timeMs = this.world.scheduler.nowMs - 100;
    this.offer(asset, price, timeMs);
    this.offer(asset, price * 1.0001, timeMs);
  }

  #offerLate(asset: number, price: number): void {
    const { nowMs } = this.world.scheduler;
    this.offer(asset, price, nowMs);
    this.offer(asset, price * 0.9999, nowMs - this.rng.integer(1, 3_000));
  }

  #jump(asset: number): void {
    this.#walk(asset, this.rng.pick([1.4, 0.7, 1.2]));
    this.offer(asset, this.price(asset), this.world.scheduler.nowMs);
  }

  #fallSilent(asset: number): void {
    this.#silentUntilMs[asset] = this.world.scheduler.nowMs + this.rng.pick([3_000, 12_000, 70_000]);
  }
}
