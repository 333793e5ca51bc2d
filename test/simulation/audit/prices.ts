/** The boundary prices and late openings of a life of the server, by a plain list of the ticks that it took. */
import type { BoundaryPrice, OpenLate } from '../../../engine/model/commands.js';
import { ASSETS } from '../../../engine/model/domain.js';
import { boundaryTick } from '../../support/reference/boundary-price.js';
import { check } from '../violation.js';

const TICKS_MAX = 4_000;

interface Tick {
  readonly price: number;
  readonly timeMs: number;
  readonly arrivedMs: number;
}

export class PriceAudit {
  #startMs = 0;
  #ticks: Tick[][] = [];
  #latest: (Tick | null)[] = [];

  start(nowMs: number): void {
    this.#startMs = nowMs;
    this.#ticks = ASSETS.map(() => []);
    this.#latest = ASSETS.map(() => null);
  }

  onTaken(asset: number, price: number, timeMs: number, arrivedMs: number): void {
    const tick = { price, timeMs, arrivedMs };
    const ticks = this.#ticks[asset] ?? [];
    ticks.push(tick);
    if (ticks.length > TICKS_MAX) ticks.splice(0, TICKS_MAX / 2);
    const latest = this.#latest[asset] ?? null;
    if (latest === null || timeMs >= latest.timeMs) this.#latest[asset] = tick;
  }

  checkBoundary(command: BoundaryPrice): void {
    const { asset, boundaryMs, timeMs } = command;
    const best = boundaryTick(this.#ticks[asset] ?? [], boundaryMs, this.#startMs, timeMs);
    const about = (): string[] => [`${ASSETS[asset]}`, `${boundaryMs}`];
    check(
      best !== undefined,
      'boundary price',
      () => `${ASSETS[asset]} at ${boundaryMs} is not final at ${timeMs}`,
      about,
    );
    check(
      command.price === (best?.price ?? null) && command.priceTimeMs === (best?.timeMs ?? null),
      'boundary price',
      () =>
        `${ASSETS[asset]} at ${boundaryMs} is ${command.price} of ${command.priceTimeMs}, expected ${best?.price} of ${best?.timeMs}`,
      about,
    );
  }

  checkLate({ asset, price, priceTimeMs }: OpenLate): void {
    const latest = this.#latest[asset];
    check(
      latest?.price === price && latest.timeMs === priceTimeMs,
      'late opening',
      () => `${ASSETS[asset]} opens at ${price}, the last is ${latest?.price}`,
    );
  }
}
