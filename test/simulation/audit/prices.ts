/** The boundary prices and late openings of a life of the server, by a plain list of the ticks that it took. */
import type { BoundaryPrice, OpenLate } from '../../../engine/model/commands.js';
import { ASSETS } from '../../../engine/model/domain.js';
import { boundaryTick, GRACE_MS } from '../../support/reference/boundary-price.js';
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
    const ticks = this.#ticks[asset] ?? [];
    const best = boundaryTick(ticks, boundaryMs, this.#startMs, timeMs);
    const shown = `${command.price} of ${command.priceTimeMs}`;
    const fits = (tick: Tick | null): boolean =>
      (tick?.timeMs ?? 0) <= boundaryMs && shown === `${tick?.price ?? null} of ${tick?.timeMs ?? null}`;
    const [first] = ticks;
    const isBeforeFirst = first !== undefined && boundaryMs > this.#startMs && boundaryMs < first.timeMs;
    // A boundary that passed between the start and the first tick may have an older one that came after that.
    const mayFollow = isBeforeFirst && first.arrivedMs < this.#startMs + GRACE_MS;
    check(
      best !== undefined && (fits(best) || (mayFollow && ticks.some(fits))),
      'boundary price',
      () => `${ASSETS[asset]} at ${boundaryMs} is ${shown} at ${timeMs}, expected ${JSON.stringify(best)}`,
      () => [`${ASSETS[asset]}`, `${boundaryMs}`],
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
